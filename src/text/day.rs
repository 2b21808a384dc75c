//! Days, and their form in texts.
//!
//! Uses the algorithms of Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms": years begin in March, so that a
//! leap day is the last of its year.

use std::fmt;

use serde::{Deserialize, Deserializer, de};

/// The count of days from the first year for the first day of 1970.
const FIRST: u64 = 719_468;

/// A day, in days since 1970 (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(pub u64);

impl Day {
    /// Parses `2027-02-28`, ignoring the text after the day. `None` if it is not a day.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.get(..10)?.split('-');
        let mut number = || parts.next()?.parse::<u64>().ok();
        let (year, month, day) = (number()?, number()?, number()?);
        if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1;
        days.checked_sub(FIRST).map(Self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom(format!("`{text}` is not a day")))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.0 + FIRST;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let (month, year) = if month < 10 { (month + 3, year) } else { (month - 9, year + 1) };
        write!(f, "{:04}-{month:02}-{day:02}", year + era * 400)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_is_counted_from_1970() {
        let check = |text: &str, days: Option<u64>| assert_eq!(Day::parse(text), days.map(Day), "{text}");
        check("1970-01-01", Some(0));
        check("2000-02-29", Some(11_016));
        check("2000-03-01", Some(11_017));
        check("2026-11-22T10:00:00Z", Some(20_779));
        check("1969-12-31", None);
        check("2026-13-01", None);
        check("soon", None);
        for days in (0..30_000).step_by(7) {
            assert_eq!(Day::parse(&Day(days).to_string()), Some(Day(days)));
        }
    }
}
