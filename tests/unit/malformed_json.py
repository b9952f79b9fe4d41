"""How language models get JSON wrong: what they wrote, and the texts of the facts that can still be read from it."""

A, B = "Ports are set in config.toml", "Tests need the database"

CORPUS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("plain", f'{{"facts": [{{"text": "{A}"}}, {{"text": "{B}"}}]}}', (A, B)),
    ("bare array", f'[{{"text": "{A}"}}, {{"text": "{B}"}}]', (A, B)),
    ("fenced", f'```json\n[{{"text": "{A}"}}]\n```', (A,)),
    (
        "fenced amid prose",
        f'Sure! Here it is:\n```\n{{"facts": [{{"text": "{A}"}}]}}\n```\nAnything else?',
        (A,),
    ),
    ("fence never closed", f'```json\n[{{"text": "{A}"}}]', (A,)),
    (
        "prose with brackets before",
        f'I found [2] facts {{see below}}:\n[{{"text": "{A}"}}, {{"text": "{B}"}}]',
        (A, B),
    ),
    ("trailing commas", f'{{"facts": [{{"text": "{A}",}}, {{"text": "{B}",}},],}}', (A, B)),
    ("double commas", f'[{{"text": "{A}"}},, {{"text": "{B}"}}]', (A, B)),
    ("no comma between", f'[{{"text": "{A}"}} {{"text": "{B}"}}]', (A, B)),
    ("one object a line", f'{{"text": "{A}"}}\n{{"text": "{B}"}}', (A, B)),
    ("single quotes", f"[{{'text': '{A}'}}, {{'text': '{B}'}}]", (A, B)),
    ("curly quotes", f"[{{“text”: “{A}”}}]", (A,)),
    ("bare names", f'[{{text: "{A}", type: "rule"}}]', (A,)),
    ("words of Python", f'[{{"text": "{A}", "pinned": True, "subject": None}}]', (A,)),
    ("comments", f'[ // the first\n{{"text": "{A}"}}, /* and */ {{"text": "{B}"}}]', (A, B)),
    ("cut in a text", f'{{"facts": [{{"text": "{A}"}}, {{"text": "Tests ne', (A,)),
    ("cut in a name", f'[{{"text": "{A}"}}, {{"te', (A,)),
    ("cut after a colon", f'[{{"text": "{A}"}}, {{"text":', (A,)),
    ("cut after a comma", f'[{{"text": "{A}"}},', (A,)),
    ("cut in an escape", f'[{{"text": "{A}"}}, {{"text": "caf\\u00', (A,)),
    ("cut before the last brackets", f'{{"facts": [{{"text": "{A}"}}, {{"text": "{B}"}}', (A, B)),
    ("cut object is dropped", f'{{"facts": [{{"text": "{A}", "type": "ru', ()),
    ("line ends in a text", '[{"text": "Ports are set\nin config.toml"}]', (A,)),
    ("quotes not escaped", '[{"text": "Say "yes" to the prompt"}]', ('Say "yes" to the prompt',)),
    ("wrong escape", r'[{"text": "Paths use C:\dev here"}]', (r"Paths use C:\dev here",)),
    ("half of a pair", '[{"text": "A lone \\ud83d surrogate"}]', ("A lone \ufffd surrogate",)),
    ("texts alone", f'["{A}", "{B}"]', (A, B)),
    ("another name for the list", f'{{"memories": [{{"memory": "{A}"}}]}}', (A,)),
    ("an object of objects", f'{{"1": {{"text": "{A}"}}, "2": {{"text": "{B}"}}}}', (A, B)),
    ("twice the same", f'[{{"text": "{A}"}}, {{"text": "{A}"}}]', (A,)),
    (
        "one bad among good ones",
        f'[{{"text": "{A}"}}, {{"text": 5}}, oops, {{"text": "{B}"}}]',
        (A, B),
    ),
    ("byte order mark", f'\ufeff[{{"text": "{A}"}}]', (A,)),
    ("thoughts before", f'<think>maybe {{"text"}}?</think>[{{"text": "{A}"}}]', (A,)),
    (
        "a draft in thoughts",
        f'<think>[{{"text": "A first draft"}}]</think>[{{"text": "{A}"}}]',
        (A,),
    ),
    ("thoughts without an end", '<think>[{"text": "A first draft"}]', ()),
    ("equals signs", f'[{{text = "{A}"}}]', (A,)),
    ("Chinese", '[{"text": "端口写在配置文件里"}]', ("端口写在配置文件里",)),
)

NOTHING = (
    '{"facts": []}',
    "[]",
    "```json\n[]\n```",
    'Nothing to keep: {"facts": []}',
    "{facts: []}",
)

UNREADABLE = (
    "",
    "I could not find anything.",
    "{",
    "[",
    '{"facts": [{"te',
    "null",
    "[1, 2]",
    "\x00" * 10,
)
