"""Texts on both sides of one rule's border each: its limits in bytes, its exceptions, its disguises, its grammar."""

# ruff: noqa: RUF001 - look-alikes of quotes and points are what some texts are about

import base64
import random
import string
from collections.abc import Iterator

_BIP39_ENGLISH = (
    "abandon ability able about above absent absorb abstract absurd abuse access accident"
)
"""The first twelve words of BIP-39's English list, in its order."""

_FRENCH_ONLY = (
    "abaisser abeille abolir aborder aboutir aboyer abrasif abreuver abriter abroger abrupt absence"
)
"""Words of BIP-39's French list alone."""

_IN_BOTH = "bonus"
"""A word of BIP-39's English and French lists."""

_VALID_IN_ENGLISH = (
    "impact cycle million stable bicycle canal prison civil label romance bonus phrase exact"
)
_VALID_IN_FRENCH = (
    "mobile badge surprise canal volume question rival immense intact train jaguar science panda"
)
"""Words of both lists: the first twelve have a checksum that holds in one of the languages alone."""

_OTHER_ORDER = [7, 2, 11, 0, 9, 4, 1, 10, 5, 3, 8, 6]
_LETTERS_AND_DIGITS = string.ascii_letters + string.digits


def _made(count: int, seed: int = 0) -> str:
    """Letters and digits at random, the same ones for the same seed."""
    generator = random.Random(seed)
    return "".join(generator.choice(_LETTERS_AND_DIGITS) for _ in range(count))


def _mathematical(text: str, capitals: int, digits: int) -> str:
    """Capitals and digits of an alphabet for mathematics."""
    return "".join(
        chr(capitals + ord(char) - ord("A"))
        if char.isupper()
        else chr(digits + int(char))
        if char.isdigit()
        else char
        for char in text
    )


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _wrapped(text: str, width: int) -> str:
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def _der(head: str, count: int = 300) -> bytes:
    """Bytes of a DER structure that begins with `head`, in hexadecimal digits; the rest is at random."""
    return bytes.fromhex(head) + random.Random(head).randbytes(count)


def border_texts() -> Iterator[tuple[str, str]]:
    """Each text with a name of its own."""
    yield from _cards()
    yield from _command_lines()
    yield from _encoded()
    yield from _random_looking()
    yield from _sentences()
    yield from _disguises()
    yield from _phrases()
    yield from _values()


def _cards() -> Iterator[tuple[str, str]]:
    yield "card that is a fraction", "the sum is 4012888888881881.50 today"
    yield "card before a full stop", "my card is 4012888888881881. thanks"
    yield "card of one digit but for four", "pay with 4111111111111111 in tests"
    yield "card in groups with a year behind", "card 4012 8888 8888 1881 2031 123"
    for capitals, digits in [(0x1D400, 0x1D7CE), (0x1D63C, 0x1D7EC), (0x1D670, 0x1D7F6)]:
        yield (
            f"card in mathematical digits from {digits:x}",
            _mathematical("4012888888881881", capitals, digits),
        )
        yield (
            f"name in mathematical capitals from {capitals:x}",
            _mathematical("PASSWORD: nuriduvi", capitals, digits),
        )


def _command_lines() -> Iterator[tuple[str, str]]:
    yield "group of short options", "htpasswd -cbB .htpasswd alice Tr0ub4dor9x"
    yield "no option for a password", "htpasswd .htpasswd alice bob Tr0ub4dor9x"
    yield "long option with another's letter", "htpasswd --bare .htpasswd alice Tr0ub4dor9x"
    yield "option beyond the line's limit", f"curl {'w ' * 2100}-u bob:nuriduvi https://x.example"
    yield "option within the line's limit", f"curl {'w ' * 1900}-u bob:nuriduvi https://x.example"
    yield (
        "option that ends at the line's limit",
        f"gem push {'w ' * 2042}--key=nuriduvi",
    )
    yield "value after a sign", "gem push --key=nuriduvi shop.gem"
    yield "value after a sign, in quotes", "gem push --key='nuri duvi' shop.gem"
    yield "quote that opens at the end of a line", 'redis-cli -a "\nnuriduvi"'
    yield "option at the end of a line", "redis-cli -a \nnuriduvi"
    yield "file of cookies", "curl -b nuriduvi https://x.example"
    yield "cookie", "curl -b sid=nuriduvi https://x.example"
    yield "argument that is quoted", "bw unlock 'Tr0ub4dor9x' now"
    yield "argument in another quote", 'vault unseal "Tr0ub4dor9x"'


def _encoded() -> Iterator[tuple[str, str]]:
    key = _base64(b"openssh-key-v1\0" + _der("00"))
    yield "wrapped key", f"key:\n{_wrapped(key, 64)}\nend"
    yield "wrapped key behind much text", f"{'w ' * 20_000}\n{_wrapped(key, 64)}\nend"
    yield "key in lines of forty", f"key:\n{_wrapped(key, 40)}\nend"
    yield "key in lines of thirty-nine", f"key:\n{_wrapped(key, 39)}\nend"
    long_key = _base64(b"openssh-key-v1\0" + _der("00", 50_000))
    yield (
        "wrapped key of the most bytes",
        f"{long_key[:64]}\n{_wrapped(long_key[64 : 64 + 63 * 1030], 63)}",
    )
    yield (
        "login with one zero byte",
        f"the header is {_base64(b'chr zero one two three four'.replace(b'chr', bytes(1)))}",
    )
    yield (
        "login with two zero bytes",
        f"the header is {_base64(bytes(1) + b'bob' + bytes(1) + b'nuriduvi and more')}",
    )
    yield (
        "zero bytes within",
        f"the header is {_base64(b'bob and' + bytes(1) + b'nuriduvi' + bytes(1) + b'and more')}",
    )
    inner = "password: Tr0ub4dor9x, and that is all"
    for depth in range(1, 5):
        inner = _base64(inner.encode())
        yield f"base64 {depth} deep", f"blob {inner} end"
    yield "encrypted key", _base64(_der("30820200304e06092a864886f70d01050d"))
    yield "encrypted key of PKCS#12", _base64(_der("30820200301c060a2a864886f70d010c0103"))
    yield "public key", _base64(_der("30820122300d06092a864886f70d01010105000382010f00"))
    yield "certificate of another family", _base64(_der("30820200304e06092a864886f80d01050d"))
    yield "structure that only has the family", _base64(_der("308202000601060911223344556677050d"))
    yield (
        "structure that only has the algorithm",
        _base64(_der("30820200020106092a864886f70d01050d")),
    )


def _random_looking() -> Iterator[tuple[str, str]]:
    yield "UUID in mixed case", "GPU-3aF5C9d6-9B1c-4D2e-8f3A-1c2D3e4F5a6b"
    yield "UUID in a longer token", f"x {_made(17, 3)}-3aF5C9d6-9B1c-4D2e-8f3A-1c2D3e4F5a6b"
    yield "groups that are no UUID's", "GPU-3aF5C9d6q-9B1cz-4D2ey-8f3Aw-1c2D3e4F5a6bx"
    for seed in range(6):
        token, other = _made(44, 2 * seed + 10), _made(44, 2 * seed + 11)
        yield f"token {seed}", f"x {token} y"
        yield f"lines of data {seed}", f"{token}\n{other}\n{token[::-1]}"
        yield f"blanks behind a line of data {seed}", f"{token}{' ' * 300}\n{other}"
        yield f"blanks before a line of data {seed}", f"{token}\n{' ' * 1000}{'a' * 44}"


def _sentences() -> Iterator[tuple[str, str]]:
    chosen = "Tr0ub4dor9x"
    yield "noun with an ending", f"das Passwortes ist {chosen}"
    yield "noun with another word", f"das Passwortrichtig ist {chosen}"
    yield "noun with another word and a colon", f"das Passwortrichtig: {chosen}"
    yield "noun that continues", f"パスワードabcdef: {chosen}"
    yield "noun that continues in another script", f"パスワードあいうえおか: {chosen}"
    yield "value within a few words", f"the password {'w' * 20} {'v' * 20} is {chosen}"
    yield "value behind long words", f"the password {'w' * 60} {'v' * 60} is {chosen}"
    yield "possessive of English", f"the password's {chosen}"
    yield "possessive in German", f"das Passwort's {chosen}"
    yield "changed to a word", 'the password changed to "nuriduvi"'
    yield "is a word", 'the password is "nuriduvi"'
    yield "is a word after many", 'the password for a b c d e f is "nuriduvi"'
    yield "is a word after few", 'the password for a b is "nuriduvi"'
    for adverbs in ("now", "set to", "still", "just: now", "currently set to"):
        yield f"adverbs: {adverbs}", f"the password is {adverbs} {chosen}"
    yield "link within a sentence", f"密码{'很' * 5}是{chosen}"
    yield "link too far behind", f"密码{'很' * 13}是{chosen}"
    yield "full stop of Chinese", f"密码是{chosen}。然后"
    yield "comma of Chinese", f"密码是{chosen}、然后"
    yield "comma of Chinese behind a word", "password=Tr0ub4dor9x、next"
    yield "danda", f"the password is {chosen}। next"
    for quotes in ("‘’", "‚‘", "‹›", "«»", "“”", "「」"):
        yield f"quoted by {quotes}", f"password = {quotes[0]}nuri duvi{quotes[1]}, next"
    yield "single letters quoted", "password: ‘nuriduvi’."


def _disguises() -> Iterator[tuple[str, str]]:
    yield "window title without an end", "pass\x1b]word=nuriduvi"
    yield "window title with a bell", "pass\x1b]0;title\x07word=nuriduvi"
    yield "window title with a terminator", "pass\x1b]0;title\x1b\\word=nuriduvi"
    yield "window title that another sequence ends", "pass\x1b]0;title\x1b[0mword=nuriduvi"
    yield "shortest text", "pw=ab1!9"
    yield "text of the fewest bytes", "key=a1b2"[:8]
    yield "secret right before a mark", "4012888888881881[REDACTED:card-number] and more"
    yield "few letters right before a mark", "password=ab1[REDACTED:password] and more"


def _phrases() -> Iterator[tuple[str, str]]:
    english = _BIP39_ENGLISH.split()
    words = [english[at] for at in _OTHER_ORDER]
    yield "phrase", " ".join(words)
    yield "phrase in capitals", " ".join(words).upper()
    yield "phrase with capitals inside a word", " ".join([*words[:6], "acciDent", *words[7:]])
    yield "phrase with two capitals in a word", " ".join([*words[:6], "AcciDent", *words[7:]])
    yield "phrase with a joined word", " ".join([*words[:6], "acci-dent", *words[7:]])
    yield "words of the list in its order", _BIP39_ENGLISH
    yield "words of the list with one twice", " ".join([*english[:4], *english[3:11]])
    yield "words of the list backwards", " ".join(reversed(english))
    yield "few words again and again", " ".join([words[0], words[1], words[2], words[3]] * 3)
    yield "checksum of English", _VALID_IN_ENGLISH
    yield "checksum of French", _VALID_IN_FRENCH
    yield "no checksum", _VALID_IN_FRENCH.replace("mobile badge", "badge mobile")
    french = [_FRENCH_ONLY.split()[at] for at in _OTHER_ORDER]
    yield "phrases of two languages", " ".join([*words[:11], _IN_BOTH, *french])
    yield (
        "half a phrase before another",
        " ".join(["zzzq", "zzzw", "zzze", "zzzr", "zzzt", *words[:6], _IN_BOTH, *french]),
    )


def _values() -> Iterator[tuple[str, str]]:
    yield "two bars", "password || nuriduvi9x"
    yield "a sign and a bar", "password =|nuriduvi9x"
    yield "a colon and a bar", "password:|\n  nuriduvi9x"
    yield "one bar", "| password | nuriduvi9x |"
    yield "long quoted value", f'password = "{"correct horse " * 1000}"'
    yield "too long quoted value", f'password = "{"correct horse " * 1300}"'
    yield "quoted value without blanks", f'password = "{"a1B2" * 4000}" rest'
    yield "too long quoted value without blanks", f'password = "{"a1B2" * 4200}" rest'
    yield "value over three lines", 'password = "a1b2c3\nd4e5f6\ng7h8i9"'
    yield "value over four lines", 'password = "a1b2c3\nd4e5f6\ng7h8i9\nj1k2l3"'
    for count in (199, 200, 201, 202):
        yield (
            f"line break after {count} bytes",
            f'password = "{"a1" * (count // 2)}{"b" * (count % 2)}\nd4e5f6"',
        )
    for count in (255, 256, 257, 258):
        yield f"value of {count} bytes in a sentence", f"the password is {('a1' * 130)[:count]}"
    yield "algorithm", "the password is sha256"
    yield "algorithm with many digits", "the password is sha12345"
    yield "algorithm with one digit", "the password is rsa4"
    yield "text far behind a value", f"password: nuriduvi{' ' * 90}rest of the line"
    yield "text behind a value", f"password: nuriduvi{' ' * 20}rest of the line"
    for prefix in ("sk-", "hf_", "glpat-", "xoxb-", "npm_", "AKIA", "xai-", "whsec_"):
        yield f"{prefix} and small letters", f"x {prefix}{'abcdefghijklmnopqrstuvwxyz' * 2} y"
        yield f"{prefix} and two digits", f"x {prefix}{'abcdefghijklmnopqrstuvwx1' * 2} y"
