//! Lists the names that secrets are assigned to, and how strictly their values are judged.

use Strength::{Any, Made, Phrase, Random};

/// What a name says of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    /// `password`: any value is a secret.
    Any,
    /// `passphrase`: so is one of several words.
    Phrase,
    /// `token`, `api_key`: a value that was made by a machine.
    Made,
    /// `…_KEY`: a value that looks random.
    Random,
}

/// What tells in a name that its value is a secret.
pub(super) struct Name {
    /// In small letters; any case counts.
    pub(super) literal: &'static str,
    pub(super) strength: Strength,
    /// Whether it must begin a word.
    pub(super) is_first: bool,
    /// Whether it must end one.
    pub(super) is_last: bool,
    pub(super) kind: &'static str,
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
    ending("_pat", Made),
    ending("_key", Random),
    ending("_auth", Made),
    ending("-auth", Made),
    ending("\"auth", Made),
    ending("'auth", Made),
    ending("_session", Random),
];

/// Whether a value holds such a name itself.
pub(super) fn is_name(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    NAMES.iter().filter(|name| !name.is_first && name.strength != Random).any(|name| lower.contains(name.literal))
}
