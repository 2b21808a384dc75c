//! Facts about models that do not depend on the provider: data, read from `models.toml`.
//!
//! A provider's list and the user's configuration override every figure.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::EditDialect;
use super::budget::{LongInput, Price, TierFactor};

/// The source of the table.
const TEXT: &str = include_str!("models.toml");

static TABLE: LazyLock<ModelsTable> = LazyLock::new(|| {
    toml::from_str(TEXT).unwrap_or_else(|error| {
        tracing::error!(%error, "the table of models cannot be read");
        ModelsTable::default()
    })
});

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelsTable {
    /// The day on which the prices were looked up.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the reader"))]
    noted: String,
    family: Vec<Family>,
}

/// Models whose names have a common prefix.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// The prefix of their names, without the provider's part and in lower case.
    pub prefix: String,
    /// Their context window, input and output together, in tokens.
    pub window: u32,
    /// Their advertised tokens per second, if a slower answer indicates another machine.
    pub rate: Option<u32>,
    /// Request fields that they do not accept although other models do.
    #[serde(default)]
    pub lacks: Vec<String>,
    /// Request fields that they accept although other models do not.
    #[serde(default)]
    pub takes: Vec<String>,
    /// The separator before the path of each file of a repository.
    pub separator: Option<String>,
    /// The form in which they predict edits, if they were trained for that.
    pub edits: Option<EditDialect>,
    price: Option<BasePrice>,
    cache_write: Option<f64>,
    retained: Option<f64>,
    long: Option<LongInput>,
    #[serde(default)]
    tiers: BTreeMap<String, Vec<TierFactor>>,
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BasePrice {
    input: f64,
    cached: Option<f64>,
    output: f64,
}

impl BasePrice {
    /// The model's price, completed by known factors.
    pub(super) fn of(self, model: &str) -> Price {
        price(model, self.input, self.cached.unwrap_or(self.input), self.output)
    }
}

/// The family of a model, by its name.
pub fn family(model: &str) -> Option<&'static Family> {
    let name = slug(model);
    TABLE.family.iter().find(|family| name.starts_with(&family.prefix))
}

/// The prices of models at their makers, by name prefix.
///
/// They may be out of date; the user's own prices take precedence.
pub fn prices() -> &'static BTreeMap<String, Price> {
    static PRICES: LazyLock<BTreeMap<String, Price>> = LazyLock::new(|| {
        let price = |it: &Family| Some((it.prefix.clone(), it.price?.of(&it.prefix)));
        TABLE.family.iter().filter_map(price).collect()
    });
    &PRICES
}

/// A price, completed by known factors of the model.
///
/// These are the factors for tiers, cache writes and long inputs.
pub fn price(model: &str, input: f64, cached: f64, output: f64) -> Price {
    let family = family(model);
    let written = family.and_then(|it| it.cache_write).unwrap_or(1.0);
    let retained = family.and_then(|it| it.retained).unwrap_or(written);
    Price {
        input,
        cached,
        output,
        cache_write: input * written,
        retained: input * retained,
        long: family.and_then(|it| it.long),
        tiers: family.map(|it| it.tiers.clone()).unwrap_or_default(),
    }
}

/// A model's name in lower case, without the provider or folder in front and without suffixes that servers add to
/// show where or how it runs.
pub fn slug(name: &str) -> String {
    let name = name.trim().trim_end_matches('/');
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_lowercase();
    let name = name.strip_suffix(".gguf").unwrap_or(&name);
    let name = name.strip_suffix(":latest").or_else(|| name.strip_suffix(":free")).unwrap_or(name);
    name.to_owned()
}

/// Whether two names refer to the same model, ignoring the provider prefix, case, and a date
/// suffix.
pub fn is_same(asked: &str, served: &str) -> bool {
    let (asked, served) = (slug(asked), slug(served));
    let (family, dated) = undated(&asked);
    let (other, other_dated) = undated(&served);
    // Two dates are two snapshots; a single date is the snapshot that the undated name currently refers to.
    family == other && (!dated || !other_dated || asked == served)
}

/// The name without a date or `latest` at its end, and whether there was a date.
fn undated(name: &str) -> (&str, bool) {
    if let Some(rest) = name.strip_suffix("-latest") {
        return (rest, false);
    }
    let digits = |text: &str, lengths: &[usize]| {
        lengths.contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit())
    };
    if let Some((rest, date)) = name.rsplit_once(['-', '@'])
        && digits(date, &[4, 6, 8])
    {
        return (rest, true);
    }
    // 2025-08-07
    let mut parts = name.rsplitn(4, '-');
    let (day, month, year) = (parts.next(), parts.next(), parts.next());
    match (parts.next(), year, month, day) {
        (Some(rest), Some(year), Some(month), Some(day))
            if digits(year, &[4]) && digits(month, &[2]) && digits(day, &[2]) =>
        {
            (rest, true)
        }
        _ => (name, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Day;

    #[test]
    fn table_can_be_read() {
        let table: ModelsTable = toml::from_str(TEXT).unwrap();
        assert!(table.family.len() > 20);
        assert!(Day::parse(&table.noted).is_some(), "{}", table.noted);
    }

    #[test]
    fn longer_prefix_comes_first() {
        for (at, family) in TABLE.family.iter().enumerate() {
            let hidden = TABLE.family[..at].iter().any(|before| family.prefix.starts_with(&before.prefix));
            assert!(!hidden, "{} is never reached", family.prefix);
        }
    }

    #[test]
    fn models_trained_for_edits_are_known_by_name() {
        use EditDialect::{Mercury, Sweep, Zeta2, Zeta21};
        let check = |model: &str, expected: Option<EditDialect>| {
            assert_eq!(family(model).and_then(|family| family.edits), expected, "{model}");
        };
        check("mercury-edit-2", Some(Mercury));
        check("mercury-2.5", None);
        check("sweepai/sweep-next-edit-1.5B", Some(Sweep));
        check("/models/sweep-next-edit-1.5b.q8_0.v2.gguf", Some(Sweep));
        check("zed-industries/zeta-2", Some(Zeta2));
        check("zeta-2.1-Q4_K_M.gguf", Some(Zeta21));
        check("qwen2.5-coder:7b", None);
    }

    #[test]
    fn price_has_what_its_family_adds() {
        let check = |model: &str, written: f64, ultrafast: Option<f64>| {
            let price = price(model, 2.0, 0.5, 10.0);
            let days = price.tiers.get("ultrafast").map(|rows| rows[0].factor);
            assert_eq!((price.cache_write, days), (written, ultrafast), "{model}");
        };
        check("openai/gpt-6.2-sol", 2.5, Some(3.0));
        check("gpt-6-luna", 2.5, None);
        check("qwen2.5-coder:7b", 2.0, None);
    }
}
