"""French."""

from __future__ import annotations

from quotecheck.text.lexicon import Lexicon, NumberWords, after, classes, counted, poles, spelled, words

LEXICON = Lexicon(
    code="fr",
    common=words(
        """le la les de des du un une et est en que qui dans pour pas sur au aux par avec ce se il elle
        ne sont plus son sa ses mais ou où comme été était nous vous ils elles cette ces leur leurs
        tout tous sans peut doit on a ont fait être avoir entre après avant même aussi deux l d qu n s
        c jamais aucun aucune très"""
    ),
    negation=classes(
        skip=r"n'est-ce_pas sans_(?:cesse|arrêt) rien_que",
        phrase_only=r"(?:pas|non)_(?:seulement|uniquement|exclusivement)",
        phrase=r"sans_(?:aucun_)?doute (?:aucun|nul|pas_de)_doute un_peu",
        # "plus", "personne" and "point" negate only behind "ne"; the whole is one negation.
        ne_plus=r"(?:ne_|n')(?:[\w'-]+[,_]+){1,4}?(?:plus|personne|point|guère|ni)",
        negator=r"""(?:à|a)_moins_qu[e'] rien_n(?:e_|')(?:prouve|montre|indique)
        pas jamais rien aucune? nulle? nullement sans ni non guère nulle_part
        personne(?=_n['e]) ne_(?:peu(?:t|vent)|sai(?:t|s)) sauf hormis faute_de au_lieu_de à_peine loin_de
        aucunement dépourvue?s?_d[e'] manqu(?:e|ent|ait)_de cess(?:e|é|a|ent|èrent)_de
        abst(?:enir|ien(?:t|nent)|int|inrent|enue?s?|enai(?:t|ent))
        refus(?:e|a|é|ait|ent|èrent|aient)(?=_d[e']) refusée?s?(?=_à)
        gard(?:a|e|é|ée|és)(?=_d[e']) (?:interdit|défendu)e?s?(?=_d[e'])
        interdi(?:t|te|ts|tes|sent|sait) (?:nie|nia|nié|nient|niait|nièrent)(?=_(?:qu[e']|avoir))
        démenti?\w*""",
        few=r"rarement (?<!un_)peu(?!_(?:à|après|avant|plus|près|importe))(?=_(?:d[e']|\w{3}))",
    ),
    modality=classes(
        only=r"""(?:ne_|n')(?!(?:[\w'-]+_){0,3}(?:pas|plus|jamais|rien)_)(?:[\w'-]+_){0,3}[\w'-]+(?=_qu[e'])
        seulement uniquement exclusivement seule?s?""",
        doit=r"""doi(?:s|t|vent) devai(?:s|t|ent) devra[si]? devront dû dev(?:oir|ez|ons)
        (?:est|sont)_tenue?s?_de fau(?:t|dra|drait) fallait obligatoire(?:ment)?s? obligée?s?""",
        devrait=r"devrai(?:s|t|ent) devri(?:ons|ez)",
        peut=r"""peu(?:t|x|vent) pouvai(?:s|t|ent) pourra(?:s|i)? pourront pouv(?:oir|ez|ons) pu
        puisse(?:nt)? permis""",
        pourrait=r"pourrai(?:s|t|ent)",
        possibly=r"peut-être éventuellement (?:im)?possible(?:ment)?s?",
        probably=r"(?:im)?probable(?:ment)?s? vraisemblablement sans_doute",
        certainly=r"certaine?s? certainement sûrement assurément",
        would=r"(?:aur|ser)(?:ait|aient)",
        allegedly=r"""apparemment soi-disant selon_toute_apparence prétendu(?:e|es|s|ment)?
        sembl(?:e|ent|ait|aient) paraît""",
        q_all=r"tou(?:t|s|te|tes) chaque toujours chacune?",
        q_most=r"plupart généralement majorité surtout",
        q_many=r"beaucoup souvent nombreu(?:x|ses) maint(?:e?s)?",
        q_some=r"partie(?=_d[eu']) quelques plusieurs parfois certain(?:e?s) partiellement",
        q_few=r"peu rarement",
        q_none=r"aucune? jamais nul",
    ),
    opposites=poles(
        (
            r"""augment\w* haussé?\w* hausse accr\w+ croî\w* croiss\w* progress\w*
            mont(?:e|é|ée|és|ent|ait|er) gagn\w* amélior\w* élarg\w*""",
            r"""diminu\w* baiss\w* réduc\w* rédui\w* décr\w+ recul\w* chut\w* tomb\w* perd\w* pert\w*
            aggrav\w* rétréc\w*""",
        ),
        (
            r"plus supérieure?s? au-dessus au-delà maxim\w+ davantage majeure?s?",
            r"moins inférieure?s? au-dessous en_dessous minim\w+ mineure?s?",
        ),
        (r"mieux meilleure?s? bon(?:ne)?s?", r"pire?s? mauvaise?s? mal"),
        (
            r"autoris\w* permi\w* permet\w* accept\w* approuv\w* adopt\w* accord\w* admi\w*",
            r"interdi\w* refus\w* rejet\w* prohib\w* défend\w* désapprouv\w* désaccord\w*",
        ),
        (r"off(?:r|er)\w+ prom[ei][ts]\w* promirent engag\w+ charg\w+ ralli\w+", r"refus\w+ oppos\w+"),
        (r"pour", r"contre"),
        (r"avant", r"après"),
        (r"avec", r"sans"),
        (r"toujours", r"jamais"),
        (r"vraie?s?", r"fau(?:x|sse|sses)"),
        (r"ouvert\w* ouvr\w*", r"ferm\w*"),
        (r"positi(?:f|fs|ve|ves)", r"négati(?:f|fs|ve|ves)"),
        (r"bénéfices? profits? gains?", r"pertes? déficits?"),
        (r"fort(?:e|es|s|ement)?", r"faibl(?:e|es|ement)"),
        (r"haut(?:e|es|s)?", r"bas(?:se|ses)?"),
        (r"tous tout", r"aucun rien"),
        (
            r"""affirm\w* confirm\w* reconn\w+ adm(?:et|is|ettent|it) dit disent déclar\w* assur\w*
            démontr\w* montr\w*""",
            r"ni(?:e|é|a|ent|ait|èrent) nier démenti\w* réfut\w*",
        ),
        (r"réussi\w* succès", r"échou\w* échec\w*"),
        (r"aussi", r"non_plus"),
        (r"exporta\w*", r"importations?"),
        (r"sûre?s? sécurité", r"dangereu(?:x|se|ses) danger"),
        (r"dedans intérieur\w*", r"dehors extérieur\w*"),
        (r"achet\w+ achat\w*", r"vend\w+ ventes?"),
        (r"coupables?", r"innocente?s?"),
        (r"présente?s?", r"absente?s?"),
        (r"gagn(?:é|a|ent|èrent) victoire\w*", r"perdu\w* défaite\w*"),
        (r"facile(?:s|ment)?", r"difficile(?:s|ment)?"),
        (r"commenc\w+ début\w*", r"termin\w+ fini\w* cess\w+"),
        (r"inclu\w+ compris\w*", r"exclu\w+"),
        (r"riches?", r"pauvres?"),
        (r"pleine?s?", r"vides?"),
        (
            r"""stimul\w+ favoris\w+ activ(?:e|é|ée|és|ées|ent|ait|ation|er) promeu\w* promouv\w+ indui\w+
            induct\w+""",
            r"inhib\w+ supprim\w+ bloqu\w+ désactiv\w+ entrav\w+ empêch\w+",
        ),
        (r"doubl\w+ tripl\w+", r"divis\w+_par_deux"),
        (
            r"""confirm\w+ accueilli\w* accueil\w+ maint(?:ien\w*|enu\w*|int\w*) admis\w* fait_droit
            valid(?:e|é|ée|és|ées|ent|a|ait|er|ation)""",
            r"infirm\w+ rejet\w+ annul\w+ cass(?:e|é|ée|és|ées|a|er|ation) débout\w+ invalid\w+",
        ),
        (r"condamn\w+", r"acquitt\w+ relax(?:e|é|ée|és|a)"),
        (r"grande?s?", r"petite?s?"),
        (r"tôt", r"tard"),
        (r"gauches?", r"droite?s?"),
        (r"hau(?:t|ts|te|tes)", r"bas(?:se|ses)?"),
        (r"bénin bénigne?s?", r"mali(?:n|ns|gne|gnes)"),
        (r"aigu[ës]?s? aiguë?s?", r"chroniques?"),
        (r"for(?:t|ts|te|tes|tement)", r"faible(?:s|ment)?"),
    ),
    prefixes=("in", "im", "ir", "il", "non", "dé", "dés", "mal", "més"),
    affix_exceptions=words("importe importer intenter investir infirmer"),
    number_words=NumberWords(
        values=counted(
            """zéro, un une premier première, deux deuxième second seconde, trois troisième, quatre
            quatrième, cinq cinquième, six sixième, sept septième, huit huitième, neuf neuvième, dix
            dixième, onze onzième, douze douzaine douzième, treize, quatorze, quinze quinzaine, seize"""
        )
        | counted(
            """vingt vingts vingtaine, trente trentaine, quarante, cinquante cinquantaine, soixante,
            septante, huitante octante, nonante""",
            start=20,
            step=10,
        ),
        scales={"cent": 100, "cents": 100, "mille": 1_000, "milliers": 1_000}
        | dict.fromkeys(("million", "millions"), 10**6)
        | dict.fromkeys(("milliard", "milliards"), 10**9),
        fractions=dict.fromkeys(("demi", "demie", "moitié"), "0.5")
        | {"tiers": "1/3", "quart": "0.25", "quarts": "0.25"},
        joiners=frozenset({"et"}),
        weak=words("un une premier première second seconde neuf"),
        vigesimal=True,
    ),
    units=spelled(
        """%: pour_cent; pp: point_de_pourcentage points_de_pourcentage; km: kilomètre kilomètres; m:
        mètre mètres; cm: centimètre centimètres; mm: millimètre millimètres; mi: mille_marin
        milles_marins; kg: kilo kilos kilogramme kilogrammes; g: gramme grammes; mg: milligramme
        milligrammes; t: tonne tonnes; lb: livre livres; l: litre litres; ha: hectare hectares; s:
        secondes; min: minute minutes; h: heure heures; d: jour jours quotidien quotidienne quotidiens
        quotidiennes quotidiennement; wk: semaine semaines hebdomadaire hebdomadaires; mo: mois mensuel
        mensuelle mensuels mensuelles mensuellement;
        μg: microgramme microgrammes; ml: millilitre millilitres; bid: biquotidien; y: an ans année années
        annuel annuelle annuels annuelles; decade: décennie décennies; century: siècle siècles; €: euro
        euros; $:
        dollar dollars; franc: franc francs; W: watt watts; kW: kilowatt kilowatts; MW: mégawatt
        mégawatts"""
    ),
    comparators=classes(
        ge=r"au_moins pas_moins_de",
        le=r"au_plus jusqu'à pas_plus_de au_maximum",
        gt=r"plus_d[e'] supérieure?s?_à au-delà_de plus_de",
        lt=r"moins_d[e'] inférieure?s?_à moins_de",
        about=r"environ près_de quelque à_peu_près presque autour_de",
        ge_behind=r"ou_plus",
        le_behind=r"ou_moins",
    ),
    decimal_comma=True,
    negation_behind=after(
        r"pas(?!_(?:seulement|uniquement)) jamais rien guère aucun(?:e(?:ment)?)? nullement"
    ),
)
