//! Detects secrets in sentences: "the password is x", "Passwort lautet x", "密码是x", "use x as the password".

use std::ops::Range;

use super::anchors::{Anchor, Hit};
use super::runs::run_end;
use super::secret::Secret;
use super::values::{self, Given, Reach};

/// How a language speaks of secrets.
pub(super) struct Language {
    /// ISO 639-1.
    pub(super) code: &'static str,
    /// Words for a password or a PIN, without what inflection adds; in small letters.
    pub(super) nouns: &'static [&'static str],
    /// Words for keys and tokens, whose values are made by machines.
    pub(super) keys: &'static [&'static str],
    /// Words that lead from the noun to its value: "is", "reads", "to".
    links: &'static [&'static str],
    /// Of these, the ones that only disclose: what follows is the value, whatever it looks like.
    telling: &'static [&'static str],
    /// The words before the noun where the value comes first: "as the".
    roles: &'static [&'static str],
    /// How a password may be instead of what it is: "required", "wrong".
    pub(super) states: &'static [&'static str],
    /// What is named after passwords and is none; where it stands, the sentence is about that: "manager".
    about: &'static [&'static str],
    /// Whether blanks separate words.
    has_blanks: bool,
}

impl Language {
    /// Whether the noun is one for keys and tokens.
    pub(super) fn is_key(&self, noun: &str) -> bool {
        let lower = noun.to_lowercase();
        self.keys.contains(&lower.as_str())
    }

    /// How many letters inflection adds to a noun at the most; English adds one for many.
    pub(super) fn max_inflection(&self) -> usize {
        match self.code {
            "en" => 1,
            _ if !self.has_blanks => 8,
            _ => 4,
        }
    }
}

const fn language(code: &'static str, nouns: &'static [&'static str], links: &'static [&'static str]) -> Language {
    Language { code, nouns, keys: &[], links, telling: &[], roles: &[], states: &[], about: &[], has_blanks: true }
}

/// The words are those that Microsoft's terminology collection and GNOME's translations use for "password",
/// "passphrase", "PIN" and "access key", and the copula of the language.
#[rustfmt::skip] // one language a line
pub(super) const LANGUAGES: &[Language] = &[
    Language { keys: &["api key", "access key", "secret key", "auth token", "access token", "key", "token", "secret"], telling: &["reads"], roles: &["as the", "as my", "as", "as our", "as a"], states: &["must", "required", "wrong", "expired"], about: &["manager", "managers", "vault", "vaults", "store", "policy", "policies", "generator", "hash", "hashing", "hasher", "encoder", "encoding", "encryption", "field", "tool", "format", "type", "rule", "rules", "service", "provider", "prompt", "input", "checker", "safe", "length", "strength", "counter", "counting", "backend", "algorithm", "scheme", "protocol", "method", "app", "application", "extension", "plugin", "library", "form", "dialog", "page", "column", "table", "class", "name", "reset"], ..language("en", &["password", "passphrase", "passcode", "passwd", "pass", "pin", "pw"], &["is", "was", "to", "equals", "reads"]) },
    Language { keys: &["schlüssel"], telling: &["lautet", "lautete", "heißt", "heisst"], roles: &["als"], states: &["erforderlich", "ungültig", "falsch", "vergessen", "abgelaufen", "unbekannt", "leer", "optional", "pflicht"], about: &["manager", "verwaltung", "safe", "tresor", "generator", "richtlinie", "feld"], ..language("de", &["pin", "passwort", "passwörter", "kennwort", "losung", "passphrase", "zugangscode", "zugangsdaten", "geheimnis"], &["ist", "war", "lautet", "lautete", "heißt", "heisst", "auf", "sei", "wäre"]) },
    Language { keys: &["clé", "jeton"], roles: &["comme"], states: &["requis", "obligatoire", "incorrect", "invalide", "oublié", "expiré"], about: &["gestionnaire", "coffre", "générateur", "politique"], ..language("fr", &["mot de passe", "mots de passe", "mot_de_passe", "motdepasse", "code pin", "code secret", "phrase secrète", "identifiants"], &["est", "était", "sera", "à", "sont"]) },
    Language { keys: &["clave secreta", "clave de api", "token de acceso"], roles: &["como"], states: &["requerid", "obligatori", "incorrect", "inválid", "olvidad", "caducad", "necesari"], about: &["gestor", "administrador", "generador", "política", "bóveda"], ..language("es", &["pin", "contraseña", "contrasena", "contraseñas", "clave", "clave de acceso", "credenciales", "frase de contraseña"], &["es", "era", "será", "a", "son"]) },
    Language { keys: &["chiave", "chiave segreta"], roles: &["come"], states: &["richiest", "obbligatori", "errat", "scadut", "dimenticat", "non"], about: &["gestore", "manager", "generatore"], ..language("it", &["pin", "parola d'ordine", "parola d’ordine", "password", "parola chiave", "credenziali"], &["è", "era", "e'", "sarà", "sono"]) },
    Language { keys: &["chave"], roles: &["como"], states: &["obrigatóri", "inválid", "incorret", "expirad", "esquecid", "necessári"], about: &["gerenciador", "gestor", "gerador", "cofre"], ..language("pt", &["pin", "senha", "palavra-passe", "palavra passe", "credenciais"], &["é", "era", "será", "para", "são"]) },
    Language { roles: &["als"], states: &["vereist", "verplicht", "onjuist", "ongeldig", "verlopen", "vergeten"], about: &["beheerder", "manager", "kluis"], ..language("nl", &["pin", "wachtwoord", "toegangscode", "wachtzin"], &["is", "was", "luidt"]) },
    Language { states: &["krävs", "fel", "ogiltig"], about: &["hanterare"], ..language("sv", &["lösenord", "lösenfras"], &["är", "var"]) },
    Language { states: &["kræves", "påkrævet", "forkert", "ugyldig"], about: &["håndtering", "manager"], ..language("da", &["adgangskode", "kodeord"], &["er", "var"]) },
    Language { states: &["kreves", "påkrevd", "feil", "ugyldig"], about: &["behandler", "manager"], ..language("nb", &["passord", "passordet"], &["er", "var"]) },
    Language { states: &["vaaditaan", "väärä", "virheellinen"], ..language("fi", &["salasana", "tunnuslause"], &["on", "oli"]) },
    Language { states: &["wymagane", "nieprawid", "błędne", "wygas"], about: &["menedżer", "menadżer", "manager"], ..language("pl", &["hasło", "haslo", "hasła"], &["to", "jest", "brzmi"]) },
    Language { states: &["povinn", "nesprávn", "neplatn", "chybn"], ..language("cs", &["heslo"], &["je", "bylo", "zní"]) },
    Language { states: &["kötelező", "hibás", "érvénytelen", "helytelen"], ..language("hu", &["jelszó", "jelszava", "jelszo"], &["a", "ez"]) },
    Language { states: &["obligatori", "greșit", "incorect", "invalid", "expirat", "olarak", "gerekli", "hatalı", "yanlış"], ..language("ro", &["parola", "parolă", "parolei"], &["este", "e", "era", "olarak"]) },
    Language { states: &["gerekli", "hatalı", "yanlış", "geçersiz", "zorunlu"], roles: &["olarak"], ..language("tr", &["şifre", "sifre", "parola"], &["budur", "ise", "şudur"]) },
    Language { states: &["obavez", "pogrešn", "netočn", "neispravn"], ..language("hr", &["lozinka", "lozinku", "geslo"], &["je", "glasi"]) },
    Language { states: &["привал", "būtin", "neteising", "nederīg", "obligāt", "nepareiz"], ..language("lt", &["slaptažodis", "slaptazodis", "parole"], &["yra", "ir"]) },
    Language { keys: &["ключ", "токен"], roles: &["как", "в качестве", "як"], about: &["менеджер", "диспетчер", "хранилище", "генератор"], ..language("ru", &["пароль", "пароля", "паролем", "кодовое слово", "пин-код", "парольная фраза"], &["это", "-", "—", "–", "был", "на", "є", "будет"]) },
    language("bg", &["парола", "лозинка", "лозинку"], &["е", "је"]),
    Language { keys: &["κλειδί"], ..language("el", &["κωδικός", "κωδικό", "συνθηματικό"], &["είναι", "ήταν"]) },
    Language { keys: &["密钥", "密鑰", "令牌"], has_blanks: false, about: &["管理器", "管理软件", "管理工具", "策略", "生成器", "哈希"], ..language("zh", &["密码", "密碼", "口令", "暗号", "助记词", "助記詞"], &["是", "为", "為", "改成", "设为", "設為", "："]) },
    Language { keys: &["トークン", "apiキー"], has_blanks: false, about: &["マネージャー", "マネージャ", "管理", "ポリシー", "生成"], ..language("ja", &["パスワード", "暗証番号", "パスフレーズ", "合言葉"], &["は", "が", "を", "："]) },
    Language { keys: &["토큰"], has_blanks: false, about: &["관리자", "관리 프로그램", "매니저", "정책"], ..language("ko", &["비밀번호", "암호", "패스워드"], &["는", "은", "가", "이", "를"]) },
    Language { has_blanks: false, ..language("th", &["รหัสผ่าน"], &["คือ", "เป็น"]) },
    Language { ..language("ar", &["كلمة المرور", "كلمة السر", "كلمة مرور", "الرقم السري"], &["هي", "هو", "كانت"]) },
    Language { ..language("fa", &["رمز عبور", "گذرواژه"], &["است", "برابر"]) },
    Language { ..language("he", &["סיסמה", "הסיסמה", "סיסמא", "הסיסמא"], &["היא", "הוא", "זה"]) },
    Language { ..language("hi", &["पासवर्ड", "कूटशब्द"], &["है", "यह"]) },
    Language { states: &["bắt", "không", "sai"], ..language("vi", &["mật khẩu", "mat khau"], &["là", "thành"]) },
    Language { states: &["wajib", "salah", "diperlukan", "tidak"], ..language("id", &["kata sandi", "sandi", "kata laluan"], &["adalah", "ialah", "yaitu", "menjadi"]) },
];

/// Languages that put the purpose of a thing before it.
const NOUN_LAST: [&str; 6] = ["en", "de", "nl", "sv", "da", "nb"];

/// From a noun to the word that it belongs to there are so many bytes at most.
const MAX_BYTES_ABOUT: usize = 32;

/// From a noun to the word that leads to its value there are so many words at most: "the password for the old host is".
const MAX_WORDS_BETWEEN: usize = 8;
const MAX_BYTES_BETWEEN: usize = 96;

/// How clearly a sentence says that what follows is the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Evidence {
    /// It is next to the noun: it must look chosen.
    Beside,
    /// A link leads to it: a word in quotes is one too.
    Linked,
    /// The link discloses: a bare word that ends the sentence is one too.
    Telling,
}

pub(super) fn find(text: &str, hits: &[Hit], found: &mut Vec<Secret>) {
    let mut reach = Reach::default();
    for hit in hits {
        let Anchor::Noun(row) = hit.anchor else { continue };
        let language = &LANGUAGES[row];
        let is_key = language.is_key(&text[hit.start..hit.end]);
        let joins = |char: char| char.is_alphanumeric() || "_-./@".contains(char);
        if language.has_blanks && text[..hit.start].chars().next_back().is_some_and(joins) {
            continue;
        }
        if is_about(text, hit, language) {
            continue;
        }
        let is_short = hit.end - hit.start <= 4;
        let said = if language.has_blanks {
            said_with_blanks(text, hit.end, language, is_short)
        } else {
            said_without(text, hit.end, language)
        };
        if let Some((at, evidence)) = said {
            let span = values::read(text, at, Given::Said, &mut reach);
            let is_quoted = text[at..].starts_with(['"', '\'', '`']);
            found.extend(disclosed(text, span, is_quoted, evidence, is_key, language));
        }
        if let Some(span) = value_before(text, hit.start, language) {
            found.extend(disclosed(text, span, false, Evidence::Beside, is_key, language));
        }
    }
}

/// Whether the noun names something else together with a word next to it: "password manager", "gestor de contraseñas".
pub(super) fn is_about(text: &str, hit: &Hit, language: &Language) -> bool {
    if language.about.is_empty() {
        return false;
    }
    let behind = &text[hit.end..text.floor_char_boundary(hit.end + MAX_BYTES_ABOUT)];
    let behind = behind.strip_prefix('s').unwrap_or(behind).trim_start_matches([' ', '-']);
    let ends_word = |rest: &str| !language.has_blanks || !rest.starts_with(char::is_alphabetic);
    if language.about.iter().any(|word| rest_ignoring_case(behind, word).is_some_and(ends_word)) {
        return true;
    }
    if NOUN_LAST.contains(&language.code) {
        return false;
    }
    let before = &text[text.ceil_char_boundary(hit.start.saturating_sub(MAX_BYTES_ABOUT))..hit.start];
    let words = before.trim_end().rsplit([' ', '\n']).take(3);
    words.map(str::to_lowercase).any(|word| language.about.contains(&word.as_str()))
}

/// The text behind `word` at its start.
fn rest_ignoring_case<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    for expected in word.chars() {
        if !rest.next()?.to_lowercase().eq(expected.to_lowercase()) {
            return None;
        }
    }
    Some(rest.as_str())
}

/// The text at `span`, if it is a secret.
fn disclosed(
    text: &str,
    span: Range<usize>,
    is_quoted: bool,
    evidence: Evidence,
    is_key: bool,
    language: &Language,
) -> Option<Secret> {
    let mut span = trimmed(text, span);
    // In a sentence of another script the value is what is in ASCII.
    if !is_quoted {
        let ascii = run_end(text, span.start, |byte| byte.is_ascii_graphic());
        span.end = span.end.min(ascii).max(span.start);
        span.end = span.start + text[span.clone()].trim_end_matches(['.', ',', ':', ';']).len();
    }
    let value = &text[span.clone()];
    if !(4..=400).contains(&value.len()) || values::is_placeholder(value) || values::is_kind(value) {
        return None;
    }
    if language.states.iter().any(|state| value.to_lowercase().starts_with(state)) {
        return None;
    }
    let is_secret = if is_key {
        let is_made = value.len() >= 12 && value.bytes().any(|byte| byte.is_ascii_digit());
        is_made && values::looks_chosen(value) && !values::is_fingerprint(value)
    } else if value.contains(' ') {
        is_quoted && values::is_passphrase(value, false)
    } else {
        let is_word = value.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_shown = match evidence {
            Evidence::Beside => false,
            Evidence::Linked => is_quoted && is_word,
            Evidence::Telling => is_word && (is_quoted || ends_sentence(text, span.end)),
        };
        is_shown || values::looks_chosen(value)
    };
    is_secret.then(|| Secret::new(span, "password"))
}

fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let value = &text[span.clone()];
    let lead = value.len() - value.trim_start().len();
    span.start + lead..span.start + lead + value.trim().len()
}

fn ends_sentence(text: &str, at: usize) -> bool {
    let rest = text[at..].trim_start_matches(['.', ' ', '!']);
    rest.is_empty() || rest.starts_with('\n')
}

/// Where the value begins that follows a noun. A short noun is a verb as well, so that its link must follow at once.
fn said_with_blanks(text: &str, end: usize, language: &Language, is_short: bool) -> Option<(usize, Evidence)> {
    let window = &text[end..text.floor_char_boundary(end + MAX_BYTES_BETWEEN)];
    let limit = end + window.len();
    // What inflection adds, and quotes or emphasis around the noun.
    let suffix = window.find(|char: char| !char.is_alphabetic()).unwrap_or(window.len());
    if window[..suffix].chars().count() > language.max_inflection() {
        return None;
    }
    let mut at = end + suffix;
    if language.code == "en" && text[at..].starts_with("'s ") {
        return values::looks_chosen(first_word(&text[at + 3..])).then_some((at + 3, Evidence::Beside));
    }
    at += text[at..].len() - text[at..].trim_start_matches(['"', '\'', '*', '`', ')']).len();
    for words in 0..=(if is_short { 1 } else { MAX_WORDS_BETWEEN }) {
        if at >= limit {
            return None;
        }
        if text[at..limit].starts_with(':') {
            let value = run_end(text, at + 1, |byte| byte == b' ');
            return (words <= 4).then_some((value, if words == 0 { Evidence::Linked } else { Evidence::Beside }));
        }
        let blanks = run_end(text, at, |byte| byte == b' ').min(limit);
        let word_end = text[blanks..limit].find([' ', '\n', ':']).map_or(limit, |len| blanks + len);
        let word = &text[blanks..word_end];
        if blanks == at || word.is_empty() {
            return None;
        }
        // "password x", without any link.
        let is_beside = word.starts_with('"')
            || word.len() >= 6 && values::looks_chosen(word) && word.bytes().any(|byte| byte.is_ascii_alphabetic());
        if words == 0 && !is_short && is_beside {
            return Some((blanks, Evidence::Beside));
        }
        let lower = word.to_lowercase();
        if language.links.contains(&lower.as_str()) && !(is_short && lower == "to") {
            let is_telling = language.telling.contains(&lower.as_str());
            let value = run_end(text, after_adverbs(text, word_end), |byte| b": ".contains(&byte));
            let is_quoted = text[value..].starts_with(['"', '\'', '`']);
            if is_telling || text[word_end..].starts_with(':') {
                return Some((value, Evidence::Telling));
            }
            if values::looks_chosen(first_word(&text[value..])) {
                return Some((value, Evidence::Beside));
            }
            if is_quoted {
                return Some((
                    value,
                    if words <= 5 && lower != "to" || words == 0 { Evidence::Linked } else { Evidence::Beside },
                ));
            }
        }
        // A sentence that ends before its link says nothing.
        if word.ends_with(['.', ';', '?', '!']) {
            return None;
        }
        at = word_end;
    }
    None
}

/// "is now x", "is set to x": past the words that may come between a link and its value.
fn after_adverbs(text: &str, at: usize) -> usize {
    let mut value = run_end(text, at, |byte| byte == b' ');
    for _ in 0..3 {
        let next = first_word(&text[value..]).trim_end_matches(':');
        if ["now", "set", "to", "still", "simply", "just", "currently", "jetzt", "nun", "ahora", "maintenant"]
            .contains(&next)
        {
            value = run_end(text, value + next.len(), |byte| b" :".contains(&byte));
        }
    }
    value
}

/// The same in a script without blanks between words: the value is what is in ASCII or quotes behind a link.
fn said_without(text: &str, end: usize, language: &Language) -> Option<(usize, Evidence)> {
    let window = &text[end..text.floor_char_boundary(end + 36)];
    let sentence = window.split(['\n', '.']).next().unwrap_or_default();
    let links = language.links.iter().filter_map(|link| Some((sentence.find(link)?, link.len())));
    let (link, len) = links.min()?;
    let value = run_end(text, end + link + len, |byte| b" :".contains(&byte));
    let rest = &text[value..];
    let ascii = &rest[..run_end(rest, 0, |byte| byte.is_ascii_graphic())];
    (rest.starts_with(['"', '\'']) || values::looks_chosen(ascii)).then_some((value, Evidence::Linked))
}

/// The value before a noun: "use x as the password".
fn value_before(text: &str, start: usize, language: &Language) -> Option<Range<usize>> {
    let from = text.ceil_char_boundary(start.saturating_sub(MAX_BYTES_BETWEEN));
    let window = text[from..start].trim_end();
    let lead = language.roles.iter().find_map(|role| {
        let before = window.strip_suffix(role)?;
        before.ends_with(' ').then(|| before.trim_end().trim_end_matches(['"', '\'', '`']))
    })?;
    let word = lead.rsplit([' ', '\n', '"', '\'', '`']).next().unwrap_or_default();
    let end = from + lead.len();
    values::looks_chosen(word).then(|| end - word.len()..end)
}

fn first_word(rest: &str) -> &str {
    let window = &rest[..rest.floor_char_boundary(400)];
    window.split([' ', '\n', '\t']).next().unwrap_or_default()
}
