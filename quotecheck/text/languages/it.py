"""Italian."""

from __future__ import annotations

from quotecheck.text.lexicon import Lexicon, NumberWords, after, classes, counted, poles, spelled, words

LEXICON = Lexicon(
    code="it",
    common=words(
        """il lo la i gli le di del della dei delle degli e in che è un una uno per con non si da dal
        dalla al alla nel nella sul sulla suo sua come più ma o questo questa questi queste fu era sono
        ha hanno aveva essere stato stata senza anche tra fra quando molto già né mai ogni tutti tutto
        deve devono può possono nessun nessuno nessuna dopo prima ai alle dai sia ed anno aveva erano"""
    ),
    negation=classes(
        phrase_only=r"non_(?:sol(?:o|tanto|amente)|unicamente|esclusivamente)",
        phrase=r"senza_(?:alcun_)?dubbio non_c'è_dubbio nessun_dubbio un_po' un_poco",
        skip=r"no[.]?_\d+ (?:\d[.]?|im|i|en|în)_Mai o_no o_meno senz'altro se_non",
        negator=r"""a_meno_che non_è_(?:vero|certo|detto|provato)_che
        non no mai nessun(?:o|a)? nessun' niente nulla né senza neanche nemmeno neppure
        tranne salvo eccetto mancanza_di anziché invece_di n[oò] priv[oaei]_di a_malapena mica
        giammai lontano_dall?[ao']? smes(?:so|se|sero)_di
 ast(?:enne|ennero|iene|engono|enut[oaie])
        rifiut(?:ò|a|ano|ato|ata|ati|arono|ava)(?=_(?:di|a)\b)
        vietat[oaie] proibit[oaie] vieta(?:no)? proibisc(?:e|ono)
        neg(?:ò|a|ano|ato|arono|ava)(?=_(?:che|di)\b) smenti\w+""",
        few=r"raramente di_rado poc(?:o|a|hi|he)",
    ),
    modality=classes(
        deve=r"""dev(?:e|ono|o) debba(?:no)? dov(?:eva|evano|rà|ranno|ere|uto|ette|ettero) bisogna
        occorre necessari(?:o|a) obbligat(?:o|a|i|e) obbligatori(?:o|a|amente)?""",
        dovrebbe=r"dovrebbe(?:ro)? dovesse(?:ro)?",
        può=r"può possono posso poss(?:a|ano) poteva(?:no)? potrà potranno potere potuto permesso",
        potrebbe=r"potrebbe(?:ro)? potesse(?:ro)?",
        possibly=r"forse eventualmente magari possibil(?:e|i|mente) impossibil(?:e|i)",
        probably=r"probabil(?:e|i|mente) improbabil(?:e|i)",
        certainly=r"cert(?:o|a|amente) sicuramente indubbiamente",
        would=r"avrebbe(?:ro)? sarebbe(?:ro)?",
        allegedly=r"a_quanto_pare presunt(?:o|a|i|e|amente) apparentemente sembra(?:no|va|vano)? pare",
        only=r"sol(?:o|tanto|amente) unicamente esclusivamente",
        q_all=r"tutt(?:o|a|i|e) ogni sempre ciascun(?:o|a)? completamente",
        q_most=r"maggior_parte maggioranza generalmente perlopiù",
        q_many=r"molt(?:o|a|i|e) spesso numeros(?:o|a|i|e)",
        q_some=r"parte(?=_de) alcun(?:i|e) qualche parecchi(?:e)? talvolta parzialmente",
        q_few=r"poc(?:o|a|hi|he) raramente",
        q_none=r"nessun(?:o|a)? mai",
    ),
    opposites=poles(
        (
            r"""aument\w* cresc\w* crebb\w* cresciut\w* sal(?:e|gono|ì|ita|iti|ite|ito|ire) guadagn\w*
            miglior\w* ampli\w*"""
            r" rialz\w* incremen\w*",
            r"""diminu\w* cal(?:a|ano|o|ò|arono|ata|ato|ati|i) scend\w* sces\w* ridu\w* ridot\w*
            perd\w* pers\w* perdit\w*"""
            r" peggior\w* ribass\w* decremen\w*",
        ),
        (
            r"più maggior(?:e|i) superior(?:e|i) massim\w+ sopra",
            r"meno minor(?:e|i) inferior(?:e|i) minim\w+ sotto",
        ),
        (r"miglior(?:e|i) buon(?:o|a|i|e)? bene meglio", r"peggior(?:e|i) cattiv(?:o|a|i|e) male peggio"),
        (
            r"""permett\w* perm[ie]s\w* autorizz\w* accett\w* approv\w* ammess\w* ammett\w* adott\w*
            consent\w*""",
            r"viet\w* proibi\w* rifiut\w* respin\w* neg(?:a|ò|ato|ata|arono) bocci\w*",
        ),
        (
            r"offr\w+ impegn\w+ accett\w+ promis\w+ promess\w+ promett\w+ accons\w+",
            r"rifiut\w+ neg(?:ò|arono|ava|ato)",
        ),
        (r"favore pro", r"contro"),
        (r"prima", r"dopo"),
        (r"con", r"senza"),
        (r"sempre", r"mai"),
        (r"ver(?:o|a|i|e)", r"fals(?:o|a|i|e)"),
        (r"colpevol\w+", r"innocent\w+"),
        (r"apert\w+ apr\w+", r"chius\w+ chiud\w+"),
        (r"positiv\w+", r"negativ\w+"),
        (r"util(?:e|i) profitt\w+ guadagn\w*", r"perdit\w+ deficit"),
        (r"fort(?:e|i|emente)", r"debol\w+"),
        (r"alt(?:o|a|i|e)", r"bass(?:o|a|i|e)"),
        (r"tutti tutte tutto qualcuno", r"nessuno nulla niente"),
        (r"inclu\w+", r"esclu\w+"),
        (
            r"""afferm\w* conferm\w* riconosc\w* ammett\w* ammis\w* disse(?:ro)? dice dicono
            dichiar\w* assicur\w* accett\w* dimostr\w* mostr\w*""",
            r"neg(?:ò|arono|ava|ato|are|a|ano) smenti\w+ confut\w+",
        ),
        (r"success\w+ riusc\w+", r"falli\w+ insuccess\w+"),
        (r"anche", r"neanche nemmeno neppure"),
        (r"esporta\w*", r"importazion\w+"),
        (r"sicur(?:o|a|i|e|ezza)", r"pericolos(?:o|a|i|e) pericolo"),
        (r"dentro", r"fuori"),
        (r"compr\w+ acquist\w+", r"vend\w+"),
        (r"vinse(?:ro)? vinto vittori\w+", r"perse(?:ro)? perso sconfitt\w+"),
        (r"present(?:e|i)", r"assent(?:e|i)"),
        (r"facil\w+", r"difficil\w+"),
        (r"cominci\w+ inizi\w+", r"fin(?:ì|irono|ito|isce) termin\w+ cess\w+"),
        (r"ricc(?:o|a|hi|he)", r"pover(?:o|a|i|e)"),
        (r"pien(?:o|a|i|e)", r"vuot(?:o|a|i|e)"),
        (
            r"""stimol\w+ promuov\w+ promoss\w+ favor(?:isce|iscono|ì|ito|ita|ire)
            attiv(?:a|ano|ò|ato|ata|are) indu[cr]\w+ indott\w+""",
            r"inibi\w+ soppr\w+ blocc\w+ disattiv\w+ impedi\w+ ostacol\w+",
        ),
        (r"raddoppi\w+ triplic\w+", r"dimezz\w+"),
        (
            r"conferm\w+ accolt\w+ accogl\w+ accols\w+ convalid\w+",
            r"respin\w+ annull\w+ revoc\w+ rigett\w+ riform\w+ cass(?:ò|ato|ata|are)",
        ),
        (r"condann\w+", r"assol\w+"),
        (r"grand(?:e|i)", r"piccol(?:o|a|i|e)"),
        (r"sinistr(?:o|a|i|e)", r"destr(?:o|a|i|e)"),
        (r"benign(?:o|a|i|e)", r"malign(?:o|a|i|e)"),
        (r"acut(?:o|a|i|e)", r"cronic(?:o|a|i|he)"),
    ),
    prefixes=("contro", "in", "im", "il", "ir", "dis", "s", "non"),
    affix_exceptions=words("importa importare investire stesso stessa spesso sforzo stanza sparte sposta"),
    number_words=NumberWords(
        values=counted(
            """zero, un uno una primo prima, due secondo seconda, tre tré terzo terza, quattro quarto
            quarta, cinque quinto quinta, sei sesto sesta, sette settimo settima, otto ottavo ottava,
            nove nono nona, dieci decimo decina, undici, dodici dozzina, tredici, quattordici,
            quindici, sedici, diciassette, diciotto, diciannove"""
        )
        | counted(
            """venti vent ventina, trenta trent, quaranta quarant, cinquanta cinquant, sessanta
            sessant, settanta settant, ottanta ottant, novanta novant""",
            start=20,
            step=10,
        ),
        scales={"cento": 100, "centinaia": 100, "cent": 100}
        | dict.fromkeys(("mille", "mila", "migliaia"), 1_000)
        | dict.fromkeys(("milione", "milioni"), 10**6)
        | dict.fromkeys(("miliardo", "miliardi"), 10**9),
        fractions={"mezzo": "0.5", "mezza": "0.5", "metà": "0.5"},
        joiners=frozenset({"e"}),
        weak=words("un uno una primo prima secondo seconda quarto quarta sei"),
        compound=True,
    ),
    units=spelled(
        """%: per_cento; pp: punto_percentuale punti_percentuali; km: chilometro chilometri; m: metro
        metri; cm: centimetro centimetri; mm: millimetro millimetri; mi: miglio miglia; kg: chilo chili
        chilogrammo chilogrammi; g: grammo grammi; mg: milligrammo milligrammi; t: tonnellata
        tonnellate; lb: libbra libbre; l: litro litri; ml: millilitro millilitri; ha: ettaro ettari; s:
        secondi; min: minuto minuti; h: ora ore; d: giorno giorni quotidiano quotidiana quotidianamente
        giornaliero
        giornaliera; wk: settimana settimane settimanale settimanali settimanalmente; mo: mese
        mesi; y: anno anni; decade: decennio decenni; century: secolo secoli; €: euro; $: dollaro
        dollari; lira: lira lire; W: watt; kW: chilowatt; MW: megawatt"""
    ),
    negation_behind=after(r"mai mica affatto nulla"),
    comparators=classes(
        ge=r"almeno non_meno_di minimo",
        le=r"al_massimo fino_a non_più_di",
        gt=r"più_di oltre superior[ei]_a maggior[ei]_di",
        lt=r"meno_di inferior[ei]_a minor[ei]_di",
        about=r"circa quasi intorno_a pressappoco",
        ge_behind=r"o_più",
        le_behind=r"o_meno",
    ),
    decimal_comma=True,
)
