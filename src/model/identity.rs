//! Compares the model that answered with the model that was asked, by names, tiers and speed ([who
//! serves](super#who-serves)).
//!
//! Providers silently move requests to another model, a lower tier or a slower machine, which only
//! this comparison reveals.

use super::limits::{SLOW_FACTOR, SPEED_TIME, SPEED_TOKENS};
use crate::config::models::slug;

pub use crate::config::models::is_same;

use std::fmt;
use std::time::Duration;

/// The display name of a model: the file name if it is a path, as it may be with llama.cpp.
///
/// `org/model` is kept as a whole.
pub fn shown(model: &str) -> &str {
    let is_drive = |path: &str| path.get(1..3).is_some_and(|it| it == ":\\" || it == ":/");
    let is_path = model.starts_with(['/', '~', '.', '\\']) || is_drive(model) || model.ends_with(".gguf");
    let file = || model.rsplit(['/', '\\']).next().filter(|it| !it.is_empty());
    Some(model).filter(|_| is_path).and_then(|_| file()).unwrap_or(model)
}

/// The request, the answer, and its speed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Observed<'a> {
    /// The requested model.
    pub asked: &'a str,
    /// The model named in a header of the connection or the response, if any.
    pub announced: Option<&'a str>,
    /// The model named in the response itself, if any.
    pub served: Option<&'a str>,
    /// The requested tier, if any.
    pub asked_tier: Option<&'a str>,
    /// The tier named in the response, if any.
    pub served_tier: Option<&'a str>,
    /// Output tokens.
    pub output_tokens: u64,
    /// Time from the first token to the last.
    pub writing: Duration,
    /// The usual tokens per second of the requested model, if known.
    pub usual_rate: Option<f64>,
}

/// A difference between the request and the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Swap {
    /// Another model answered.
    Model {
        /// The requested model.
        asked: String,
        /// The model that answered.
        served: String,
    },
    /// Another service tier answered.
    Tier {
        /// The requested tier.
        asked: String,
        /// The tier that answered.
        served: String,
    },
    /// The same model by name, but far slower.
    Slow {
        /// The requested model.
        asked: String,
        /// Measured tokens per second.
        rate: u32,
        /// Usual tokens per second.
        usual: u32,
    },
}

impl Swap {
    /// Identifies the swap by request and answer, so that it is reported once.
    pub fn pair(&self) -> String {
        match self {
            Self::Model { asked, served } => format!("model {asked} {}", slug(served)),
            Self::Tier { asked, served } => format!("tier {asked} {served}"),
            Self::Slow { asked, .. } => format!("slow {asked}"),
        }
    }
}

impl fmt::Display for Swap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model { asked, served } => write!(f, "{asked} was asked, {served} answers"),
            Self::Tier { asked, served } => {
                write!(f, "the service tier {asked} was asked for, {served} answers")
            }
            Self::Slow { asked, rate, usual } => {
                write!(f, "{asked} writes {rate} tokens/s, about {usual} are usual")
            }
        }
    }
}

/// Compares an answer with its request; `None` if there is no sign of a swap. Missing information
/// is not a sign.
pub fn swap(observed: Observed<'_>) -> Option<Swap> {
    let asked = observed.asked;
    let other = [observed.announced, observed.served].into_iter().flatten().find(|it| !is_same(asked, it));
    if let Some(served) = other {
        return Some(Swap::Model { asked: asked.to_owned(), served: served.to_owned() });
    }
    if let (Some(asked), Some(served)) = (observed.asked_tier, observed.served_tier)
        && !is_same_tier(asked, served)
    {
        return Some(Swap::Tier { asked: asked.to_owned(), served: served.to_owned() });
    }
    let (usual, rate) = (observed.usual_rate?, rate(observed.output_tokens, observed.writing)?);
    (rate * SLOW_FACTOR < usual).then(|| Swap::Slow {
        asked: asked.to_owned(),
        rate: rate.round() as u32,
        usual: usual.round() as u32,
    })
}

/// Tokens per second; `None` if the answer was too short to measure.
pub fn rate(output_tokens: u64, writing: Duration) -> Option<f64> {
    let enough = output_tokens >= SPEED_TOKENS && writing >= SPEED_TIME;
    enough.then(|| output_tokens as f64 / writing.as_secs_f64())
}

/// Tokens per second, even for short times: a lower bound of the usual speed.
pub fn rate_at_least(output_tokens: u64, writing: Duration) -> Option<f64> {
    (output_tokens >= SPEED_TOKENS)
        .then(|| output_tokens as f64 / writing.max(Duration::from_millis(1)).as_secs_f64())
}

/// `auto` leaves the choice to the provider; `fast` is the newer name of `priority`.
fn is_same_tier(asked: &str, served: &str) -> bool {
    let priority = |tier: &str| matches!(tier, "fast" | "priority");
    asked == "auto" || served == "auto" || asked == served || priority(asked) && priority(served)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_shown_by_its_file() {
        let check = |model: &str, expected: &str| assert_eq!(shown(model), expected);
        check("/home/me/models/coder-7b.Q4_K_M.gguf", "coder-7b.Q4_K_M.gguf");
        check("models/coder.gguf", "coder.gguf");
        check("C:\\models\\coder.gguf", "coder.gguf");
        check("./coder/", "./coder/");
        check("Qwen/Qwen2.5-Coder-7B", "Qwen/Qwen2.5-Coder-7B");
        check("accounts/fireworks/models/qwen", "accounts/fireworks/models/qwen");
        check("qwen2.5-coder:7b", "qwen2.5-coder:7b");
        check("", "");
    }

    #[test]
    fn the_same_model_has_many_names() {
        for (asked, served) in [
            ("gpt-5.3-codex", "gpt-5.3-codex-2026-02-05"),
            ("gpt-5.3-codex", "openai/gpt-5.3-codex"),
            ("openai/GPT-5.3-Codex", "gpt-5.3-codex"),
            ("claude-sonnet-4-20250514", "claude-sonnet-4"),
            ("codestral-latest", "codestral-2508"),
            ("qwen2.5-coder", "qwen2.5-coder:latest"),
            ("accounts/fireworks/models/qwen3-coder", "qwen3-coder"),
            ("gpt-4-0613", "gpt-4"),
            ("tiny", "/models/tiny.gguf"),
        ] {
            assert!(is_same(asked, served), "{asked} {served}");
        }
        for (asked, served) in [
            ("gpt-5.3-codex", "gpt-5.2-codex"),
            ("gpt-5.3-codex-spark", "gpt-5.3-codex"),
            ("gpt-5.3-codex", "gpt-5.3-codex-spark"),
            ("gpt-5-2025-08-07", "gpt-5-2025-10-01"),
            ("qwen2.5-coder:7b", "qwen2.5-coder:1.5b"),
            ("gpt-4o", "gpt-4o-mini"),
        ] {
            assert!(!is_same(asked, served), "{asked} {served}");
        }
    }

    fn check(observed: Observed<'_>, expected: &str) {
        let it = swap(Observed { asked: "spark", ..observed });
        assert_eq!(it.map_or_else(|| "as asked".to_owned(), |it| it.to_string()), expected, "{observed:?}");
    }

    #[test]
    fn looks_at_every_sign() {
        let it = Observed::default();
        check(it, "as asked");
        check(Observed { announced: Some("gpt-5.2"), ..it }, "spark was asked, gpt-5.2 answers");
        check(Observed { served: Some("gpt-5.2"), ..it }, "spark was asked, gpt-5.2 answers");
        check(
            Observed { announced: Some("spark-2026-02-12"), served: Some("gpt-5.2"), ..it },
            "spark was asked, gpt-5.2 answers",
        );
        let tier = |asked, served| Observed { asked_tier: asked, served_tier: served, ..it };
        check(
            tier(Some("ultrafast"), Some("default")),
            "the service tier ultrafast was asked for, default answers",
        );
        check(tier(Some("fast"), Some("priority")), "as asked");
        check(tier(None, Some("default")), "as asked");
        check(tier(Some("ultrafast"), None), "as asked");
    }

    #[test]
    fn a_far_slower_answer_is_another_machine() {
        let wrote = |output_tokens, millis, usual_rate| Observed {
            output_tokens,
            writing: Duration::from_millis(millis),
            usual_rate,
            ..Observed::default()
        };
        check(wrote(64, 1_000, Some(1_000.0)), "spark writes 64 tokens/s, about 1000 are usual");
        check(wrote(64, 300, Some(1_000.0)), "as asked");
        check(wrote(8, 1_000, Some(1_000.0)), "as asked");
        check(wrote(64, 1_000, None), "as asked");
    }
}
