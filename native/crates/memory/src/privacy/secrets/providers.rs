//! Detects tokens that name their issuer by a prefix.

use super::anchors::{Anchor, Hit};
use super::runs::{is_token_byte, run_end};
use super::secret::Secret;

/// How a provider's tokens look after their prefix.
pub(super) struct Shape {
    pub(super) prefix: &'static str,
    kind: &'static str,
    /// The fewest characters after the prefix.
    min_bytes: usize,
    alphabet: Alphabet,
    /// Where the issuer documents it, or else a public scanner does.
    #[cfg_attr(not(test), expect(dead_code, reason = "provenance, read by people and by tests"))]
    pub(super) source: &'static str,
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

const fn shape(
    prefix: &'static str,
    kind: &'static str,
    min_bytes: usize,
    alphabet: Alphabet,
    source: &'static str,
) -> Shape {
    Shape { prefix, kind, min_bytes, alphabet, source }
}

use Alphabet::{Capitals, Dotted, Hex, Path, Token};

pub(super) const SHAPES: &[Shape] = &[
    shape("SK", "twilio-key", 32, Hex, "Twilio docs, API keys"),
    shape("AKIA", "aws-key", 16, Capitals, "AWS IAM user guide, unique identifiers"),
    shape("ASIA", "aws-key", 16, Capitals, "AWS IAM user guide, unique identifiers"),
    shape("ABIA", "aws-key", 16, Capitals, "AWS IAM user guide, unique identifiers"),
    shape("ACCA", "aws-key", 16, Capitals, "AWS IAM user guide, unique identifiers"),
    shape("ghp_", "github-token", 30, Token, "GitHub docs, about authentication"),
    shape("gho_", "github-token", 30, Token, "GitHub docs, about authentication"),
    shape("ghu_", "github-token", 30, Token, "GitHub docs, about authentication"),
    shape("ghs_", "github-token", 30, Dotted, "GitHub docs, about authentication"),
    shape("ghr_", "github-token", 30, Token, "GitHub docs, about authentication"),
    shape("github_pat_", "github-token", 20, Token, "GitHub docs, about authentication"),
    shape("glpat-", "gitlab-token", 18, Dotted, "GitLab docs, token overview"),
    shape("gldt-", "gitlab-token", 18, Token, "GitLab docs, token overview"),
    shape("glrt-", "gitlab-token", 18, Token, "GitLab docs, token overview"),
    shape("glcbt-", "gitlab-token", 18, Token, "GitLab docs, token overview"),
    shape("ATBB", "bitbucket-token", 24, Token, "Atlassian docs, app passwords"),
    shape("ATATT3", "atlassian-token", 40, Path, "Atlassian docs, API tokens"),
    shape("sk-", "api-key", 20, Token, "OpenAI and Anthropic API references"),
    shape("sk_live_", "stripe-key", 16, Token, "Stripe docs, API keys"),
    shape("sk_test_", "stripe-key", 16, Token, "Stripe docs, API keys"),
    shape("rk_live_", "stripe-key", 16, Token, "Stripe docs, API keys"),
    shape("rk_test_", "stripe-key", 16, Token, "Stripe docs, API keys"),
    shape("pk_live_", "stripe-key", 16, Token, "Stripe docs, API keys"),
    shape("whsec_", "webhook-secret", 16, Path, "Stripe docs, webhooks"),
    shape("xai-", "api-key", 30, Token, "xAI docs"),
    shape("gsk_", "api-key", 30, Token, "Groq docs"),
    shape("pplx-", "api-key", 30, Token, "Perplexity docs"),
    shape("nvapi-", "api-key", 30, Token, "NVIDIA NIM docs"),
    shape("pa-", "api-key", 40, Token, "Voyage AI docs"),
    shape("hf_", "huggingface-token", 30, Token, "Hugging Face docs, user access tokens"),
    shape("r8_", "api-key", 30, Token, "Replicate docs"),
    shape("AIza", "google-key", 35, Token, "Google Cloud docs, API keys"),
    shape("GOCSPX-", "google-secret", 20, Token, "Google docs, OAuth 2.0"),
    shape("ya29.", "google-token", 20, Token, "Google docs, OAuth 2.0"),
    shape("1//0", "google-token", 30, Token, "Google docs, OAuth 2.0"),
    shape("xoxb-", "slack-token", 10, Token, "Slack docs, token types"),
    shape("xoxp-", "slack-token", 10, Token, "Slack docs, token types"),
    shape("xoxa-", "slack-token", 10, Token, "Slack docs, token types"),
    shape("xoxr-", "slack-token", 10, Token, "Slack docs, token types"),
    shape("xoxs-", "slack-token", 10, Token, "Slack docs, token types"),
    shape("xoxe-", "slack-token", 10, Dotted, "Slack docs, token types"),
    shape("xoxe.", "slack-token", 10, Dotted, "Slack docs, token types"),
    shape("xapp-", "slack-token", 10, Token, "Slack docs, token types"),
    shape("hooks.slack.com/services/", "slack-webhook", 20, Path, "Slack docs, incoming webhooks"),
    shape("discord.com/api/webhooks/", "discord-webhook", 20, Path, "Discord developer docs, webhooks"),
    shape("discordapp.com/api/webhooks/", "discord-webhook", 20, Path, "Discord developer docs, webhooks"),
    shape("SG.", "sendgrid-key", 30, Dotted, "SendGrid docs, API keys"),
    shape("key-", "mailgun-key", 32, Hex, "Mailgun docs, API keys"),
    shape("npm_", "npm-token", 36, Token, "npm docs, access tokens"),
    shape("pypi-", "pypi-token", 50, Token, "PyPI help, API tokens"),
    shape("rubygems_", "rubygems-key", 40, Hex, "RubyGems guides, API keys"),
    shape("cio", "crates-token", 32, Token, "crates.io source, token.rs"),
    shape("dop_v1_", "digitalocean-token", 40, Hex, "DigitalOcean API reference"),
    shape("doo_v1_", "digitalocean-token", 40, Hex, "DigitalOcean API reference"),
    shape("shpat_", "shopify-token", 30, Hex, "Shopify docs, access tokens"),
    shape("shpca_", "shopify-token", 30, Hex, "Shopify docs, access tokens"),
    shape("shppa_", "shopify-token", 30, Hex, "Shopify docs, access tokens"),
    shape("shpss_", "shopify-token", 30, Hex, "Shopify docs, access tokens"),
    shape("sq0atp-", "square-token", 20, Token, "Square docs, access tokens"),
    shape("sq0csp-", "square-token", 20, Token, "Square docs, access tokens"),
    shape("lin_api_", "linear-key", 30, Token, "Linear docs, API"),
    shape("figd_", "figma-token", 30, Token, "Figma docs, access tokens"),
    shape("ntn_", "notion-token", 40, Token, "Notion docs, authorization"),
    shape("secret_", "api-key", 40, Token, "Notion docs, authorization"),
    shape("hvs.", "vault-token", 20, Token, "Vault docs, tokens"),
    shape("hvb.", "vault-token", 20, Token, "Vault docs, tokens"),
    shape("pul-", "pulumi-token", 40, Hex, "Pulumi docs, access tokens"),
    shape("tskey-", "tailscale-key", 16, Token, "Tailscale docs, key prefixes"),
    shape("dp.pt.", "doppler-token", 30, Token, "Doppler docs, token formats"),
    shape("dp.st.", "doppler-token", 30, Dotted, "Doppler docs, token formats"),
    shape("PMAK-", "postman-key", 40, Token, "Postman docs, API keys"),
    shape("NRAK-", "newrelic-key", 24, Token, "New Relic docs, API keys"),
    shape("dt0c01.", "dynatrace-token", 40, Dotted, "Dynatrace docs, token format"),
    shape("glsa_", "grafana-token", 30, Token, "Grafana docs, service account tokens"),
    shape("glc_", "grafana-token", 32, Path, "Grafana docs, service account tokens"),
    shape("LTAI", "alibaba-key", 16, Token, "Alibaba Cloud docs, AccessKey"),
    shape("AGE-SECRET-KEY-1", "age-key", 50, Capitals, "age specification"),
    shape("dapi", "databricks-token", 32, Hex, "Databricks docs, access tokens"),
    shape("sntrys_", "sentry-token", 40, Path, "Sentry docs, auth tokens"),
    shape("sbp_", "supabase-token", 40, Hex, "Supabase docs, access tokens"),
    shape("EAAC", "facebook-token", 60, Token, "Meta docs, access tokens"),
    shape("AQAAAAA", "api-key", 60, Token, "Yandex docs, OAuth tokens"),
    shape("glsoat-", "gitlab-token", 18, Token, "GitLab docs, token overview"),
    shape("glft-", "gitlab-token", 18, Token, "GitLab docs, token overview"),
    shape("glimt-", "gitlab-token", 18, Token, "GitLab docs, token overview"),
    shape("glagent-", "gitlab-token", 40, Token, "GitLab docs, token overview"),
    shape("gloas-", "gitlab-token", 40, Token, "GitLab docs, token overview"),
    shape("glptt-", "gitlab-token", 30, Hex, "GitLab docs, token overview"),
    shape("GR1348941", "gitlab-token", 18, Token, "GitLab docs, token overview"),
    shape("ATCTT3", "atlassian-token", 40, Path, "Atlassian docs, API tokens"),
    shape("xoxc-", "slack-token", 10, Token, "Slack docs, token types"),
    shape("xoxd-", "slack-token", 10, Path, "Slack docs, token types"),
    shape("dckr_pat_", "docker-token", 20, Token, "Docker docs, access tokens"),
    shape("dckr_oat_", "docker-token", 20, Token, "Docker docs, access tokens"),
    shape("sntryu_", "sentry-token", 40, Hex, "Sentry docs, auth tokens"),
    shape("CCIPAT_", "circleci-token", 30, Token, "CircleCI docs, API tokens"),
    shape("CCIPRJ_", "circleci-token", 30, Token, "CircleCI docs, API tokens"),
    shape("AKCp", "artifactory-key", 60, Token, "JFrog docs, API keys"),
    shape("xkeysib-", "brevo-key", 60, Token, "Brevo docs, API keys"),
    shape("xsmtpsib-", "brevo-key", 60, Token, "Brevo docs, SMTP keys"),
    shape("rzp_live_", "razorpay-key", 14, Token, "Razorpay docs, API keys"),
    shape("rzp_test_", "razorpay-key", 14, Token, "Razorpay docs, API keys"),
    shape("FLWSECK-", "flutterwave-key", 20, Token, "Flutterwave docs, API keys"),
    shape("FLWSECK_TEST-", "flutterwave-key", 20, Token, "Flutterwave docs, API keys"),
    shape("EAAA", "square-token", 56, Token, "Square docs, access tokens"),
    shape("lsv2_pt_", "langsmith-key", 32, Token, "LangSmith docs, API keys"),
    shape("lsv2_sk_", "langsmith-key", 32, Token, "LangSmith docs, API keys"),
    shape("tvly-", "tavily-key", 20, Token, "Tavily docs"),
    shape("jina_", "api-key", 40, Token, "Jina AI docs"),
    shape("fo1_", "fly-token", 40, Token, "Fly.io docs, access tokens"),
    shape("fm2_", "fly-token", 60, Path, "Fly.io docs, access tokens"),
    shape("AQVN", "yandex-key", 35, Token, "Yandex Cloud docs, API keys"),
    shape("sgp_", "sourcegraph-token", 40, Token, "Sourcegraph docs, access tokens"),
    shape("pscale_tkn_", "planetscale-token", 30, Token, "PlanetScale docs, service tokens"),
    shape("pscale_pw_", "planetscale-password", 30, Token, "PlanetScale docs, passwords"),
    shape("nfp_", "netlify-token", 30, Token, "Netlify docs, access tokens"),
    shape("ops_eyJ", "onepassword-token", 100, Token, "1Password docs, service accounts"),
    shape("hvr.", "vault-token", 20, Token, "Vault docs, tokens"),
    shape("EZAK", "easypost-key", 50, Token, "EasyPost docs, API keys"),
    shape("shpua_", "shopify-token", 30, Hex, "Shopify docs, access tokens"),
    shape("bkua_", "buildkite-token", 40, Hex, "Buildkite docs, API tokens"),
    shape("aio_", "adafruit-key", 28, Token, "Adafruit IO docs"),
    shape("rdme_", "readme-key", 60, Token, "ReadMe docs, API keys"),
    shape("phx_", "posthog-key", 40, Token, "PostHog docs"),
];

pub(super) fn find(text: &str, hits: &[Hit], found: &mut Vec<Secret>) {
    let bytes = text.as_bytes();
    let mut covered = 0;
    for hit in hits {
        let Anchor::Issuer(row) = hit.anchor else { continue };
        let shape = &SHAPES[row];
        // In the middle of a longer word it is chance: base64 holds every four letters somewhere.
        let is_inside =
            hit.start > 0 && (bytes[hit.start - 1].is_ascii_alphanumeric() || b"_+".contains(&bytes[hit.start - 1]));
        if hit.start < covered || is_inside || !bytes[hit.start..].starts_with(shape.prefix.as_bytes()) {
            continue;
        }
        let end = run_end(text, hit.end, |byte| shape.alphabet.has(byte));
        let token = &text[hit.end..end];
        if token.len() >= shape.min_bytes && looks_made(token, shape.alphabet) {
            found.push(Secret::new(hit.start..end, shape.kind));
            covered = end;
        }
    }
}

/// Whether what follows a prefix was made by a machine: some prefixes are pieces of words.
fn looks_made(token: &str, alphabet: Alphabet) -> bool {
    let token = &token[..token.len().min(256)];
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    let case_changes =
        token.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    digits >= 2 || case_changes * 8 >= token.len() || matches!(alphabet, Alphabet::Capitals)
}
