"""English."""

from __future__ import annotations

from quotecheck.text.lexicon import Lexicon, NumberWords, classes, poles, spelled, words

LEXICON = Lexicon(
    code="en",
    common=words(
        "the of and to in a is that for it was on with as be by at from are this have had not but were which"
        " or an they their he she his her its has been would there all when we who will more no if out so said"
        " what up about into than them can only other new some could these two may then do any my now such our"
        " over also after must should shall never without did does"
    ),
    negation=classes(
        skip=r"no[.]?_\d+ whether_or_not not_to_mention can't_help",
        negator=(
            r"not cannot \w+n't (?:do|does|did|is|are|was|were|has|have|had|ca|wo|could|should|would)nt"
            r" no_longer no none never nobody nothing nowhere neither nor without hardly scarcely barely seldom"
            r" unable except unless lack(?:s|ed|ing)? fail(?:s|ed|ing)?_to rather_than instead_of devoid"
            r" far_from free_(?:of|from) nothing_but"
        ),
    ),
    modality=classes(
        # The month and the noun in "in May" are no modal; a capital counts in an all-capitals text alone.
        skip=r"(?-i:May) (?-i:Will) (?:at|of|against|free|good|ill|political|last)_will (?:with|all)_(?:his|her|their|its|our)_might as_well_as",
        must=r"must mustn't (?:has|have|had|having)_to (?:is|are|was|were|be|been)_(?:required|obliged|obligated|compelled|bound)_to (?:mandatory|compulsory|obligatory) required",
        need=r"needs? needed needn't",
        shall=r"shall shan't",
        should=r"should shouldn't ought (?:is|are|was|were)_supposed_to (?:is|are|was|were)_advised_to recommended",
        may=r"may (?:is|are|was|were|be)_(?:permitted|allowed|free)_to optional(?:ly)?",
        might=r"might mightn't",
        can=r"can can't cannot (?:is|are|was|were|be)_able_to",
        could=r"could couldn't",
        will=r"will won't \w+'ll",
        would=r"would wouldn't \w+'d",
        possibly=r"possib(?:ly|le|ility) perhaps maybe conceivabl[ey]",
        probably=r"probabl[ey] likely presumably likelihood unlikely",
        certainly=r"certain(?:ly|ty)? definite(?:ly)? undoubtedly unquestionably surely",
        allegedly=r"alleged(?:ly)? reportedly purported(?:ly)? supposedly apparent(?:ly)? seemingly seems? seemed appears? appeared suspected",
        suggests=r"suggest(?:s|ed|ing)? indicat(?:e|es|ed|ing)",
        proves=r"prov(?:e|es|ed|en|ing) demonstrat(?:e|es|ed|ing) confirm(?:s|ed|ing)? establish(?:es|ed)?",
        only=r"only merely solely exclusively nothing_but",
        q_all=r"all every each always everyone everybody everything entire(?:ly)? whole(?:ly)? invariably completely",
        q_most=r"most mostly usually generally mainly typically majority largely",
        q_many=r"many often numerous frequently much",
        q_some=r"some several sometimes occasionally partly partially",
        q_few=r"few little rarely seldom slightly minority",
        q_none=r"none never no",
    ),
    opposites=poles(
        (
            r"increas\w* rises? risen rose rising grow(?:s|n|th|ing)? grew climb\w* soar\w* surg\w* gain(?:s|ed|ing)?"
            r" expan(?:d|ds|ded|ding|sion) strengthen\w* accelerat\w* raise[sd]? raising improv\w* advance[sd]?",
            r"decreas\w* falls? fallen fell falling declin\w* drop(?:s|ped|ping)? shr[aiu]nk\w* reduc\w* diminish\w*"
            r" plung\w* los(?:s|ses|t|e|es|ing) contract(?:s|ed|ing|ion) weaken\w* slow(?:s|ed|ing)? lower(?:s|ed|ing)"
            r" worsen\w* deteriorat\w* retreat\w*",
        ),
        (
            r"more greater higher larger bigger above over exceed\w* upper maxim\w+ longer most highest largest at_least"
            r" stronger faster older",
            r"less fewer lower smaller below under minim\w+ shorter least lowest smallest at_most weaker slower younger",
        ),
        (r"better best good well benefi\w+ superior", r"worse worst bad badly poor poorly harm\w* inferior"),
        (
            r"accept\w* approv\w* allow\w* permit\w* admit\w* authori[sz]\w* grant\w* ratif\w* endors\w* adopt\w* upheld",
            r"reject\w* refus\w* forb[ai]d\w* prohibit\w* ban(?:s|ned|ning)? den(?:y|ies|ied|ial) disallow\w* veto\w*"
            r" dismiss\w* overturn\w* revok\w*",
        ),
        (r"support\w* favou?r\w* for", r"oppos\w* against"),
        (r"succe(?:ed|ss)\w*", r"fail\w*"),
        (r"before prior_to earlier early", r"after following later late"),
        (r"includ\w*", r"exclud\w*"),
        (r"true truth correct right", r"false falsehood incorrect wrong untrue"),
        (r"positive(?:ly)?", r"negative(?:ly)?"),
        (r"guilty convicted", r"innocent acquitted"),
        (r"present presence", r"absent absence"),
        (r"profits? surplus(?:es)?", r"loss(?:es)? deficits?"),
        (r"w[io]n wins winn\w+ victor\w*", r"los(?:e|es|t|ing) defeat\w*"),
        (r"strong(?:ly|er|est)? strength", r"weak(?:ly|er|est|ness)?"),
        (r"open(?:s|ed|ing)?", r"clos(?:e|es|ed|ing|ure) shut"),
        (r"safe(?:ly|ty)?", r"danger\w* hazard\w*"),
        (r"high(?:ly)? hot", r"low cold"),
        (r"easy easily simple", r"difficult\w* hard"),
        (r"major majority", r"minor minority"),
        (r"first", r"last"),
        (r"exports? exported", r"imports? imported"),
        (r"b(?:uy|uys|uying|ought)", r"s(?:ell|ells|elling|old)"),
        (r"confirm\w* prov(?:e|es|ed|en)", r"refut\w* disprov\w* contradict\w*"),
        (r"rich wealthy", r"poor"),
        (r"always", r"never"),
        (r"everyone everybody everything all", r"nobody nothing none"),
        (r"with", r"without"),
        (r"friend\w* all(?:y|ies)", r"enem(?:y|ies) foes?"),
        (r"begin\w* began start\w*", r"end(?:s|ed|ing)? stop\w* ceas\w*"),
        (r"inside within internal", r"outside external"),
        (r"innocuous harmless", r"harmful toxic"),
        (r"alive living surviv\w*", r"dead di(?:e|es|ed)"),
        (r"cause[sd]? causing", r"prevent(?:s|ed|ing)?"),
        (r"remember(?:s|ed)?", r"forg[eo]t\w*"),
        (r"full", r"empty"),
        (r"lawful legal", r"illegal unlawful"),
        (r"likely probable", r"unlikely improbable"),
    ),
    prefixes=("un", "in", "im", "il", "ir", "non-", "non", "dis", "mis", "anti", "anti-", "un-"),
    suffixes=("less",),
    # Words that are no opposite of what is left without their first letters.
    affix_exceptions=words(
        "into inform informed informs information invest invested investment income inside input intake"
        " instead impress impressed import imports imported impart inland insight install installed intend"
        " intended intent intense intention invent display displayed dispatch distress dispose disposed"
        " discount discounted disease distract district until under union unit units uniform unite united"
        " index invaluable inflammable indeed include increase increased inquire inquiry inlay inset intone"
        " impose imposed important improve impassioned implant imprint imprison interest insure ensure innate"
        " infest inborn inbound incite incline incoming invoice ingrained intern involve unto unless uncle"
        " distill distort dismay discard discharge disclose mission missed mistake missing missal antique illuminate"
        " illustrate iron irritate ironed nonetheless impound impale impending inhabit inhabited input inner"
        " incorporate inscribe inspire instil intimate insider discover discovered discourse dispense unanimous"
        " discuss dish disc miss mist misty distant distance misses ink inn imp ill"
    ),
    number_words=NumberWords(
        values={
            word: value
            for value, names in enumerate(
                (
                    "zero",
                    "one first",
                    "two second",
                    "three third thirds",
                    "four fourth",
                    "five fifth fifths",
                    "six sixth",
                    "seven seventh",
                    "eight eighth",
                    "nine ninth",
                    "ten tenth tenths",
                    "eleven eleventh",
                    "twelve twelfth dozen",
                    "thirteen thirteenth",
                    "fourteen fourteenth",
                    "fifteen fifteenth",
                    "sixteen sixteenth",
                    "seventeen seventeenth",
                    "eighteen eighteenth",
                    "nineteen nineteenth",
                    "twenty twentieth",
                )
            )
            for word in names.split()
        }
        | {
            "thirty": 30,
            "forty": 40,
            "fifty": 50,
            "sixty": 60,
            "seventy": 70,
            "eighty": 80,
            "ninety": 90,
            "thirtieth": 30,
            "fortieth": 40,
            "fiftieth": 50,
            "twice": 2,
            "thrice": 3,
            "once": 1,
            "double": 2,
            "doubled": 2,
            "triple": 3,
            "tripled": 3,
        },
        scales={
            "hundred": 100,
            "hundredth": 100,
            "thousand": 1_000,
            "thousandth": 1_000,
            "million": 10**6,
            "millions": 10**6,
            "mn": 10**6,
            "billion": 10**9,
            "billions": 10**9,
            "bn": 10**9,
            "trillion": 10**12,
            "trillions": 10**12,
        },
        joiners=frozenset({"and"}),
        weak=words("one first second once hundred thousand million"),
    ),
    units=spelled(
        "%: percent per_cent pct; pp: percentage_point percentage_points; km: kilometre kilometres kilometer"
        " kilometers; m: metre metres meter meters; cm: centimetre centimetres centimeter centimeters;"
        " mm: millimetre millimetres millimeter millimeters; mi: mile miles; ft: foot feet; in: inch inches;"
        " yd: yard yards; kg: kilogram kilograms kilogramme kilogrammes kilo kilos; g: gram grams gramme grammes;"
        " mg: milligram milligrams milligramme milligrammes; μg: microgram micrograms; t: tonne tonnes;"
        " ton: ton tons; lb: pound pounds; oz: ounce ounces; l: litre litres liter liters;"
        " ml: millilitre millilitres milliliter milliliters; gal: gallon gallons; ha: hectare hectares;"
        " acre: acre acres; s: seconds; min: minute minutes; h: hour hours; d: day days; wk: week weeks;"
        " mo: month months; y: year years; decade: decade decades; century: century centuries; $: dollar dollars;"
        " €: euro euros; ¥: yen; yuan: yuan renminbi; cent: cent cents; penny: pence penny; kW: kilowatt kilowatts;"
        " MW: megawatt megawatts; GW: gigawatt gigawatts; W: watt watts; mW: milliwatt milliwatts; °C: celsius;"
        " °F: fahrenheit; kWh: kilowatt-hour kilowatt-hours; MB: megabyte megabytes; GB: gigabyte gigabytes;"
        " TB: terabyte terabytes; Hz: hertz; J: joule joules; cal: calorie calories; barrel: barrel barrels"
    ),
    comparators=classes(
        ge=r"at_least no_(?:less|fewer)_than not_(?:less|fewer)_than a_minimum_of",
        le=r"at_most up_to no_more_than not_more_than a_maximum_of",
        gt=r"more_than over above greater_than exceeding in_excess_of exceeds",
        lt=r"(?:less|fewer|lower|smaller)_than under below",
        about=r"about around approximately roughly nearly almost some circa ca[.]",
    ),
)
