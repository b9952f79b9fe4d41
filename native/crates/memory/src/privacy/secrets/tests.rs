//! Planted secrets in the formats that carry them, and look-alikes that must stay. Every secret is made here from its
//! parts, so that no scanner trips over this file.

use super::patterns::PATTERNS;
use super::redact;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

/// `len` characters of an alphabet that look drawn by lot and are the same in every run.
fn drawn(alphabet: &str, len: usize, seed: u64) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..len)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            letters[(state >> 11) as usize % letters.len()]
        })
        .collect()
}

fn mixed(len: usize, seed: u64) -> String {
    drawn(&format!("{LOWER}{UPPER}{DIGITS}"), len, seed)
}

/// Forty secrets: those that show by themselves, then passwords that only their name tells.
fn planted() -> Vec<String> {
    let hex = |len, seed| drawn("0123456789abcdef", len, seed);
    let prefixed: [(&[&str], String); 33] = [
        (&["AK", "IA"], drawn(&format!("{UPPER}{DIGITS}"), 16, 1)),
        (&["AS", "IA"], drawn(&format!("{UPPER}{DIGITS}"), 16, 2)),
        (&["gh", "p_"], mixed(36, 3)),
        (&["gh", "o_"], mixed(36, 4)),
        (&["gh", "s_"], mixed(36, 5)),
        (&["github", "_pat_"], mixed(60, 6)),
        (&["gl", "pat-"], mixed(20, 7)),
        (&["sk", "-ant-", "api03-"], mixed(60, 8)),
        (&["sk", "-proj-"], mixed(48, 9)),
        (&["sk", "-"], mixed(48, 10)),
        (&["sk", "_live_"], mixed(24, 11)),
        (&["rk", "_live_"], mixed(24, 12)),
        (&["wh", "sec_"], mixed(32, 13)),
        (&["xa", "i-"], mixed(60, 14)),
        (&["gs", "k_"], mixed(50, 15)),
        (&["h", "f_"], mixed(34, 16)),
        (&["AI", "za"], mixed(35, 17)),
        (&["GOC", "SPX-"], mixed(28, 18)),
        (&["ya", "29."], mixed(60, 19)),
        (&["xo", "xb-"], format!("{}-{}", drawn(DIGITS, 12, 20), mixed(24, 21))),
        (&["xo", "xp-"], format!("{}-{}", drawn(DIGITS, 12, 22), mixed(24, 23))),
        (&["xa", "pp-1-"], mixed(40, 24)),
        (&["S", "G."], format!("{}.{}", mixed(22, 25), mixed(43, 26))),
        (&["np", "m_"], mixed(36, 27)),
        (&["py", "pi-"], format!("AgEIcHlwaS5vcmc{}", mixed(60, 28))),
        (&["do", "p_v1_"], hex(64, 29)),
        (&["sh", "pat_"], hex(32, 30)),
        (&["li", "n_api_"], mixed(40, 31)),
        (&["hv", "s."], mixed(90, 32)),
        (&["gl", "sa_"], mixed(40, 33)),
        (&["da", "pi"], hex(32, 34)),
        (&["ey", "J"], format!("{}.{}{}.{}", mixed(20, 35), "ey", mixed(40, 36), mixed(43, 37))),
        (&["key", "-"], hex(32, 38)),
    ];
    let mut secrets: Vec<String> =
        prefixed.into_iter().map(|(prefix, body)| format!("{}{body}", prefix.concat())).collect();
    // Without a prefix: only the randomness and a name next to them are evidence.
    secrets.push(drawn(&format!("{LOWER}{UPPER}{DIGITS}/+"), 40, 39));
    secrets.push(mixed(32, 40));
    secrets.push(hex(40, 41));
    secrets.extend(
        ["hunter", "tr0ub4dor", "s3cr3t-", "Pa55w0rd!"]
            .iter()
            .zip(42..)
            .map(|(word, seed)| format!("{word}{}", drawn(DIGITS, 3, seed))),
    );
    assert_eq!(secrets.len(), 40);
    secrets
}

/// The forms of secrets in what agents read and print.
fn formats(secret: &str) -> [(&'static str, String); 12] {
    [
        ("env", format!("DEBUG=1\nDB_PASSWORD={secret}\nPORT=8080\n")),
        ("shell", format!("export API_SECRET='{secret}' && make run")),
        ("json", format!("{{\"user\": \"bob\", \"password\": \"{secret}\", \"port\": 1}}")),
        ("json in json", format!("{{\"body\": \"{{\\\"client_secret\\\":\\\"{secret}\\\"}}\"}}")),
        ("yaml", format!("db:\n  user: bob\n  password: {secret}\n  port: 5432\n")),
        ("toml", format!("[db]\npassword = \"{secret}\"\n")),
        ("python", format!("client = Client(secret=\"{secret}\", timeout=3)\n")),
        ("xml", format!("<settings><password>{secret}</password></settings>")),
        ("url", format!("postgres://bob:{}@db.example.com/app", secret.replace(['/', '!', '+'], "_"))),
        ("flag", format!("$ deploy --password {secret} --verbose")),
        ("netrc", format!("machine api.example.com login bob password {secret}\n")),
        ("prose", format!("The password is {secret} for now.")),
    ]
}

#[test]
fn every_planted_secret_goes_in_every_format() {
    let mut left = Vec::new();
    for secret in planted() {
        for (format, text) in formats(&secret) {
            let mut redacted = text.clone();
            let count = redact(&mut redacted, false);
            let plain = secret.replace(['/', '!', '+'], "_");
            if count == 0 || redacted.contains(&secret) || redacted.contains(&plain) {
                left.push(format!("{format}: {text} -> {redacted}"));
            }
        }
    }
    assert!(left.is_empty(), "{} left:\n{}", left.len(), left.join("\n"));
}

#[test]
fn tokens_with_a_shape_need_no_name() {
    for secret in &planted()[..33] {
        for text in [format!("see {secret}."), format!("`{secret}`"), format!("x={secret}&y"), format!("({secret})\n")]
        {
            let mut redacted = text.clone();
            assert!(redact(&mut redacted, false) > 0 && !redacted.contains(secret.as_str()), "{text} -> {redacted}");
        }
    }
}

#[test]
fn headers_keys_and_webhooks_go() {
    let token = mixed(30, 50);
    let key = format!("-----BEGIN {}PRIVATE KEY-----\n{}\n-----END {}PRIVATE KEY-----", "RSA ", mixed(64, 51), "RSA ");
    for (text, secret) in [
        (format!("Authorization: Bearer {token}"), token.as_str()),
        (format!("curl -H 'authorization: basic {token}=='"), &token),
        (format!("Set-Cookie: session={token}; Path=/"), &token),
        (format!("before\n{key}\nafter"), &mixed(64, 51)),
        (format!("https://hooks.slack.com/services/T{0}/B{0}/{token}", drawn(DIGITS, 8, 52)), &token),
        (format!("AccountName=x;AccountKey={token}==;EndpointSuffix=y"), &token),
        (format!("CREATE USER bob IDENTIFIED BY '{token}'"), &token),
        (format!("//registry.example.com/:_authToken={token}"), &token),
    ] {
        let mut redacted = text.clone();
        redact(&mut redacted, false);
        assert!(!redacted.contains(secret), "{text} -> {redacted}");
        assert!(redacted.starts_with(&text[..6]), "{redacted}");
    }
    let mut text = format!("before\n{key}\nafter");
    redact(&mut text, false);
    assert_eq!(text, "before\n[REDACTED:private-key]\nafter");
}

/// What looks like a secret and is none.
fn ordinary() -> Vec<String> {
    let hex = |len, seed| drawn("0123456789abcdef", len, seed);
    let base64 = |len, seed| drawn(&format!("{LOWER}{UPPER}{DIGITS}+/"), len, seed);
    let image: String = (0..12).map(|line| base64(76, 60 + line) + "\n").collect();
    vec![
        format!("commit {}\nMerge: {} {}", hex(40, 1), hex(7, 2), hex(7, 3)),
        format!("id: {}-{}-{}-{}-{}", hex(8, 4), hex(4, 5), hex(4, 6), hex(4, 7), hex(12, 8)),
        format!("sha256:{}", hex(64, 9)),
        format!("checksum = \"{}\"", hex(64, 10)),
        format!("\"integrity\": \"sha512-{}==\"", base64(86, 11)),
        format!("golang.org/x/text v0.3.7 h1:{}=", base64(43, 12)),
        format!("requests-2.31.0.dist-info/RECORD,sha256={},512", base64(43, 13)),
        format!("<img src=\"data:image/png;base64,iVBORw0KGgo{}\">", base64(900, 14)),
        format!("--{}\n{image}", "boundary"),
        format!("-----BEGIN CERTIFICATE-----\n{image}-----END CERTIFICATE-----"),
        format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} bob@host", base64(43, 15)),
        format!("resolved \"https://registry.example.com/x/-/x-1.0.0.tgz#{}\"", hex(40, 16)),
        format!("SHA256:{} bob@host (ED25519)", base64(43, 18)),
        format!("{{\"tool_use_id\": \"toolu_01{}\", \"call_id\": \"call_{}\"}}", mixed(22, 19), mixed(24, 20)),
        format!("chatcmpl-{} in ses_{}, msg_{}", mixed(29, 21), mixed(26, 22), mixed(26, 23)),
        "let token = parser.next_token(); self.tokens.push(token);".into(),
        "def login(user: str, password: str) -> Token:\n    return check(user, password=password)".into(),
        "password: must be at least 8 characters long".into(),
        "max_tokens = 4096, token_count: 1812, tokenizer = Tokenizer()".into(),
        "secret = os.environ[\"SECRET\"]; api_key = process.env.API_KEY; token=$TOKEN; password=<your-password>".into(),
        "const passwordHash = await hash(password); export type Secret = string;".into(),
        "fn getUserById2FromTheDatabaseV3WithRetry(user_id: u64) -> Result<UserRow2, DbError>".into(),
        "src/components/Button2/IndexPage3.test.tsx:12:5 and native/core/src/memory/privacy/secrets".into(),
        "PWD=/home/bob/project OLDPWD=/home/bob".into(),
        "https://example.com/a/b?page=2&sort=name#L10-L20 git@github.com:owner/name.git".into(),
        "the secret of good tests is that the password check passes; a token bucket limits requests".into(),
        "Bearer authentication and Basic auth are described in the docs".into(),
        "[REDACTED:password] and [REDACTED] stay".into(),
        "test_every_planted_secret_goes_in_every_format ... ok (0.32s)".into(),
        format!("docker.io/library/redis@sha256:{}", hex(64, 17)),
        "密码: 必须至少八个字符。 пароль: секрет".into(),
    ]
}

#[test]
fn hashes_images_lock_files_and_code_stay() {
    let mut mangled = Vec::new();
    for text in ordinary() {
        let mut redacted = text.clone();
        redact(&mut redacted, false);
        if redacted != text {
            mangled.push(format!("{text} -> {redacted}"));
        }
    }
    assert!(mangled.is_empty(), "{} mangled:\n{}", mangled.len(), mangled.join("\n"));
}

#[test]
fn names_that_begin_as_tokens_do_stay() {
    for text in [
        "polar_plot_with_custom_axes_and_2_legends_v3",
        "polar_bear_population_1990_2020_by_region.csv",
        "def polar_to_cartesian_grid_of_shape_64x64(r):",
        "secret-santa-2024-pairings-generator-with-exclusions",
        "secret-scanning-alerts-dashboard-v2-migration-2025",
        "secret_santa_assignments_for_2024_december_party_v2",
        "snyk_scan_results_node18_alpine3.19_image_report.json",
        "snyk_vulnerability_report_2024_01_15_for_backend_services",
        "tfp_bijectors_masked_autoregressive_flow_v2_test_2024",
        "ramp_sec_per_step_for_load_test_2024_scenario_12_users",
        "re_compiled_pattern_for_iso8601_dates_v2",
        "re_3MmlLrLkdIwHu7ix0snN0B15 refunds ch_3MmlLrLkdIwHu7ix0snN0B15",
        "sk-learn-pipeline-with-2-steps-and-3-transformers",
        "as-of-2024-11-release-notes-and-more, fw_version_1_2_3_release_candidate_4",
        "apk_signature_scheme_v2_and_v3_verification_of_release",
    ] {
        let mut redacted = text.to_owned();
        redact(&mut redacted, false);
        assert_eq!(redacted, text);
    }
    let (long, short) = (mixed(43, 31), mixed(8, 32));
    for (prefix, rest) in [
        ("re_", format!("{short}_{}", &long[..24])),
        ("sec", format!("ret-live-{long}")),
        ("tfp_", format!("{long}_{}", mixed(14, 33))),
        ("access-", "production-abcd1234-abcd-abcd-abcd-abcd1234abcd".to_owned()),
    ] {
        let mut redacted = format!("{prefix}{rest}");
        assert_eq!(redact(&mut redacted, false), 1, "{prefix}{rest}");
    }
}

#[test]
fn what_stands_for_a_secret_is_no_secret_itself() {
    let token = drawn(&format!("{LOWER}{UPPER}{DIGITS}"), 24, 71);
    for text in [
        "://eyJAAaa000aa0aAé日@".to_owned(),
        format!("https://{token}:ab@host"),
        "https://pwd=hunter2;1@host".to_owned(),
        format!("https://{token};pwd=hunter2:1@host"),
        format!("https://pwd=hunter2;{token}@host"),
        "sk-sk-AAaAAAaAAaaaAa00A=aa0A00aa".to_owned(),
        "https://pwd=hunter2;x:y@host:80/a:b".to_owned(),
        format!("https://{token}é:xy@host"),
        format!("https://{token}@host and https://user:{token}@host"),
    ] {
        let mut once = text.clone();
        redact(&mut once, false);
        let mut twice = once.clone();
        redact(&mut twice, false);
        assert_eq!(twice, once, "{text}");
        assert!(!once.contains(&token) && !once.contains("hunter2"), "{once}");
    }
}

#[test]
fn every_pattern_finds_its_example_and_names_its_source() {
    let mut seen = std::collections::BTreeSet::new();
    for (row, pattern) in PATTERNS.iter().enumerate() {
        assert!(seen.insert(pattern.id) && !pattern.source.is_empty(), "{}", pattern.id);
        // What a scanner would trip over is made here.
        let hex = drawn("0123456789abcdef", 8, 80 + row as u64);
        let example = pattern
            .example
            .replace("####", &hex.repeat(4))
            .replace('§', &mixed(34, 90 + row as u64).replace(['0', 'O', 'I', 'l'], "z"));
        let lower = example.to_ascii_lowercase();
        assert!(pattern.anchors.iter().any(|anchor| lower.contains(anchor)), "{}: no anchor in {example}", pattern.id);
        let mut redacted = example.clone();
        assert!(redact(&mut redacted, false) > 0, "{}: {example}", pattern.id);
    }
    assert!(super::providers::SHAPES.iter().all(|shape| !shape.source.is_empty()));
    assert!(super::commands::COMMANDS.iter().all(|command| !command.source.is_empty()));
    assert!(super::languages::LANGUAGES.iter().all(|language| language.code.len() == 2));
}

#[test]
fn speech_about_passwords_stays() {
    let mut mangled = Vec::new();
    for text in [
        "The password is wrong. Your password is required, and the password is expired.",
        "Password must contain at least 8 characters; the token is invalid.",
        "Passwort ist falsch. Das Passwort ist erforderlich. Passwort vergessen?",
        "Passwort: erforderlich",
        "Le mot de passe est obligatoire. Mot de passe oublié ?",
        "La contraseña es incorrecta. Contraseña: requerida",
        "La password è scaduta. La password è obbligatoria",
        "A senha é inválida. Senha: obrigatória",
        "Het wachtwoord is onjuist. Wachtwoord vergeten?",
        "Пароль неверный. Пароль должен быть длинным. пароль: обязателен",
        "密码错误。密码是必填项。请输入密码",
        "パスワードは必須です。パスワードが間違っています",
        "비밀번호가 틀렸습니다. 비밀번호는 필수입니다",
        "Hasło jest nieprawidłowe. Şifre gerekli. Salasana on väärä.",
        "def reset_password(token): return get_password(token)",
        "\"password\": {\"type\": \"string\"}, \"password\": \"string\"",
        "<input type=\"password\" name=\"password\" placeholder=\"Enter your password\">",
        "password: \"Please enter your new password\", confirm: \"Enter it again\"",
        "mysql -p -u root shop; docker run -p 8080:80 nginx; curl -u bob https://example.com",
        "order 4111111111111112, build 1732291234567890123, id 4532015112830367",
        "one two three four five six seven eight nine ten eleven twelve",
        "https://user:pass@proxy:8080 and https://user:password@host/",
        "we pass that `oauth2_scheme` in a dependency; pin to `requests<2.28`",
    ] {
        let mut redacted = text.to_owned();
        redact(&mut redacted, false);
        if redacted != text {
            mangled.push(format!("{text} -> {redacted}"));
        }
    }
    assert!(mangled.is_empty(), "{}", mangled.join("\n"));
}

proptest::proptest! {
    #[test]
    fn redacting_twice_is_redacting_once(
        text in "(password|token|[a-zA-Z0-9]{0,24}|[=: \"'\n\\\\<>/@-]|://|eyJ|sk-|Bearer |é日){0,20}"
    ) {
        let mut once = text.clone();
        redact(&mut once, false);
        let mut twice = once.clone();
        redact(&mut twice, false);
        proptest::prop_assert_eq!(twice, once);
    }

    #[test]
    fn a_planted_token_never_survives(before in "[a-z \n\"'={]{0,20}", after in "[ \n\"'},;]{1,20}", which in 0usize..33) {
        let secret = planted().swap_remove(which);
        let mut text = format!("{before} {secret}{after}");
        redact(&mut text, true);
        proptest::prop_assert!(!text.contains(&secret), "{}", text);
    }

    #[test]
    fn any_text_is_redacted_to_something_that_stays(
        text in "(\\x1b\\[1m|\u{200b}|\\\\\n|пароль|密码是|passphrase|curl -u |mysql -p|docker login -p |echo |\\PC{0,6}|[a-z0-9]{0,9}|[ :=\"'|\n]){0,16}"
    ) {
        let mut once = text.clone();
        redact(&mut once, false);
        let mut twice = once.clone();
        redact(&mut twice, false);
        proptest::prop_assert_eq!(twice, once);
    }
}

#[test]
fn a_word_that_is_written_over_and_over_is_no_seed_phrase() {
    for words in ["word ", "word able ", "zoo zone you "] {
        let mut text = words.repeat(200);
        assert_eq!(redact(&mut text, false), 0, "{words}: {text}");
    }
}

#[test]
fn one_case_of_letters_is_enough_where_redaction_is_strict() {
    let kept = |text: &str, is_strict| {
        let mut text = text.to_owned();
        redact(&mut text, is_strict);
        text
    };
    // Eight letters of one case and more look random among digits, where they are marked as private.
    for token in ["q7w3e9r1t5y2u8i4o6p0", "Q7W3E9R1T5Y2U8I4O6P0"] {
        assert_eq!(kept(&format!("x {token} y"), true), "x [REDACTED:high-entropy] y");
        assert_eq!(kept(&format!("x {token} y"), false), format!("x {token} y"));
    }
    assert_eq!(kept("x 17w39e1r5t2y8u4i6o05 y", true), "x [REDACTED:high-entropy] y");
    assert_eq!(kept("x 17w39e1r5t2y8u41670 y", true), "x 17w39e1r5t2y8u41670 y");
}
