//! All output to the terminal.
//!
//! Output for people is escaped by [`text`](crate::text), except for the styles added here. So texts of servers,
//! models, files and file names can neither move the cursor nor hide. Output for programs is exact if a program reads
//! it, and escaped as well if it goes to a terminal.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::OnceLock;

use anstyle::{AnsiColor, Style};
use dialoguer::console::Term;
use serde::Serialize;
use textwrap::{Options, WordSplitter};

use crate::text::words::plain_error;
use crate::text::{printable, printable_lines};

/// The style of success; [`BAD`] is for failures, and [`DIM`] for secondary text.
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default();
pub(super) const DIM: Style = Style::new().dimmed();

/// Styled text for people, of one or more lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Styled(String);

impl Styled {
    pub(super) fn new(style: Style, text: impl Display) -> Self {
        Self::default().and(style, text)
    }

    pub(super) fn and(mut self, style: Style, text: impl Display) -> Self {
        self.0 += &format!("{style}{}{style:#}", printable_lines(&text.to_string()));
        self
    }

    /// Appends text without a style.
    pub(super) fn plain(self, text: impl Display) -> Self {
        self.and(Style::new(), text)
    }

    /// Prints the text and a line end on standard output.
    pub(super) fn print(&self) {
        keep(for_people(&format!("{}\n", self.0)));
    }
}

/// Prints one or more lines for people on standard output.
pub(super) fn print(text: impl Display) {
    Styled::default().plain(text).print();
}

/// Prints prose for people on standard output, wrapped between words to the width of the terminal.
pub(super) fn prose(text: &str) {
    let columns = Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    print(columns.map_or(text.to_owned(), |columns| broken(text, columns)));
}

/// Wraps a text to `columns`; longer words are not broken.
pub(super) fn broken(text: &str, columns: usize) -> String {
    // Names and commands are not split: `gpt-6-luna`, `--model`.
    let options = Options::new(columns).break_words(false).word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(text, options)
}

/// Prints a chunk of text for people on standard output, and flushes it.
pub(super) fn part(text: &str) {
    keep(for_people(&printable_lines(text)));
}

/// Prints a message on standard error, prefixed with the program's name.
pub(super) fn say(message: impl Display) {
    let line = format!("tandem: {}", printable_lines(&plain_error(&message.to_string())));
    let columns = Term::stderr().size_checked().map(|(_, columns)| usize::from(columns));
    let line = columns.map_or(line.clone(), |columns| broken(&line, columns)) + "\n";
    // A failure to write to standard error cannot be reported anywhere.
    drop(anstream::stderr().lock().write_all(line.as_bytes()));
}

/// Standard input, which holds `what`. On a terminal, says that it is read, and which key ends it.
pub(super) fn input(what: &str) -> io::StdinLock<'static> {
    let input = io::stdin();
    if let Some(hint) = reading(what, input.is_terminal()) {
        say(hint);
    }
    input.lock()
}

fn reading(what: &str, is_terminal: bool) -> Option<String> {
    let end = if cfg!(windows) { "Ctrl+Z and Enter end it" } else { "Ctrl+D ends it" };
    is_terminal.then(|| format!("reading {what} from standard input; {end}"))
}

/// On a terminal, says that this command is a server for a program, which starts it.
pub(super) fn say_if_started_by_hand(server: &str, program: &str) {
    if io::stdin().is_terminal() {
        say(format_args!(
            "this is the {server}, which your {program} starts; Ctrl+C quits (`tandem help` lists the commands)"
        ));
    }
}

/// Prints JSON on standard output.
///
/// Characters that could control a terminal are replaced by equivalent JSON escapes.
pub(super) fn json(value: &impl Serialize, is_pretty: bool) -> io::Result<()> {
    let text = if is_pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) }?;
    let mut escaped = String::with_capacity(text.len());
    for it in text.chars() {
        if it == '\n' || matches!(printable(it.encode_utf8(&mut [0; 4])), Cow::Borrowed(_)) {
            escaped.push(it);
        } else {
            // Such characters occur only within strings.
            it.encode_utf16(&mut [0; 2]).iter().for_each(|unit| escaped += &format!("\\u{unit:04x}"));
        }
    }
    escaped.push('\n');
    out(io::stdout().lock(), &escaped)
}

/// Prints a text on standard output, byte for byte if a program reads it.
pub(super) fn exact(text: &str) -> io::Result<()> {
    let shown = if is_for_people() { printable_lines(text) } else { text.into() };
    out(io::stdout().lock(), &shown)
}

/// The first error that occurred while printing for people.
///
/// The command then fails with it, since output is lost.
pub(super) fn unprinted() -> Option<&'static str> {
    UNPRINTED.get().map(String::as_str)
}

/// The first error while printing for people, kept because those functions return no errors.
static UNPRINTED: OnceLock<String> = OnceLock::new();

fn keep(printed: io::Result<()>) {
    if let Err(error) = printed {
        UNPRINTED.get_or_init(|| error.to_string());
    }
}

fn for_people(text: &str) -> io::Result<()> {
    out(anstream::stdout().lock(), text)
}

/// Writes a whole text. A closed pipe, such as with `head`, is not an error: the rest is discarded.
fn out(mut to: impl io::Write, text: &str) -> io::Result<()> {
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => {
            written.map_err(|error| io::Error::new(error.kind(), format!("cannot print the result: {error}")))
        }
    }
}

/// Whether standard output is for people: it is a terminal, or colours are forced.
pub(super) fn is_for_people() -> bool {
    let stdout = io::stdout();
    stdout.is_terminal() || anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never
}

/// Writes log events to standard error, each as a single escaped line.
pub(super) struct Log(Vec<u8>);

impl Log {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let event = String::from_utf8_lossy(&self.0);
        let line = format!("{}\n", printable(event.trim_end_matches('\n')));
        let written = io::stderr().lock().write_all(line.as_bytes());
        self.0.clear();
        written
    }
}

/// The subscriber creates a writer for each event and drops it afterwards.
impl Drop for Log {
    fn drop(&mut self) {
        // A failure to write the log cannot be reported anywhere.
        drop(self.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_from_a_terminal_is_asked_for() {
        assert_eq!(reading("the diagnostics", false), None);
        let hint = reading("the diagnostics", true).unwrap();
        assert!(hint.starts_with("reading the diagnostics from standard input; Ctrl+"), "{hint}");
    }

    #[test]
    fn prose_breaks_between_words() {
        let check = |text: &str, expected: &str| assert_eq!(broken(text, 12), expected, "{text:?}");
        check("it fits here", "it fits here");
        check("it fits not here", "it fits not\nhere");
        check("choose gpt-6-luna", "choose\ngpt-6-luna");
        check("a line\nand one that is long", "a line\nand one that\nis long");
        check("see https://example.com/path now", "see\nhttps://example.com/path\nnow");
        check("日本語 日本語 日本語", "日本語\n日本語\n日本語");
        check("", "");
    }
}
