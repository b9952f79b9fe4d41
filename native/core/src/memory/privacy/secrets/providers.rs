//! Tokens that name their issuer by a prefix.

use super::{Secret, is_token_byte, run_end};

/// How a provider's tokens look after their prefix.
struct Shape {
    prefix: &'static str,
    kind: &'static str,
    /// The fewest characters after the prefix.
    least: usize,
    alphabet: Alphabet,
}

#[derive(Clone, Copy)]
enum Alphabet {
    /// Letters, digits, `_` and `-`.
    Token,
    /// Capitals and digits.
    Capitals,
    /// Hexadecimal digits.
    Hex,
    /// Letters, digits and `_-.`.
    Dotted,
    /// Letters, digits and `_-/+=`.
    Path,
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Token => is_token_byte(byte),
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Dotted => is_token_byte(byte) || byte == b'.',
            Self::Path => is_token_byte(byte) || b"/+=".contains(&byte),
        }
    }
}

const fn shape(prefix: &'static str, kind: &'static str, least: usize, alphabet: Alphabet) -> Shape {
    Shape { prefix, kind, least, alphabet }
}

use Alphabet::{Capitals, Dotted, Hex, Path, Token};

const SHAPES: &[Shape] = &[
    shape("AKIA", "aws-key", 16, Capitals),
    shape("ASIA", "aws-key", 16, Capitals),
    shape("ABIA", "aws-key", 16, Capitals),
    shape("ACCA", "aws-key", 16, Capitals),
    shape("ghp_", "github-token", 30, Token),
    shape("gho_", "github-token", 30, Token),
    shape("ghu_", "github-token", 30, Token),
    shape("ghs_", "github-token", 30, Dotted),
    shape("ghr_", "github-token", 30, Token),
    shape("github_pat_", "github-token", 20, Token),
    shape("glpat-", "gitlab-token", 18, Dotted),
    shape("gldt-", "gitlab-token", 18, Token),
    shape("glrt-", "gitlab-token", 18, Token),
    shape("glcbt-", "gitlab-token", 18, Token),
    shape("ATBB", "bitbucket-token", 24, Token),
    shape("ATATT3", "atlassian-token", 40, Path),
    shape("sk-", "api-key", 20, Token),
    shape("sk_live_", "stripe-key", 16, Token),
    shape("sk_test_", "stripe-key", 16, Token),
    shape("rk_live_", "stripe-key", 16, Token),
    shape("rk_test_", "stripe-key", 16, Token),
    shape("pk_live_", "stripe-key", 16, Token),
    shape("whsec_", "webhook-secret", 16, Path),
    shape("xai-", "api-key", 30, Token),
    shape("gsk_", "api-key", 30, Token),
    shape("pplx-", "api-key", 30, Token),
    shape("nvapi-", "api-key", 30, Token),
    shape("pa-", "api-key", 40, Token),
    shape("hf_", "huggingface-token", 30, Token),
    shape("r8_", "api-key", 30, Token),
    shape("AIza", "google-key", 35, Token),
    shape("GOCSPX-", "google-secret", 20, Token),
    shape("ya29.", "google-token", 20, Token),
    shape("1//0", "google-token", 30, Token),
    shape("xoxb-", "slack-token", 10, Token),
    shape("xoxp-", "slack-token", 10, Token),
    shape("xoxa-", "slack-token", 10, Token),
    shape("xoxr-", "slack-token", 10, Token),
    shape("xoxs-", "slack-token", 10, Token),
    shape("xoxe-", "slack-token", 10, Dotted),
    shape("xoxe.", "slack-token", 10, Dotted),
    shape("xapp-", "slack-token", 10, Token),
    shape("hooks.slack.com/services/", "slack-webhook", 20, Path),
    shape("discord.com/api/webhooks/", "discord-webhook", 20, Path),
    shape("discordapp.com/api/webhooks/", "discord-webhook", 20, Path),
    shape("SG.", "sendgrid-key", 30, Dotted),
    shape("key-", "mailgun-key", 32, Hex),
    shape("npm_", "npm-token", 36, Token),
    shape("pypi-", "pypi-token", 50, Token),
    shape("rubygems_", "rubygems-key", 40, Hex),
    shape("cio", "crates-token", 32, Token),
    shape("dop_v1_", "digitalocean-token", 40, Hex),
    shape("doo_v1_", "digitalocean-token", 40, Hex),
    shape("shpat_", "shopify-token", 30, Hex),
    shape("shpca_", "shopify-token", 30, Hex),
    shape("shppa_", "shopify-token", 30, Hex),
    shape("shpss_", "shopify-token", 30, Hex),
    shape("sq0atp-", "square-token", 20, Token),
    shape("sq0csp-", "square-token", 20, Token),
    shape("lin_api_", "linear-key", 30, Token),
    shape("figd_", "figma-token", 30, Token),
    shape("ntn_", "notion-token", 40, Token),
    shape("secret_", "api-key", 40, Token),
    shape("hvs.", "vault-token", 20, Token),
    shape("hvb.", "vault-token", 20, Token),
    shape("pul-", "pulumi-token", 40, Hex),
    shape("tskey-", "tailscale-key", 16, Token),
    shape("dp.pt.", "doppler-token", 30, Token),
    shape("dp.st.", "doppler-token", 30, Dotted),
    shape("PMAK-", "postman-key", 40, Token),
    shape("NRAK-", "newrelic-key", 24, Token),
    shape("dt0c01.", "dynatrace-token", 40, Dotted),
    shape("glsa_", "grafana-token", 30, Token),
    shape("glc_", "grafana-token", 32, Path),
    shape("LTAI", "alibaba-key", 16, Token),
    shape("AGE-SECRET-KEY-1", "age-key", 50, Capitals),
    shape("dapi", "databricks-token", 32, Hex),
    shape("sntrys_", "sentry-token", 40, Path),
    shape("sbp_", "supabase-token", 40, Hex),
    shape("EAAC", "facebook-token", 60, Token),
    shape("AQAAAAA", "api-key", 60, Token),
];

/// By the first byte of a prefix, the bits of those that follow it: most words are told by it to be none.
const SECOND: [u128; 256] = {
    let mut second = [0; 256];
    let mut at = 0;
    while at < SHAPES.len() {
        let prefix = SHAPES[at].prefix.as_bytes();
        second[prefix[0] as usize] |= 1 << prefix[1];
        at += 1;
    }
    second
};

pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    let bytes = text.as_bytes();
    let mut before = None;
    for (start, pair) in bytes.windows(2).enumerate() {
        let last = before.replace(pair[0]);
        let is_first = pair[1].is_ascii() && SECOND[usize::from(pair[0])] >> pair[1] & 1 == 1;
        // In the middle of a longer word it is chance: base64 holds every four letters somewhere.
        if !is_first || last.is_some_and(|last| last.is_ascii_alphanumeric() || b"_+".contains(&last)) {
            continue;
        }
        for shape in SHAPES.iter().filter(|shape| bytes[start..].starts_with(shape.prefix.as_bytes())) {
            let body = start + shape.prefix.len();
            let end = run_end(text, body, |byte| shape.alphabet.has(byte));
            let token = &text[body..end];
            if token.len() >= shape.least && looks_made(token, shape.alphabet) {
                found.push(Secret::new(start..end, shape.kind));
            }
        }
    }
}

/// Whether what follows a prefix was made by a machine: some prefixes are pieces of words.
fn looks_made(token: &str, alphabet: Alphabet) -> bool {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    let case_changes =
        token.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    digits >= 2 || case_changes * 8 >= token.len() || matches!(alphabet, Alphabet::Capitals)
}
