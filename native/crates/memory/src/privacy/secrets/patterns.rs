//! Detects secrets that a format or a protocol carries in a form of its own, by regular expressions.
//!
//! A pattern runs over a text only if one of its literals occurs in it. All repetitions are bounded, and the engine
//! has no backtracking, so that a search takes time linear in the text.

use std::sync::OnceLock;

use regex::Regex;

use super::anchors::{Anchor, Hit};
use super::secret::Secret;
use super::values;

/// What the captured value must be on top of matching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Must {
    /// Nothing else.
    Match,
    /// Chosen or made: letters with digits, see `values::looks_chosen`.
    Chosen,
    /// Not a placeholder and not a word for a kind.
    Value,
}

/// One rule.
pub(super) struct Pattern {
    #[cfg_attr(not(test), expect(dead_code, reason = "provenance, read by people and by tests"))]
    pub(super) id: &'static str,
    /// Small letters; every match holds one of them, in any case.
    pub(super) anchors: &'static [&'static str],
    /// The group `s` is the secret.
    expression: &'static str,
    must: Must,
    /// How many lines after that of the literal belong to it.
    lines: usize,
    /// The fewest bytes of the word that the literal is in: some literals are pieces of words.
    word: usize,
    kind: &'static str,
    /// Where the form is documented.
    #[cfg_attr(not(test), expect(dead_code, reason = "provenance, read by people and by tests"))]
    pub(super) source: &'static str,
    /// A text that matches; `§` stands for a made value of letters and digits, `#` for hexadecimal digits.
    #[cfg_attr(not(test), expect(dead_code, reason = "provenance, read by people and by tests"))]
    pub(super) example: &'static str,
}

/// Nearly all forms are of one line.
const fn lines_of(id: &str) -> usize {
    match id.as_bytes() {
        b"putty-private-lines" => 100,
        b"json-web-key" => 12,
        b"delimited-rows" => 1,
        b"sql-password" => 2,
        _ => 0,
    }
}

const fn word_of(id: &str) -> usize {
    match id.as_bytes() {
        b"airtable-token" => 58,
        b"resend-key" => 32,
        b"hubspot-token" | b"launchdarkly-key" | b"clickup-token" | b"jetbrains-token" => 40,
        b"bitwarden-token" => 60,
        _ => 0,
    }
}

macro_rules! pattern {
    ($id:literal, $anchors:expr, $expression:literal, $must:ident, $kind:literal, $source:literal, $example:literal) => {
        Pattern {
            id: $id,
            anchors: &$anchors,
            expression: $expression,
            must: Must::$must,
            lines: lines_of($id),
            word: word_of($id),
            kind: $kind,
            source: $source,
            example: $example,
        }
    };
}

#[rustfmt::skip] // one rule a line
pub(super) const PATTERNS: &[Pattern] = &[
    pattern!("discord-webhook", ["/webhooks/"], r"/api/webhooks/[0-9]{15,22}/(?<s>[A-Za-z0-9_-]{40,100})", Match, "webhook", "Discord developer docs, Webhook resource", "https://discord.com/api/webhooks/123456789012345678/§§"),
    pattern!("slack-webhook", ["hooks.slack.com"], r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]{6,14}/[A-Z0-9]{6,20}/(?<s>[A-Za-z0-9]{16,64})", Match, "webhook", "Slack API docs, Incoming webhooks", "https://hooks.slack.com/services/T12345678/B12345678/§"),
    pattern!("telegram-bot-token", [":aa"], r"(?:^|[^0-9A-Za-z])(?:bot)?(?<s>[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34})", Match, "telegram-token", "Telegram Bot API, Authorizing your bot", "9876543210:AA§"),
    pattern!("telegram-bot-address", ["api.telegram.org/bot"], r"api\.telegram\.org/bot(?<s>[0-9]{8,10}:[A-Za-z0-9_-]{30,40})", Match, "telegram-token", "Telegram Bot API, Making requests", "https://api.telegram.org/bot123456789:§/getMe"),
    pattern!("bot-token", ["bot token", "bot_token", "bot-token", "bottoken"], r"(?i-u:(?-u:\b)bot[ _-]?token(?-u:\b))[^0-9\n]{1,12}(?<s>[0-9]{8,10}:[A-Za-z0-9_-]{30,40})", Match, "telegram-token", "Telegram Bot API, Authorizing your bot", "bot token 987654321:§"),
    pattern!("putty-private-lines", ["private-lines:"], r"Private-Lines: [0-9]{1,3}\r?\n(?<s>(?:[A-Za-z0-9+/=]{4,64}\r?\n?){1,80})", Match, "private-key", "PuTTY manual, appendix C", "Private-Lines: 1\n§\n"),
    pattern!("json-web-key", ["\"kty\""], r#""(?:d|k|p|q|dp|dq|qi)"\s{0,4}:\s{0,4}"(?<s>[A-Za-z0-9_-]{16,1400})""#, Match, "private-key", "RFC 7518, 6", "{\"kty\":\"oct\",\"k\":\"§\"}"),
    pattern!("shared-access-signature", ["sig="], r"[?&;]sig=(?<s>[A-Za-z0-9%+/=_-]{20,120})", Match, "signature", "Azure Storage docs, Create a service SAS", "https://a.blob.example/c?sv=2020&sig=§"),
    pattern!("aws-signature", ["signature="], r"(?-u:\b)(?:X-Amz-)?Signature=(?<s>[A-Fa-f0-9]{64})(?-u:\b)", Match, "signature", "AWS Signature Version 4", "X-Amz-Signature=########"),
    pattern!("mailchimp-key", ["-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"], r"(?-u:\b)(?<s>[0-9a-f]{32}-us[0-9]{1,2})(?-u:\b)", Match, "api-key", "Mailchimp developer docs, About API keys", "####-us21"),
    pattern!("azure-client-secret", ["q~"], r"(?:^|[^A-Za-z0-9_~.-])(?<s>[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})", Match, "azure-secret", "Microsoft Learn, credential scanning, Entra client secret", "abc8Q~§§"),
    pattern!("terraform-token", ["atlasv1."], r"(?<s>[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,80})", Match, "terraform-token", "HCP Terraform docs, API tokens", "abcdefghij1234.atlasv1.§§"),
    pattern!("cloudflare-origin-key", ["v1.0-"], r"(?-u:\b)(?<s>v1\.0-[0-9a-f]{24,32}-[0-9a-f]{128,160})(?-u:\b)", Match, "cloudflare-key", "Cloudflare docs, Origin CA keys", "v1.0-####-################"),
    pattern!("paypal-token", ["access_token$"], r"(?<s>access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32})", Match, "api-key", "Braintree developer docs, access tokens", "access_token$production$0123456789abcdef$####"),
    pattern!("encrypted-token", ["eyj"], r"(?-u:\b)(?<s>eyJ[A-Za-z0-9_-]{10,400}\.[A-Za-z0-9_-]{0,800}\.[A-Za-z0-9_-]{8,100}\.[A-Za-z0-9_-]{8,16384}\.[A-Za-z0-9_-]{10,100})", Match, "jwt", "RFC 7516, 3.1", "eyJhbGciOiJkaXIi..§.§.§"),
    pattern!("extended-private-key", ["xprv", "yprv", "zprv", "tprv", "uprv", "vprv"], r"(?-u:\b)(?<s>[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,112})(?-u:\b)", Match, "wallet-key", "BIP-32, Serialization format", "xprv9§§§"),
    pattern!("wallet-import-format", ["wif", "wallet", "private", "priv", "bitcoin", "btc"], r"(?:^|[^A-Za-z0-9])(?<s>5[HJKa-km-zA-Z1-9][1-9A-HJ-NP-Za-km-z]{49}|[KLc][1-9A-HJ-NP-Za-km-z]{51})(?-u:\b)", Match, "wallet-key", "Bitcoin wiki, Wallet import format", "wif K§abcdefghijkmnopqr"),
    pattern!("pgpass", [":5432:", ":5433:", ":6432:", ":*:"], r"(?m)^[A-Za-z0-9_.*-]{1,80}:(?:[0-9]{2,5}|\*):[A-Za-z0-9_*-]{1,63}:[A-Za-z0-9_*-]{1,63}:(?<s>[^\s:]{4,100})\s*$", Chosen, "password", "PostgreSQL docs, 32.16 The password file", "db.example.com:5432:shop:app:hunter42"),
    pattern!("oracle-login", ["sqlplus", "expdp", "impdp", "sqlldr", "rman", "jdbc:oracle"], r"(?i)(?-u:\b)(?:(?:sqlplus|expdp|impdp|sqlldr|rman(?: target)?)\s{1,4}(?:-[A-Za-z]{1,12}\s{1,4}){0,4}|jdbc:oracle:(?:thin|oci):)[A-Za-z0-9_$#]{1,60}/(?<s>[^\s@/]{3,100})", Value, "password", "SQL*Plus user's guide, Starting SQL*Plus", "sqlplus app/hunter42@db"),
    pattern!("chpasswd", ["chpasswd"], r#"(?i)echo\s{1,4}(?:-[A-Za-z]{1,3}\s)?["']?[A-Za-z0-9_.-]{1,32}:(?<s>[^\s"'|]{3,200})["']?\s{0,4}\|\s{0,4}[^\n|]{0,40}chpasswd"#, Value, "password", "chpasswd(8)", "echo 'bob:hunter42' | sudo chpasswd"),
    pattern!("piped-password", ["--password-stdin", "--stdin", "sudo -s"], r#"(?-u:\b)(?:echo|printf)\s{1,4}(?:-[A-Za-z]{1,3}\s{1,4})?["']?(?<s>[^\s"'|$]{3,200})["']?\s{0,4}\|\s{0,4}[^\n|]{0,80}(?:--password-stdin|passwd[^\n|]{0,20}--stdin|sudo -S)"#, Value, "password", "docker login(1), passwd(1), sudo(8)", "echo hunter42 | docker login -u bob --password-stdin"),
    pattern!("wireless-code", ["wifi:"], r"WIFI:[^\n]{0,80}?(?-u:\b)P:(?<s>[^;\n]{4,64});", Match, "password", "ZXing wiki, Barcode contents", "WIFI:T:WPA;S:Home;P:hunter42;;"),
    pattern!("nmcli-password", ["nmcli"], r#"nmcli [^\n]{0,120}? password ["']?(?<s>[^\s"']{8,63})"#, Value, "password", "nmcli(1)", "nmcli dev wifi connect Home password hunter4242"),
    pattern!("uci-wireless-key", ["option key"], r#"option key ['"]?(?<s>[^\s'"]{8,64})"#, Value, "password", "OpenWrt docs, wireless configuration", "option key 'hunter4242'"),
    pattern!("mail-login", ["pass ", "login "], r"(?m)(?:^|[>\s])(?:PASS|[A-Za-z]?[0-9]{1,5} LOGIN \S{1,80}) (?<s>\S{4,200})\s*$", Chosen, "password", "RFC 1939, 7; RFC 9051, 6.2.3", "PASS hunter42"),
    pattern!("sasl-plain", ["auth plain"], r"(?i)AUTH PLAIN (?<s>[A-Za-z0-9+/=]{8,400})", Match, "password", "RFC 4616", "AUTH PLAIN §"),
    pattern!("nickserv", ["identify"], r"(?i)(?:nickserv|(?-u:\b)ns(?-u:\b))[ :]{1,3}identify (?:\S{1,30} )?(?<s>\S{4,100})", Value, "password", "Anope manual, NickServ IDENTIFY", "/msg NickServ identify hunter42"),
    pattern!("redis-auth", ["auth "], r"(?m)(?:^|> ?)AUTH (?:[a-z0-9_-]{1,40} )?(?<s>\S{4,200})\s*$", Chosen, "password", "Redis docs, AUTH", "AUTH hunter42"),
    pattern!("snmp-community", ["community"], r"(?i)(?:snmp-server community|set snmp community) (?<s>\S{4,64})", Value, "password", "Cisco IOS command reference, snmp-server community", "snmp-server community hunter42 RO"),
    pattern!("shared-server-key", ["tacacs", "radius"], r"(?i)(?:tacacs|radius)(?:-server)?[^\n]{0,60}? key (?:[057] )?(?<s>\S{4,64})", Value, "password", "Cisco IOS command reference, tacacs-server key", "tacacs-server key hunter42"),
    pattern!("login-pair", ["creds", "credentials", "zugangsdaten", "identifiants", "credenciales", "credenziali", "credenciais", "login"], r#"(?i)(?-u:\b)(?:creds|credentials|zugangsdaten|identifiants|credenciales|credenziali|credenciais|login)(?-u:\b)["']?\s{0,2}(?:are|sind|sont|son|sono|[:=])\s{0,2}["'(]?[A-Za-z0-9_.@-]{2,60}["']?\s{0,2}[/|:,]\s{0,2}["']?(?<s>[^\s"',;)]{4,100})"#, Chosen, "password", "how people hand logins over", "creds: bob / hunter42"),
    pattern!("basic-auth-call", ["auth=(", "auth = (", "basicauth(", "basic_auth(", "basicauthentication(", "basic_authentication("], r#"(?:[Bb]asic_?[Aa]uth(?:entication)?|(?-u:\b)auth\s?=\s?)\(\s?['"][^'"\n]{1,80}['"],\s{0,2}['"](?<s>[^'"\n]{4,100})['"]"#, Value, "password", "Requests docs, Basic Authentication", "auth=('bob', 'hunter42')"),
    pattern!("secure-string", ["convertto-securestring"], r#"(?i)ConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?["'](?<s>[^"'\n]{3,200})["']"#, Value, "password", "Microsoft Learn, ConvertTo-SecureString", "ConvertTo-SecureString \"hunter42\" -AsPlainText"),
    pattern!("net-use", ["/user:"], r"(?i)/user:\S{1,80}\s{1,4}(?<s>[^\s/-]\S{3,100})", Chosen, "password", "Microsoft Learn, net use", "net use Z: /user:bob hunter42"),
    pattern!("sql-password", ["identified ", "password '", "password \"", "password(", "password (", "password = password"], r#"(?i)(?:identified(?:\s{1,4}with\s{1,4}\S{1,40})?\s{1,4}(?:by|as)|(?-u:\b)password)\s{0,4}\(?\s{0,2}['"](?<s>[^'"\s]{3,200})['"]"#, Value, "password", "MySQL reference manual, CREATE USER; PostgreSQL docs, CREATE ROLE", "IDENTIFIED BY 'hunter42'"),
    pattern!("netrc", ["login "], r"(?i)(?-u:\b)login\s{1,4}\S{1,100}\s{1,8}password\s{1,4}(?<s>\S{3,200})", Value, "password", "GNU inetutils manual, The .netrc file", "machine a login bob password hunter42"),
    pattern!("delimited-rows", ["password,", ",password"], r"(?im)^(?:[a-z_ ]{1,30},){0,6}(?:user(?:name)?|login|email),password\s*\n[^,\n]{1,80},(?<s>[^,\s]{4,100})", Value, "password", "RFC 4180", "user,password\nbob,hunter42"),
    pattern!("expect-send", ["send"], r#"(?im)^\s*send\s{1,3}(?:-- )?"(?<s>[^"\n\\]{4,100})\\[rn]"[^\n]{0,20}(?:password|passwort)"#, Value, "password", "expect(1)", "send \"hunter42\\r\" # password"),
    pattern!("prompt", ["password: ", "passphrase: ", "password for ", "passphrase for "], r"(?im)(?:password|passphrase)(?: for [^\n:]{1,60})?: (?<s>[^\s:][^\n]{3,60})$", Chosen, "password", "sudo(8), ssh(1)", "[sudo] password for bob: hunter42"),
    pattern!("passphrase-prompt", ["passphrase for "], r"(?im)passphrase for (?:key )?[^\n:]{1,80}: (?<s>[a-z0-9-]{3,20}(?: [a-z0-9-]{3,20}){1,11})\s*$", Match, "password", "ssh-add(1)", "Enter passphrase for key 'id': correct horse battery"),
    pattern!("openvpn-login", ["auth-user-pass"], r"auth-user-pass \S{1,60} (?<s>\S{4,100})", Chosen, "password", "openvpn(8)", "auth-user-pass bob hunter42"),
    pattern!("registry-token-setting", ["_authtoken", "npmauthtoken", "_password"], r#"(?i)(?:_authToken|npmAuthToken|:_password)["']?[ =:]{1,3}["']?(?<s>[^\s"']{8,400})"#, Value, "npm-token", "npm docs, .npmrc auth-related configuration", "npm config set //r.example/:_authToken 0a1b-2c3d"),
    pattern!("aws-configure", ["aws_secret_access_key", "aws_session_token"], r"(?i)aws_(?:secret_access_key|session_token) (?<s>[A-Za-z0-9/+=]{30,2000})", Match, "aws-key", "AWS CLI reference, configure set", "aws configure set aws_secret_access_key §"),
    pattern!("unseal-key", ["unseal"], r"(?i)unseal(?: key [0-9]{1,2}:)? (?<s>[A-Za-z0-9+/]{43,64}={0,2})", Match, "vault-token", "Vault docs, operator init", "Unseal Key 1: §§"),
    pattern!("digest-response", ["digest "], r#"(?i)Digest [^\n]{0,400}?(?-u:\b)response="(?<s>[0-9a-f]{32,64})""#, Match, "authorization", "RFC 7616, 3.4", "Authorization: Digest username=\"bob\", response=\"####\""),
    pattern!("airtable-token", ["pat"], r"(?:(?-u:\b)|_)(?<s>pat[A-Za-z0-9]{14}\.[0-9a-f]{40,64})(?:[^A-Za-z0-9]|$)", Match, "airtable-token", "Airtable docs, personal access tokens", "patAbcdef12345678.########"),
    pattern!("crypt-hash", ["$apr1$", "$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$7$", "$y$", "$argon2", "$pbkdf2", "$scrypt$"], r"(?<s>\$(?:apr1|1|2[aby]|5|6|7|y|argon2(?:id|i|d)|pbkdf2[a-z0-9-]{0,10}|scrypt)\$[A-Za-z0-9./+=,$-]{20,240})", Match, "password-hash", "crypt(5); htpasswd(1); PHC string format", "bob:$apr1$§§"),
    pattern!("scram-verifier", ["scram-sha-"], r"(?<s>SCRAM-SHA-(?:1|256)\$[0-9]{3,6}:[A-Za-z0-9+/=]{8,64}\$[A-Za-z0-9+/=]{20,90}:[A-Za-z0-9+/=]{20,90})", Match, "password-hash", "RFC 5803", "SCRAM-SHA-256$4096:§$§:§"),
    pattern!("mailgun-key", ["mailgun"], r"(?i)mailgun[^\n]{0,80}?(?-u:\b)(?<s>[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})(?-u:\b)", Match, "mailgun-key", "Mailgun docs, API keys", "mailgun ####-01234567-89abcdef"),
    pattern!("teams-webhook", ["/incomingwebhook/"], r"(?i)/webhookb2/(?<s>[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-z-]{36}(?:/[A-Za-z0-9_-]{20,60})?)", Match, "webhook", "Microsoft Learn, Incoming Webhooks", "https://a.webhook.office.com/webhookb2/01234567-89ab-cdef-0123-456789abcdef@01234567-89ab-cdef-0123-456789abcdef/IncomingWebhook/####/01234567-89ab-cdef-0123-456789abcdef"),
    pattern!("goog-signature", ["x-goog-signature="], r"(?i)X-Goog-Signature=(?<s>[0-9a-f]{64,1024})", Match, "signature", "Google Cloud Storage docs, V4 signing", "https://storage.example/b/o?X-Goog-Signature=########"),
    pattern!("asana-token", ["asana"], r"(?i)asana[^\n]{0,60}?(?-u:\b)(?<s>[12]/[0-9]{10,20}(?:/[0-9]{10,20})?:[0-9a-f]{32})(?-u:\b)", Match, "asana-token", "Asana docs, personal access tokens", "asana 1/1234567890123456:####"),
    pattern!("clickup-token", ["pk_"], r"(?:(?-u:\b)|_)(?<s>pk_[0-9]{5,12}_[A-Z0-9]{32})(?:[^A-Za-z0-9]|$)", Match, "clickup-token", "ClickUp docs, personal tokens", "pk_12345678_ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"),
    pattern!("onepassword-secret-key", ["a3-"], r"(?:(?-u:\b)|_)(?<s>A3-[A-Z0-9]{6}-(?:[A-Z0-9]{6}-[A-Z0-9]{5}|[A-Z0-9]{11})(?:-[A-Z0-9]{5}){3})(?:[^A-Za-z0-9]|$)", Match, "onepassword-key", "1Password docs, Secret Key", "A3-ABCDEF-GHIJKL-MNOPQ-RSTUV-WXYZ2-34567"),
    pattern!("hubspot-token", ["pat-"], r"(?:(?-u:\b)|_)(?<s>pat-(?:na|eu|ap)[0-9]{1,2}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:[^A-Za-z0-9]|$)", Match, "hubspot-token", "HubSpot docs, private apps", "pat-na1-01234567-89ab-cdef-0123-456789abcdef"),
    pattern!("launchdarkly-key", ["api-", "sdk-"], r"(?:(?-u:\b)|_)(?<s>(?:api|sdk)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:[^A-Za-z0-9]|$)", Match, "launchdarkly-key", "LaunchDarkly docs, keys", "sdk-01234567-89ab-cdef-0123-456789abcdef"),
    pattern!("azure-devops-token", ["azdo"], r"(?:(?-u:\b)|_)(?<s>[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4})(?:[^A-Za-z0-9]|$)", Match, "azure-token", "Azure DevOps docs, personal access tokens", "§§abAZDO1a2B"),
    pattern!("resend-key", ["re_"], r"(?:(?-u:\b)|_)(?<s>re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,40})(?:[^A-Za-z0-9]|$)", Chosen, "resend-key", "Resend docs, API keys", "re_abcd1234_§"),
    pattern!("payment-client-secret", ["_secret_"], r"(?:(?-u:\b)|_)(?<s>(?:pi|seti)_[A-Za-z0-9]{16,40}_secret_[A-Za-z0-9]{16,40})(?-u:\b)", Match, "stripe-secret", "Stripe docs, PaymentIntent client_secret", "pi_§_secret_§"),
    pattern!("bitwarden-token", ["0."], r"(?:(?-u:\b)|_)(?<s>0\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.[A-Za-z0-9]{20,40}:[A-Za-z0-9+/=]{20,60})", Match, "bitwarden-token", "Bitwarden docs, access tokens", "0.01234567-89ab-cdef-0123-456789abcdef.§:§=="),
    pattern!("jetbrains-token", ["perm-", "perm:"], r"(?:(?-u:\b)|_)(?<s>perm[:-][A-Za-z0-9+/=_-]{4,80}\.[A-Za-z0-9+/=_-]{2,60}\.[A-Za-z0-9+/=]{20,60})", Match, "jetbrains-token", "JetBrains Hub docs, permanent tokens", "perm:cm9vdA==.NDctMg==.§"),
    pattern!("newrelic-license", ["ffffnral"], r"(?<s>[0-9a-z]{24,40}FFFFNRAL)(?:[^A-Za-z0-9]|$)", Match, "newrelic-key", "New Relic docs, license keys", "####FFFFNRAL"),
    pattern!("deepl-key", [":fx"], r"(?:(?-u:\b)|_)(?<s>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}:fx)(?:[^A-Za-z0-9]|$)", Match, "deepl-key", "DeepL docs, authentication", "01234567-89ab-cdef-0123-456789abcdef:fx"),
    pattern!("salesforce-session", ["!aq"], r"(?-u:\b)(?<s>00D[A-Za-z0-9]{12,15}!AQ[A-Za-z0-9._]{40,160})", Match, "salesforce-token", "Salesforce docs, session ids", "00Dabcdefghi123!AQ§§"),
    pattern!("custom-key-header", ["x-api-", "x-auth-", "x-access-", "x-vault-", "x-goog-", "x-functions-", "-api-key", "-token", "-apikey"], r#"(?i)(?-u:\b)x-[a-z0-9-]{0,30}(?:key|token)["']?\s?[:=,]\s?["']?(?<s>[A-Za-z0-9_.+/=-]{12,400})"#, Chosen, "api-key", "how API gateways name their headers", "X-Api-Key: §"),
];

/// Each is compiled when its literal is met for the first time.
static COMPILED: [OnceLock<Regex>; PATTERNS.len()] = [const { OnceLock::new() }; PATTERNS.len()];

fn compiled(row: usize) -> &'static Regex {
    COMPILED[row].get_or_init(|| Regex::new(PATTERNS[row].expression).expect("invariant: the pattern is fixed"))
}

/// How far around its literal a pattern may match: the lines of it, within so many bytes.
const MAX_BYTES_BEFORE: usize = 600;
const MAX_BYTES_AFTER: usize = 20 << 10;

pub(super) fn find(text: &str, hits: &[Hit], found: &mut Vec<Secret>) {
    // Of each pattern, up to where it has run: stretches that overlap are searched once.
    let mut searched = [0; PATTERNS.len()];
    for hit in hits {
        let Anchor::Pattern(row) = hit.anchor else { continue };
        if hit.end <= searched[row] {
            continue;
        }
        let pattern = &PATTERNS[row];
        if pattern.word > 0 && word_len(text, hit) < pattern.word {
            continue;
        }
        let start = line_start(text, hit.start).max(searched[row]);
        let end = lines_end(text, hit.end, pattern.lines);
        searched[row] = end;
        for captures in compiled(row).captures_iter(&text[start..end]) {
            let Some(secret) = captures.name("s") else { continue };
            let value = secret.as_str().trim_end();
            let is_value = !values::is_placeholder(value) && !values::is_kind(value);
            let is_secret = match pattern.must {
                Must::Match => !value.starts_with('['),
                Must::Value => is_value,
                Must::Chosen => is_value && !value.contains(' ') && values::looks_chosen(value),
            };
            if is_secret {
                let start = start + secret.start();
                found.push(Secret::new(start..start + value.len(), pattern.kind));
            }
        }
    }
}

/// The length of the word around a literal; of a long one not all is read.
fn word_len(text: &str, hit: &Hit) -> usize {
    let is_end = |byte: &u8| !byte.is_ascii_graphic();
    let behind = &text.as_bytes()[hit.start..];
    behind[..behind.len().min(128)].iter().position(is_end).unwrap_or(128)
}

fn line_start(text: &str, at: usize) -> usize {
    let from = text.ceil_char_boundary(at.saturating_sub(MAX_BYTES_BEFORE));
    text[from..at].rfind('\n').map_or(from, |line| from + line + 1)
}

fn lines_end(text: &str, at: usize, lines: usize) -> usize {
    let window = &text[at..text.floor_char_boundary(at + MAX_BYTES_AFTER)];
    window.match_indices('\n').nth(lines).map_or(at + window.len(), |line| at + line.0)
}
