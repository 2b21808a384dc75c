use super::*;

/// The fields of a model, with an effort and a service tier set by the user.
fn with_settings(effort: &str, tier: &str) -> Fields {
    Fields::of(&Endpoint {
        model: "m".to_owned(),
        reasoning_effort: Some(effort.to_owned()),
        service_tier: Some(tier.to_owned()),
        ..Endpoint::default()
    })
}

#[test]
fn refusal_is_learned_once_and_by_all_clones() {
    let fields = with_settings("low", "fast");
    let other = fields.clone();
    let learn = |param, message| fields.learn(param, message);
    assert!(other.takes(Field::ReasoningEffort));
    assert_eq!(learn(Some("reasoning.effort"), "no"), Some(Field::ReasoningEffort));
    assert!(!other.takes(Field::ReasoningEffort));
    assert_eq!(learn(Some("reasoning.effort"), "no"), None, "it was not sent any more");
    assert_eq!(learn(None, "Unsupported parameter: prompt_cache_key"), Some(Field::PromptCacheKey));
    assert_eq!(learn(None, "'temperature' does not support 0.2 with this model"), Some(Field::Temperature));
    // Ordinary words that are also field names do not count.
    assert_eq!(learn(None, "stop it: the model is not in store"), None);
    assert_eq!(learn(Some("messages[0].name"), "no"), None);
    assert_eq!(learn(None, "Unsupported parameter: metadata"), Some(Field::Metadata));
}

#[test]
fn refused_cap_is_replaced_by_the_other() {
    let fields = with_settings("low", "fast");
    assert!(fields.takes(Field::MaxTokens) && !fields.takes(Field::MaxCompletionTokens));
    let words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    assert_eq!(fields.learn(None, words), Some(Field::MaxTokens));
    assert!(!fields.takes(Field::MaxTokens) && fields.takes(Field::MaxCompletionTokens));
    let newer = Fields::of(&Endpoint { model: "gpt-5.1".to_owned(), ..Endpoint::default() });
    assert!(!newer.takes(Field::MaxTokens));
}

#[test]
fn table_names_only_fields_that_there_are() {
    let check = |model: &str, takes: &[Field]| {
        let family = models::family(model).unwrap();
        let all = family.takes.len() + family.lacks.len();
        assert_eq!(named_in(&family.takes).len() + named_in(&family.lacks).len(), all, "{model}");
        assert_eq!(named_in(&family.takes), takes, "{model}");
    };
    check("gpt-5", &[Field::MaxCompletionTokens, Field::Verbosity]);
    check("gpt-6-luna", &[Field::MaxCompletionTokens, Field::Verbosity, Field::PromptCacheOptions]);
    check("o3", &[Field::MaxCompletionTokens]);
    check("gpt-oss-120b", &[Field::Prediction]);
}

#[test]
fn refused_effort_gives_way_to_the_next_one() {
    let check = |wanted: &str, message: &str, expected: Option<&str>| {
        let fields = with_settings(wanted, "fast");
        assert!(fields.learn(Some("reasoning.effort"), message).is_some(), "{message}");
        assert_eq!(fields.effort().as_deref(), expected, "{wanted}: {message}");
    };
    let listed = "Unsupported value: 'none' is not supported with this model. Supported values are: 'low', 'medium', and 'high'.";
    check("none", listed, Some("low"));
    check("max", "Unsupported value: 'max'. Supported values are: 'low', 'medium', 'high'.", Some("high"));
    check("ultra", "Unsupported value: 'ultra'", Some("max"));
    check("none", "Invalid value: 'none'.", Some("minimal"));
    check("low", "Unsupported parameter: 'reasoning.effort'", None);
    check("odd", "Unsupported value: 'odd'", None);
}

#[test]
fn refused_tier_gives_way_to_the_next_slower_one() {
    let check = |wanted: &str, message: &str, expected: Option<&str>| {
        let fields = with_settings("low", wanted);
        assert_eq!(fields.learn(Some("service_tier"), message), Some(Field::ServiceTier), "{message}");
        assert_eq!(fields.tier().as_deref(), expected, "{wanted}: {message}");
        assert!(fields.takes(Field::ServiceTier) || expected.is_none(), "{wanted}: the field is not refused");
    };
    let listed =
        "Invalid value: 'ultrafast'. Supported values are: 'auto', 'default', 'flex', and 'priority'.";
    check("ultrafast", listed, Some("priority"));
    check("ultrafast", "Unsupported value: 'ultrafast' is not supported with this model.", Some("fast"));
    check("fast", "Invalid value: 'fast'. Supported values are: 'auto', 'default', 'ultrafast'.", None);
    check("priority", "Unsupported value: 'priority'", None);
    check("flex", "Unsupported value: 'flex'", None);
    check("fast", "Unsupported parameter: 'service_tier'", None);
}

#[test]
fn each_effort_is_refused_once() {
    let fields = with_settings("ultra", "fast");
    let mut tried = vec![fields.effort().unwrap()];
    while let Some(effort) = fields.effort() {
        assert!(fields.learn(Some("reasoning.effort"), &format!("Unsupported value: '{effort}'")).is_some());
        tried.extend(fields.effort());
        assert!(tried.len() < 20, "{tried:?}");
    }
    assert_eq!(tried, ["ultra", "max", "xhigh", "high", "medium", "low", "minimal", "none"]);
}

#[test]
fn refused_number_of_tokens_is_read_or_halved() {
    use Fewer::{Always, Here};

    let check = |message: &str, expected: &[Fewer]| {
        let fields = with_settings("low", "fast");
        let mut wanted = 65_536;
        for expected in expected {
            let fewer = fields.learn_output(None, message, wanted);
            assert_eq!(fewer, Some(*expected), "{message}");
            if let Here(tokens) = expected {
                wanted = *tokens;
            }
        }
        let last = expected.last();
        let limit = last.map_or(65_536, |it| if let Always(limit) = it { *limit } else { 65_536 });
        assert_eq!(fields.clone().output_tokens(65_536), limit, "{message}");
        assert_eq!(fields.output_tokens(128), 128);
    };
    check("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", &[Always(8_192)]);
    check(
        "max_tokens is too large: 65536. This model supports at most 16384 completion tokens, whereas you \
         provided 65536.",
        &[Always(16_384)],
    );
    check(
        "`max_tokens` must be less than or equal to `8,192`, the maximum value for `max_tokens` is less than the \
         `context_window` for this model",
        &[Always(8_192)],
    );
    check("max_tokens: 65536 > 4096, which is the maximum allowed number of output tokens", &[Always(4_096)]);
    check("Error code: 400 - max_tokens is too large", &[Always(32_768), Always(16_384), Always(8_192)]);
    check(
        "This model's maximum context length is 8192 tokens. However, you requested 66536 tokens (1000 in the \
         messages, 65536 in the completion). Please reduce the length of the messages or completion.",
        &[Here(7_192)],
    );
    check(
        "'max_tokens' or 'max_completion_tokens' is too large: 65536. This model's maximum context length is \
         8192 tokens and your request has 1000 input tokens (65536 > 8192 - 1000).",
        &[Here(7_192)],
    );
    check(
        "This model's maximum context length is 131072 tokens. However, you requested 165536 tokens (100000 in the \
         messages, 65536 in the completion).",
        &[Here(31_072)],
    );
    check(
        "This model's maximum context length is 65536 tokens. However, you requested 66536 tokens (1000 in the \
         messages, 65536 in the completion).",
        &[Here(64_536)],
    );
}

#[test]
fn other_refusals_say_nothing_about_the_number_of_tokens() {
    for message in [
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "This model's maximum context length is 8192 tokens, and the prompt has 9000.",
        "Rate limit reached: at most 8192 per minute",
        "no",
    ] {
        assert_eq!(with_settings("low", "fast").learn_output(None, message, 65_536), None, "{message}");
    }
    let message = "max_tokens is too large";
    assert_eq!(with_settings("low", "fast").learn_output(None, message, 4_096), None, "it was the least");
}
