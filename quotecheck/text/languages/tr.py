"""Turkish, where most negation is a suffix inside the verb."""

from __future__ import annotations

from quotecheck.text.lexicon import Lexicon, NumberWords, after, classes, counted, poles, spelled, words

LEXICON = Lexicon(
    code="tr",
    common=words(
        """ve bir bu da de için ile olarak olan daha çok en gibi kadar sonra ancak ama her ne var yok
        değil o şu ya ki ise göre önce büyük yeni ilk iki olduğu olduğunu tarafından üzere bütün hiç mi
        mı ben sen biz siz onlar yıl oldu edildi etti yapıldı olması gerek kendi sadece"""
    ),
    negation=classes(
        skip=r"""hırsız\w* öksüz\w* ansızın namaz\w* yaramaz\w* kaçınılmaz\w* \w*elmad[ıi]r\w*
        \w+lamad[ıi]r maden\w* temad[ıi]r sadece_değil""",
        negator=r"""değil\w* yok(?:tu|tur|sa|muş|ken|luğ\w*|luk\w*)? hiç(?:bir\w*)? asla
        kimse(?:nin|yi|ye|de|den)? ne_(?:\w+_){1,4}ne yoksun mahrum imk[aâ]ns[ıi]z\w* hariç
        \w+m[ae]z(?:l[ae]r|d[ıi]|sa|se|s[ıi]n\w*|k[ei]n|l[ıi]k\w*|s[ae])?(?:d[ıi]r)?
        \w+m[ae]d[ıiuü](?:m|n|k|l[ae]r|n[ıi]z|ğ\w+|kl\w+)? \w+m[ıiuü]yor\w*
        \w+m[ae]y[ae](?:n\w*|c[ae][kğ]\w*|r[ae]k|bil\w*) \w+m[ae]y[ıiuü](?:p|n(?:[ıi]z)?)
        \w+m[ae]m[ae]l[ıi]\w* \w+m[ae]m[ıiuü]ş\w* \w+m[ae]s[ıi]n(?:l[ae]r)?(?=_|$|[.,;!])
        \w+m[ae]m[ae](?:k|s[ıi]\w*) \w+m[ae]ks[ıi]z[ıi]n \w{2,}s[ıiuü]z\w* \w{2,}m[ae]d[ae]n
        kaçın(?:dı|ır|ıyor|mış|makta|acak)\w*
        redde[td]\w* yasa[kğ]\w* ink[aâ]r\w* yalanla\w*""",
        few=r"nadiren seyrek",
    ),
    modality=classes(
        must=r"""\w{2,}m[ae]l[ıi](?:d[ıi]r(?:l[ae]r)?|y[dms]\w+|l[ae]r|s[ıi]n\w*|y[ıi]z)?
        zorun(?:da|lu)\w* gerek(?:ir|li|iyor|ti|mez|miyor|ecek)\w* mecbur\w* şart(?:tır)?
        mutlak_surette""",
        can=r"""\w+[ae]bil(?:ir|ecek|d[ıi]|miş|en|mek|iyor|eceğ|diğ|se)\w* \w+[ae]m[ae]z\w*
        \w+[ae]m[ıi]yor\w* \w+[ae]m[ae]d[ıi]\w* mümkün\w*""",
        possibly=r"belki olası herhalde",
        probably=r"muhtemel(?:en)? büyük_olasılıkla galiba",
        certainly=r"kesin(?:likle)? mutlaka elbette şüphesiz kuşkusuz",
        allegedly=r"sözde iddia\w* güya görünüyor",
        only=r"sadece yalnız(?:ca)? sırf",
        q_all=r"her tüm(?:ü|ünü)? bütün hep(?:si)? daima tamamen herkes",
        q_most=r"çoğu(?:nluk\w*)? genellikle çoğunlukla",
        q_many=r"birçok sık_sık pek_çok çok_sayıda",
        q_some=r"bazı(?:ları)? kimi birkaç biraz bazen kısmen bir_kısm\w+ bir_bölüm\w+",
        q_few=r"az nadiren",
        q_none=r"hiç(?:bir)? asla",
    ),
    opposites=poles(
        (
            r"art(?:t[ıi]|ıyor|ar|an|ış|ması|mış|acak|ırdı|ırır)\w* yüksel\w* büyü\w* çoğal\w* geliş\w*",
            r"""azal\w* düş(?:tü|üyor|er|en|üş|mesi|müş|ecek|ürdü|ürür)\w* küçül\w* geril\w*
            in(?:di|iyor|er)\w*""",
        ),
        (r"fazla üst\w* üzerin\w* yüksek daha_çok en_çok en_az", r"az altın\w* düşük daha_az en_fazla"),
        (r"iyi", r"kötü"),
        (
            r"izin\w* onay\w* kabul\w* serbest(?:tir|ti|çe|miş)?",
            r"yasa[kğ]\w* redde\w* ret(?:ti)? engelle\w*",
        ),
        (r"öner(?:di|ir|iyor|mek)\w* söz_ver\w* üstlen\w*", r"redde\w* ret(?:ti)? kaçın\w*"),
        (r"önce", r"sonra"),
        (r"lehine", r"aleyhine"),
        (r"doğru\w*", r"yanlış\w*"),
        (r"açı(?:k|ktır|ldı|lır|l|lacak)\w*", r"kapa(?:lı|ndı|nır|tıldı|tılır|nacak|l)\w*"),
        (r"k[aâ]r(?:ı|lar)?", r"zarar(?:ı|lar)?"),
        (r"var(?:dır|dı)?", r"yok(?:tur|tu)?"),
        (r"güçlü", r"zayıf"),
        (r"olumlu", r"olumsuz"),
        (r"ile birlikte", r"olmadan"),
        (r"başar(?:ılı|dı)\w*", r"başarısız\w*"),
        (r"ithal\w*", r"ihra[cç]\w*"),
        (r"erken", r"geç"),
        (r"suçlu", r"suçsuz masum"),
        (r"herkes", r"kimse"),
        (r"her_zaman daima", r"asla hiçbir_zaman"),
        (
            r"doğrula\w* kabul\w* itiraf\w* söyle\w* açıkla\w* kanıtla\w* göster\w*",
            r"inkâr\w* inkar\w* yalanla\w* reddet\w* çürüt\w*",
        ),
        (r"hem", r"ne"),
        (r"güven(?:li|lidir|lik)\w*", r"tehlike\w*"),
        (r"iç(?:eri|inde)\w*", r"dış(?:arı|ında)\w*"),
        (r"satın\w*", r"sat(?:tı|ıldı|ıyor|ar|ış)\w*"),
        (r"kazan\w*", r"kaybe[td]\w* kayıp\w*"),
        (r"kolay\w*", r"zor(?:dur|du)?"),
        (r"başla\w*", r"bit(?:ti|er|iyor|ecek)\w* sona\w*"),
        (r"zengin\w*", r"fakir\w* yoksul\w*"),
        (r"dolu\w*", r"boş\w*"),
        (r"sık_sık sıkça", r"nadiren"),
        (
            r"destekle\w* uyar(?:ır|dı|ıyor)\w* teşvik\w* etkinleştir\w*",
            r"engelle\w* baskıla\w* önle\w* inhibe\w*",
        ),
        (r"onadı onan\w* onayla\w* kabul\w*", r"bozdu bozul\w* iptal\w* redde\w*"),
        (r"mahk[uû]m\w*", r"beraat\w*"),
        (r"büyük", r"küçük"),
        (r"sol\w{0,2}", r"sağ\w{0,2}"),
        (r"akut", r"kronik"),
    ),
    number_words=NumberWords(
        values=counted(
            """sıfır, bir birinci biri, iki ikinci ikisi, üç üçüncü üçü, dört dördüncü dördü,
            beş beşinci beşi, altı altıncı altısı, yedi yedinci yedisi, sekiz sekizinci sekizi,
            dokuz dokuzuncu dokuzu"""
        )
        | counted("on onuncu, yirmi, otuz, kırk, elli, altmış, yetmiş, seksen, doksan", start=10, step=10),
        scales={"yüz": 100, "bin": 1_000, "milyon": 10**6, "milyar": 10**9, "trilyon": 10**12},
        fractions={"yarım": "0.5", "yarısı": "0.5", "çeyrek": "0.25", "buçuk": "0.5"},
        weak=words("bir birinci biri ikinci ikisi altı on yüz bin"),
        compound=True,
    ),
    units=spelled(
        """%: yüzde; pp: puan; km: kilometre; m: metre; cm: santimetre santim; mm: milimetre; mi: mil;
        kg: kilogram kilo; g: gram; mg: miligram; t: ton; l: litre; ml: mililitre; ha: hektar; s:
        saniye; min: dakika; h: saat; d: gün; wk: hafta; mo: ay; y: yıl; century: yüzyıl; ₺: lira; $:
        dolar; €: avro; W: vat; kW: kilovat; MW: megavat"""
    ),
    comparators=classes(
        ge=r"en_az asgari",
        le=r"en_fazla en_çok azami",
        about=r"yaklaşık neredeyse aşağı_yukarı",
        gt_behind=r"(?:['’]?[dt][ae]n)_(?:fazla|çok|büyük) üzerinde",
        lt_behind=r"(?:['’]?[dt][ae]n)_(?:az|küçük) altında",
    ),
    decimal_comma=True,
    negation_behind=after(r"değil\w* yok(?:tu|tur)?"),
)
