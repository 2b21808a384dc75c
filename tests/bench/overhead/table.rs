//! Figures and their output: a Markdown table for people, JSON for machines.

use serde_json::{Value, json};

/// One line of the table: the same figure for the floor and for Tandem.
pub(crate) struct Row {
    pub(crate) figure: String,
    pub(crate) unit: Unit,
    pub(crate) show: Show,
    /// Explains the row above it and is left out of the table unless asked for.
    pub(crate) detail: bool,
    /// `None` where the floor has no such function.
    pub(crate) floor: Option<Samples>,
    pub(crate) tandem: Samples,
}

/// The unit of the numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Milliseconds,
    Megabytes,
    Bytes,
    Count,
}

/// The numbers that represent all samples.
#[derive(Clone, Copy)]
pub(crate) enum Show {
    /// Median, 95th and 99th percentile: for hundreds of samples.
    Percentiles,
    /// Median and largest: for a few.
    Worst,
}

/// Measured values, in order of measurement.
#[derive(Clone, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    pub(crate) fn extend(&mut self, values: impl IntoIterator<Item = f64>) {
        self.0.extend(values);
    }

    /// The value that `share` (0 to 1) of the samples do not exceed.
    fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.max(1) - 1).copied().unwrap_or(f64::NAN)
    }

    fn shown(&self, show: Show) -> Vec<f64> {
        let shares: &[f64] = match show {
            Show::Percentiles => &[0.5, 0.95, 0.99],
            Show::Worst => &[0.5, 1.0],
        };
        shares.iter().map(|share| self.quantile(*share)).collect()
    }

    fn json(&self) -> Value {
        let quantile = |share| (self.quantile(share) * 1e4).round() / 1e4;
        json!({
            "samples": self.0.len(),
            "min": quantile(0.0),
            "p50": quantile(0.5),
            "p90": quantile(0.9),
            "p95": quantile(0.95),
            "p99": quantile(0.99),
            "max": quantile(1.0),
        })
    }
}

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl Row {
    pub(crate) fn into_detail(self) -> Self {
        Self { detail: true, ..self }
    }

    fn cells(&self) -> [String; 4] {
        let high = match self.show {
            Show::Percentiles => "p50 / p95 / p99",
            Show::Worst => "median / worst",
        };
        let (floor, ratio) = match &self.floor {
            None => ("–".to_owned(), "–".to_owned()),
            Some(floor) => {
                let (below, above) = (floor.shown(self.show), self.tandem.shown(self.show));
                let ratios: Vec<String> =
                    above.iter().zip(&below).map(|(above, below)| format!("{:.1}", above / below)).collect();
                (self.unit.joined(&below), ratios.join(" / "))
            }
        };
        let tandem = self.unit.joined(&self.tandem.shown(self.show));
        let indent = if self.detail { "– " } else { "" };
        [format!("{indent}{}, {high}", self.figure), floor, tandem, ratio]
    }

    fn json(&self) -> Value {
        json!({
            "figure": self.figure,
            "unit": self.unit.name(),
            "floor": self.floor.as_ref().map(Samples::json),
            "tandem": self.tandem.json(),
        })
    }
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Megabytes => "MB",
            Self::Bytes => "B",
            Self::Count => "",
        }
    }

    fn joined(self, values: &[f64]) -> String {
        let number = |value: &f64| match self {
            Self::Milliseconds if value.abs() < 10.0 => format!("{value:.2}"),
            Self::Milliseconds | Self::Megabytes => format!("{value:.1}"),
            Self::Bytes | Self::Count => format!("{value:.0}"),
        };
        let numbers: Vec<String> = values.iter().map(number).collect();
        format!("{} {}", numbers.join(" / "), self.name()).trim_end().to_owned()
    }
}

/// The rows as a Markdown table with aligned columns.
///
/// Detail rows are included only with `details`.
pub(crate) fn markdown(rows: &[Row], details: bool) -> String {
    let header = ["figure", "floor", "Tandem", "ratio"].map(String::from);
    let shown = rows.iter().filter(|row| details || !row.detail).map(Row::cells);
    let cells: Vec<[String; 4]> = std::iter::once(header).chain(shown).collect();
    let mut widths = [0; 4];
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut table = String::new();
    for (index, row) in cells.iter().enumerate() {
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            let cell = if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
            table.push_str(&format!("| {cell} "));
        }
        table.push_str("|\n");
        if index == 0 {
            let dashes = widths.map(|width| "-".repeat(width + 1));
            table.push_str(&format!("|{} |{}:|{}:|{}:|\n", dashes[0], dashes[1], dashes[2], dashes[3]));
        }
    }
    table
}

/// The rows with more of each distribution than fits into the table.
pub(crate) fn json(rows: &[Row]) -> Value {
    rows.iter().map(Row::json).collect()
}
