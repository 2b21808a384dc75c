//! The rules by which keys are recognized, as data: tokens of known services, names that secrets are assigned to,
//! placeholder words for secrets, and program flags that take a secret.
//!
//! One rule a line. The formats are from the vendors' own pages, which each rule names.

/// How certain it is that a match is a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// Hardly anything else has this format: an edit that adds it is refused.
    High,
    /// It is redacted in requests, and allowed in an edit.
    Low,
}

/// The required text right before the anchor of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// The beginning of a word.
    Start,
    /// Anything.
    Any,
    /// Digits (minimum and maximum count), which are part of the token.
    Digits(usize, usize),
    /// Hexadecimal digits (minimum and maximum count), which are part of the token.
    Hex(usize, usize),
    /// Letters, digits, `_`, `~`, `.` and `-` (minimum and maximum count), which are part of the token.
    Word(usize, usize),
}

/// A token of a known service.
pub(super) struct Token {
    /// The kind of the token, as shown to the user.
    pub(super) kind: &'static str,
    /// Literals with which the token begins, separated by `|`.
    ///
    /// Every text is searched for all of them.
    pub(super) anchors: &'static str,
    /// The required text before the anchor.
    pub(super) before: Before,
    /// The rest of the token: a regular expression without look-around.
    pub(super) rest: &'static str,
    /// Whether an edit that adds it is refused.
    pub(super) certainty: Certainty,
    /// The vendor's page that describes the format.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the reader"))]
    pub(super) source: &'static str,
    /// A template of a matching text.
    ///
    /// `{h32}` stands for 32 random hexadecimal digits, and so on.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the test of the table"))]
    pub(super) is: &'static str,
    /// A template of a near miss, which must not match.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the test of the table"))]
    pub(super) is_not: &'static str,
}

#[expect(clippy::too_many_arguments, reason = "one rule a line")]
const fn token(
    kind: &'static str,
    anchors: &'static str,
    before: Before,
    rest: &'static str,
    certainty: Certainty,
    source: &'static str,
    is: &'static str,
    is_not: &'static str,
) -> Token {
    Token { kind, anchors, before, rest, certainty, source, is, is_not }
}

use Before::{Any, Digits, Hex, Start, Word};
use Certainty::{High, Low};

/// Tokens of known services.
#[rustfmt::skip]
pub(super) const TOKENS: &[Token] = &[
    token("an AWS key", "AKIA|ASIA|ABIA|ACCA", Start, "[A-Z0-9]{16}", High, "AWS IAM: Understanding unique ID prefixes", "AKIA{U16}", "AKIA{U9}"),
    token("an AWS Bedrock key", "ABSK", Start, "[A-Za-z0-9+/]{80,300}={0,2}", High, "AWS Bedrock: API keys", "ABSK{A110}", "ABSK{A20}"),
    token("a GitHub token", "ghp_|gho_|ghs_|ghu_|ghr_", Start, "[A-Za-z0-9_]{30,251}", High, "GitHub: About authentication, token formats", "ghp_{A36}", "ghp_{A12}"),
    token("a GitHub token", "github_pat_", Start, "[A-Za-z0-9_]{30,251}", High, "GitHub: About authentication, token formats", "github_pat_{A22}_{A59}", "github_pat_{A12}"),
    token("a GitLab token", "glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glsoat-|glagent-|glimt-|gloas-|glffct-", Start, r"[\w.-]{20,300}", High, "GitLab: Token overview, prefixes", "glpat-{w20}", "glpat-{A8}"),
    token("an API key", "sk-ant-", Start, r"[\w-]{20,200}", High, "Anthropic: Authentication", "sk-ant-api03-{w93}AA", "sk-ant-{A8}"),
    token("an API key", "sk-proj-|sk-svcacct-|sk-admin-|sk-or-v1-", Start, r"[\w-]{20,200}", High, "OpenAI and OpenRouter: Authentication", "sk-proj-{w80}", "sk-proj-my-first-one"),
    token("an API key", "sk-", Start, r"[A-Za-z0-9][\w-]{19,200}", High, "OpenAI and many compatible services: Authentication", "sk-{A48}", "sk-folding-cube-and-its-shadow"),
    token("a Stripe key", "sk_live_|sk_test_|rk_live_|rk_test_|sk_prod_|rk_prod_", Start, "[A-Za-z0-9]{16,250}", High, "Stripe: API keys", "sk_live_{A24}", "sk_live_{A8}"),
    token("a webhook's secret", "whsec_", Start, "[A-Za-z0-9+/]{24,100}={0,2}", High, "Stripe and Svix: Verify webhook signatures", "whsec_{A32}", "whsec_{A8}"),
    token("a Slack token", "xoxb-|xoxp-|xoxa-|xoxr-|xoxs-|xoxc-|xoxd-|xoxe-|xoxe.|xapp-", Start, r"[\w.%-]{20,300}", High, "Slack: Token types", "xoxb-{d11}-{d12}-{A24}", "xoxb-{d9}"),
    token("a Slack webhook", "hooks.slack.com/services/|hooks.slack.com/workflows/|hooks.slack.com/triggers/", Any, r"[A-Z0-9]{6,15}/[\w/]{16,100}", High, "Slack: Sending messages using incoming webhooks", "https://hooks.slack.com/services/T{U8}/B{U10}/{A24}", "https://hooks.slack.com/services/"),
    token("a Discord webhook", "discord.com/api/webhooks/|discordapp.com/api/webhooks/", Any, r"\d{15,21}/[\w-]{50,100}", High, "Discord: Webhook resource", "https://discord.com/api/webhooks/{d18}/{w68}", "https://discord.com/api/webhooks/{d18}"),
    token("a Teams webhook", ".webhook.office.com/webhookb2/", Any, r"[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}/[\w-]{20,60}", High, "Microsoft Teams: Create incoming webhooks", "https://x.webhook.office.com/webhookb2/{u}@{u}/IncomingWebhook/{h32}/{u}", "https://x.webhook.office.com/webhookb2/"),
    token("a Zapier webhook", "hooks.zapier.com/hooks/catch/", Any, r"\d{4,12}/\w{5,20}", High, "Zapier: Trigger Zaps from webhooks", "https://hooks.zapier.com/hooks/catch/{d7}/{A7}", "https://hooks.zapier.com/hooks/catch/"),
    token("a Google key", "AIza", Start, r"[\w-]{35}", High, "Google Cloud: Authenticate by using API keys", "AIza{w35}", "AIza{w10}"),
    token("a Google token", "ya29.", Start, r"[\w.-]{20,2000}", High, "Google: Using OAuth 2.0", "ya29.{w60}", "ya29.{w4}"),
    token("a Google secret", "GOCSPX-", Start, r"[\w-]{28}", High, "Google: OAuth client secrets", "GOCSPX-{w28}", "GOCSPX-{w5}"),
    token("a Google token", "1//0", Start, r"[\w-]{40,200}", High, "Google: Using OAuth 2.0, refresh tokens", "1//0{w60}", "1//0{w8}"),
    token("a Firebase key", ":APA91b", Word(11, 22), r"[\w-]{100,250}", High, "Firebase: Cloud Messaging registration tokens", "{A11}:APA91b{w134}", "{A11}:APA91b{w20}"),
    token("an npm token", "npm_", Start, "[A-Za-z0-9]{36}", High, "npm: About access tokens", "npm_{A36}", "npm_{A12}"),
    token("a PyPI token", "pypi-AgEIcHlwaS5vcmc|pypi-AgENdGVzdC5weXBpLm9yZw", Start, r"[\w-]{50,1000}", High, "PyPI: API tokens", "pypi-AgEIcHlwaS5vcmc{w120}", "pypi-AgEIcHlwaS5vcmc"),
    token("a RubyGems key", "rubygems_", Start, "[0-9a-f]{48}", High, "RubyGems: API key scopes", "rubygems_{h48}", "rubygems_{h8}"),
    token("a crates.io token", "cio", Start, "[A-Za-z0-9]{32}", High, "crates.io: API tokens", "cio{A32}", "cio{A9}"),
    token("a NuGet key", "oy2", Start, "[a-z0-9]{43}", High, "NuGet: API keys", "oy2{a43}", "oy2{a9}"),
    token("a Clojars token", "CLOJARS_", Start, "[a-z0-9]{60}", High, "Clojars: Deploy tokens", "CLOJARS_{a60}", "CLOJARS_{a9}"),
    token("a Docker token", "dckr_pat_|dckr_oat_", Start, r"[\w-]{20,60}", High, "Docker: Personal access tokens", "dckr_pat_{w27}", "dckr_pat_{w5}"),
    token("a Hugging Face token", "hf_|api_org_", Start, "[A-Za-z0-9]{30,60}", High, "Hugging Face: User access tokens", "hf_{A34}", "hf_{A9}"),
    token("a Replicate token", "r8_", Start, "[A-Za-z0-9]{37}", High, "Replicate: API tokens", "r8_{A37}", "r8_{A9}"),
    token("an API key", "gsk_", Start, "[A-Za-z0-9]{48,60}", High, "Groq: API keys", "gsk_{A52}", "gsk_{A9}"),
    token("an API key", "xai-", Start, "[A-Za-z0-9]{70,90}", High, "xAI: API keys", "xai-{A80}", "xai-{A9}"),
    token("an API key", "pplx-|csk-|fw_|tvly-|pcsk_|lsv2_pt_|lsv2_sk_|nvapi-|voy-|jina_", Start, r"[\w-]{30,100}", High, "Perplexity, Cerebras, Fireworks, Tavily, Pinecone, LangSmith, NVIDIA, Jina: API keys", "pplx-{A48}", "pplx-{A9}"),
    token("a DigitalOcean token", "dop_v1_|doo_v1_|dor_v1_", Start, "[A-Za-z0-9]{32,64}", High, "DigitalOcean: Personal access tokens", "dop_v1_{h64}", "dop_v1_{h9}"),
    token("a Vault token", "hvs.|hvb.|hvr.", Start, r"[\w-]{20,400}", High, "HashiCorp Vault: Tokens, prefixes", "hvs.{w95}", "hvs.{w8}"),
    token("a Terraform token", ".atlasv1.", Word(14, 14), r"[\w-]{50,90}", High, "Terraform Cloud: API tokens", "{A14}.atlasv1.{w67}", "{A14}.atlasv1.{w7}"),
    token("a Shopify token", "shpat_|shpca_|shppa_|shpss_|shpua_", Start, "[0-9a-fA-F]{32}", High, "Shopify: Authentication, new token formats", "shpat_{h32}", "shpat_{h9}"),
    token("a Cloudflare key", "v1.0-", Start, "[0-9a-f]{24}-[0-9a-f]{100,160}", High, "Cloudflare: Get Origin CA keys", "v1.0-{h24}-{h146}", "v1.0-{h7}"),
    token("a Fly.io token", "fo1_|fm1_|fm2_|fm2r_", Start, "[A-Za-z0-9_+/=-]{40,4000}", High, "Fly.io: Access tokens", "fo1_{w43}", "fo1_{w8}"),
    token("a Heroku key", "HRKU-", Start, r"[\w-]{36,80}", High, "Heroku: Authentication", "HRKU-{u}", "HRKU-{a6}"),
    token("a Netlify token", "nfp_", Start, "[A-Za-z0-9]{36,40}", High, "Netlify: Personal access tokens", "nfp_{A36}", "nfp_{A9}"),
    token("a Supabase key", "sbp_|sb_secret_", Start, r"[\w-]{30,60}", High, "Supabase: Understanding API keys", "sbp_{h40}", "sbp_{h9}"),
    token("a PlanetScale token", "pscale_tkn_|pscale_pw_|pscale_oauth_", Start, r"[\w.=-]{32,64}", High, "PlanetScale: Service tokens", "pscale_pw_{w43}", "pscale_pw_{w8}"),
    token("a Databricks token", "dapi", Start, "[0-9a-f]{32}(?:-[0-9])?", High, "Databricks: Personal access token authentication", "dapi{h32}", "dapi{h9}"),
    token("a Grafana token", "glsa_", Start, "[A-Za-z0-9]{32}_[0-9a-fA-F]{8}", High, "Grafana: Service account tokens", "glsa_{A32}_{h8}", "glsa_{A8}"),
    token("a Grafana token", "glc_", Start, "[A-Za-z0-9+/]{32,400}={0,2}", High, "Grafana Cloud: Access policy tokens", "glc_{A90}", "glc_{A8}"),
    token("a New Relic key", "NRAK-|NRJS-|NRII-|NRIQ-", Start, r"[\w-]{19,40}", High, "New Relic: API keys", "NRAK-{U27}", "NRAK-{U6}"),
    token("a Sentry token", "sntrys_|sntryu_", Start, r"[\w+/=-]{60,300}", High, "Sentry: Auth tokens", "sntryu_{h64}", "sntryu_{h9}"),
    token("a Linear key", "lin_api_|lin_oauth_", Start, "[A-Za-z0-9]{32,70}", High, "Linear: Personal API keys", "lin_api_{A40}", "lin_api_{A9}"),
    token("a Notion token", "ntn_|secret_", Start, "[A-Za-z0-9]{43,50}", High, "Notion: Authorization", "ntn_{A46}", "ntn_{A9}"),
    token("a Figma token", "figd_|figoh_|figor_", Start, r"[\w-]{38,60}", High, "Figma: Access tokens", "figd_{w40}", "figd_{w9}"),
    token("an Airtable token", "pat", Start, r"[A-Za-z0-9]{14}\.[0-9a-f]{64}", High, "Airtable: Personal access tokens", "pat{A14}.{h64}", "pat{A14}.{h6}"),
    token("an Atlassian token", "ATATT3|ATCTT3|ATBB", Start, r"[\w=-]{20,250}", High, "Atlassian: API tokens", "ATATT3{w180}={h8}", "ATATT3{w8}"),
    token("a Dropbox token", "sl.", Start, r"(?:u\.)?[\w-]{130,1500}", High, "Dropbox: OAuth guide", "sl.{w138}", "sl.{w8}"),
    token("a Facebook token", "EAACEdEose0cBA|EAAC|EAAG|EAAB|EAAJ|EAAM", Start, "[A-Za-z0-9]{80,300}", High, "Meta: Access tokens", "EAAG{A120}", "EAAG{A20}"),
    token("a Twitter token", "AAAAAAAAAAAAAAAAAAAAA", Start, "[A-Za-z0-9%]{60,120}", High, "X: OAuth 2.0 bearer token", "AAAAAAAAAAAAAAAAAAAAAM{A90}", "AAAAAAAAAAAAAAAAAAAAAM{A9}"),
    token("a Square token", "sq0atp-|sq0csp-", Start, r"[\w-]{22,43}", High, "Square: Access tokens", "sq0atp-{w22}", "sq0atp-{w5}"),
    token("a Square token", "EAAA", Start, r"[\w-]{60}", High, "Square: Access tokens", "EAAA{w60}", "EAAA{w9}"),
    token("a Braintree token", "access_token$production$|access_token$sandbox$", Start, r"[0-9a-z]{16}\$[0-9a-f]{32}", High, "Braintree: Gateway credentials", "access_token$production${a16}${h32}", "access_token$production$"),
    token("a Plaid token", "access-sandbox-|access-development-|access-production-", Start, "[0-9a-f-]{36}", High, "Plaid: API tokens", "access-production-{u}", "access-production-{h6}"),
    token("a Razorpay key", "rzp_live_|rzp_test_", Start, "[A-Za-z0-9]{14}", High, "Razorpay: API keys", "rzp_live_{A14}", "rzp_live_{A4}"),
    token("a Flutterwave key", "FLWSECK_TEST-|FLWSECK-", Start, "[0-9a-zA-Z]{12,40}(?:-X)?", High, "Flutterwave: Authentication", "FLWSECK_TEST-{h32}-X", "FLWSECK_TEST-{h4}"),
    token("a Shippo token", "shippo_live_|shippo_test_", Start, "[0-9a-fA-F]{40}", High, "Shippo: Authentication", "shippo_live_{h40}", "shippo_live_{h4}"),
    token("an EasyPost key", "EZAK|EZTK", Start, "[A-Za-z0-9]{54}", High, "EasyPost: Authentication", "EZAK{A54}", "EZAK{A5}"),
    token("a Doppler token", "dp.pt.|dp.st.|dp.ct.|dp.sa.|dp.scim.|dp.audit.", Start, r"(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}", High, "Doppler: Token formats", "dp.pt.{A43}", "dp.pt.{A9}"),
    token("a 1Password token", "ops_eyJ", Start, "[A-Za-z0-9_=-]{100,2000}", High, "1Password: Service accounts", "ops_eyJ{w250}", "ops_eyJ{w9}"),
    token("a 1Password key", "A3-", Start, "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}", High, "1Password: About your Secret Key", "A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}", "A3-{U6}-{U6}"),
    token("a Pulumi token", "pul-", Start, "[0-9a-f]{40}", High, "Pulumi: Access tokens", "pul-{h40}", "pul-{h9}"),
    token("a Prefect key", "pnu_|pnb_", Start, "[A-Za-z0-9]{36}", High, "Prefect: Manage API keys", "pnu_{a36}", "pnu_{a9}"),
    token("a Postman key", "PMAK-", Start, "[0-9a-f]{24}-[0-9a-f]{34}", High, "Postman: API authentication", "PMAK-{h24}-{h34}", "PMAK-{h9}"),
    token("a ReadMe key", "rdme_", Start, "[a-z0-9]{60,80}", High, "ReadMe: API keys", "rdme_{a70}", "rdme_{a9}"),
    token("a Dynatrace token", "dt0c01.|dt0s01.|dt0s02.|dt0s16.", Start, r"[A-Z0-9]{8,24}\.[A-Z0-9]{64}", High, "Dynatrace: Access tokens, token format", "dt0c01.{U24}.{U64}", "dt0c01.{U24}"),
    token("a Contentful token", "CFPAT-", Start, r"[\w-]{43}", High, "Contentful: Personal access tokens", "CFPAT-{w43}", "CFPAT-{w9}"),
    token("a Typeform token", "tfp_", Start, r"[\w.-]{40,70}", High, "Typeform: Personal access token", "tfp_{w59}", "tfp_{w9}"),
    token("a HubSpot token", "pat-na1-|pat-na2-|pat-eu1-|pat-ap1-", Start, "[0-9a-f-]{36}", High, "HubSpot: Private apps", "pat-na1-{u}", "pat-na1-{h8}"),
    token("a Sourcegraph token", "sgp_|slk_", Start, "(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40,64}", High, "Sourcegraph: Access tokens", "sgp_{h40}", "sgp_{h9}"),
    token("a Buildkite token", "bkua_|bkaj_|bkat_", Start, "[0-9a-f]{40}", High, "Buildkite: Managing API access tokens", "bkua_{h40}", "bkua_{h9}"),
    token("a CircleCI token", "CCIPAT_|CCIPRJ_", Start, "[A-Za-z0-9]{22}_[0-9a-f]{40}", High, "CircleCI: Managing API tokens", "CCIPAT_{A22}_{h40}", "CCIPAT_{A9}"),
    token("a SonarQube token", "squ_|sqp_|sqa_", Start, "[0-9a-f]{40}", High, "SonarQube: Managing your tokens", "squ_{h40}", "squ_{h9}"),
    token("an Artifactory key", "AKCp", Start, "[A-Za-z0-9]{60,70}", High, "JFrog: API key", "AKCp{A69}", "AKCp{A9}"),
    token("an Azure secret", "Q~", Word(3, 4), r"[\w~.-]{31,34}", High, "Microsoft Entra: Application client secrets", "{A3}8Q~{A34}", "{A3}8Q~{A5}"),
    token("an Alibaba key", "LTAI", Start, "[A-Za-z0-9]{16,20}", High, "Alibaba Cloud: AccessKey pair", "LTAI{A20}", "LTAI{A5}"),
    token("a Tencent key", "AKID", Start, "[A-Za-z0-9]{32}", High, "Tencent Cloud: Access keys", "AKID{A32}", "AKID{A5}"),
    token("a Tailscale key", "tskey-", Start, "[a-z]{3,10}-[A-Za-z0-9]{8,30}-[A-Za-z0-9]{20,40}", High, "Tailscale: Key prefixes", "tskey-auth-{A17}-{A32}", "tskey-auth-{A5}"),
    token("a Mapbox token", "sk.eyJ|tk.eyJ", Start, r"[\w-]{40,200}\.[\w-]{20,30}", High, "Mapbox: Access tokens", "sk.eyJ{w60}.{w22}", "sk.eyJ{w6}"),
    token("a SendGrid key", "SG.", Start, r"[\w-]{16,32}\.[\w-]{16,64}", High, "Twilio SendGrid: API keys", "SG.{w22}.{w43}", "SG.{w9}"),
    token("a Twilio key", "SK", Start, "[0-9a-fA-F]{32}", Low, "Twilio: API keys", "SK{h32}", "SK{h9}"),
    token("a Mailgun key", "key-", Start, "[0-9a-f]{32}", High, "Mailgun: Authentication", "key-{h32}", "key-{h9}"),
    token("a Mailchimp key", "-us", Hex(32, 32), "[0-9]{1,2}", High, "Mailchimp: Marketing API quick start", "{h32}-us12", "{h9}-us12"),
    token("a Brevo key", "xkeysib-|xsmtpsib-", Start, "[0-9a-f]{64}-[A-Za-z0-9]{16}", High, "Brevo: API keys", "xkeysib-{h64}-{A16}", "xkeysib-{h9}"),
    token("a Resend key", "re_", Start, "[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}", High, "Resend: API keys", "re_{A8}_{A24}", "re_{A8}"),
    token("a Telegram token", ":AA", Digits(8, 11), r"[\w-]{32,33}", High, "Telegram: Bots FAQ, tokens", "{d10}:AA{w33}", "{d10}:AA{w9}"),
    token("an ElevenLabs key", "sk_", Start, "[0-9a-f]{48}", High, "ElevenLabs: Authentication", "sk_{h48}", "sk_{h9}"),
    token("a LaunchDarkly key", "sdk-|mob-|api-", Start, "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", High, "LaunchDarkly: Keys", "sdk-{u}", "sdk-{h8}"),
    token("a Rails or Django key", "django-insecure-", Start, "[!-~]{40,60}", Low, "Django: SECRET_KEY of startproject", "django-insecure-{w50}", "django-insecure-"),
    token("an age key", "AGE-SECRET-KEY-", Start, "[A-Z0-9]{40,70}", High, "age: format", "AGE-SECRET-KEY-1{U58}", "AGE-SECRET-KEY-1{U9}"),
    token("a private key", "MIIEowIBAAKCAQEA|MIIEpAIBAAKCAQEA|MIIEpQIBAAKCAQEA|MIIJKQIBAAKCAgEA|MIIJKAIBAAKCAgEA|MIIJKgIBAAKCAgEA|MIICXAIBAAKBgQ|MIICXQIBAAKBgQ|MIIEvQIBADANBgkqhkiG9w0BAQ|MIIEvgIBADANBgkqhkiG9w0BAQ|MIIEvAIBADANBgkqhkiG9w0BAQ|MIIJQgIBADANBgkqhkiG9w0BAQ|MIIJQwIBADANBgkqhkiG9w0BAQ|MIGHAgEAMBMGByqGSM49|MHcCAQEEI|MC4CAQAwBQYDK2VwBCIEI|b3BlbnNzaC1rZXktdjEA", Start, r"(?:[A-Za-z0-9+/=]|\\[nr]){16,8000}", High, "RFC 8017, RFC 5915, RFC 5958 and OpenSSH PROTOCOL.key: the first bytes of a key, in base64", "MIIEpAIBAAKCAQEA{A200}", "MIIEpAIBAAKCAQEA"),
    token("a private key", "LS0tLS1CRUdJTiBQUklWQVRF|LS0tLS1CRUdJTiBSU0Eg|LS0tLS1CRUdJTiBFQy|LS0tLS1CRUdJTiBPUEVO|LS0tLS1CRUdJTiBEU0Eg|LS0tLS1CRUdJTiBFTkNS", Start, r"[A-Za-z0-9+/=]{20,16000}", High, "RFC 7468: the first bytes of a private key's text, in base64", "LS0tLS1CRUdJTiBSU0Eg{A300}", "LS0tLS1CRUdJTiBSU0Eg"),
    token("an Adobe secret", "p8e-", Start, "[A-Za-z0-9]{32}", High, "Adobe Developer Console: OAuth credentials", "p8e-{A32}", "p8e-{A9}"),
    token("a Duffel token", "duffel_test_|duffel_live_", Start, r"[\w=-]{43}", High, "Duffel: Access tokens", "duffel_live_{w43}", "duffel_live_{w9}"),
    token("a Frame.io token", "fio-u-", Start, r"[\w=-]{64}", High, "Frame.io: Developer tokens", "fio-u-{w64}", "fio-u-{w9}"),
    token("a GitLab token", "GR1348941", Start, r"[\w-]{20}", High, "GitLab: Runner registration tokens", "GR1348941{w20}", "GR1348941{w6}"),
    token("a Harness key", "pat.|sat.", Start, r"[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}", High, "Harness: Manage API keys", "pat.{w22}.{h24}.{A20}", "pat.{w22}.{h9}"),
    token("an Infracost key", "ico-", Start, "[A-Za-z0-9]{32}", High, "Infracost: Environment variables, API key", "ico-{A32}", "ico-{A9}"),
    token("a 42 secret", "s-s4t2ud-|s-s4t2af-", Start, "[0-9a-f]{64}", High, "42 API: Getting started", "s-s4t2ud-{h64}", "s-s4t2ud-{h9}"),
    token("a MaxMind key", "_mm", Word(36, 36), "k", High, "MaxMind: License keys", "{A6}_{A29}_mmk", "{A6}_{A9}_mmk"),
    token("an Octopus key", "API-", Start, "[A-Z0-9]{26,32}", High, "Octopus Deploy: How to create an API key", "API-{U26}", "API-{U9}"),
    token("an OpenShift token", "sha256~", Start, r"[\w-]{43}", High, "OpenShift: Using bound OAuth access tokens", "sha256~{w43}", "sha256~{w9}"),
    token("a Scalingo token", "tk-us-", Start, r"[\w-]{48}", High, "Scalingo: Authentication", "tk-us-{w48}", "tk-us-{w9}"),
    token("a SettleMint token", "sm_pat_|sm_aat_|sm_sat_", Start, "[A-Za-z0-9]{16}", High, "SettleMint: Access tokens", "sm_pat_{A16}", "sm_pat_{A6}"),
    token("a signature in a URL", "?sig=|&sig=|;sig=|&amp;sig=|Signature=", Any, "[A-Za-z0-9%+/_-]{32,120}={0,2}", Low, "Azure Storage: Create a service SAS; AWS: Authenticating requests with query parameters", "?sv=2022&sig={A43}%3D", "?sig={A9}"),
    token("an Azure storage key", "AccountKey=|SharedAccessKey=|SharedSecretValue=", Any, "[A-Za-z0-9%+/]{16,120}={0,2}", High, "Azure Storage: Configure connection strings", "AccountKey={b86}==", "AccountKey=<key>"),
];

/// Names of passwords: any text assigned to them counts, unless it is a placeholder.
///
/// The words of a name may be joined in any way.
#[rustfmt::skip]
pub(super) const PASSWORDS: &[&str] = &[
    "password", "pass word", "passwd", "passphrase", "pass phrase", "passwrd", "pwd", "passcode", "pass code", "user pw", "db pw", "db pass", "pg pass",
    "requirepass",
    // German, Spanish, French, Portuguese, Dutch, Swedish, Norwegian, Danish, Finnish, Polish, Czech,
    // Italian, Romanian, Hungarian, Croatian, Slovene, Lithuanian, Estonian, Turkish, Russian, Ukrainian,
    // Greek.
    "passwort", "kennwort", "contrasena", "contraseña", "contrasenya", "mot de passe", "senha",
    "wachtwoord", "lösenord", "losenord", "passord", "adgangskode", "salasana", "haslo", "hasło", "heslo", "parola", "jelszo",
    "jelszó", "lozinka", "geslo", "slaptazodis", "parool", "sifre", "şifre", "пароль", "κωδικός",
];

/// Short names of passwords, which count as a whole word within a longer name: `db_pass`, `rootPw`.
pub(super) const SHORT_PASSWORDS: &[&str] = &["pass", "pw", "psw", "psk", "mdp", "clave"];

/// Names of keys and tokens: a text assigned to them counts if it looks random.
///
/// The words of a name may be joined in any way.
#[rustfmt::skip]
pub(super) const KEYS: &[&str] = &[
    "secret", "secret key", "token", "credential", "api key", "access key", "private key", "priv key", "signing key", "encryption key", "auth key",
    "master key", "shared key", "account key", "storage key", "session key", "hmac key", "aes key", "app key", "service key", "license key",
    "webhook key", "deploy key", "client key", "admin key", "write key", "ssh key", "jwt key", "connection string", "authorization", "x-auth",
    "geheimnis", "schluessel", "bearer", "session id", "salt", "seed phrase", "pepper", "dockerconfigjson",
];

/// Names, as one word each, for which a long literal certainly counts as a secret.
#[rustfmt::skip]
pub(super) const CERTAIN: &[&str] = &["secret", "secretkey", "password", "passwd", "apikey", "accesskey", "privatekey", "authtoken", "accesstoken"];

/// Words behind a name in its identifier with which it names something else: `password_file`, `tokenUrl`.
#[rustfmt::skip]
pub(super) const OTHER_TAILS: &[&str] = &[
    // What is known of a secret, or done with it.
    "hash", "hashes", "hashed", "hasher", "hashing", "digest", "checksum", "fingerprint", "sha", "md", "length", "len", "size", "count", "counts", "min", "max",
    "limit", "limits", "bytes", "chars", "bits", "rounds", "cost", "strength", "score", "age", "ttl", "expiry", "expires", "expired", "expiration",
    "lifetime", "timeout", "policy", "policies", "rule", "rules", "regex", "pattern", "format", "encoding", "encoder", "encryption", "algorithm", "alg", "algo",
    "type", "types", "kind", "kinds", "class", "version", "status", "state", "mode", "scope", "scopes", "claim", "claims", "issuer", "audience",
    "reset", "change", "changed", "check", "checker", "valid", "invalid", "validate", "validator", "validation", "verify", "verifier", "match",
    "matches", "mismatch", "required", "enabled", "disabled", "history", "attempts", "rotation", "usage", "used", "needed", "supported", "allowed",
    // Where it is.
    "file", "files", "filename", "path", "paths", "dir", "folder", "url", "urls", "uri", "link", "href", "endpoint", "vault", "manager", "provider", "source", "ref", "refs", "reference", "arn", "name", "names", "var", "variable", "column", "header",
    "cookie", "param", "params", "parameter", "arg", "argument", "flag", "option", "options", "selector", "property", "attribute", "location",
    // How it is shown and asked for.
    "field", "fields", "input", "box", "form", "label", "placeholder", "hint", "help", "message", "messages", "msg", "error", "errors", "err",
    "exception", "warning", "title", "description", "desc", "doc", "docs", "prompt", "button", "icon", "visible", "visibility", "show", "hide",
    "toggle", "template", "view", "screen", "dialog", "callback", "handler", "helper", "generator", "factory", "builder", "request", "response", "event", "util", "utils", "flow", "grant", "spec", "schema", "config", "settings", "definition", "method",
    "function", "entity", "table", "array", "iter", "stream", "tree", "span", "start", "end", "index", "offset",
    "position", "range", "next", "prefix", "suffix", "separator", "char", "pos", "created", "updated", "date", "time", "at",
    "tag", "tags", "parser", "lexer", "sequence", "seq", "cache", "buffer", "pool", "queue",
];

/// Words before the name of a key with which it names a list position or a lock instead of a secret: `next_token`.
pub(super) const OTHER_HEADS: &[&str] = &[
    "next",
    "previous",
    "prev",
    "page",
    "continuation",
    "pagination",
    "paging",
    "cancellation",
    "lock",
    "change",
];

/// Verbs before a name for calls that read a secret instead of setting it: `get_password("service")`.
#[rustfmt::skip]
pub(super) const ASKING: &[&str] = &[
    "get", "find", "fetch", "read", "load", "prompt", "ask", "input", "delete", "remove", "is", "has", "no", "missing", "invalid", "bad",
    "wrong", "forgot", "reset", "lookup", "resolve", "test", "need", "needs", "require", "parse", "expect", "min", "max", "describe", "it", "new_generic",
];

/// Functions that take a name and a value: `setenv("DB_PASSWORD", "x")`, or a name and its default.
#[rustfmt::skip]
pub(super) const PAIRING: &[&str] = &[
    "getenv", "get", "env", "setenv", "set", "put", "putenv", "define", "getproperty", "setproperty", "getordefault", "fetch", "insert",
    "add", "append", "header", "setheader", "addheader", "with_env", "env_or", "config", "setdefault", "getstring", "get_str", "withenv", "setstring",
    "set_var", "envs", "getvar", "property", "option", "setoption", "setx", "field", "arg", "query", "form", "kv", "param", "addproperty",
];

/// Operators before a default: `os.environ.get("DB_PASSWORD") or "x"`.
pub(super) const FALLBACKS: &[&str] = &["||", "??", "?:", "or ", ".unwrap_or(", ".or(", "else "];

/// Wrappers of a value: `Some("x")`.
#[rustfmt::skip]
pub(super) const WRAPPERS: &[&str] = &[
    "Some(", "String::from(", "new String(", "SecretString::new(", "SecretString::from(", "SecretStr(", "Secret::new(", "Secret(",
    "Password::new(", "Password(", "CString::new(", "Cow::Borrowed(", "base64.b64decode(", "b64decode(", "atob(", "Buffer.from(", "bytes(", "str(",
    "ConvertTo-SecureString -String ", "ConvertTo-SecureString ", "base64:",
    "[]byte(", "aws.String(", "pulumi.String(", "to_string(", "char[]{", "(", "[",
];

/// Keys of a value whose name is next to it: `name: DB_PASSWORD`, `value: x`.
pub(super) const VALUE_KEYS: &[&str] =
    &["value", "default", "val", "defaultvalue", "stringvalue", "secretvalue"];

/// Keys of a name whose value is next to it.
pub(super) const NAME_KEYS: &[&str] = &["name", "key", "variable", "id", "field", "env"];

/// Texts that are placeholders for a secret, or mean that there is none.
#[rustfmt::skip]
pub(super) const STAND_INS: &[&str] = &[
    "yourpassword", "mypassword", "thepassword", "my", "me", "enter", "put", "insert", "replace", "goes", "new", "old", "some", "secure", "strong", "token", "key",
    "example", "changeme", "change_me", "change-me", "changeit", "placeholder", "redacted", "string", "str", "text", "null", "none", "nil", "true",
    "false", "undefined", "optional", "required", "bool", "boolean", "int", "integer", "number", "object", "any", "unknown", "void", "bytes",
    "char", "varchar", "xxx", "test", "testing", "foo", "bar", "baz", "foobar", "dummy", "fake", "sample", "demo", "abc", "hello", "todo", "tbd",
    "fixme", "unset", "empty", "blank", "hidden", "masked", "omitted", "removed", "filtered", "sensitive", "value", "data", "default", "username",
    "user", "email", "login", "name", "admin", "root", "type", "field", "input", "prompt", "self", "this", "yes", "no", "on", "off", "array",
    "list", "dict", "map", "bearer", "basic", "digest", "oauth", "oauth2", "jwt", "utf-8", "utf8", "ascii", "hex", "base64", "sha256", "sha1",
    "md5", "sha512", "pass", "passw", "pw", "hs256", "rs256", "uint8array", "something", "whatever", "system", "hashed", "plain", "mypass", "anonymous", "guest", "the", "and", "or", "is", "in", "option", "flag",
    "argument", "parameter", "for", "to", "with", "must", "should", "file", "path", "hash", "auth", "expected", "found", "not", "if", "can", "was", "are",
    "prompted", "interactively", "here", "usage", "your", "config", "credentials", "keyring", "function", "const", "let", "var", "return", "async",
    "await", "import", "from", "stdin", "authentication", "based", "protected", "manager", "policy", "reset", "change", "when", "as", "at", "of", "a", "an",
];

/// Words that distinguish a message from a passphrase with blanks.
#[rustfmt::skip]
pub(super) const MESSAGE_WORDS: &[&str] = &[
    "the", "a", "an", "is", "are", "was", "be", "been", "your", "you", "my", "for", "to", "of", "in", "on", "at", "by", "with", "from", "and", "or", "not",
    "must", "may", "can", "cannot", "could", "should", "will", "would", "has", "have", "had", "no", "please", "enter", "invalid", "incorrect", "wrong",
    "required", "missing", "forgot", "forgotten", "new", "old", "current", "confirm", "repeat", "change", "reset", "if", "this", "that", "it",
    "does", "do", "did", "use", "used", "using", "set", "get", "field", "value", "name", "user", "username", "login", "sign", "email", "too", "least",
    "characters", "character", "wird", "ist", "ein", "das", "bitte", "le", "la", "de", "el", "un", "une", "und", "oder", "der", "die", "error", "failed",
    "string", "type", "only", "all", "when", "as", "expected", "unexpected", "found", "test", "file", "check", "optional", "default", "example",
];

/// Words of a name for which a long literal in hexadecimal or base64 counts as a key: `aes_key`, `hmac`,
/// `signingSeed`.
#[rustfmt::skip]
pub(super) const KEY_NAME_WORDS: &[&str] = &[
    "key", "keys", "secret", "seed", "private", "signing", "aes", "hmac", "jwt", "webhook", "cipher", "encryption", "master", "credential",
    "credentials", "token", "auth", "account",
];

/// Words of a name with which such a literal is public: `public_key`, `cacheKey`, `key_hash`.
#[rustfmt::skip]
pub(super) const PUBLIC_NAME_WORDS: &[&str] = &[
    "public", "pub", "cache", "primary", "foreign", "sort", "partition", "id", "hash", "digest", "checksum", "sum", "sha", "sha1", "sha256",
    "sha512", "md5", "fingerprint", "integrity", "etag", "commit", "rev", "revision", "cert", "certificate", "site", "sitekey", "image", "icon",
    "mappings", "alphabet", "chars", "cursor", "next", "page", "signature", "thumbprint",
];

/// HTML elements whose text is shown to people.
#[rustfmt::skip]
pub(super) const LABELS: &[&str] = &[
    "label", "option", "button", "a", "td", "th", "li", "span", "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "input", "legend", "code", "title", "dt", "dd",
    "b", "i", "em", "strong", "small", "var", "kbd", "pre", "summary", "caption", "trans-unit", "unit", "term", "xref", "ref", "link", "see",
];

/// The form in which a program takes a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `-p x`
    Next,
    /// `-p x`, where `x` counts only if it looks random.
    NextRandom,
    /// `-px`
    Glued,
    /// `-u name:x`
    Pair(char),
    /// The last argument, if the flag is present.
    Last,
}

/// Programs, the flag that takes a secret, its form, and a word required on the line.
#[rustfmt::skip]
pub(super) const COMMANDS: &[(&str, &str, Form, &str)] = &[
    ("curl", "-u", Form::Pair(':'), ""),
    ("curl", "--user", Form::Pair(':'), ""),
    ("curl", "-U", Form::Pair(':'), ""),
    ("curl", "--proxy-user", Form::Pair(':'), ""),
    ("httpie", "-a", Form::Pair(':'), ""),
    ("mysql", "-p", Form::Glued, ""),
    // By the program's rules it is the name of a database, but often meant as the password.
    ("mysql", "-p", Form::NextRandom, ""),
    ("mysqldump", "-p", Form::Glued, ""),
    ("mysqldump", "-p", Form::NextRandom, ""),
    ("mysqladmin", "-p", Form::Glued, ""),
    ("mysqlimport", "-p", Form::Glued, ""),
    ("mariadb", "-p", Form::Glued, ""),
    ("sshpass", "-p", Form::Next, ""),
    ("sshpass", "-p", Form::Glued, ""),
    ("ssh-keygen", "-N", Form::Next, ""),
    ("ssh-keygen", "-P", Form::Next, ""),
    ("redis-cli", "-a", Form::Next, ""),
    ("docker", "-p", Form::Next, "login"),
    ("podman", "-p", Form::Next, "login"),
    ("helm", "-p", Form::Next, "login"),
    ("az", "-p", Form::Next, "login"),
    ("oc", "-p", Form::Next, "login"),
    ("cf", "-p", Form::Next, "login"),
    ("mongo", "-p", Form::Next, "-u"),
    ("mongosh", "-p", Form::Next, "-u"),
    ("mongodump", "-p", Form::Next, "-u"),
    ("mongorestore", "-p", Form::Next, "-u"),
    ("ldapsearch", "-w", Form::Next, ""),
    ("ldapadd", "-w", Form::Next, ""),
    ("ldapmodify", "-w", Form::Next, ""),
    ("sqlcmd", "-P", Form::Next, ""),
    ("bcp", "-P", Form::Next, "-U"),
    ("ipmitool", "-P", Form::Next, ""),
    ("smbclient", "-U", Form::Pair('%'), ""),
    ("rpcclient", "-U", Form::Pair('%'), ""),
    ("sqlplus", "", Form::Pair('/'), ""),
    ("unzip", "-P", Form::Next, ""),
    ("zip", "-P", Form::Next, ""),
    ("7z", "-p", Form::Glued, ""),
    ("keytool", "-storepass", Form::Next, ""),
    ("keytool", "-keypass", Form::Next, ""),
    ("jarsigner", "-storepass", Form::Next, ""),
    ("openssl", "pass:", Form::Glued, ""),
    ("xfreerdp", "/p:", Form::Glued, ""),
    ("twine", "-p", Form::Next, ""),
    ("htpasswd", "-b", Form::Last, ""),
    ("htpasswd", "-nb", Form::Last, ""),
    ("htpasswd", "-cb", Form::Last, ""),
    ("htpasswd", "-nbB", Form::Last, ""),
    ("wpa_passphrase", "", Form::Last, ""),
    ("chpasswd", "", Form::Pair(':'), "echo"),
];

/// Callees and keys that take a user and a password: `auth = ("bob", "x")`, `NetworkCredential("bob", "x")`.
#[rustfmt::skip]
pub(super) const PAIRS: &[&str] = &[
    "auth=", "auth =", "auth:", "auth\":", "auth\\\":", "basicauth(", "basic_auth(", "basic-auth(", "digestauth(", "credential(", "credentials(", "credentials=", "login(",
    "authenticate(", "proxyauth(", "userpass(", "usernamepassword(", "passwordauthentication(", "authenticationtoken(",
];

/// Prefixes of base64 images, fonts and archives, which are long but not secret.
#[rustfmt::skip]
pub(super) const HARMLESS_BASE64: &[&str] = &[
    "iVBOR", "R0lGOD", "/9j/", "d09GR", "d09GMg", "AAEAAAA", "T1RUTw", "UklGR", "PHN2Zy", "AGFzbQ", "UEsDB", "H4sI", "JVBERi", "AAABAA", "SUkq", "Qk0",
    "T2dnUw", "SUQz", "eNq", "eJy", "MIIB", "MIIC", "MIID", "MIIE", "MIIF", "MIIG", "MIIH", "LS0tLS1CRUdJTiBDRVJU", "ssh-", "AAAAB3", "AAAAC3", "AAAAE2",
    "sha1-", "sha256-", "sha384-", "sha512-", "PD94bWw", "PCFET0NU", "data:",
];
