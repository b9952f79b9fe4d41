//! Detects tokens that name their issuer by a prefix.

use super::anchors::{Anchor, Hit};
use super::entropy::has_uuid;
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
    /// Small letters and digits.
    Lower,
    /// Letters, digits and `_-.`.
    Dotted,
    /// Letters, digits and `_-/+=`.
    Path,
}

impl Alphabet {
    /// How many there are.
    const COUNT: usize = Self::Path as usize + 1;

    fn has(self, byte: u8) -> bool {
        match self {
            Self::Token => is_token_byte(byte),
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Lower => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
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

use Alphabet::{Capitals, Dotted, Hex, Lower, Path, Token};

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
    shape("glrt-", "gitlab-token", 18, Dotted, "GitLab docs, token overview"),
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
    // Models and their hosts.
    shape("sk-ant-", "api-key", 20, Token, "Anthropic docs, API keys and OAuth tokens"),
    shape("csk-", "api-key", 32, Token, "Cerebras docs, API keys"),
    shape("sk_", "api-key", 32, Token, "ElevenLabs docs, API keys; Novita docs"),
    shape("sk-let-", "api-key", 32, Path, "Letta docs, API keys"),
    shape("sk_car_", "api-key", 16, Token, "Cartesia docs, API keys"),
    shape("AQ.", "google-key", 40, Token, "Gemini API docs, API keys"),
    shape("ABSK", "aws-key", 40, Path, "Amazon Bedrock user guide, API keys"),
    shape("bedrock-api-key-", "aws-key", 40, Path, "Amazon Bedrock user guide, API keys"),
    shape("tgp_v1_", "api-key", 30, Token, "Together AI docs"),
    shape("fw_", "api-key", 20, Token, "Fireworks AI docs, API keys"),
    shape("rpa_", "api-key", 30, Token, "RunPod docs, API keys"),
    shape("aph0_", "api-key", 40, Token, "Anyscale docs, credentials"),
    shape("psk-", "api-key", 32, Token, "Parasail docs"),
    shape("pcsk_", "pinecone-key", 40, Token, "Pinecone docs, API keys"),
    shape("wandb_v1_", "wandb-key", 32, Token, "Weights & Biases docs, API keys"),
    shape("api_org_", "huggingface-token", 30, Token, "Hugging Face docs, organisation tokens"),
    shape("as-", "modal-token", 20, Token, "Modal docs, tokens"),
    shape("BSA", "api-key", 24, Token, "Brave Search API docs"),
    shape("llx-", "api-key", 40, Token, "LlamaCloud docs, API keys"),
    shape("m0-", "api-key", 32, Token, "Mem0 docs, API keys"),
    // Agents and their tools.
    shape("crsr_", "cursor-key", 40, Hex, "Cursor docs, CLI authentication"),
    shape("e2b_", "api-key", 32, Hex, "E2B docs, API keys"),
    shape("fc-", "api-key", 32, Hex, "Firecrawl docs, API keys"),
    shape("bb_live_", "api-key", 20, Token, "Browserbase docs, API keys"),
    shape("apify_api_", "api-key", 30, Token, "Apify docs, API tokens"),
    shape("dtn_", "api-key", 40, Hex, "Daytona docs, API keys"),
    shape("cog_", "api-key", 40, Token, "Devin docs, API keys"),
    shape("apk_", "api-key", 40, Token, "Devin docs, API keys"),
    shape("fk-", "api-key", 40, Token, "Factory docs, API keys"),
    shape("sgamp_", "sourcegraph-token", 40, Token, "Amp docs, access tokens"),
    shape("pnu_", "prefect-key", 30, Token, "Prefect docs, API keys"),
    shape("lin_oauth_", "linear-token", 32, Token, "Linear docs, OAuth"),
    shape("hcaik_", "honeycomb-key", 40, Token, "Honeycomb docs, API keys"),
    shape("hcaic_", "honeycomb-key", 40, Token, "Honeycomb docs, API keys"),
    shape("hcxik_", "honeycomb-key", 40, Token, "Honeycomb docs, API keys"),
    // Databases.
    shape("napi_", "neon-key", 40, Token, "Neon docs, API keys"),
    shape("npg_", "neon-password", 12, Token, "Neon docs, connection strings"),
    shape("sb_secret_", "supabase-key", 20, Token, "Supabase docs, API keys"),
    shape("sbp_oauth_", "supabase-token", 30, Token, "Supabase docs, access tokens"),
    shape("pscale_oauth_", "planetscale-token", 30, Token, "PlanetScale docs, OAuth"),
    shape("AVNS_", "aiven-password", 16, Token, "Aiven docs, service passwords"),
    shape("CCDB1_", "cockroach-key", 40, Token, "CockroachDB Cloud docs, API keys"),
    shape("mdb_sa_sk_", "atlas-secret", 32, Token, "MongoDB Atlas docs, service accounts"),
    shape("4b1d", "clickhouse-key", 38, Token, "ClickHouse Cloud docs, API keys"),
    shape("p.eyJ", "tinybird-token", 60, Dotted, "Tinybird docs, auth tokens"),
    // Hosting.
    shape("vercel_blob_rw_", "vercel-token", 20, Token, "Vercel docs, Blob"),
    shape("vcp_", "vercel-token", 40, Token, "Vercel docs, token formats"),
    shape("vck_", "vercel-token", 40, Token, "Vercel docs, AI Gateway keys"),
    shape("vci_", "vercel-token", 40, Token, "Vercel docs, token formats"),
    shape("vca_", "vercel-token", 40, Token, "Vercel docs, token formats"),
    shape("vcr_", "vercel-token", 40, Token, "Vercel docs, token formats"),
    shape("nfc_", "netlify-token", 30, Token, "Netlify docs, access tokens"),
    shape("nfo_", "netlify-token", 30, Token, "Netlify docs, access tokens"),
    shape("nfu_", "netlify-token", 30, Token, "Netlify docs, access tokens"),
    shape("nfb_", "netlify-token", 30, Token, "Netlify docs, access tokens"),
    shape("rnd_", "render-key", 24, Token, "Render docs, API keys"),
    shape("HRKU-", "heroku-key", 36, Token, "Heroku docs, OAuth"),
    shape("cfut_", "cloudflare-token", 40, Token, "Cloudflare docs, token formats"),
    shape("cfat_", "cloudflare-token", 40, Token, "Cloudflare docs, token formats"),
    shape("cfk_", "cloudflare-key", 40, Token, "Cloudflare docs, token formats"),
    shape("dor_v1_", "digitalocean-token", 40, Hex, "DigitalOcean API reference"),
    shape("fm1a_", "fly-token", 60, Path, "Fly.io docs, access tokens"),
    shape("fm1r_", "fly-token", 60, Path, "Fly.io docs, access tokens"),
    shape("akab-", "akamai-token", 32, Token, "Akamai docs, EdgeGrid credentials"),
    shape("dose", "databricks-secret", 32, Hex, "Databricks docs, OAuth secrets"),
    shape("dkea", "databricks-token", 32, Hex, "Databricks docs, access tokens"),
    // Vaults and networks.
    shape("dp.ct.", "doppler-token", 30, Token, "Doppler docs, token formats"),
    shape("dp.sa.", "doppler-token", 30, Token, "Doppler docs, token formats"),
    shape("dp.scim.", "doppler-token", 30, Token, "Doppler docs, token formats"),
    shape("dp.audit.", "doppler-token", 30, Token, "Doppler docs, token formats"),
    shape("st.", "infisical-token", 60, Dotted, "Infisical docs, service tokens"),
    shape("ops_", "onepassword-token", 100, Path, "1Password docs, service accounts"),
    shape("AGE-SECRET-KEY-", "age-key", 40, Token, "age specification; its plugins and hybrid keys"),
    // Forges and registries.
    shape("glwt-", "gitlab-token", 18, Token, "GitLab docs, token overview"),
    shape("glrtr-", "gitlab-token", 18, Dotted, "GitLab docs, token overview"),
    shape("glffct-", "gitlab-token", 18, Token, "GitLab docs, token overview"),
    shape("squ_", "sonar-token", 36, Hex, "SonarQube docs, tokens"),
    shape("sqp_", "sonar-token", 36, Hex, "SonarQube docs, tokens"),
    shape("sqa_", "sonar-token", 36, Hex, "SonarQube docs, tokens"),
    shape("sqco_", "sonar-token", 40, Token, "SonarQube docs, tokens"),
    shape("oy2", "nuget-key", 40, Lower, "NuGet docs, API keys"),
    shape("cmVmdGtu", "artifactory-token", 50, Token, "JFrog docs, reference tokens"),
    shape("snyk_", "snyk-token", 40, Dotted, "Snyk docs, token formats"),
    shape("bkct_", "buildkite-token", 36, Token, "Buildkite docs, token formats"),
    shape("bkaj_", "buildkite-token", 36, Dotted, "Buildkite docs, token formats"),
    // Monitoring.
    shape("sntryi_", "sentry-token", 40, Hex, "Sentry docs, auth tokens"),
    shape("ddapp_", "datadog-key", 30, Token, "Datadog docs, application keys"),
    shape("ddp_", "datadog-key", 30, Token, "Datadog docs, personal access tokens"),
    shape("NRII-", "newrelic-key", 24, Token, "New Relic docs, API keys"),
    shape("NRIQ-", "newrelic-key", 24, Token, "New Relic docs, API keys"),
    shape("phs_", "posthog-key", 40, Token, "PostHog docs"),
    shape("secret-", "statsig-key", 40, Token, "Statsig docs, server secret keys; Stytch docs"),
    shape("rootly_", "rootly-token", 40, Hex, "Rootly docs, API keys"),
    // Work, mail, talk.
    shape("sk.eyJ", "mapbox-token", 60, Dotted, "Mapbox docs, access tokens"),
    shape("figp_", "figma-token", 30, Token, "Figma docs, plan tokens"),
    shape("figu_", "figma-token", 30, Token, "Figma docs, access tokens"),
    shape("mfa.", "discord-token", 60, Token, "Discord docs, user accounts"),
    shape("tfp_", "typeform-token", 40, Token, "Typeform docs, access tokens"),
    shape("slk_", "api-key", 40, Hex, "trufflehog, detectors"),
    // Money and customers.
    shape("sk_org_", "stripe-key", 24, Token, "Stripe docs, organisation API keys"),
    shape("pdl_", "paddle-key", 40, Token, "Paddle docs, API keys"),
    shape("polar_", "polar-token", 32, Token, "Polar docs, access tokens"),
    shape("access-production-", "plaid-token", 36, Token, "Plaid docs, access tokens"),
    shape("access-sandbox-", "plaid-token", 36, Token, "Plaid docs, access tokens"),
    shape("access-development-", "plaid-token", 36, Token, "Plaid docs, access tokens"),
    shape("CFPAT-", "contentful-token", 36, Token, "Contentful docs, access tokens"),
    shape("shippo_", "shippo-token", 40, Token, "Shippo docs, API tokens"),
    shape("duffel_", "duffel-token", 40, Token, "Duffel docs, access tokens"),
    shape("ramp_sec_", "ramp-secret", 40, Token, "Ramp docs, API credentials"),
];

const SEPARATORS: [char; 6] = ['-', '_', '.', '/', '+', '='];

/// The bytes of a token that are looked at.
const MAX_LOOKED_AT: usize = 256;

/// From this length in bytes on a prefix is no piece of a name: that of `sk_live_`.
const LONG_PREFIX: usize = 8;

pub(super) fn find(text: &str, hits: &[Hit], found: &mut Vec<Secret>) {
    let bytes = text.as_bytes();
    let (mut begun, mut covered) = (0, 0);
    // Of each alphabet the run that was read last: a text of prefixes alone is read once.
    let mut runs = [const { 0..0 }; Alphabet::COUNT];
    for hit in hits {
        let Anchor::Issuer(row) = hit.anchor else { continue };
        let shape = &SHAPES[row];
        // In the middle of a longer word it is chance: base64 holds every four letters somewhere. Words are joined by `_`.
        let before = hit.start.checked_sub(1).map(|at| bytes[at]);
        let is_joined = before == Some(b'_');
        let is_inside = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'+');
        // Of prefixes with one beginning a longer one may know more of the token.
        let is_covered = hit.start < covered && hit.start != begun;
        if is_covered || is_inside || !bytes[hit.start..].starts_with(shape.prefix.as_bytes()) {
            continue;
        }
        let known = &mut runs[shape.alphabet as usize];
        if !known.contains(&hit.end) {
            *known = hit.end..run_end(text, hit.end, |byte| shape.alphabet.has(byte));
        }
        let end = known.end;
        let token = &text[hit.end..end];
        // Behind a name, a prefix or a length that no other name has tells as much as the token.
        let is_known = shape.prefix.len() >= LONG_PREFIX
            || matches!(shape.alphabet, Alphabet::Capitals) && token.len() == shape.min_bytes;
        // Names are joined by `__` in those of tools. A token of any length costs the same.
        let head = &token[..token.len().min(MAX_LOOKED_AT)];
        let first = head.split("__").next().filter(|first| first.len() >= shape.min_bytes).unwrap_or(head);
        let is_made =
            looks_made(first, shape.alphabet) && !is_name(first) && (!is_joined || is_known || has_random_part(token));
        if token.len() >= shape.min_bytes && is_made {
            found.push(Secret::new(hit.start..end, shape.kind));
            begun = hit.start;
            covered = covered.max(end);
        }
    }
}

/// Whether most of a token is words and numbers: `coordinates_2d_of_node18`.
fn is_name(token: &str) -> bool {
    let parts = token.split(SEPARATORS).filter(|part| !part.is_empty());
    let len = |parts: &mut dyn Iterator<Item = &str>| parts.map(str::len).sum::<usize>();
    let named = len(&mut parts.clone().filter(|part| is_part_of_name(part)));
    parts.clone().count() >= 2 && named * 2 > len(&mut parts.clone()) && !has_uuid(token)
}

/// Whether a part is short, a date, or a word with a number behind it or none.
fn is_part_of_name(part: &str) -> bool {
    let word = part.trim_end_matches(|char: char| char.is_ascii_digit());
    let is_word = word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
        || word.bytes().all(|byte| byte.is_ascii_uppercase());
    let most_digits = if word.is_empty() { 8 } else { 4 };
    part.len() <= 3 || is_word && part.len() - word.len() <= most_digits
}

/// Whether letters and digits are mixed without a sign between them as in no name.
fn has_random_part(token: &str) -> bool {
    token[..token.len().min(MAX_LOOKED_AT)].split(SEPARATORS).any(|part| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        part.len() >= 8 && digits >= 2 && digits + 2 <= part.len() || part.len() >= 24 && case_changes(part) >= 4
    })
}

fn case_changes(token: &str) -> usize {
    token.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count()
}

/// Whether what follows a prefix was made by a machine: some prefixes are pieces of words.
fn looks_made(token: &str, alphabet: Alphabet) -> bool {
    let token = &token[..token.len().min(MAX_LOOKED_AT)];
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    digits >= 2 || case_changes(token) * 8 >= token.len() || matches!(alphabet, Alphabet::Capitals)
}
