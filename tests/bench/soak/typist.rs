//! The person at the keyboard: the sequence of actions, and their pace.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::dice::Dice;
use crate::editor::{Asked, Editor, Expected};
use crate::instruction::{Instruction, names};

/// The maximum number of pending requests: no editor has more at once.
const IN_FLIGHT: usize = 48;
/// The interval at which answers are read.
const GLANCE: Duration = Duration::from_millis(2);
/// The size, in code units, at which a text that has grown by typing is reset.
const LARGEST: usize = 600_000;

/// A line is typed like one at most this many lines above it.
const NEAR: usize = 40;

const BITS: [&str; 12] =
    ["\n", "()", "; ", " = ", ".len()", "if ", "return ", "self.", "猫", "🙂🙂", "é\u{301}", "\"größe\" "];

pub(crate) struct Typist {
    pub(crate) dice: Dice,
    /// The file in focus.
    focus: usize,
    /// The number of generated names, which makes each unique.
    named: u64,
}

impl Typist {
    pub(crate) fn new(dice: Dice) -> Self {
        Self { dice, focus: 0, named: 0 }
    }

    /// Performs one action.
    pub(crate) async fn step(&mut self, editor: &mut Editor) {
        editor.step += 1;
        while editor.pending.len() > IN_FLIGHT {
            wait(editor, GLANCE).await;
        }
        if self.dice.chance(12) {
            self.focus = self.dice.below(editor.files.len());
        }
        let file = self.focus;
        if !editor.files[file].open {
            let version = if self.dice.chance(50) { 1 } else { editor.files[file].version + 1 };
            editor.note(file, "open");
            editor.open(file, version);
        }
        if editor.files[file].text.len() > LARGEST {
            self.undo(editor, file);
        }
        match self.dice.below(100) {
            0..24 => self.write(editor, file, true).await,
            24..38 => self.write(editor, file, false).await,
            38..46 => self.delete(editor, file),
            46..51 => self.paste(editor, file),
            51..56 => self.change_in_places(editor, file),
            56..58 => self.undo(editor, file),
            58..66 => self.ask_somewhere(editor, file),
            66..72 => self.ask_oddly(editor, file),
            72..81 => self.instruct(editor, file),
            81..88 => self.rewrite(editor, file),
            88..92 => self.close_and_open(editor, file),
            92..94 => editor.save(file),
            94..98 => {
                editor.note(file, "audit");
                editor.audit(file);
            }
            _ => wait(editor, Duration::from_millis(400)).await,
        }
        let most = if self.dice.chance(50) { 150 } else { 5 };
        wait(editor, Duration::from_millis(self.dice.below(most) as u64)).await;
    }

    fn somewhere(&mut self, editor: &Editor, file: usize) -> usize {
        let text = &editor.files[file].text;
        text.cursor_at(self.dice.below(text.len() + 1))
    }

    /// Moves the cursor to where a person would continue: mostly the end of some line, or where it already is.
    fn move_cursor(&mut self, editor: &mut Editor, file: usize) {
        let it = &editor.files[file];
        editor.files[file].cursor = match self.dice.below(10) {
            0..4 => it.cursor,
            4..8 => it.text.line_content(self.dice.below(it.text.lines())).end,
            _ => self.somewhere(editor, file),
        };
    }

    /// Text to type at the cursor, in keystrokes: mostly a line like one above, as a new line.
    fn words(&mut self, editor: &Editor, file: usize) -> Vec<String> {
        let it = &editor.files[file];
        let here = it.text.line_of(it.cursor);
        let above = here - self.dice.below(here.min(NEAR) + 1);
        let line = it.text.slice(it.text.line_content(above));
        let code = line.trim();
        let short = !code.is_empty() && code.chars().count() <= 80;
        let kind = self.dice.below(10);
        let (first, rest) = if short && kind < 6 {
            // An editor indents a new line automatically.
            (format!("\n{}", &line[..line.len() - line.trim_start().len()]), code.to_owned())
        } else if short && kind < 8 {
            (String::new(), code.split_whitespace().rev().take(2).collect::<Vec<_>>().join(" "))
        } else {
            (String::new(), (0..self.dice.between(1, 4)).map(|_| *self.dice.pick(&BITS)).collect())
        };
        let keys = rest.chars().map(String::from);
        [first].into_iter().filter(|it| !it.is_empty()).chain(keys).collect()
    }

    /// Writes a line, and returns the keystrokes of a similar one: an engine that continues lines by analogy finds a
    /// match here.
    fn analogous_words(&mut self, editor: &mut Editor, file: usize) -> Vec<String> {
        let it = &editor.files[file];
        let end = it.text.line_content(it.text.line_of(it.cursor)).end;
        let line = format!("\n    record.größe_{0} = größe_{0};", self.dice.below(1000));
        editor.change(file, &[(end..end, &line)]);
        let next = format!("record.weite_{0} = weite_{0};", self.dice.below(1000));
        ["\n    ".to_owned()].into_iter().chain(next.chars().map(String::from)).collect()
    }

    /// Types letter by letter and requests ghost text after each, as editors do.
    async fn write(&mut self, editor: &mut Editor, file: usize, at_leisure: bool) {
        self.move_cursor(editor, file);
        let keys = match self.dice.below(5) {
            0 => self.analogous_words(editor, file),
            _ => self.words(editor, file),
        };
        editor.note(file, format!("type {:?} at {}", keys.concat(), editor.files[file].cursor));
        let (cancels, names_version) = (self.dice.chance(50), self.dice.chance(50));
        let mut last = None;
        for key in keys {
            let cursor = editor.files[file].cursor;
            editor.change(file, &[(cursor..cursor, &key)]);
            if let Some(id) = last.filter(|_| cancels) {
                editor.cancel(id);
            }
            let it = &editor.files[file];
            let (cursor, version) = (it.cursor, names_version.then_some(it.version));
            last = Some(editor.complete(file, cursor, version, Expected::Anything));
            if at_leisure {
                let pause = self.dice.between(30, 130) as u64;
                wait(editor, Duration::from_millis(pause)).await;
                match self.dice.below(10) {
                    0..3 if editor.ghost(file).is_some() => return self.accept(editor, file),
                    3..7 => self.type_through(editor, file).await,
                    _ => {}
                }
                if editor.files[file].cursor != cursor {
                    return;
                }
            } else {
                editor.pump();
                if editor.pending.len() > IN_FLIGHT {
                    wait(editor, GLANCE).await;
                }
            }
            if !editor.files[file].open {
                return;
            }
        }
    }

    fn accept(&mut self, editor: &mut Editor, file: usize) {
        let Some(ghost) = editor.ghost(file) else { return };
        editor.note(file, format!("accept {:?}", ghost.text));
        editor.change(file, &[(ghost.at..ghost.at, &ghost.text)]);
        editor.ask(file, "workspace/executeCommand", ghost.command, Asked::Accept);
        editor.report.count("ghost texts accepted");
    }

    /// Types the beginning of the suggestion on screen: the rest must stay, whatever the model replies.
    async fn type_through(&mut self, editor: &mut Editor, file: usize) {
        let Some(ghost) = editor.ghost(file) else { return };
        // While another answer is pending, the text on screen is not certain.
        if editor.completions_in(file) > 0 {
            return;
        }
        let letters: Vec<char> = ghost.text.chars().collect();
        let typed = self.dice.between(1, letters.len());
        editor.note(file, format!("type {typed} letters of {:?} at {}", ghost.text, ghost.at));
        let mut cursor = ghost.at;
        for (at, letter) in letters[..typed].iter().enumerate() {
            editor.change(file, &[(cursor..cursor, letter.encode_utf8(&mut [0; 4]))]);
            cursor += letter.len_utf16();
            let rest: String = letters[at + 1..].iter().collect();
            if editor.files[file].text.cursor_at(cursor) != cursor {
                return;
            }
            let expected = if rest.is_empty() { Expected::Anything } else { Expected::Rest(rest) };
            editor.complete(file, cursor, None, expected);
            let epoch = editor.files[file].epoch;
            wait(editor, Duration::from_millis(self.dice.between(5, 60) as u64)).await;
            if editor.files[file].epoch != epoch {
                // An edit was applied in between: the cursor may have moved.
                return;
            }
        }
        editor.report.count("ghost texts typed through");
    }

    fn delete(&mut self, editor: &mut Editor, file: usize) {
        self.move_cursor(editor, file);
        let it = &editor.files[file];
        let range = if self.dice.chance(40) {
            let first = self.dice.below(it.text.lines());
            let last = (first + self.dice.below(4)).min(it.text.lines() - 1);
            it.text.line(first).start..it.text.line(last).end
        } else {
            it.text.cursor_at(it.cursor.saturating_sub(self.dice.between(1, 30)))..it.cursor
        };
        editor.note(file, format!("delete {range:?}"));
        editor.change(file, &[(range, "")]);
        self.ask_at_cursor(editor, file);
    }

    fn paste(&mut self, editor: &mut Editor, file: usize) {
        self.move_cursor(editor, file);
        let from = &editor.files[self.dice.below(editor.files.len())].text;
        let first = self.dice.below(from.lines());
        let last = (first + self.dice.below(30)).min(from.lines() - 1);
        let mut block = from.slice(from.line(first).start..from.line(last).end);
        if self.dice.chance(5) {
            block = block.replace('\n', "\r");
        }
        let cursor = editor.files[file].cursor;
        editor.note(file, format!("paste {} bytes at {cursor}", block.len()));
        editor.change(file, &[(cursor..cursor, &block)]);
        self.ask_at_cursor(editor, file);
    }

    /// Makes several changes in one notification, as with several cursors.
    fn change_in_places(&mut self, editor: &mut Editor, file: usize) {
        let text = &editor.files[file].text;
        let mut places: Vec<_> =
            (0..self.dice.between(2, 5)).map(|_| text.cursor_at(self.dice.below(text.len() + 1))).collect();
        places.sort_unstable();
        places.dedup();
        let word = *self.dice.pick(&BITS);
        // From last to first, no change moves another.
        let changes: Vec<_> = places.iter().rev().map(|place| (*place..*place, word)).collect();
        editor.note(file, format!("type {word:?} at {places:?}"));
        editor.change(file, &changes);
        self.ask_at_cursor(editor, file);
    }

    /// Resets the text to the original, as a whole or in one range.
    fn undo(&mut self, editor: &mut Editor, file: usize) {
        let original = editor.files[file].original.clone();
        editor.note(file, "set everything back");
        if self.dice.chance(50) {
            editor.change_all(file, &original);
        } else {
            let all = 0..editor.files[file].text.len();
            editor.change(file, &[(all, &original)]);
        }
        editor.report.count("texts set back");
    }

    fn ask_at_cursor(&mut self, editor: &mut Editor, file: usize) {
        if self.dice.chance(50) {
            let cursor = editor.files[file].cursor;
            editor.complete(file, cursor, None, Expected::Anything);
        }
    }

    /// Sends a request at a random position of a random file.
    fn ask_somewhere(&mut self, editor: &mut Editor, file: usize) {
        let file = if self.dice.chance(50) { file } else { self.dice.below(editor.files.len()) };
        if editor.files[file].open {
            let place = self.somewhere(editor, file);
            editor.note(file, format!("ask at {place}"));
            editor.complete(file, place, None, Expected::Anything);
        }
    }

    /// Sends requests that cannot be answered, or cancels one.
    fn ask_oddly(&mut self, editor: &mut Editor, file: usize) {
        let place = self.somewhere(editor, file);
        let version = editor.files[file].version;
        match self.dice.below(4) {
            0 => {
                editor.note(file, "ask for an older version");
                editor.complete(file, place, Some(version - 1), Expected::Nothing);
            }
            1 => {
                editor.note(file, "close, ask, open");
                editor.close(file);
                editor.complete(file, place, None, Expected::Nothing);
                editor.rewrite(file, 0..place, None, ("nothing", &self.name()), Expected::Nothing);
                editor.open(file, version + 1);
            }
            _ => {
                editor.note(file, "ask and cancel");
                let id = editor.complete(file, place, None, Expected::Anything);
                editor.cancel(id);
            }
        }
    }

    fn name(&mut self) -> String {
        self.named += 1;
        format!("renamed_{}", self.named)
    }

    /// A random line of code and a name in it.
    fn name_in_line(&mut self, editor: &Editor, file: usize) -> Option<(usize, String)> {
        let text = &editor.files[file].text;
        let first = self.dice.below(text.lines());
        let remark = |line: &str| ["/", "#", "*", "\"", "'"].iter().any(|it| line.trim().starts_with(it));
        (first..text.lines().min(first + 20)).find_map(|line| {
            let content = text.slice(text.line_content(line));
            let names = names(&content);
            (!remark(&content) && !names.is_empty()).then(|| (line, (*self.dice.pick(&names)).to_owned()))
        })
    }

    /// Requests a rename by a comment above a line or after it.
    fn instruct(&mut self, editor: &mut Editor, file: usize) {
        let sign = match editor.files[file].language {
            "rust" => "//",
            "python" | "toml" => "#",
            _ => return,
        };
        let Some((line, from)) = self.name_in_line(editor, file) else { return };
        let to = self.name();
        let text = &editor.files[file].text;
        let content = text.line_content(line);
        let code = text.slice(content.clone());
        let (at, comment) = if self.dice.chance(70) {
            let indent = &code[..code.len() - code.trim_start().len()];
            let mut end = text.slice(content.end..text.line(line).end);
            if end.is_empty() {
                "\n".clone_into(&mut end);
            }
            (content.start, format!("{indent}{sign} ai: rename {from} to {to}{end}"))
        } else if code.ends_with([' ', '\t']) {
            return;
        } else {
            (content.end, format!("  {sign} ai: rename {from} to {to}"))
        };
        editor.note(file, format!("instruct {comment:?}"));
        editor.change(file, &[(at..at, &comment)]);
        let it = &editor.files[file];
        let place = it.text.position(at, editor.encoding);
        let params = json!({
            "textDocument": { "uri": it.uri },
            "range": { "start": place, "end": place },
            "context": { "diagnostics": [], "only": ["refactor"] },
        });
        let asked = Asked::Offers(Instruction { from, to, comment });
        editor.ask(file, "textDocument/codeAction", params, asked);
    }

    /// Rewrites some lines, or the item that begins on a line.
    fn rewrite(&mut self, editor: &mut Editor, file: usize) {
        let Some((line, from)) = self.name_in_line(editor, file) else { return };
        let to = self.name();
        let text = &editor.files[file].text;
        let place = text.line_content(line).end;
        if self.dice.chance(30) {
            editor.note(file, format!("rewrite from line {line}: {from} to {to}"));
            return editor.rewrite(file, place..place, None, (&from, &to), Expected::Anything);
        }
        let last = (line + self.dice.below(12)).min(text.lines() - 1);
        let range = text.line_content(line).start..text.line_content(last).end;
        editor.note(file, format!("rewrite lines {line} to {last}: {from} to {to}"));
        editor.rewrite(file, range, Some(line..last + 1), (&from, &to), Expected::Anything);
    }

    fn close_and_open(&mut self, editor: &mut Editor, file: usize) {
        editor.note(file, "close");
        editor.close(file);
        if self.dice.chance(70) {
            let version = if self.dice.chance(50) { 1 } else { editor.files[file].version + 1 };
            editor.note(file, "open");
            editor.open(file, version);
        }
    }
}

/// Waits for `time` and handles the messages that arrive meanwhile.
pub(crate) async fn wait(editor: &mut Editor, time: Duration) {
    let end = Instant::now() + time;
    loop {
        editor.pump();
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        sleep(left.min(GLANCE)).await;
    }
}
