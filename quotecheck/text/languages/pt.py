"""Portuguese."""

from __future__ import annotations

from quotecheck.text.lexicon import Lexicon, NumberWords, after, classes, counted, poles, spelled, words

LEXICON = Lexicon(
    code="pt",
    common=words(
        """o a os as de do da dos das e em no na nos nas que é um uma por com para se não seu sua seus
        suas ao à como mais mas ou este esta estes estas esse essa foi era são tem têm ser está estão
        sem sobre também entre quando muito já nem nunca todo todos cada desde até onde durante porque
        deve devem pode podem pelo pela foram há depois antes nenhum nenhuma ainda"""
    ),
    negation=classes(
        skip=r"ou_não não_obstante",
        phrase_only=r"não_(?:só|apenas|somente|unicamente|exclusivamente)",
        phrase=r"sem_dúvidas? não_há_dúvidas? nenhuma_dúvida u(?:m|ns|mas?)_pouc[oa]s?",
        negator=r"""a_menos_que não_é_(?:verdade|certo|provável)_que
        não nunca jamais ninguém nada nenhum(?:a|as)? nenhuns nem sem tampouco
        sequer mal
        longe_de deix(?:ou|aram|a|am)_de exceto salvo
        apenas_não em_vez_de falta_de já_não carec\w+
        abst(?:eve|iveram|ém|êm|inha|inham)(?:-se)?_de
        recus(?:ou|aram|a|am|ava|avam)(?:-se)?(?=_a) proibid[oa]s? proíbe[m]? proibiu
        neg(?:ou|aram|a|am|ava)(?=_(?:que|ter)) (?:desment|desmint)\w+""",
        few=r"raramente pouc[oa]s? escass(?:o|a|os|as|amente)",
    ),
    modality=classes(
        deve=r"""dev(?:e|em|o|emos|er|ia_de) deveu deverá dever(?:ão) devia[m]?
        t(?:em|êm|inha|inham|erá|erão)_(?:que|de) obrigad[oa]s? obrigatóri(?:o|a|os|as)
        obrigatoriamente é_(?:preciso|necessário)""",
        deveria=r"deveria[m]? devesse[m]?",
        pode=r"pod(?:e|em|emos|er|ia|iam|erá|erão) posso possa[m]? pôde puderam permitido",
        poderia=r"poderia[m]? pudesse[m]?",
        possibly=r"talvez possivelmente porventura quiçá possíve(?:l|is) impossíve(?:l|is)",
        probably=r"provave(?:lmente) prováve(?:l|is) improváve(?:l|is)",
        certainly=r"certamente seguramente com_certeza definitivamente",
        would=r"teria[m]? seria[m]? haveria[m]?",
        allegedly=r"""ao_que_parece alegad(?:o|a|os|as|amente) supost(?:o|a|os|as|amente) aparentemente
        parece[m]?
        parecia[m]?""",
        only=r"só somente apenas unicamente exclusivamente",
        q_all=r"tod(?:o|a|os|as) cada sempre totalmente",
        q_most=r"maioria geralmente principalmente",
        q_many=r"muit(?:o|a|os|as) frequentemente numeros(?:o|a|os|as)",
        q_some=r"""u(?:ns|mas)_pouc[oa]s parte(?=_d[aeo]) algu(?:m|ns|ma|mas) vári(?:o|a|os|as)
        às_vezes parcialmente""",
        q_few=r"pouc(?:o|a|os|as) raramente",
        q_none=r"nenhum(?:a)? nunca jamais",
    ),
    opposites=poles(
        (
            r"""aument\w* sub(?:iu|iram|ida|idas|ia|ir|indo) sobe[m]? cresc\w* ganh\w+ melhor\w*
            elev\w+ ampli\w+""",
            r"""diminu\w* baix(?:a|am|ou|aram|ada|ava|ar|ando) ca(?:i|em|iu|íram|ía|ir) queda\w*
            redu\w* desce\w*"""
            r" decresc\w* perd\w+ pior\w+ cort\w+",
        ),
        (
            r"mais maior(?:es)? superior(?:es)? máxim\w+ acima",
            r"menos menor(?:es)? inferior(?:es)? mínim\w+ abaixo",
        ),
        (r"melhor(?:es)? bom boa bons boas bem", r"pior(?:es)? mau má maus más mal"),
        (
            r"permit\w* autoriz\w* aceit\w* aprov\w* admit\w* adot\w*",
            r"proib\w* proíb\w* rejeit\w* neg(?:ou|aram|ada|ado) recus\w* reprov\w* vet\w+",
        ),
        (
            r"oferec\w+ ofereç\w+ compromet\w+ aced\w+ aceit\w+ promet\w+ encarreg\w+ dispôs",
            r"recus\w+ neg(?:ou|aram|ava|ado|ar)(?:-se)? rejeit\w+",
        ),
        (r"a_favor", r"contra"),
        (r"antes", r"depois após"),
        (r"com", r"sem"),
        (r"sempre", r"nunca jamais"),
        (r"verdadeir\w+", r"fals(?:o|a|os|as)"),
        (r"culpad\w+", r"inocente\w*"),
        (r"abert\w+ abr\w+", r"fech\w+"),
        (r"positiv\w+", r"negativ\w+"),
        (r"lucro\w*", r"prejuízo\w* perda\w*"),
        (r"forte\w*", r"frac(?:o|a|os|as)"),
        (r"alt(?:o|a|os|as)", r"baix(?:o|a|os|as)"),
        (r"todos todas tudo alguém", r"ninguém nada nenhum nenhuma"),
        (r"inclu\w+", r"exclu\w+"),
        (
            r"""afirm\w* confirm\w* reconhec\w* admit\w* disse(?:ram)? diz(?:em)? declar\w* assegur\w*
            aceit\w* demonstr\w* mostr\w*""",
            r"neg(?:ou|aram|ava|ado|ar|a|am) desment\w+ refut\w+",
        ),
        (r"êxito\w* consegu\w+ sucesso\w*", r"fracass\w+ falh\w+"),
        (r"também", r"tampouco nem"),
        (r"exporta\w*", r"importaç\w+"),
        (r"segur(?:o|a|os|as|ança)", r"perigos(?:o|a|os|as) perigo"),
        (r"dentro", r"fora"),
        (r"compr\w+", r"vend\w+"),
        (r"ganhou ganharam venceu venceram vitória\w*", r"perdeu perderam derrota\w*"),
        (r"presente\w*", r"ausente\w*"),
        (r"fácil fáceis", r"difícil difíceis"),
        (r"começ\w+ inici\w+", r"termin\w+ acab\w+ cess\w+"),
        (r"ric(?:o|a|os|as)", r"pobre\w*"),
        (r"chei(?:o|a|os|as)", r"vazi(?:o|a|os|as)"),
        (
            r"estimul\w+ promov\w+ favorec\w+ ativ(?:a|am|ou|aram|ado|ada|ar) induz\w*",
            r"inib\w+ suprim\w+ bloque\w+ desativ\w+ imped\w+ impeç\w+",
        ),
        (r"dobr(?:a|am|ou|aram|ado|ar) duplic\w+ triplic\w+", r"reduziu_à_metade"),
        (
            r"confirm\w+ deu deram manteve mantiveram acolh\w+",
            r"revog\w+ neg(?:ou|aram) anul\w+ rejeit\w+ cass(?:ou|aram|ado|ada|ar)",
        ),
        (r"conden(?:ou|aram|a|ado|ada|ados|adas|ar)", r"absolv\w+"),
        (r"grandes?", r"pequen(?:o|a|os|as)"),
        (r"esquerd(?:o|a|os|as)", r"direit(?:o|a|os|as)"),
        (r"benign(?:o|a|os|as)", r"malign(?:o|a|os|as)"),
        (r"agud(?:o|a|os|as)", r"crônic(?:o|a|os|as) crónic(?:o|a|os|as)"),
    ),
    prefixes=("contra", "in", "im", "i", "ir", "des", "anti", "não"),
    affix_exceptions=words("importa importar investir"),
    number_words=NumberWords(
        values=counted(
            """zero, um uma primeiro primeira, dois duas segundo segunda, três terceiro terceira,
            quatro quarto quarta, cinco quinto quinta, seis sexto sexta, sete sétimo sétima, oito
            oitavo oitava, nove nono nona, dez décimo décima dezena, onze, doze dúzia, treze, catorze
            quatorze, quinze, dezesseis dezasseis, dezessete dezassete, dezoito, dezenove dezanove"""
        )
        | counted(
            "vinte, trinta, quarenta, cinquenta, sessenta, setenta, oitenta, noventa",
            start=20,
            step=10,
        )
        | counted(
            """cem cento centena centenas, duzentos duzentas, trezentos trezentas, quatrocentos quatrocentas,
            quinhentos quinhentas, seiscentos seiscentas, setecentos setecentas, oitocentos oitocentas,
            novecentos novecentas""",
            start=100,
            step=100,
        ),
        scales={"mil": 1_000, "milhares": 1_000}
        | dict.fromkeys(("milhão", "milhões"), 10**6)
        | dict.fromkeys(("bilhão", "bilhões"), 10**9),
        fractions={"meio": "0.5", "meia": "0.5", "metade": "0.5", "terço": "1/3", "terços": "1/3"},
        joiners=frozenset({"e"}),
        weak=words("um uma primeiro primeira segundo segunda quarto quarta meia"),
    ),
    units=spelled(
        """%: por_cento; pp: ponto_percentual pontos_percentuais; km: quilômetro quilômetros quilómetro
        quilómetros; m: metro metros; cm: centímetro centímetros; mm: milímetro milímetros; mi: milha
        milhas; kg: quilo quilos quilograma quilogramas; g: grama gramas; mg: miligrama miligramas; t:
        tonelada toneladas; lb: libra libras; l: litro litros; ml: mililitro mililitros; ha: hectare
        hectares; s: segundos; min: minuto minutos; h: hora horas; d: dia dias diário diária diários diárias
        diariamente; wk: semana semanas semanal semanais semanalmente; mo:
        mês meses; y: ano anos; decade: década décadas; century: século séculos; €: euro euros; $:
        dólar dólares; BRL: real reais; W: watt watts; kW: quilowatt quilowatts; MW: megawatt megawatts"""
    ),
    negation_behind=after(r"nunca jamais nada não(?!_(?:só|apenas|somente))"),
    comparators=classes(
        ge=r"pelo_menos ao_menos no_mínimo não_menos_de",
        le=r"no_máximo até não_mais_de",
        gt=r"mais_de maior_que superior_a acima_de",
        lt=r"menos_de menor_que inferior_a abaixo_de",
        about=r"cerca_de aproximadamente quase uns umas",
        ge_behind=r"ou_mais",
        le_behind=r"ou_menos",
    ),
    decimal_comma=True,
)
