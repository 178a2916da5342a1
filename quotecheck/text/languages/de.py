"""German."""

from __future__ import annotations

from quotecheck.text.lexicon import Lexicon, NumberWords, after, classes, counted, poles, spelled, words

LEXICON = Lexicon(
    code="de",
    common=words(
        """der die das und ist nicht den dem des ein eine einen einem einer eines mit auf für von zu im
        sich auch als an es bei aus nach wird werden wurde wurden war waren hat haben hatte sind sein
        seine ihre er sie wir ich dass daß oder aber wie nur noch über unter vor bis durch um am zum
        zur muss müssen kann können darf dürfen soll sollen kein keine keinen ohne nie sehr mehr alle
        vom beim wenn weil"""
    ),
    negation=classes(
        skip=r"ob_oder_nicht",
        phrase_only=r"nicht_(?:nur|bloß|bloss|lediglich|allein|ausschließlich)",
        phrase=r"ohne_(?:Zweifel|Frage|weiteres) kein(?:en)?_Zweifel ein_wenig ein_paar",
        negator=r"""nicht nie niemals kein(?:e[mnrs]?)? niemand(?:e[mn]|s)? nichts nirgends nirgendwo
        weder noch_nie ohne kaum keinesfalls keineswegs keinerlei nimmer außer mitnichten nein statt
        anstatt außerstande mangels ausgenommen fern_davon nimmermehr verweiger\w* unterließ\w*
        enthielt(?:en)?_sich sich_enthalten (?:ge)?weiger(?:t|te|ten|n)
        verboten(?:e[mnrs]?)? verbietet verbot untersagt\w*
        (?:bestreit|bestritt|leugn|geleugn|dementier)\w*""",
        few=r"selten(?!e|er) wenige?[mn]? wenige(?=_(?!als\b)\w)",
    ),
    modality=classes(
        muss=r"""muss muß müssen musst mußt müsse[nt]? musste[nt]? mußte[nt]?
        (?:ist|sind|war|waren)_verpflichtet verpflichtet verbindlich zwingend obligatorisch""",
        müsste=r"müsste[nt]? müßte[nt]?",
        kann=r"kann können kannst könne[nt]? konnte[nt]? imstande möglicherweise_kann",
        könnte=r"könnte[nt]?",
        darf=r"darf dürfen dürfe[nt]? durfte[nt]?",
        dürfte=r"dürfte[nt]?",
        soll=r"soll sollen sollst solle[nt]?",
        sollte=r"sollte[nt]?",
        will=r"will wollen wollte[nt]? wolle[nt]?",
        mag=r"mag mögen mochte[nt]? möge[nt]?",
        möchte=r"möchte[nt]?",
        würde=r"würde[nt]? hätte[nt]? wäre[nt]?",
        possibly=r"vielleicht möglicherweise eventuell womöglich",
        probably=r"wahrscheinlich vermutlich wohl voraussichtlich mutmaßlich",
        certainly=r"sicherlich gewiss zweifellos bestimmt definitiv",
        allegedly=r"angeblich(?:e[mnrs]?)? scheinbar offenbar anscheinend schein(?:t|en|e) schien(?:en)?",
        only=r"nur lediglich bloß ausschließlich allein",
        q_all=r"alle[mnrs]? jede[mnrs]? stets immer sämtliche[mnrs]? ganze?[mnrs]?",
        q_most=r"meist(?:e[mnrs]?|ens)? überwiegend größtenteils gewöhnlich",
        q_many=r"viele[mnrs]? oft häufig zahlreiche[mnrs]?",
        q_some=r"""(?:ein|eine[mn]|zum)_Teil teils einige[mnrs]? manche[mnrs]? manchmal gelegentlich teilweise
        mehrere[mnrs]?""",
        q_few=r"wenige[mnrs]? selten",
        q_none=r"kein(?:e[mnrs]?)? nie niemals",
    ),
    opposites=poles(
        (
            r"""st(?:eigt|iegt?|iegen|eigen|eigend\w*|ieg) gestiegen\w* anst\w+ angestiegen\w*
            zunahm\w* zunehm\w* zugenommen\w* nahm(?:en)?_zu erhöh\w* wuchs(?:en)? wächst wachs\w*
            gewachsen\w* gewinn\w* vergrößer\w* zunimmt Zunahme Anstieg""",
            r"""s(?:inkt|ank|anken|inken|inkend\w*) gesunken\w* fällt fiel(?:en)? fallen gefallen\w*
            abnahm\w* abnehm\w* abgenommen\w* verringer\w* schrumpf\w* geschrumpft\w* verlor(?:en)?
            verlust\w* verkleiner\w* abnimmt senk\w* gesenkt\w* rückgang\w* zurückg\w+ Abnahme
            reduzier\w*""",
        ),
        (
            r"""mehr größer\w* höher\w* über oberhalb mindestens maximal\w* länger\w* höchste\w*
            größte\w* stärker\w*""",
            r"""weniger kleiner\w* niedriger\w* geringer\w* unter unterhalb höchstens minimal\w*
            kürzer\w* niedrigste\w*"""
            r" kleinste\w* schwächer\w*",
        ),
        (r"besser\w* gut(?:e[mnrs]?)? beste\w*", r"schlechter\w* schlecht(?:e[mnrs]?)? schlechteste\w*"),
        (
            r"""erlaub\w* genehmig\w* zugelassen\w* gestatt\w* angenommen\w* bewillig\w* zugestimmt
            stimmte[nt]?_zu billig\w* geboten\w* vorgeschrieben\w* empfohlen\w*""",
            r"""verb(?:iet\w*|ot\w*|at\w*) untersag\w* abgelehnt\w* ablehn\w* lehnte[nt]?_ab
            verweiger\w* zurückgewiesen\w*"""
            r" verworfen\w*",
        ),
        (
            r"bereit anbot(?:en)? bot(?:en)? angeboten versprach(?:en)? versprochen zugesagt",
            r"(?:ge|ver)?weiger\w* abgelehnt",
        ),
        (r"(?!wenigst)\w{3,}ste[mnrs]?", r"am_wenigsten"),
        (r"annahm(?:en)? nahm(?:en)?", r"lehnte[nt]? ablehnte[nt]?"),
        (r"ausreichend\w* genügend\w*", r"unzureichend\w* ungenügend\w*"),
        (r"rechtmäßig\w* legal\w* zulässig\w*", r"rechtswidrig\w* illegal\w* unzulässig\w*"),
        (r"für dafür", r"gegen dagegen wider"),
        (r"vor vorher früher\w*", r"nach nachher später\w*"),
        (r"mit", r"ohne"),
        (r"richtig\w* wahr", r"falsch\w* unwahr"),
        (r"schuldig\w*", r"unschuldig\w*"),
        (r"gewinn\w* gewann\w* gewonnen\w*", r"verlust\w* verlor\w* verloren\w*"),
        (r"immer stets", r"nie niemals"),
        (r"alle jeder jede alles", r"niemand nichts keiner keine"),
        (r"öffne\w* geöffnet\w* offen\w*", r"schlie(?:ß|ss)\w* geschlossen\w* zu"),
        (r"stark\w*", r"schwach\w*"),
        (r"hoch hohe[mnrs]?", r"niedrig\w* tief\w*"),
        (r"positiv\w*", r"negativ\w*"),
        (
            r"bestätig\w* behaupt\w* sagte[nt]? erklär\w* gestand\w* gab(?:en)?_zu zeig\w*"
            r" bewies\w* beweis\w*",
            r"bestr(?:eit|itt)\w* leugn\w* dementier\w* widerleg\w*",
        ),
        (
            r"gelang\w* geling\w* gelungen\w* erfolg\w* bestand\w*",
            r"scheiter\w* misslang\w* misslung\w* misserfolg\w*",
        ),
        (r"export\w*", r"import\w*"),
        (r"sicher\w*", r"gefährlich\w*"),
        (r"innen innerhalb", r"außen außerhalb"),
        (r"kauf\w*", r"verkauf\w*"),
        (r"anwesend\w*", r"abwesend\w*"),
        (r"leicht\w* einfach\w*", r"schwer\w* schwierig\w*"),
        (r"begann\w* beginn\w* begonnen", r"ende(?:t|te|ten)? beende\w* hör(?:t|te|ten)_auf"),
        (r"einschließlich einbezogen\w*", r"ausschließlich ausgeschlossen\w* ausgenommen"),
        (r"reich\w*", r"arm(?:e[mnrs]?)?"),
        (r"voll\w*", r"leer\w*"),
        (r"sowohl", r"weder"),
        (r"freiwillig\w*", r"verpflichtend\w* zwangs\w*"),
        (r"oft häufig immer", r"selten nie"),
        (
            r"förder\w* begünstig\w* stimulier\w* aktivier\w* induzier\w* anreg\w* angereg\w* verstärk\w*",
            r"""hemm\w* gehemmt\w* unterdrück\w* blockier\w* deaktivier\w* behinder\w* abschwäch\w*
            abgeschwächt\w*""",
        ),
        (r"verdoppel\w* verdreifach\w*", r"halbier\w*"),
        (
            r"bestätig\w* aufrechterh\w+ statt(?:gab|gegeben|gibt)? stattgeb\w*",
            r"aufgehoben\w* aufheb\w* hob(?:en)?_auf abgewiesen\w* abweis\w* zurückgewiesen\w* kassier\w*",
        ),
        (r"groß(?:e[mnrs]?)? größer\w* größt\w*", r"klein(?:e[mnrs]?)? kleiner\w* kleinst\w* gering\w*"),
        (r"link(?:e[mnrs]?|s)", r"recht(?:e[mnrs]?|s)"),
        (r"gutartig\w* benign\w*", r"bösartig\w* malign\w*"),
        (r"akut\w*", r"chronisch\w*"),
        (r"früh\w*", r"spät\w*"),
        (r"auf aufwärts hinauf", r"ab abwärts hinab"),
        (r"einfuhr\w* eingeführt\w*", r"ausfuhr\w* ausgeführt\w*"),
        (r"einnahme\w*", r"ausgabe\w*"),
        (r"verurteil\w*", r"frei(?:gesprochen\w*|spr\w+)"),
    ),
    prefixes=("kontra", "un", "in", "im", "ir", "il", "miss", "nicht"),
    suffixes=("los", "lose", "losen", "loser", "loses", "losem", "frei"),
    affix_exceptions=words("unter und untern innen immer innere inland"),
    number_words=NumberWords(
        values=counted(
            """null, eins ein eine einen einem einer eines erste ersten erster erstes einmal, zwei
            zweite zweiten zweiter zwo zweimal, drei dritte dritten dritter dreimal, vier vierte
            vierten, fünf fünfte fünften, sechs sechste sechsten, sieben siebte siebten, acht achte
            achten, neun neunte neunten, zehn zehnte zehnten, elf elfte, zwölf zwölfte dutzend,
            dreizehn, vierzehn, fünfzehn, sechzehn, siebzehn, achtzehn, neunzehn"""
        )
        | counted(
            "zwanzig, dreißig dreissig, vierzig, fünfzig, sechzig, siebzig, achtzig, neunzig",
            start=20,
            step=10,
        ),
        scales={"hundert": 100, "tausend": 1_000}
        | dict.fromkeys(("million", "millionen", "mio"), 10**6)
        | dict.fromkeys(("milliarde", "milliarden", "mrd"), 10**9)
        | dict.fromkeys(("billion", "billionen"), 10**12),
        fractions={
            "halb": "0.5",
            "halbe": "0.5",
            "halben": "0.5",
            "hälfte": "0.5",
            "viertel": "0.25",
            "drittel": "1/3",
        }
        | {"fünftel": "0.2", "zehntel": "0.1"}
        | {"anderthalb": "1.5", "eineinhalb": "1.5", "zweieinhalb": "2.5", "dreieinhalb": "3.5"},
        joiners=frozenset({"und"}),
        weak=words("ein eine einen einem einer eines eins erste ersten erster erstes einmal acht achten"),
        compound=True,
        units_first=True,
    ),
    units=spelled(
        """%: prozent; pp: prozentpunkt prozentpunkte prozentpunkten; km: kilometer kilometern; m:
        meter metern; km2: quadratkilometer quadratkilometern; m2: quadratmeter quadratmetern; m3:
        kubikmeter kubikmetern; km/h: stundenkilometer stundenkilometern; cm: zentimeter zentimetern;
        mm: millimeter millimetern; mi: meile meilen; kg:
        kilogramm kilo; g: gramm; mg: milligramm; μg: mikrogramm; t: tonne tonnen; pfund: pfund; l:
        liter litern; ml: milliliter; ha: hektar; s: sekunde sekunden; min: minute minuten; h: stunde
        stunden; d: tag tage tagen täglich;
        wk: woche wochen wöchentlich; mo: monat monate monaten monatlich; y: jahr jahre jahren jährlich;
        decade: jahrzehnt jahrzehnte jahrzehnten; century: jahrhundert jahrhunderte jahrhunderten; €:
        euro; $: dollar; cent: cent; franken: franken; W: watt; kW: kilowatt; MW: megawatt; GW:
        gigawatt; mW: milliwatt"""
    ),
    comparators=classes(
        ge=r"mindestens wenigstens nicht_weniger_als",
        le=r"höchstens bis_zu maximal nicht_mehr_als",
        gt=r"mehr_als über größer_als",
        lt=r"weniger_als unter kleiner_als",
        about=r"etwa rund ungefähr circa ca[.] fast knapp zirka",
        ge_behind=r"oder_mehr",
        le_behind=r"oder_weniger",
    ),
    decimal_comma=True,
    negation_behind=after(r"nicht(?!_(?:nur|bloß|lediglich|allein)) nie niemals"),
)
