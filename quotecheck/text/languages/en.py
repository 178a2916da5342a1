"""English."""

from __future__ import annotations

from quotecheck.text.lexicon import (
    OPPOSED_PREFIXES,
    Lexicon,
    NumberWords,
    after,
    classes,
    counted,
    poles,
    spelled,
    words,
)

# Of these there is "little" or "a little"; before other nouns "little" says small.
_MASS = (
    "is|was|evidence|doubts?|proof|support|help|hope|time|money|interest|"
    "information|effect|risk|change|impact|progress|difference|water|food|use|need|reason|"
    "chance|value|attention|power|influence|known|knowledge|benefit|room|damage|harm|trust|work|"
    "experience|research|data"
)
# Words in -er that are no comparative, or those that say "less" themselves.
_NO_MORE = (
    "fewer|lower|smaller|shorter|never|under|over|other|another|rather|"
    "either|neither|however|after|number|ever"
)

LEXICON = Lexicon(
    code="en",
    common=words(
        """the of and to in is that for it was on with as be by at from are this have had not but were
        which or an they their he she his her its has been would there all when we who will more no if
        out so said what up about into than them can only other new some could these two may then do
        any my now such our over also after you your i me him us am was because how many much must
        should shall never without did does"""
    ),
    negation=classes(
        skip=r"no[.]?_\d+ whether_or_not not_to_mention",
        second=r"nor",
        phrase_only=r"(?:not|n't)_(?:only|just|merely|solely|simply)",
        prefix=r"(?:anti|un|dis|mis)(?=-\w)",
        phrase=rf"""can(?:'t|not)_help (?:no|without)_(?:a_|any_)?(?:doubt|question|wonder|secret)
        (?:can(?:not|'t)|could(?:_not|n't))_(?:be_)?den(?:y|ied) a_few a_little(?=_(?:{_MASS}))""",
        negator=r"""anything_but (?:ha[sd]|have|is|are|w(?:as|ere))_yet_to not cannot \w+n't
        (?:do|does|did|is|are|was|were|has|have|had|ca|wo|could|should|would)n_?t no_longer no none never
        nobody nothing nowhere neither without hardly scarcely barely unable except unless
        lack(?:s|ed|ing)? fail(?:s|ed|ing)?_to rather_than instead_of devoid far_from free_(?:of|from)
        refrain(?:s|ed|ing)?_from avoid(?:s|ed|ing)? nought naught nil
        (?:ceased?|ceases|declined?)_to no-one non(?=-)
        refus(?:e|es|ed|ing|al)(?=_to) forbidden forbids? forbade prohibit(?:s|ed|ing)? banned
        abstain(?:s|ed|ing)?
        (?:deny|denies|denied|denying|disput(?:e|es|ed)|doubt(?:s|ed)?)(?=_(?:that|having|any))
        (?:false|untrue|wrong|incorrect|unlikely|improbable|doubtful|impossible)(?=_that)""",
        few=rf"""(?<!\ba_)(?<!\bthe_)(?<!last_)(?<!past_)(?<!next_)(?<!first_)few seldom rarely infrequently
        (?<!\ba_)little(?=_(?:{_MASS}|or_no))""",
    ),
    modality=classes(
        # Nouns; and May is a month where it has a capital that the rest of its text has not.
        skip=r"""(?-i:May) (?-i:Will) (?:at|of|against|free|good|ill|political|last)_will
        (?:the|a|his|her|their|its|our|my|your|whose)_(?:will|can)
        (?:with|all)_(?:his|her|their|its|our)_might""",
        must=r"""must(?:n't)? (?:has|have|had|having)_to
        (?:is|are|was|were|be|been)_(?:required|obliged|compelled|bound)_to
        (?:mandatory|compulsory|obligatory) required""",
        need=r"needs? needed needn't",
        shall=r"shall shalt shan't",
        should=r"should(?:n't)? ought (?:is|are|was|were)_(?:supposed|advised)_to recommended",
        may=r"may (?:is|are|was|were|be)_(?:permitted|allowed|free|entitled)_to optional(?:ly)?",
        might=r"might(?:n't)?",
        can=r"can(?:'t|not)? (?:is|are|was|were|be)_able_to",
        could=r"could(?:n't)?",
        will=r"will won't \w+'ll",
        would=r"would(?:n't)? \w+'d",
        possibly=r"(?:im)?possib(?:ly|le|ility) perhaps maybe conceivabl[ey]",
        probably=r"(?:im)?probabl[ey] likely presumably likelihood unlikely",
        certainly=r"certain(?:ly|ty)? definite(?:ly)? undoubtedly unquestionably surely",
        allegedly=r"""alleged(?:ly)? reportedly purported(?:ly)? supposedly apparent(?:ly)? seemingly
        seems? seemed appears? appeared suspected""",
        suggests=r"suggest(?:s|ed|ing)?",
        proves=r"prov(?:e|es|ed|en|ing)",
        believed=r"(?:is|are|was|were)_(?:believed|thought|assumed|presumed|rumou?red|expected|feared)",
        intends=r"(?:plans?|planned|intend(?:s|ed)?|aims?|aimed|hopes?|hoped|seeks?|sought|expects?)_to",
        linked=r"(?:associated|correlated|linked|connected)_(?:with|to)",
        only=r"only merely solely exclusively nothing_but",
        q_all=r"""all every each always everyone everybody everything entire(?:ly)? whole in_full invariably
        completely""",
        q_most=r"most mostly usually generally mainly typically majority largely",
        q_many=r"many often numerous frequently much",
        q_some=r"a_few some several sometimes occasionally partly partially parts?_of in_part",
        q_few=r"few rarely seldom minority",
        q_none=r"none never no",
    ),
    opposites=poles(
        (
            r"""increas\w* rises? risen rose rising grow(?:s|n|th|ing)? grew climb\w* soar\w* surg\w*
            gain(?:s|ed|ing)? expan(?:d|ds|ded|ding|sion) strengthen\w* accelerat\w*
            rais(?:e|es|ed|ing) improv\w* advanc(?:e|es|ed)""",
            r"""decreas\w* falls? fallen fell falling declin\w* drop(?:s|ped|ping)? shr[aiu]nk\w*
            reduc\w* diminish\w* plung\w* los(?:s|ses|t|e|es|ing) contract(?:s|ed|ing|ion) weaken\w*
            slow(?:s|ed|ing)? lower(?:s|ed|ing) worsen\w* deteriorat\w* retreat\w*""",
        ),
        (
            r"""more greater higher larger bigger above over exceed\w* upper maxim\w+ longer most
            highest largest at_least stronger faster older""",
            r"""less fewer lower smaller below under minim\w+ shorter least lowest smallest at_most
            weaker slower younger""",
        ),
        (r"better best good well benefi\w+ superior", r"worse worst bad badly poor(?:ly)? harm\w* inferior"),
        (
            r"""accept\w* approv\w* allow\w* permit\w* admit\w* authori[sz]\w* grant\w* ratif\w*
            endors\w* adopt\w* upheld""",
            r"""reject\w* refus\w* forb[ai]d\w* prohibit\w* ban(?:s|ned|ning)? den(?:y|ies|ied|ial)
            disallow\w* veto\w* dismiss\w* overturn\w* revok\w*""",
        ),
        (r"support\w* favou?r\w* back(?:s|ed|ing)? for", r"oppos\w* against rul(?:e|es|ed|ing)_out"),
        (r"agree\w* consent\w* promis\w* offer(?:s|ed|ing)? volunteer\w*", r"refus\w* declin\w*"),
        # "Safest" and "least safe", "safer" and "less safe".
        (r"most (?!least\b)\w{3,}est", r"(?<!at_)least"),
        (rf"more (?!(?:{_NO_MORE})\b)\w{{3,}}er", r"less"),
        (r"succe(?:ed|ss)\w* pass(?:es|ed)?", r"fail\w*"),
        (r"before prior_to earlier early earliest", r"after following later late latest"),
        (r"includ\w* inclusi\w*", r"exclud\w* exclusion\w*"),
        (r"true truth correct right", r"false falsehood incorrect wrong untrue"),
        (r"positive(?:ly)?", r"negative(?:ly)?"),
        (r"guilty convicted", r"innocent acquitted"),
        (r"present presence", r"absent absence"),
        (r"profits? surplus(?:es)?", r"loss(?:es)? deficits?"),
        (r"w[io]n wins winn\w+ victor\w*", r"loss(?:es)? los(?:e|es|t|ing) defeat\w*"),
        (r"strong(?:ly|er|est)? strength", r"weak(?:ly|er|est|ness)?"),
        (r"open(?:s|ed|ing)?", r"clos(?:e|es|ed|ing|ure) shut"),
        (r"safe(?:ly|ty)?", r"danger\w* hazard\w*"),
        (r"high(?:ly)?", r"low"),
        (r"hot", r"cold"),
        (r"easy easily simple", r"difficult\w* hard"),
        (r"major majority", r"minor minority"),
        (r"first", r"last"),
        (r"exports? exported", r"imports? imported"),
        (r"b(?:uy|uys|uying|ought)", r"s(?:ell|ells|elling|old)"),
        (
            r"""confirm\w* prov(?:e|es|ed|en) said says? stat(?:e|es|ed) claim(?:s|ed)? assert\w* affirm\w*
            admit\w* acknowledg\w* conced\w* show(?:s|ed|n)? found establish\w* agree\w*""",
            r"refut\w* disprov\w* contradict\w* den(?:y|ies|ied|ying) disput\w* reject\w* rul(?:e|es|ed)_out",
        ),
        (r"rich wealthy", r"poor"),
        (r"always", r"never"),
        (r"everyone everybody everything all", r"nobody nothing none"),
        (r"friend\w* all(?:y|ies)", r"enem(?:y|ies) foes?"),
        (r"begin\w* began start\w* continu\w* ke(?:ep|eps|pt)", r"end(?:s|ed|ing)? stop\w* ceas\w* quit"),
        (r"inside within internal", r"outside external"),
        (r"alive living surviv\w*", r"dead di(?:e|es|ed)"),
        (r"caus(?:e|es|ed|ing)", r"prevent(?:s|ed|ing)?"),
        (r"full", r"empty"),
        (r"strict(?:ly|er)? rigid", r"relaxed lax lenient loose"),
        (r"publish\w* issued released", r"withdr[ae]w\w* retract\w* withheld"),
        (r"required mandatory compulsory obligatory", r"optional voluntary"),
        (r"public(?:ly)?", r"private(?:ly)? secret(?:ly)?"),
        (r"guilt", r"innocence"),
        (r"accused charged suspect(?:s|ed)?", r"convicted condemned"),
        (r"convicted condemned sentenced", r"acquitted cleared exonerated pardoned"),
        (r"long", r"short"),
        (r"old", r"new young"),
        (r"fast quick(?:ly)?", r"slow(?:ly)?"),
        (r"much many ample abundant", r"little few scant scarce"),
        (r"hir(?:e|es|ed|ing)", r"fir(?:e|es|ed|ing) dismiss\w*"),
        (r"attack\w*", r"defen[dcs]\w*"),
        (r"arriv\w*", r"depart\w* left"),
        (r"enter\w*", r"exit\w* leav(?:e|es|ing) left"),
        (r"legal(?:ly)? lawful(?:ly)?", r"illicit\w* criminal banned"),
        (r"remember\w*", r"forg[eo]t\w*"),
        (r"love(?:s|d)? like(?:s|d)?", r"hate(?:s|d)? dislike(?:s|d)?"),
        (r"optimis\w*", r"pessimis\w*"),
        (
            r"promot\w* stimulat\w* activat\w* induc\w* enhanc\w* facilitat\w* trigger\w*",
            r"inhibit\w* suppress\w* inactivat\w* block(?:s|ed|ing)? imped\w* hinder\w* deactivat\w*",
        ),
        (
            r"affirm\w* uph[eo]ld\w* confirm\w* sustain(?:s|ed|ing)? reinstat\w*",
            r"revers\w* quash\w* annul\w* overrul\w* overturn\w* vacat\w* set_aside void(?:s|ed)?",
        ),
        (r"agonis\w*", r"antagonis\w*"),
        (r"doubl\w* tripl\w* quadrupl\w*", r"halv\w*"),
        (r"large(?:ly)? larger largest big bigger biggest great", r"small(?:er|est)? tiny minor"),
        (r"left left-hand leftward", r"right right-hand rightward"),
        (r"up upwards?", r"down downwards?"),
        (r"anterior(?:ly)?", r"posterior(?:ly)?"),
        (r"proximal(?:ly)?", r"distal(?:ly)?"),
        (r"benign", r"malignan\w*"),
        (r"acute(?:ly)?", r"chronic(?:ally)?"),
        (r"direct(?:ly)? positive(?:ly)? proportional(?:ly)?", r"invers\w* indirect(?:ly)?"),
        (r"wide(?:ly|r|st)? broad(?:ly|er|est)?", r"narrow(?:ly|er|est)?"),
        (r"thick(?:er|est)?", r"thin(?:ner|nest)?"),
        (r"heav(?:y|ier|iest|ily)", r"light(?:er|est|ly)?"),
        (r"odd", r"even"),
        (r"sensitiv\w* susceptib\w* responsive", r"resistan\w* refractory insensitiv\w*"),
        (r"giv(?:e|en|es|ing) gave administered provided", r"withh[eo]\w+"),
        (r"subject liable", r"exempt\w*"),
        (r"deep(?:er|est|ly)?", r"shallow(?:er|est)?"),
    ),
    prefixes=("a", "ab", "contra", "de", "un", "in", "im", "il", "ir", "non", "dis", "mal", "mis", "anti"),
    suffixes=("less",),
    opposed_prefixes=(
        *OPPOSED_PREFIXES,
        ("up", "down"),
        ("over", "under"),
        ("in", "out"),
        ("inter", "intra"),
    ),
    # Words that are no opposite of what is left without their first letters.
    affix_exceptions=words(
        """avoidable avoidably avoidance
        into inform informed informs information invest invested investment income inside input
        intake instead impress impressed import imports imported impart inland insight install
        installed intend intended intent intense intention invent display displayed dispatch distress
        dispose disposed discount discounted disease distract district until under union unit units
        uniform unite united index invaluable inflammable indeed include increase increased inquire
        inquiry inlay inset impose imposed important improve imprint imprison interest insure ensure
        inborn inbound incline incoming invoice intern involve unto unless uncle distill distort dismay
        discard discharge mission missed mistake missing antique illuminate illustrate irritate inhabit
        inhabited inner inspire insider discourse dispense discuss dish disc miss mist distant distance
        ink inn imp ill mister"""
    ),
    number_words=NumberWords(
        values=counted(
            """zero, one first once, two second twice double doubled, three third thirds triple
            tripled, four fourth, five fifth fifths, six sixth, seven seventh, eight eighth, nine
            ninth, ten tenth tenths, eleven eleventh, twelve twelfth dozen, thirteen thirteenth,
            fourteen fourteenth, fifteen fifteenth, sixteen sixteenth, seventeen seventeenth, eighteen
            eighteenth, nineteen nineteenth"""
        )
        | counted(
            """twenty twentieth, thirty thirtieth, forty fortieth, fifty fiftieth, sixty sixtieth,
            seventy, eighty, ninety""",
            start=20,
            step=10,
        )
        | counted("threefold, fourfold, fivefold, sixfold, sevenfold, eightfold, ninefold, tenfold", start=3)
        | {"twofold": 2, "dozens": 12},
        scales={"hundred": 100, "hundreds": 100, "hundredth": 100}
        | {"thousand": 1_000, "thousands": 1_000, "thousandth": 1_000}
        | dict.fromkeys(("million", "millions", "mn"), 10**6)
        | dict.fromkeys(("billion", "billions", "bn"), 10**9)
        | dict.fromkeys(("trillion", "trillions"), 10**12)
        | dict.fromkeys(("lakh", "lakhs"), 10**5)
        | dict.fromkeys(("crore", "crores"), 10**7),
        fractions={"half": "0.5", "halves": "0.5", "quarter": "0.25", "quarters": "0.25"},
        joiners=frozenset({"and"}),
        weak=words("one first second once dozens double hundreds thousands millions billions trillions"),
    ),
    units=spelled(
        """%: percent per_cent pct; pp: percentage_point percentage_points; km: kilometre kilometres
        kilometer kilometers; m: metre metres meter meters; cm: centimetre centimetres centimeter
        centimeters; mm: millimetre millimetres millimeter millimeters; mi: mile miles; ft: foot feet;
        in: inch inches; yd: yard yards; kg: kilogram kilograms kilogramme kilogrammes kilo kilos; g:
        gram grams gramme grammes; mg: milligram milligrams milligramme milligrammes; μg: microgram
        micrograms; t: tonne tonnes; ton: ton tons; lb: pound pounds; oz: ounce ounces; l: litre litres
        liter liters; gal: gallon gallons; ml: millilitre millilitres milliliter milliliters; ha:
        hectare hectares; acre: acre acres; s: seconds; min: minute minutes; h: hour hours hourly; d: day
        days daily; wk: week weeks weekly; mo: month months monthly; y: year years yearly annual annually;
        decade: decade decades; century: century
        centuries; $: dollar dollars; €: euro euros; ¥: yen; yuan: yuan renminbi; cent: cent cents;
        penny: pence penny; W: watt watts; kW: kilowatt kilowatts; MW: megawatt megawatts; GW: gigawatt
        gigawatts; mW: milliwatt milliwatts; °C: celsius; °F: fahrenheit; MB: megabyte megabytes; GB:
        gigabyte gigabytes; TB: terabyte terabytes; Hz: hertz; J: joule joules; cal: calorie calories;
        barrel: barrel barrels; qd: q.d. o.d.; bid: b.i.d. BID b.d.; tid: t.i.d. TID t.d.s.; qid:
        q.i.d. QID q.d.s."""
    ),
    # Behind an auxiliary alone: "the board may | not sell".
    negation_behind=after(
        r"""(?:(?<=\bis_)|(?<=\bare_)|(?<=\bwas_)|(?<=\bwere_)|(?<=\bdo_)|(?<=\bdoes_)|(?<=\bdid_)|(?<=\bhas_)|(?<=\bhave_)
        (?<=\bhad_)|(?<=\bcan_)|(?<=\bcould_)|(?<=\bmay_)|(?<=\bmight_)|(?<=\bmust_)|(?<=\bshall_)|(?<=\bshould_)
        (?<=\bwill_)|(?<=\bwould_)|(?<=\bbe_))(?:not(?!_(?:only|just|merely))|never)"""
    ),
    comparators=classes(
        ge=r"at_least no_(?:less|fewer)_than not_(?:less|fewer)_than a_minimum_of",
        le=r"at_most up_to no_more_than not_more_than a_maximum_of",
        gt=r"more_than over above greater_than exceeding in_excess_of exceeds",
        lt=r"(?:less|fewer|lower|smaller)_than under below",
        about=r"about around approximately roughly nearly almost some circa",
        ge_behind=r"or_more or_above or_over",
        le_behind=r"or_less or_fewer or_under",
    ),
)
