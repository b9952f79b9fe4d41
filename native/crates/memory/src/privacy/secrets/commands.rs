//! Detects secrets on command lines, by a table of programs and the options that take secrets.

use super::anchors::{Anchor, Hit};
use super::runs::is_token_byte;
use super::secret::Secret;
use super::values::{self, Given};

/// How an option holds its secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// The whole value.
    Secret,
    /// `user:secret`; also `user,secret` and `user%secret`.
    Pair,
    /// `pass:secret`, as OpenSSL has it.
    Pass,
    /// `name=secret`; without the sign it is a file.
    Cookie,
}

use Holds::{Cookie, Pair, Pass, Secret as Whole};

/// One option.
struct Flag {
    /// As it is written; letter case counts.
    spelling: &'static str,
    holds: Holds,
    /// Whether the value may follow without a blank or `=`.
    is_attached: bool,
    /// Whether it may follow after one.
    is_separate: bool,
}

const fn apart(spelling: &'static str, holds: Holds) -> Flag {
    Flag { spelling, holds, is_attached: false, is_separate: true }
}

const fn joined(spelling: &'static str, holds: Holds) -> Flag {
    Flag { spelling, holds, is_attached: true, is_separate: false }
}

const fn either(spelling: &'static str, holds: Holds) -> Flag {
    Flag { spelling, holds, is_attached: true, is_separate: true }
}

/// Programs with the same options.
pub(super) struct Command {
    pub(super) names: &'static [&'static str],
    /// A word that must follow the name, as `login` in `docker login`; none if empty.
    verb: &'static str,
    flags: &'static [Flag],
    /// Which argument after the verb is a secret without an option, counted without options; 0 for none.
    argument: usize,
    /// Where it is documented.
    #[cfg_attr(not(test), expect(dead_code, reason = "provenance, read by people and by tests"))]
    pub(super) source: &'static str,
}

const fn command(names: &'static [&'static str], flags: &'static [Flag], source: &'static str) -> Command {
    Command { names, verb: "", flags, argument: 0, source }
}

const fn verb(
    names: &'static [&'static str],
    verb: &'static str,
    flags: &'static [Flag],
    argument: usize,
    source: &'static str,
) -> Command {
    Command { names, verb, flags, argument, source }
}

/// Options whose names say that they hold a secret (`--password x`) need no row: see `names`.
pub(super) const COMMANDS: &[Command] = &[
    command(
        &["curl"],
        &[
            either("-u", Pair),
            apart("--user", Pair),
            either("-U", Pair),
            apart("--proxy-user", Pair),
            apart("--oauth2-bearer", Whole),
            apart("--pass", Whole),
            apart("--proxy-pass", Whole),
            apart("--tlspassword", Whole),
            apart("-E", Pair),
            apart("-b", Cookie),
            apart("--cookie", Cookie),
        ],
        "curl(1)",
    ),
    command(&["http", "https", "xh"], &[apart("-a", Pair), apart("--auth", Pair)], "HTTPie docs, Authentication"),
    command(
        &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mysqlshow",
            "mysqlcheck",
            "mysqlbinlog",
            "mysqlpump",
            "mariadb",
            "mariadb-dump",
            "mariadb-admin",
        ],
        &[joined("-p", Whole), joined("--password=", Whole)],
        "MySQL reference manual, 4.2.2.1 End-User Guidelines for Password Security",
    ),
    command(
        &["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"],
        &[either("-p", Whole)],
        "MongoDB Shell docs, Options",
    ),
    command(
        &["cqlsh", "nodetool", "influx", "couchdb", "arangosh"],
        &[apart("-p", Whole), apart("-pw", Whole)],
        "Apache Cassandra docs, cqlsh",
    ),
    command(&["sqlcmd", "bcp", "osql", "isql"], &[either("-P", Whole)], "Microsoft Learn, sqlcmd utility"),
    command(
        &["redis-cli", "valkey-cli", "keydb-cli"],
        &[apart("-a", Whole), apart("--pass", Whole)],
        "Redis docs, redis-cli",
    ),
    verb(&["redis-cli", "valkey-cli"], "auth", &[], 1, "Redis docs, AUTH"),
    verb(
        &["docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "oras", "crane"],
        "login",
        &[either("-p", Whole)],
        0,
        "docker login(1)",
    ),
    command(
        &["skopeo", "podman", "buildah"],
        &[apart("--creds", Pair), apart("--src-creds", Pair), apart("--dest-creds", Pair)],
        "skopeo-copy(1)",
    ),
    verb(
        &["az", "oc", "cf", "ibmcloud", "argocd", "cloudctl", "mc", "tsh", "rancher", "openshift"],
        "login",
        &[apart("-p", Whole)],
        0,
        "Microsoft Learn, az login; OpenShift CLI reference",
    ),
    verb(&["doctl"], "init", &[apart("-t", Whole)], 0, "doctl reference, auth init"),
    verb(&["vercel", "netlify", "railway"], "", &[apart("-t", Whole)], 0, "Vercel CLI docs, global options"),
    verb(&["cargo"], "login", &[], 1, "The Cargo Book, cargo login"),
    verb(&["wandb"], "login", &[], 1, "Weights & Biases CLI reference, wandb login"),
    verb(&["snyk"], "auth", &[], 1, "Snyk CLI docs, auth"),
    verb(&["firectl"], "signin", &[], 1, "Fireworks AI docs, firectl"),
    verb(&["ngrok"], "authtoken", &[], 1, "ngrok agent docs, authtoken"),
    verb(&["ngrok"], "add-authtoken", &[], 1, "ngrok agent docs, config add-authtoken"),
    verb(&["vault"], "login", &[], 1, "Vault docs, login"),
    verb(&["vault"], "unseal", &[], 1, "Vault docs, operator unseal"),
    verb(&["bw"], "unlock", &[], 1, "Bitwarden CLI docs, unlock"),
    verb(&["bw"], "login", &[], 2, "Bitwarden CLI docs, log in"),
    command(&["sshpass"], &[either("-p", Whole)], "sshpass(1)"),
    verb(&["htpasswd"], "-b", &[], 3, "htpasswd(1)"),
    command(&["plink", "pscp", "psftp", "putty"], &[apart("-pw", Whole)], "PuTTY manual, 3.11.3.8"),
    command(&["psexec", "winexe"], &[apart("-p", Whole)], "Microsoft Learn, PsExec"),
    command(
        &["openssl"],
        &[
            apart("-passin", Pass),
            apart("-passout", Pass),
            apart("-pass", Pass),
            apart("-k", Whole),
            apart("-K", Whole),
            apart("-password", Pass),
        ],
        "openssl-passphrase-options(1)",
    ),
    command(&["gpg", "gpg2"], &[apart("--passphrase", Whole)], "gpg(1)"),
    command(&["ssh-keygen"], &[apart("-N", Whole), apart("-P", Whole)], "ssh-keygen(1)"),
    command(&["zip", "unzip", "zipcloak"], &[either("-P", Whole)], "zip(1)"),
    command(&["7z", "7za", "7zz", "7zr"], &[joined("-p", Whole)], "7-Zip command line, -p switch"),
    command(&["rar", "unrar"], &[joined("-hp", Whole), joined("-p", Whole)], "rar manual, -hp"),
    command(
        &["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldappasswd", "ldapwhoami", "ldapcompare"],
        &[either("-w", Whole), apart("-s", Whole)],
        "ldapsearch(1)",
    ),
    command(
        &["smbclient", "rpcclient", "smbget", "smbmap", "smbcacls"],
        &[either("-U", Pair), apart("--user", Pair)],
        "smbclient(1)",
    ),
    command(&["xfreerdp", "wfreerdp", "rdesktop"], &[joined("/p:", Whole), apart("-p", Whole)], "xfreerdp(1)"),
    command(&["ipmitool", "bmc-config", "ipmipower"], &[apart("-P", Whole)], "ipmitool(1)"),
    command(
        &["snmpget", "snmpwalk", "snmpset", "snmpbulkwalk"],
        &[apart("-A", Whole), apart("-X", Whole)],
        "snmpcmd(1)",
    ),
    command(&["lftp", "ncftp"], &[apart("-u", Pair)], "lftp(1)"),
    command(
        &["mosquitto_pub", "mosquitto_sub", "mosquitto_rr", "mqttui"],
        &[apart("-P", Whole), apart("--pw", Whole)],
        "mosquitto_pub(1)",
    ),
    verb(&["rabbitmqctl"], "add_user", &[], 2, "rabbitmqctl(8)"),
    verb(&["rabbitmqctl"], "change_password", &[], 2, "rabbitmqctl(8)"),
    verb(&["rabbitmqctl"], "authenticate_user", &[], 2, "rabbitmqctl(8)"),
    command(&["twine"], &[apart("-p", Whole)], "twine docs, upload"),
    command(&["svn", "hg", "p4"], &[apart("-P", Whole)], "Perforce command reference, global options"),
    command(
        &["keytool", "jarsigner"],
        &[
            apart("-storepass", Whole),
            apart("-keypass", Whole),
            apart("-srcstorepass", Whole),
            apart("-deststorepass", Whole),
        ],
        "keytool(1)",
    ),
    command(&["useradd", "usermod"], &[apart("-p", Whole)], "useradd(8)"),
    command(&["gem"], &[apart("--key", Whole), apart("-k", Whole)], "gem push docs"),
    verb(&["net", "net.exe"], "user", &[], 2, "Microsoft Learn, net user"),
    verb(&["wpa_passphrase"], "", &[], 2, "wpa_passphrase(8)"),
    verb(&["poetry"], "config", &[], 3, "Poetry docs, http-basic"),
    command(
        &["cmdkey", "schtasks", "xcopy", "tscon"],
        &[joined("/pass:", Whole), apart("/rp", Whole), apart("/p", Whole)],
        "Microsoft Learn, cmdkey, schtasks",
    ),
];

/// Programs whose command lines are looked through for one more than once: at the most so many bytes behind a name.
const MAX_LINE_BYTES: usize = 4096;

pub(super) fn find(text: &str, hits: &[Hit], found: &mut Vec<Secret>) {
    // Of each row, up to where its last command line went: a line that names a program often is read once.
    let mut read = vec![0; COMMANDS.len()];
    for hit in hits {
        let Anchor::Command(row) = hit.anchor else { continue };
        if hit.start < read[row] || !is_program(text, hit) {
            continue;
        }
        let line = line_after(text, hit.end);
        read[row] = line;
        let command = &COMMANDS[row];
        let start = if command.verb.is_empty() {
            hit.end
        } else {
            match word_places(text, hit.end, line).find(|(start, end)| {
                &text[*start..*end] == command.verb || is_short_group(&text[*start..*end], command.verb)
            }) {
                Some((_, end)) => end,
                None => continue,
            }
        };
        flags(text, start, line, command, found);
        if command.argument > 0 {
            argument(text, start, line, command.argument, found);
        }
    }
}

/// Whether the literal is a word of its own, and what follows it an argument.
fn is_program(text: &str, hit: &Hit) -> bool {
    let bytes = text.as_bytes();
    let is_start = hit.start == 0 || !(is_token_byte(bytes[hit.start - 1]) || b".@:".contains(&bytes[hit.start - 1]));
    let rest = &text[hit.end..];
    let rest = rest.strip_prefix(".exe").unwrap_or(rest);
    is_start && rest.starts_with([' ', '\t', '"', '\'', '\\'])
}

/// Short options in one word, as `-nbB` for `-b`.
fn is_short_group(word: &str, option: &str) -> bool {
    option.len() == 2
        && option.starts_with('-')
        && word.starts_with('-')
        && !word.starts_with("--")
        && word[1..].contains(&option[1..])
}

/// Where the command line that goes on at `start` ends.
fn line_after(text: &str, start: usize) -> usize {
    let window = &text[start..text.floor_char_boundary(start + MAX_LINE_BYTES)];
    let bytes = window.as_bytes();
    let end = (0..bytes.len()).find(|&at| match bytes[at] {
        b'\n' => true,
        b'|' | b';' | b'&' => at > 0 && (bytes[at - 1] == b' ' || bytes[at + 1..].first() == Some(&b' ')),
        _ => false,
    });
    start + end.unwrap_or(window.len())
}

/// Blanks, and the separators of the arguments of a list in code or JSON.
fn is_between(byte: u8) -> bool {
    b" \t\"',[]()`\\\n".contains(&byte)
}

fn word_places(text: &str, start: usize, end: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let bytes = text.as_bytes();
    let mut at = start;
    std::iter::from_fn(move || {
        while at < end && is_between(bytes[at]) {
            at += 1;
        }
        let first = at;
        while at < end && !is_between(bytes[at]) {
            at += 1;
        }
        (first < at).then_some((first, at))
    })
}

fn flags(text: &str, start: usize, line: usize, command: &Command, found: &mut Vec<Secret>) {
    for (start, end) in word_places(text, start, line) {
        let word = &text[start..end];
        if !word.starts_with(['-', '/']) {
            continue;
        }
        for flag in command.flags {
            let Some(rest) = word.strip_prefix(flag.spelling) else {
                continue;
            };
            let value = if rest.is_empty() && flag.is_separate {
                value_start(text, end, line)
            } else if rest.is_empty() && flag.is_attached {
                // A quote may follow at once: `-p'x'`.
                text[end..line].starts_with(['\'', '"']).then_some(end)
            } else if rest.starts_with('=') && flag.spelling.starts_with("--") {
                Some(start + flag.spelling.len() + 1)
            } else if flag.is_attached {
                Some(start + flag.spelling.len())
            } else {
                None
            };
            if let Some(value) = value.filter(|value| *value < line) {
                take(text, value, flag.holds, found);
                break;
            }
        }
    }
}

/// Where the next argument begins, in code too: `"-p", "x"`.
fn value_start(text: &str, end: usize, line: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = end;
    let mut quote = None;
    while at < line && is_between(bytes[at]) {
        quote = b"'\"".contains(&bytes[at]).then_some(at);
        at += 1;
    }
    (at < line).then(|| quote.filter(|quote| quote + 1 == at).unwrap_or(at))
}

fn take(text: &str, start: usize, holds: Holds, found: &mut Vec<Secret>) {
    let mut span = values::read(text, start, Given::Marked, &mut values::Reach::default());
    match holds {
        Cookie if !text[span.clone()].contains('=') => return,
        Whole | Cookie => {}
        Pass => {
            let Some(rest) = text[span.clone()].strip_prefix("pass:") else { return };
            span.start = span.end - rest.len();
        }
        Pair => {
            let Some(at) = text[span.clone()].find([':', ',', '%']) else { return };
            span.start += at + 1;
        }
    }
    let value = &text[span.clone()];
    let is_name_only = holds == Whole && value.starts_with('-');
    if value.len() >= 3 && !is_name_only && !values::is_placeholder(value) && !values::is_kind(value) {
        found.push(Secret::new(span, "password"));
    }
}

/// The `nth` argument that is no option.
fn argument(text: &str, start: usize, line: usize, nth: usize, found: &mut Vec<Secret>) {
    let mut words = word_places(text, start, line).filter(|(start, end)| !text[*start..*end].starts_with('-'));
    let Some((at, _)) = words.nth(nth - 1) else { return };
    let has_quote = b"'\"".contains(&text.as_bytes()[at - 1]);
    let span = values::read(text, at - usize::from(has_quote), Given::Marked, &mut values::Reach::default());
    let value = &text[span.clone()];
    if values::looks_chosen(value) && !values::is_placeholder(value) {
        found.push(Secret::new(span, "password"));
    }
}
