//! Marks that cannot be mistaken for the text between them.

use std::fmt::Write as _;

/// One prompt's marks: plain, or numbered if the plain marks occur in the text.
pub(super) struct Marks {
    suffix: String,
}

impl Marks {
    /// Picks the lowest number for which no mark of `names` occurs in any of `texts`.
    pub(super) fn absent_from(names: &[&str], texts: &[&str]) -> Self {
        // Most texts contain no `<|` at all; they are searched only once.
        let suspects: Vec<&str> = texts.iter().copied().filter(|text| text.contains("<|")).collect();
        let mut number = 0_usize;
        loop {
            let marks = Self::numbered(number);
            let taken = |name: &str| {
                let mark = marks.mark(name);
                suspects.iter().any(|text| text.contains(&mark))
            };
            if !names.iter().copied().any(taken) {
                return marks;
            }
            number += 1;
        }
    }

    /// Reads the marks' number from the first line of `text`, which must be the mark `name`.
    ///
    /// Returns the rest of the text as well.
    pub(super) fn read<'a>(text: &'a str, name: &str) -> Option<(Self, &'a str)> {
        let rest = text.strip_prefix("<|")?.strip_prefix(name)?;
        let (suffix, rest) = rest.split_once("|>\n")?;
        let numbered = suffix.strip_prefix('-').is_some_and(|digits| digits.parse::<usize>().is_ok());
        (suffix.is_empty() || numbered).then(|| (Self { suffix: suffix.to_owned() }, rest))
    }

    /// The mark `name`, without a line end.
    pub(super) fn mark(&self, name: &str) -> String {
        format!("<|{name}{}|>", self.suffix)
    }

    fn numbered(number: usize) -> Self {
        Self { suffix: if number == 0 { String::new() } else { format!("-{number}") } }
    }
}

/// Writes the two header lines at the beginning of every input.
pub(super) fn write_header(input: &mut String, path: &str, language: &str) {
    // A line end in a path would end the header, and real paths have none.
    let path = path.replace(['\n', '\r'], " ");
    let _ = write!(input, "File: {path}\nLanguage: {language}\n");
}

/// Reads the two header lines; returns path, language and the rest of the text.
pub(super) fn read_header(input: &str) -> Option<(&str, &str, &str)> {
    let (path, rest) = input.strip_prefix("File: ")?.split_once('\n')?;
    let (language, rest) = rest.strip_prefix("Language: ")?.split_once('\n')?;
    Some((path, language, rest))
}
