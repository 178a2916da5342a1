"""Spanish."""

from __future__ import annotations

from quotecheck.text.lexicon import Lexicon, NumberWords, after, classes, counted, poles, spelled, words

LEXICON = Lexicon(
    code="es",
    common=words(
        """el la los las a uno algunos algunas unos nadie nada
        de del y en que es un una por con para se no su sus al lo como más pero o
        este esta estos estas ese esa fue era son ha han había hay ser está están sin sobre también
        entre cuando muy ya ni nunca todo todos cada desde hasta donde durante porque debe deben puede
        pueden jamás ningún ninguna antes después"""
    ),
    negation=classes(
        skip=r"no_\d+(?!\w|,?_sino) o_no sin_embargo no_obstante",
        phrase_only=r"no_(?:s[óo]lo|solamente|únicamente|exclusivamente)",
        phrase=r"sin_(?:lugar_a_)?dudas? no_(?:hay|cabe|existe)_dudas? ninguna_duda un(?:[oa]s?)?_poc[oa]s?",
        negator=r"""a_menos_que no_es_(?:cierto|verdad|probable|seguro)_que
        no nunca jamás nadie nada ning(?:ún|un[oa]s?) ni sin tampoco salvo excepto
        carec\w+ apenas en_lugar_de en_vez_de ya_no falta_de
        dej(?:ó|aron|a|an)_de carente[s]?_de lejos_de a_duras_penas
        (?:se_)?abst(?:uvo|uvieron|iene|ienen|enía)_de
        se_(?:neg(?:ó|aron|aba|aban)|niegan?|resist(?:ió|ieron|e|en|ía))(?=_a) negarse(?=_a) rehus\w+
        prohib(?:id[oa]s?|e|en|ió)
        (?:neg(?:ó|aron|aba|ado)|niegan?)(?=_(?:que|haber)) (?:desmint|desmient)\w+""",
        few=r"raramente rara_vez poc[oa]s? escas(?:o|a|os|as|amente)",
    ),
    modality=classes(
        debe=r"""deb(?:e|en|o|emos|er|ía_de) debió debieron debía[ns]? deberá[ns]? tien(?:e|en)_que
        tenía[ns]?_que hay_que habrá_que obligad[oa]s? obligatori(?:o|a|os|as|amente) es_necesario""",
        debería=r"debería[ns]? deberíamos debiera[ns]?",
        puede=r"pued(?:e|en|o|a|an) podemos podía[ns]? podrá[ns]? pudo pudieron poder permitido",
        podría=r"podría[ns]? podríamos pudiera[ns]?",
        possibly=r"quizá[s]? tal_vez acaso posible(?:mente|s)? a_lo_mejor imposible(?:s)?",
        probably=r"probable(?:mente|s)? seguramente improbable(?:s)?",
        certainly=r"ciertamente indudablemente definitivamente",
        would=r"habría[ns]? sería[ns]?",
        allegedly=r"""al_parecer supuest(?:o|a|os|as|amente) presunt(?:o|a|os|as|amente) aparentemente
        parece[n]?
        parecía[n]?""",
        only=r"s[óo]lo solamente únicamente exclusivamente",
        q_all=r"tod(?:o|a|os|as) cada siempre totalmente",
        q_most=r"mayoría generalmente mayormente",
        q_many=r"much(?:o|a|os|as) frecuentemente a_menudo numeros(?:o|a|os|as)",
        q_some=r"""un[oa]s_poc[oa]s parte(?=_de) algun(?:o|a|os|as) algún vari(?:o|a|os|as) unos unas
        a_veces parcialmente""",
        q_few=r"poc(?:o|a|os|as) raramente rara_vez",
        q_none=r"ning(?:ún|un[oa]) nunca jamás",
    ),
    opposites=poles(
        (
            r"""aument\w* sub(?:e|en|ió|ieron|ida|idas|ía|ir|iendo|an|a) crec\w* increment\w* gan\w+
            mejor\w* elev\w* ampli\w*""",
            r"""disminu\w* baj(?:a|an|ó|aron|ada|aba|ar|ando|e|en) ca(?:e|en|yó|yeron|ída|ídas|ía|er)
            redu\w* descen\w*"""
            r" decrec\w* perd\w* pérdida\w* pierd\w* empeor\w* recort\w*",
        ),
        (
            r"más mayor(?:es)? superior(?:es)? máxim\w+ encima",
            r"menos menor(?:es)? inferior(?:es)? mínim\w+ debajo",
        ),
        (r"mejor(?:es)? buen(?:o|a|os|as)? bien", r"peor(?:es)? mal(?:o|a|os|as)?"),
        (
            r"permit\w* autoriz\w* acept\w* aprob\w* aprueb\w* admit\w* adopt\w*",
            r"""prohib\w* prohíb\w* rechaz\w* deneg\w* denieg\w* niega\w* neg(?:ó|aron|ada|ado)
            desaprob\w* vet\w+""",
        ),
        (
            r"ofrec\w+ ofrez\w+ compromet\w+ acced\w+ acept\w+ promet\w+ encarg\w+ avino avinieron",
            r"neg(?:ó|aron|aba|aban|ado|ar|arse) niega[n]? rehus\w+ rechaz\w+",
        ),
        (r"a_favor por", r"en_contra contra"),
        (r"antes", r"después"),
        (r"con", r"sin"),
        (r"siempre", r"nunca jamás"),
        (r"verdader\w+ ciert(?:o|a|os|as)", r"fals(?:o|a|os|as)"),
        (r"culpable\w*", r"inocente\w*"),
        (r"abiert\w+ abr\w+", r"cerr\w+ cierr\w+"),
        (r"positiv\w+", r"negativ\w+"),
        (r"beneficio\w* ganancia\w* superávit", r"pérdida\w* déficit"),
        (r"fuerte\w*", r"débil\w*"),
        (r"alt(?:o|a|os|as)", r"baj(?:o|a|os|as)"),
        (r"todos todas todo alguien", r"nadie nada ninguno ninguna"),
        (r"también", r"tampoco"),
        (r"inclu\w+", r"exclu\w+"),
        (
            r"""afirm\w* confirm\w* reconoc\w* admit\w* dij\w* dice[n]? declar\w* asegur\w* acept\w*
            demostr\w* muestra[n]?""",
            r"neg(?:ó|aron|aba|ado|ar|ando) nieg\w+ desmint\w+ desmient\w+ refut\w+",
        ),
        (r"éxito\w* logr\w+ consigui\w+ aprobó", r"fracas\w+ fall(?:ó|aron|a|an|o)"),
        (r"exporta\w*", r"importa(?:ción|ciones|dor|dores)"),
        (r"segur(?:o|a|os|as|idad)", r"peligros(?:o|a|os|as) peligro"),
        (r"dentro", r"fuera"),
        (r"compr\w+", r"vend\w+ vent(?:a|as)"),
        (r"ganó ganaron victoria\w*", r"perdió perdieron derrota\w*"),
        (r"presente\w*", r"ausente\w*"),
        (r"fácil\w*", r"difícil\w*"),
        (r"empez\w+ empiez\w+ comenz\w+ comienz\w+", r"termin\w+ acab\w+ ces(?:ó|aron)"),
        (r"ric(?:o|a|os|as)", r"pobre\w*"),
        (r"llen(?:o|a|os|as)", r"vací(?:o|a|os|as)"),
        (
            r"estimul\w+ promuev\w+ promov\w+ favorec\w+ activ(?:a|an|ó|aron|ado|ada|ar) induc\w+ induj\w+",
            r"inhib\w+ suprim\w+ bloque\w+ desactiv\w+ impid\w+ imped\w+",
        ),
        (r"dobl(?:a|an|ó|aron|ado|ar) duplic\w+ triplic\w+", r"redujo_a_la_mitad"),
        (
            r"confirm\w+ estim(?:ó|aron|a|ado|ada|ar) ratific\w+ mantuv\w+",
            r"revoc\w+ desestim\w+ anul\w+ rechaz\w+ invalid\w+",
        ),
        (r"conden(?:ó|aron|a|ado|ada|ados|adas|ar)", r"absol\w+ absuel\w+"),
        (r"grandes? gran", r"pequeñ(?:o|a|os|as)"),
        (r"izquierd(?:o|a|os|as)", r"derech(?:o|a|os|as)"),
        (r"benign(?:o|a|os|as)", r"malign(?:o|a|os|as)"),
        (r"agud(?:o|a|os|as)", r"crónic(?:o|a|os|as)"),
    ),
    prefixes=("contra", "in", "im", "i", "ir", "des", "dis", "anti", "no-"),
    affix_exceptions=words("nosotros importa importar invertir"),
    number_words=NumberWords(
        values=counted(
            """cero, un uno una primer primero primera, dos segundo segunda, tres tercero tercera
            tercer, cuatro cuarto cuarta, cinco quinto quinta, seis sexto sexta, siete séptimo séptima,
            ocho octavo octava, nueve noveno novena, diez décimo décima decena, once, doce docena,
            trece, catorce, quince, dieciséis, diecisiete, dieciocho, diecinueve, veinte veintena,
            veintiuno veintiún veintiuna, veintidós, veintitrés, veinticuatro, veinticinco, veintiséis,
            veintisiete, veintiocho, veintinueve"""
        )
        | counted("treinta, cuarenta, cincuenta, sesenta, setenta, ochenta, noventa", start=30, step=10)
        | counted(
            """cien ciento cientos, doscientos doscientas, trescientos trescientas, cuatrocientos
            cuatrocientas, quinientos quinientas, seiscientos seiscientas, setecientos setecientas,
            ochocientos ochocientas, novecientos novecientas""",
            start=100,
            step=100,
        ),
        scales={"mil": 1_000, "miles": 1_000}
        | dict.fromkeys(("millón", "millones"), 10**6)
        | dict.fromkeys(("billón", "billones"), 10**12),
        fractions={"medio": "0.5", "media": "0.5", "mitad": "0.5", "tercio": "1/3", "tercios": "1/3"},
        joiners=frozenset({"y"}),
        weak=words("un uno una primer primero primera segundo segunda cuarto cuarta"),
    ),
    units=spelled(
        """%: por_ciento; pp: punto_porcentual puntos_porcentuales; km: kilómetro kilómetros; m: metro
        metros; cm: centímetro centímetros; mm: milímetro milímetros; mi: milla millas; kg: kilo kilos
        kilogramo kilogramos; g: gramo gramos; mg: miligramo miligramos; μg: microgramo microgramos; t:
        tonelada toneladas; lb: libra libras; l: litro litros; ml: mililitro mililitros; ha: hectárea
        hectáreas; s: segundos; min: minuto minutos; h: hora horas; d: día días diario diaria diarios
        diarias diariamente; wk: semana semanas semanal semanales semanalmente;
        mo: mes meses mensual mensuales mensualmente;
        y: año años anual anuales anualmente; decade: década décadas; century: siglo siglos; €: euro euros; $:
        dólar dólares; peso: peso pesos; W: vatio vatios; kW: kilovatio kilovatios; MW: megavatio
        megavatios"""
    ),
    negation_behind=after(r"nunca jamás nada tampoco"),
    comparators=classes(
        ge=r"al_menos por_lo_menos como_mínimo no_menos_de",
        le=r"como_máximo hasta a_lo_sumo no_más_de",
        gt=r"más_de(?:l)? mayor_que superior_a",
        lt=r"menos_de(?:l)? menor_que inferior_a",
        about=r"unos unas cerca_de aproximadamente alrededor_de casi",
        ge_behind=r"o_más",
        le_behind=r"o_menos",
    ),
    decimal_comma=True,
)
