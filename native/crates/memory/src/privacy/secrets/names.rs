//! Values assigned to a name that says they are secret: `PASSWORD=…`, `"api_key": "…"`, `--token …`, `<secret>…`.

use super::Secret;
use super::anchors::{Anchor, Hit};
use super::assigned::{MAX_NAME_BYTES, value_after};
use super::values::{self, Given, Reach, Strength};

/// What tells in a name that its value is a secret.
pub(super) struct Name {
    /// In small letters; any case counts.
    pub(super) literal: &'static str,
    strength: Strength,
    /// Whether it must begin a word.
    is_first: bool,
    /// Whether it must end one.
    is_last: bool,
    kind: &'static str,
}

const fn name(literal: &'static str, strength: Strength) -> Name {
    Name { literal, strength, is_first: false, is_last: false, kind: "secret" }
}

const fn password(literal: &'static str) -> Name {
    Name { literal, strength: Strength::Any, is_first: false, is_last: false, kind: "password" }
}

const fn word(literal: &'static str, strength: Strength) -> Name {
    Name { literal, strength, is_first: true, is_last: true, kind: "password" }
}

const fn ending(literal: &'static str, strength: Strength) -> Name {
    Name { literal, strength, is_first: false, is_last: true, kind: "secret" }
}

use Strength::{Any, Made, Phrase, Random};

/// The names that OWASP's logging cheat sheet, gitleaks' and detect-secrets' keyword rules have in common, and those of
/// configuration files that are documented: `requirepass` (redis.conf), `psk` (`wpa_supplicant.conf`), `client-key-data`
/// (kubeconfig), `AccountKey` (Azure Storage), `_authToken` (.npmrc), `PrivateKey` (wg-quick).
pub(super) const NAMES: &[Name] = &[
    password("password"),
    password("passwd"),
    password("passcode"),
    password("pwd"),
    Name { literal: "passphrase", strength: Phrase, is_first: false, is_last: false, kind: "password" },
    Name { literal: "pass", strength: Any, is_first: true, is_last: true, kind: "password" },
    ending("_pass", Any),
    ending("-pass", Any),
    ending(".pass", Any),
    ending("_pw", Any),
    ending("-pw", Any),
    word("pw", Any),
    word("requirepass", Any),
    word("masterauth", Any),
    word("psk", Phrase),
    word("wpa-psk", Phrase),
    word("pin", Any),
    ending("storepass", Any),
    ending("keypass", Any),
    Name { literal: "mnemonic", strength: Phrase, is_first: true, is_last: true, kind: "seed-phrase" },
    name("secret", Any),
    name("token", Made),
    name("credential", Made),
    name("api_key", Made),
    name("api-key", Made),
    name("api key", Made),
    name("apikey", Made),
    name("access_key", Made),
    name("access-key", Made),
    name("accesskey", Made),
    name("access key", Made),
    name("private_key", Made),
    name("private-key", Made),
    name("privatekey", Made),
    name("private key", Made),
    name("accountkey", Made),
    name("account_key", Made),
    name("account-key", Made),
    name("presharedkey", Made),
    name("auth_key", Made),
    name("auth-key", Made),
    name("authkey", Made),
    name("encryption_key", Made),
    name("encryption-key", Made),
    name("encryptionkey", Made),
    name("signing_key", Made),
    name("signing-key", Made),
    name("signingkey", Made),
    name("master_key", Made),
    name("master-key", Made),
    name("masterkey", Made),
    name("shared_key", Made),
    name("shared-key", Made),
    name("sharedkey", Made),
    name("license_key", Made),
    name("license-key", Made),
    name("subscription-key", Made),
    name("subscription_key", Made),
    name("session_key", Made),
    name("unseal key", Made),
    name("key-data", Made),
    ending("tls.key", Made),
    ending("_key", Random),
    ending("_auth", Made),
    ending("-auth", Made),
    ending("\"auth", Made),
    ending("'auth", Made),
    ending("_session", Random),
];

/// What makes a name one about secrets rather than of one.
const ABOUT: [&str; 49] = [
    "count",
    "length",
    "limit",
    "size",
    "ttl",
    "expir",
    "type",
    "name",
    "url",
    "uri",
    "path",
    "file",
    "policy",
    "field",
    "header",
    "min",
    "max",
    "reset",
    "hint",
    "class",
    "manager",
    "izer",
    "ize",
    "required",
    "enabled",
    "format",
    "param",
    "prompt",
    "ary",
    "version",
    "usage",
    "budget",
    "label",
    "_id",
    "-id",
    "generator",
    "validat",
    "strength",
    "placeholder",
    "confirm",
    "error",
    "message",
    "provider",
    "endpoint",
    "hash",
    "alg",
    "bearer",
    "flow",
    "scope",
];

pub(super) fn find(text: &str, hits: &[Hit], is_strict: bool, found: &mut Vec<Secret>) {
    let mut reach = Reach::default();
    for hit in hits {
        let (strength, kind, is_first, is_last) = match hit.anchor {
            Anchor::Name(row) => {
                let name = &NAMES[row];
                (name.strength, name.kind, name.is_first, name.is_last)
            }
            // A noun of another language is a name too.
            Anchor::Noun(row) => {
                let noun = &text[hit.start..hit.end];
                let strength = if super::languages::LANGUAGES[row].is_key(noun) { Made } else { Phrase };
                let rest = &text[hit.end..];
                let inflection = rest.chars().take(8).take_while(|char| char.is_alphabetic()).count();
                if inflection > super::languages::LANGUAGES[row].max_inflection() {
                    continue;
                }
                (strength, "password", true, false)
            }
            Anchor::Command(_) | Anchor::Pattern(_) | Anchor::Issuer(_) | Anchor::Carrier(_) => continue,
        };
        if is_first && !begins_word(text, hit.start) || is_last && !ends_word(text, hit.end) {
            continue;
        }
        let end = name_end(text, hit.end);
        if !is_strict && is_about(&text[hit.end..end]) {
            continue;
        }
        let Some((mut span, given)) = value_after(text, hit.start, end, strength, &mut reach) else { continue };
        if given == Given::Environment && text[span.clone()].ends_with([';', ',']) {
            span.end -= 1;
        }
        // A bare word is the value of a name that ends there; `SecretReference: List` is one of another.
        let has_suffix = text[hit.end..end].trim_start_matches('s').bytes().any(|byte| byte.is_ascii_alphabetic());
        let given = if has_suffix && given == Given::Plain { Given::Spaced } else { given };
        if values::is_secret(text, &span, given, strength, is_strict) && !is_state(hit, &text[span.clone()]) {
            found.push(Secret::new(span, kind));
        }
    }
}

/// Whether a value names one.
pub(super) fn is_name(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    NAMES.iter().filter(|name| !name.is_first && name.strength != Random).any(|name| lower.contains(name.literal))
}

/// Whether a bare word says of a password how it is.
fn is_state(hit: &Hit, value: &str) -> bool {
    let Anchor::Noun(row) = hit.anchor else { return false };
    let lower = value.to_lowercase();
    super::languages::LANGUAGES[row].states.iter().any(|state| lower.starts_with(state))
}

fn begins_word(text: &str, at: usize) -> bool {
    !text[..at].chars().next_back().is_some_and(|char| char.is_ascii_alphanumeric())
}

fn ends_word(text: &str, at: usize) -> bool {
    !text[at..].chars().next().is_some_and(|char| char.is_alphanumeric() || char == '_' || char == '-')
}

fn name_end(text: &str, at: usize) -> usize {
    let end = super::run_end(&text[..text.floor_char_boundary(at + MAX_NAME_BYTES)], at, |byte| {
        byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
    });
    // `--password -x`: a hyphen before a blank is none of the name's.
    text[at..end].trim_end_matches('-').len() + at
}

fn is_about(suffix: &str) -> bool {
    let suffix = suffix.to_ascii_lowercase();
    ABOUT.iter().any(|about| suffix.contains(about))
}
