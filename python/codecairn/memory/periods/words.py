"""The words of each language for moments, lengths, weekdays, months and dates.

A template is a regular expression in which `{n}` stands for a number, `{unit}` for a unit, `{day}` for a weekday, `{week}` for a
week, `{month}`, `{date}` and `{year}` for the parts of a date, and `{when}` for any moment.
"""

from collections.abc import Mapping
from dataclasses import field

from codecairn.core.light_dataclass import dataclass

Words = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How a language speaks of time.

    Attributes:
        numbers: Words for numbers.
        units: A regular expression for each unit, "minute" to "year".
        days: Of each weekday, from Monday on.
        months: Of each month; none where they are written as numbers.
        moments: Of "today", "yesterday", "before yesterday" and "weekend".
        units_before: Of the current "week", "month" and "year", of the last ones, and of those before: by how many before.
        recent: Templates of "in the last 3 days".
        recent_one: Templates of "in the last hour".
        ago: Templates of "3 days ago".
        weekday: Templates of "on Monday".
        of_week: Templates of "Monday last week".
        since: Templates of "since Monday".
        after: Templates of "after Monday".
        before: Templates of "before Monday".
        dates: Templates of "March 5".
        in_month: Templates of "in March".
        in_year: Templates of "in 2025".
        fillers: Words of a question that asks for all that was done: "what did we do".
        has_spaces: Whether blanks stand between words.
        has_endings: Whether words go on with endings: Korean particles.
        other: What only stands in texts of another language that has the same words.
    """

    numbers: Mapping[str, int]
    units: Words
    days: tuple[str, ...]
    months: tuple[str, ...] = ()
    moments: Words
    units_before: tuple[Words, ...]
    recent: tuple[str, ...]
    recent_one: tuple[str, ...] = ()
    ago: tuple[str, ...]
    weekday: tuple[str, ...]
    of_week: tuple[str, ...]
    since: tuple[str, ...]
    after: tuple[str, ...] = ()
    before: tuple[str, ...]
    dates: tuple[str, ...]
    in_month: tuple[str, ...]
    in_year: tuple[str, ...]
    fillers: str
    has_spaces: bool = True
    has_endings: bool = False
    other: str = field(default="")


def _numbers(words: str, start: int = 1) -> dict[str, int]:
    """Words for the numbers from `start` on; alternatives are separated by a slash."""
    found: dict[str, int] = {}
    for number, alternatives in enumerate(words.split(), start):
        found.update(dict.fromkeys(alternatives.split("/"), number))
    return found


ENGLISH = Language(
    numbers=_numbers("a/an/one two three four five six seven eight nine ten eleven twelve")
    | {"couple of": 2, "a couple of": 2, "few": 3, "a few": 3},
    units={
        "minute": "minutes?",
        "hour": "hours?",
        "day": "days?",
        "week": "weeks?",
        "month": "months?",
        "year": "years?",
    },
    days=("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    months=(
        *("jan(?:uary)?", "feb(?:ruary)?", "mar(?:ch)?", "apr(?:il)?", "may", "june?", "july?"),
        *("aug(?:ust)?", "sep(?:tember)?", "oct(?:ober)?", "nov(?:ember)?", "dec(?:ember)?"),
    ),
    moments={
        "before yesterday": "(?:the )?day before yesterday",
        "yesterday": "yesterday|last night",
        "today": "today|this morning|this afternoon|tonight",
        "weekend": "last weekend",
    },
    units_before=(
        {"week": "this week", "month": "this month", "year": "this year"},
        {
            "week": "(?:last|previous) week",
            "month": "(?:last|previous) month",
            "year": "(?:last|previous) year",
        },
        {"week": "(?:the )?week before last", "month": "(?:the )?month before last"},
    ),
    recent=("(?:in |over |within |during )?(?:the )?(?:last|past) {n} {unit}",),
    recent_one=("(?:in |over |within |during )?the (?:last|past) {unit}",),
    ago=("(?:about |around )?{n} {unit} ago",),
    weekday=("(?:on )?(?:last |this |on ){day}",),
    of_week=("(?:on )?(?:the )?{day} (?:of )?{week}", "{week}(?:'s)? (?:on )?{day}"),
    since=("since (?:the )?{when}",),
    after=("after (?:the )?{when}",),
    before=("(?:before|until|till) (?:the )?{when}",),
    dates=(
        r"(?:on )?{month}\.? {date}(?:st|nd|rd|th)?(?:,? {year})?",
        r"(?:on )?(?:the )?{date}(?:st|nd|rd|th)? (?:of )?{month}\.?(?:,? {year})?",
    ),
    in_month=("(?:in|during) {month}(?:,? (?:of )?{year})?",),
    in_year=("(?:in|during) {year}",),
    fillers=(
        "what|which|who|did|do|does|done|doing|was|were|is|are|be|been|have|has|had|i|we|you|they|us|me|my|our|your|the|an?|it|"
        "its|that|this|here|of|on|in|at|to|for|and|all|everything|anything|something|things?|stuff|happen(?:ed)?|work(?:ed)?|"
        "working|get|got|gone|go|going|changed?|changes|new|please|tell|show|list|give|summari[sz]e|summary|recap|up|so|far|"
        "activity|activities|progress|project|repo(?:sitory)?|made|accomplish(?:ed)?|finish(?:ed)?|completed?"
    ),
)

CHINESE = Language(
    numbers=_numbers("一 两/二 三/几 四 五 六 七 八 九 十"),
    units={
        "minute": "分钟",
        "hour": "小时",
        "day": "天|日",
        "week": "周|星期",
        "month": "个月|月",
        "year": "年",
    },
    days=("一", "二", "三", "四", "五", "六", "[日天]"),
    moments={
        "before yesterday": "前天|前日",
        "yesterday": "昨天|昨晚|昨日",
        "today": "今天|今日|今早|今晚",
        "weekend": "上周末",
    },
    units_before=(
        {"week": "本周|这周|这个?星期", "month": "本月|这个月", "year": "今年"},
        {"week": "上个?周|上个?星期", "month": "上个?月", "year": "去年"},
        {"week": "上上个?周|上上个?星期", "month": "上上个?月", "year": "前年"},
    ),
    recent=("(?:最近|过去|近|这){n}个?{unit}(?:内|里|中|来)?",),
    recent_one=("(?:最近|过去)(?:这)?一?个?{unit}(?:内|里|中|来)?",),
    ago=("(?<!月){n}个?{unit}(?:之前|以前|前)",),
    weekday=("(?:周|星期|礼拜){day}",),
    of_week=("{week}{day}",),
    since=("(?:从|自){when}(?:以来|起|开始)?", "{when}以来"),
    after=("{when}(?:之后|以后)",),
    before=("{when}(?:之前|以前)", "(?:到|截至){when}(?:为止)?"),
    dates=("(?:{year}年)?{month}月{date}[日号]",),
    in_month=(r"(?:{year}年|(?<![\d年])){month}月份?(?!\d)",),
    in_year=("{year}年",),
    other="[ぁ-ヿ]",
    fillers="我们|你们|我|你|都|做了|做过|做|干了|干|改了|完成了|完成|发生了|进展|有什么|什么|哪些|些|有|的|了|吗|呢|在|事情|事|工作|项目|请|列出|总结|一下",
    has_spaces=False,
)

SPANISH = Language(
    numbers=_numbers("un/una dos tres/unos/unas cuatro cinco seis siete ocho nueve diez"),
    units={
        "minute": "minutos?",
        "hour": "horas?",
        "day": "d[ií]as?",
        "week": "semanas?",
        "month": "mes(?:es)?",
        "year": "años?",
    },
    days=("lunes", "martes", "mi[ée]rcoles", "jueves", "viernes", "s[áa]bado", "domingo"),
    months=(
        *("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto"),
        *("septiembre", "octubre", "noviembre", "diciembre"),
    ),
    moments={
        "before yesterday": "anteayer|antes de ayer|antier",
        "yesterday": "ayer|anoche",
        "today": "hoy|esta mañana|esta tarde|esta noche",
        "weekend": "(?:el )?(?:fin de semana pasado|pasado fin de semana)",
    },
    units_before=(
        {"week": "esta semana", "month": "este mes", "year": "este año"},
        {
            "week": "(?:la )?(?:semana pasada|pasada semana)",
            "month": "(?:el )?(?:mes pasado|pasado mes)",
            "year": "(?:el )?(?:año pasado|pasado año)",
        },
        {"week": "(?:hace dos semanas|(?:la )?semana antepasada)"},
    ),
    recent=("(?:en |durante )?(?:los |las )?[úu]ltim[oa]s {n} {unit}",),
    recent_one=("(?:en |durante )?(?:el |la )[úu]ltim[oa] {unit}",),
    ago=("hace (?:unos |unas )?{n} {unit}",),
    weekday=("(?:el |este |el pasado ){day}(?: pasado)?", "{day} pasado"),
    of_week=("(?:el )?{day} de {week}", "{week},? el {day}"),
    since=("desde (?:el |la )?{when}",),
    after=("despu[ée]s del? (?:la )?{when}",),
    before=("(?:hasta|antes del) (?:el |la )?{when}",),
    dates=("(?:el )?{date} de {month}(?: (?:de|del) {year})?",),
    in_month=("en {month}(?: (?:de|del) {year})?",),
    in_year=("en {year}",),
    fillers=(
        "qu[ée]|cu[áa]les|se|hicimos|hizo|hiciste|hice|hecho|hemos|has|ha|he|trabajamos|trabajado|trabaj[óo]|pas[óo]|cambi[óo]|"
        "cambios|avances|avanzamos|en|el|la|los|las|lo|de|del|y|un|una|todo|cosas|por|favor|resumen|resume|lista|proyecto|nos|"
        "fue|estuvimos|haciendo|trabajando"
    ),
)

FRENCH = Language(
    numbers=_numbers("un/une deux trois/quelques quatre cinq six sept huit neuf dix"),
    units={
        "minute": "minutes?",
        "hour": "heures?",
        "day": "jours?",
        "week": "semaines?",
        "month": "mois",
        "year": "ans?|années?",
    },
    days=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    months=(
        *("janvier", "f[ée]vrier", "mars", "avril", "mai", "juin", "juillet", "ao[ûu]t"),
        *("septembre", "octobre", "novembre", "d[ée]cembre"),
    ),
    moments={
        "before yesterday": "avant[- ]hier",
        "yesterday": "hier(?: soir| matin)?",
        "today": "aujourd['’]hui|ce matin|cet apr[èe]s-midi|ce soir",
        "weekend": "(?:le )?week-?end dernier",
    },
    units_before=(
        {"week": "cette semaine", "month": "ce mois(?:-ci)?", "year": "cette année"},
        {
            "week": "(?:la )?semaine (?:derni[èe]re|pass[ée]e)",
            "month": "(?:le )?mois (?:dernier|pass[ée])",
            "year": "(?:l['’])?ann[ée]e (?:derni[èe]re|pass[ée]e)|l['’]an dernier",
        },
        {"week": "(?:la )?semaine d['’]avant"},
    ),
    recent=(
        "(?:au cours |dans |pendant |durant )?(?:des |ces |les )?{n} derni(?:er|[èe]re)s {unit}",
    ),
    recent_one=(
        "(?:dans |pendant |durant |au cours de )(?:la |le |l['’])derni(?:er|[èe]re) {unit}",
    ),
    ago=("il y a (?:environ )?{n} {unit}",),
    weekday=("(?:le |ce )?{day}(?: dernier| pass[ée])?",),
    of_week=("(?:le )?{day} de {week}", "{week},? (?:le )?{day}"),
    since=("depuis (?:le |la )?{when}", "[àa] partir (?:de |du ){when}"),
    after=("apr[èe]s (?:le |la )?{when}",),
    before=("(?:jusqu['’][àa]|avant) (?:le |la )?{when}",),
    dates=("(?:le )?{date}(?:er)? {month}(?: {year})?",),
    in_month=("(?:en|au mois de) {month}(?: {year})?",),
    in_year=("en {year}",),
    fillers=(
        "qu|que|quoi|quels?|quelles?|est|ce|on|nous|vous|tu|je|j|a|ai|as|avons|avez|ont|fait|faits|faites|travaillé|travaillait|"
        "passé|changé|avancé|s|c|l|d|sur|le|la|les|des|du|de|un|une|et|été|était|tout|toutes|choses|qui|résume|résumé|liste|"
        "projet|moi|donne|changements"
    ),
    # "hier" is "here" in German, and a name in English code.
    other=r"\b(?:the|what|how|why|which|does|is|was|wir|haben|habe|ist|sind|und|nicht|wie|warum|der|das|ich|wurde|werden)\b",
)

GERMAN = Language(
    numbers=_numbers("ein(?:e[mnrs]?)? zwei drei/paar vier fünf sechs sieben acht neun zehn"),
    units={
        "minute": "Minuten?",
        "hour": "Stunden?",
        "day": "Tage?n?",
        "week": "Wochen?",
        "month": "Monate?n?",
        "year": "Jahre?n?",
    },
    days=(
        "Montag",
        "Dienstag",
        "Mittwoch",
        "Donnerstag",
        "Freitag",
        "(?:Samstag|Sonnabend)",
        "Sonntag",
    ),
    months=(
        *("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August"),
        *("September", "Oktober", "November", "Dezember"),
    ),
    moments={
        "before yesterday": "vorgestern",
        "yesterday": "gestern(?: Abend| früh| Morgen)?",
        "today": "heute(?: Morgen| früh| Abend| Vormittag| Nachmittag)?",
        "weekend": "(?:am )?(?:letzten|vergangenen|vorigen) Wochenende",
    },
    units_before=(
        {
            "week": "(?:in )?diese[r]? Woche",
            "month": "(?:in )?diese[nm] Monat",
            "year": "(?:in )?diese[sm] Jahr",
        },
        {
            "week": "(?:in der )?(?:letzte[nr]?|vergangene[nr]?|vorige[nr]?) Woche",
            "month": "(?:im )?(?:letzten|vergangenen|vorigen) Monat",
            "year": "(?:im )?(?:letzte[sn]|vergangene[sn]|vorige[sn]) Jahr",
        },
        {"week": "vorletzten? Woche", "month": "vorletzten Monat", "year": "vorletzte[sn] Jahr"},
    ),
    recent=("(?:in den |während der |die )?(?:letzten|vergangenen) {n} {unit}",),
    recent_one=("in (?:der|dem|den) (?:letzten|vergangenen) {unit}",),
    ago=("vor (?:etwa |rund |einem? )?{n} {unit}",),
    weekday=("(?:am |letzten |vergangenen |diesen |vorigen |am letzten |am vergangenen ){day}",),
    of_week=("(?:am )?{day} (?:der )?{week}", "{week},? (?:am )?{day}"),
    since=("seit (?:dem |der )?{when}", "ab (?:dem )?{when}"),
    after=("nach (?:dem |der )?{when}",),
    before=("(?:bis(?: zum)?|vor) (?:dem |der )?{when}",),
    dates=(r"(?:am |dem )?{date}\. ?{month}(?: {year})?",),
    in_month=("im {month}(?: {year})?",),
    in_year=("(?:im Jahr(?:e)?|in) {year}",),
    fillers=(
        "was|welche[nrs]?|haben|habe|hast|hat|wurden?|ist|sind|war|waren|wir|ich|du|ihr|man|gemacht|getan|gearbeitet|passiert|"
        "geändert|geschehen|erledigt|geschafft|worden|alles|der|die|das|den|dem|des|an|am|im|in|und|so|bitte|zeige?|liste|fasse|"
        "zusammen|Projekt|mir|uns|auf|es|gab|Änderungen|neues"
    ),
)

ITALIAN = Language(
    numbers=_numbers("un/uno/una due tre/pochi quattro cinque sei sette otto nove dieci"),
    units={
        "minute": "minut[oi]",
        "hour": "or[ae]",
        "day": "giorn[oi]",
        "week": "settiman[ae]",
        "month": "mes[ei]",
        "year": "ann[oi]",
    },
    days=(
        "luned[ìi]",
        "marted[ìi]",
        "mercoled[ìi]",
        "gioved[ìi]",
        "venerd[ìi]",
        "sabato",
        "domenica",
    ),
    months=(
        *("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto"),
        *("settembre", "ottobre", "novembre", "dicembre"),
    ),
    moments={
        "before yesterday": "(?:l['’])?altro ?ieri|avantieri",
        "yesterday": "ieri(?: sera| mattina)?",
        "today": "oggi|stamattina|stamani|stasera|questa mattina|questo pomeriggio",
        "weekend": "(?:lo )?scorso (?:fine settimana|weekend)|(?:fine settimana|weekend) scorso",
    },
    units_before=(
        {"week": "questa settimana", "month": "questo mese", "year": "quest['’]anno"},
        {
            "week": "(?:la )?(?:settimana scorsa|scorsa settimana|settimana passata)",
            "month": "(?:il |lo )?(?:mese scorso|scorso mese|mese passato)",
            "year": "(?:l['’])?anno scorso|(?:lo )?scorso anno",
        },
        {},
    ),
    recent=(
        "(?:negli |nelle |gli |le )?ultim[ie] {n} {unit}",
        "(?:nei |nelle )?{n} {unit} (?:scors[ie]|passat[ie])",
    ),
    recent_one=("(?:nell['’]|l['’])ultim[oa] {unit}",),
    ago=("(?:circa )?{n} {unit} fa",),
    weekday=("(?:lo scorso |la scorsa |questo |questa )?{day}(?: scors[oa])?",),
    of_week=("{day} (?:del)?la {week}", "{day} {week}", "{week},? {day}"),
    since=("d(?:a|al|alla|all['’]) ?{when}",),
    after=("dopo (?:il |la )?{when}",),
    before=("(?:fino (?:a|al|alla)|prima (?:di|del|della)) {when}",),
    dates=("(?:il |l['’])?{date}°? {month}(?: {year})?",),
    in_month=("(?:a|in|nel mese di) {month}(?: {year})?",),
    in_year=("nel {year}",),
    fillers=(
        "che|cosa|cos|quali|abbiamo|ho|hai|ha|hanno|è|stato|stati|fatto|fatti|lavorato|successo|cambiato|si|su|sul|il|lo|la|i|gli|"
        "le|di|del|nel|e|un|una|tutto|cose|progetto|elenca|riassumi|mi|ci"
    ),
)

PORTUGUESE = Language(
    numbers=_numbers(
        "um/uma dois/duas três/tres/alguns/algumas quatro cinco seis sete oito nove dez"
    ),
    units={
        "minute": "minutos?",
        "hour": "horas?",
        "day": "dias?",
        "week": "semanas?",
        "month": "m[êe]s(?:es)?",
        "year": "anos?",
    },
    days=(
        *("segunda(?:-feira)?", "terça(?:-feira)?", "quarta(?:-feira)?", "quinta(?:-feira)?"),
        *("sexta(?:-feira)?", "s[áa]bado", "domingo"),
    ),
    months=(
        *("janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto"),
        *("setembro", "outubro", "novembro", "dezembro"),
    ),
    moments={
        "before yesterday": "anteontem",
        "yesterday": "ontem(?: à noite)?",
        "today": "hoje|esta manhã|hoje de manhã|esta noite",
        "weekend": "(?:no |o )?(?:fim de semana passado|último fim de semana)",
    },
    units_before=(
        {"week": "(?:n)?esta semana", "month": "(?:n)?este mês", "year": "(?:n)?este ano"},
        {
            "week": "(?:n?a )?(?:semana passada|última semana)",
            "month": "(?:n?o )?(?:m[êe]s passado|último mês)",
            "year": "(?:n?o )?ano passado",
        },
        {"week": "(?:n?a )?semana retrasada"},
    ),
    recent=("(?:n?os |n?as )?[úu]ltim[oa]s {n} {unit}",),
    recent_one=("n[oa] [úu]ltim[oa] {unit}",),
    ago=("h[áa] (?:cerca de )?{n} {unit}", "{n} {unit} atr[áa]s"),
    weekday=(
        "(?:na |no |nesta |neste |na última |no último ){day}(?: passad[oa])?",
        "{day} passad[oa]",
    ),
    of_week=("(?:na |no )?{day} d[ao] {week}", "{day} {week}"),
    since=("desde (?:o |a )?{when}",),
    after=("depois d[eoa] {when}",),
    before=("(?:at[ée]|antes d[eoa]) (?:o |a )?{when}",),
    dates=("(?:em |no dia )?{date}º? de {month}(?: de {year})?",),
    in_month=("em {month}(?: de {year})?",),
    in_year=("em {year}",),
    fillers=(
        "o|a|os|as|que|quais|foi|foram|feito|feita|fizemos|fez|fiz|fizeram|trabalhamos|trabalhou|aconteceu|mudou|mudanças|n[oa]|em|"
        "d[eoa]|e|um|uma|tudo|coisas|projeto|resumo|resuma|liste|nós|eu|você|a gente|gente|se"
    ),
)

RUSSIAN = Language(
    numbers=_numbers(
        "один/одну/одна два/две/пару три/несколько четыре пять шесть семь восемь девять десять"
    ),
    units={
        "minute": "минут[уы]?",
        "hour": "час(?:а|ов)?",
        "day": "д(?:ень|ня|ней)|сут(?:ки|ок)",
        "week": "недел[юияь]",
        "month": "месяц(?:а|ев)?",
        "year": "год(?:а)?|лет",
    },
    days=(
        "понедельник[а]?",
        "вторник[а]?",
        "сред[ауы]",
        "четверг[а]?",
        "пятниц[ауы]",
        "суббот[ауы]",
        "воскресень[ея]",
    ),
    months=(
        *(
            "январ[яьие]",
            "феврал[яьие]",
            "март[ае]?",
            "апрел[яьие]",
            "ма[яйе]",
            "июн[яьие]",
            "июл[яьие]",
        ),
        *("август[ае]?", "сентябр[яьие]", "октябр[яьие]", "ноябр[яьие]", "декабр[яьие]"),
    ),
    moments={
        "before yesterday": "позавчера",
        "yesterday": "вчера(?: вечером| утром)?",
        "today": "сегодня(?: утром| вечером)?",
        "weekend": "(?:на |в )?прошлы[ехм]{1,2} выходны[ехм]{1,2}",
    },
    units_before=(
        {
            "week": "(?:на |с )?эт(?:ой|у) недел[еюи]",
            "month": "(?:в )?этом месяце",
            "year": "(?:в )?этом году",
        },
        {
            "week": "(?:на |с |за )?прошл(?:ой|ую) недел[еюи]",
            "month": "(?:в |за )?прошл(?:ом|ый|ого) месяц[еа]?",
            "year": "(?:в |за )?прошл(?:ом|ый|ого) год[ау]?",
        },
        {"week": "(?:на )?позапрошл(?:ой|ую) недел[еюи]"},
    ),
    recent=("(?:за |в )?последни[ехй]{1,2} {n} {unit}",),
    recent_one=("за последн(?:ий|юю|ее|ие) {unit}",),
    ago=("(?:около )?{n} {unit} назад", "{unit} назад"),
    weekday=("(?:в|во) (?:прошл(?:ый|ую|ое) |эт(?:от|у|о) )?{day}",),
    of_week=("(?:в |во )?{day} {week}", "{week},? (?:в |во ){day}"),
    since=("(?:с|со|начиная с) {when}",),
    after=("после {when}",),
    before=("(?:до|перед) {when}",),
    dates=("{date}(?:-?го)? {month}(?: {year}(?: года)?)?",),
    in_month=("в {month}(?: {year}(?: года)?)?",),
    in_year=("в {year}(?: году)?",),
    fillers=(
        "что|какие|мы|я|ты|вы|было|был[аи]?|сделано|сделали|делали|делал[аи]?|сделал[аи]?|работали|работал[аи]?|произошло|"
        "изменилось|изменения|менялось|над|в|на|за|и|всё|все|по|проект[аеу]?|чем|покажи|список|итоги|мне|нам|у|нас"
    ),
)

JAPANESE = Language(
    numbers=_numbers("一 二 三/数 四 五 六 七 八 九 十"),
    units={
        "minute": "分間?",
        "hour": "時間",
        "day": "日間?",
        "week": "週間",
        "month": "[かヶカケ箇]月間?",
        "year": "年間?",
    },
    days=("月曜日?", "火曜日?", "水曜日?", "木曜日?", "金曜日?", "土曜日?", "日曜日?"),
    moments={
        "before yesterday": "一昨日|おととい",
        "yesterday": "昨日|昨夜|昨晩|きのう",
        "today": "今日|本日|今朝|今夜|きょう",
        "weekend": "先週末|先週の週末",
    },
    units_before=(
        {"week": "今週", "month": "今月", "year": "今年"},
        {"week": "先週|前の週", "month": "先月", "year": "去年|昨年"},
        {"week": "先々週", "month": "先々月", "year": "一昨年|おととし"},
    ),
    recent=("(?:この|ここ|直近の?|過去|最近の?){n}{unit}(?:で|に|の間)?",),
    recent_one=("(?:この|ここ|直近の?|過去)1?{unit}(?:で|に|の間)?",),
    ago=("(?<!月){n}{unit}(?:ほど|くらい)?前",),
    weekday=("(?:この前の|今週の)?{day}",),
    of_week=("{week}の?{day}",),
    since=("{when}(?:から|以降|以来)",),
    after=("{when}(?:より後|の後)",),
    before=("{when}(?:まで|以前|より前|の前)",),
    dates=("(?:{year}年)?{month}月{date}日",),
    in_month=(r"(?:{year}年|(?<![\d年])){month}月(?!\d)",),
    in_year=("{year}年",),
    fillers="何|なに|どんな|作業|進めた|進んだ|進捗|変更|やった|やり|行った|した|しました|してた|していた|起きた|あった|ありました|こと|私たち|私|僕|に|を|は|が|で|の|と|か|も|教えて|ください|まとめて|一覧|全部|プロジェクト",
    has_spaces=False,
)

KOREAN = Language(
    numbers=_numbers(
        "한/하나/일 두/이 세/삼/몇 네/사 다섯/오 여섯/육 일곱/칠 여덟/팔 아홉/구 열/십"
    ),
    units={
        "minute": "분",
        "hour": "시간",
        "day": "일|날",
        "week": "주일?",
        "month": "개월|달",
        "year": "년",
    },
    days=("월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"),
    moments={
        "before yesterday": "그저께|그제|엊그제",
        "yesterday": "어제|어젯밤",
        "today": "오늘",
        "weekend": "지난 ?주말",
    },
    units_before=(
        {"week": "이번 ?주", "month": "이번 ?달|이달", "year": "올해|금년"},
        {"week": "지난 ?주|저번 ?주", "month": "지난 ?달|저번 ?달", "year": "작년|지난 ?해"},
        {"week": "지지난 ?주", "month": "지지난 ?달", "year": "재작년"},
    ),
    recent=("(?:최근|지난) ?{n} ?{unit}(?: ?동안)?",),
    recent_one=("(?:최근|지난) ?{unit}(?: ?동안)",),
    ago=("(?<!월)(?<!월 )(?:약 )?{n} ?{unit} ?전",),
    weekday=("{day}",),
    of_week=("{week} ?{day}",),
    since=("{when} ?(?:부터|이후|이래)",),
    after=("{when} ?(?:다음|후)",),
    before=("{when} ?(?:까지|이전|전)",),
    dates=("(?:{year}년 ?)?{month}월 ?{date}일",),
    in_month=(r"(?:{year}년 ?|(?<![\d년])){month}월(?! ?\d)",),
    in_year=("{year}년",),
    fillers="무엇을|무엇|뭐|뭘|무슨|어떤|했어요|했지|했나요|했나|했어|했습니까|했는지|한|우리가|우리는|우리|내가|제가|일|작업|진행|변경|있었어|있었나요|있었지|된|에|을|를|은|는|이|가|의|해줘|알려줘|요약|목록|전부|모두|프로젝트",
    has_endings=True,
)

LANGUAGES = (
    *(ENGLISH, CHINESE, SPANISH, FRENCH, GERMAN, ITALIAN, PORTUGUESE, RUSSIAN, JAPANESE, KOREAN),
)
