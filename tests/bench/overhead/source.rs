//! Generated source to open in the server, identical on every run.

/// A source file, with its language.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) language: &'static str,
    /// The start of a line comment.
    pub(crate) comment: &'static str,
    pub(crate) text: String,
}

impl Source {
    /// About `lines` lines of Rust. Each seed yields another file.
    pub(crate) fn rust(lines: usize, seed: u64) -> Self {
        let name = format!("layout_{seed}.rs");
        Self { name, language: "rust", comment: "//", text: rust_source(lines, seed) }
    }

    /// About `lines` lines of Python.
    pub(crate) fn python(lines: usize, seed: u64) -> Self {
        let name = format!("layout_{seed}.py");
        Self { name, language: "python", comment: "#", text: python_source(lines) }
    }

    /// About `lines` lines of TypeScript.
    pub(crate) fn typescript(lines: usize, seed: u64) -> Self {
        let name = format!("layout_{seed}.ts");
        Self { name, language: "typescript", comment: "//", text: typescript_source(lines) }
    }
}

/// Writes about `lines` lines of TypeScript.
fn typescript_source(lines: usize) -> String {
    let mut text = String::from("// Layout of boxes on a page.\n\nimport { Page } from \"./page\";\n");
    let (mut written, mut number) = (3, 0);
    while written < lines {
        number += 1;
        let (verb, noun) = (VERBS[number % VERBS.len()], NOUNS[number % NOUNS.len()]);
        let remark = REMARKS[number % REMARKS.len()];
        text.push_str(&format!(
            "\n/** {remark} */\nexport function {verb}_{number}(page: Page, rows: number[]): number {{\n    \
             let {noun}_{number} = page.width - {number};\n    for (const row of rows.slice({number})) {{\n        \
             {noun}_{number} = Math.max({noun}_{number}, row);\n    }}\n    return {noun}_{number};\n}}\n"
        ));
        written += 9;
    }
    text
}

/// Writes about `lines` lines of Python: classes with methods, so that no line of a class is a prefix of another.
fn python_source(lines: usize) -> String {
    let mut text = String::from("\"\"\"Layout of boxes on a page.\"\"\"\n\nimport itertools\n");
    let (mut written, mut number) = (3, 0);
    while written < lines {
        text.push_str(&format!(
            "\n\nclass Frame{number}:\n    \"\"\"{}\"\"\"\n",
            REMARKS[number % REMARKS.len()]
        ));
        for _ in 0..12 {
            number += 1;
            let (verb, noun) = (VERBS[number % VERBS.len()], NOUNS[number % NOUNS.len()]);
            text.push_str(&format!(
                "\n    def {verb}_{number}(self, width, rows):\n        {noun}_{number} = max(width - {number}, 0)\n        \
                 for row in itertools.islice(rows, {number}):\n            {noun}_{number} = max({noun}_{number}, row)\n        \
                 return {noun}_{number}\n"
            ));
        }
        written += 4 + 12 * 6;
    }
    text
}
/// Writes about `lines` lines of Rust, some 37 bytes each; equal arguments give equal text.
///
/// Whole items are written, so the text parses without an error and may run a few lines over.
fn rust_source(lines: usize, seed: u64) -> String {
    let mut writer = Writer { text: String::with_capacity(lines * 40), lines: 0, names: 0, state: seed };
    writer.line(0, "//! Layout of boxes on a page: sizes, edges and the order they are drawn in.");
    writer.line(0, "");
    writer.line(0, "use std::collections::BTreeMap;");
    while writer.lines < lines {
        writer.line(0, "");
        match writer.below(5) {
            0 => writer.enumeration(),
            1 | 2 => writer.structure(),
            _ => writer.function(0, ""),
        }
    }
    writer.text
}

/// The line after which the typist types: the first declaration within a function of the text's second half.
pub(crate) fn line_to_type_after(text: &str) -> Option<(u32, &str)> {
    let half = text.lines().count() / 2;
    let is_statement =
        |line: &str| line.starts_with("    let ") && line.ends_with(';') || line.contains(" = max(width");
    let (index, line) = text.lines().enumerate().skip(half).find(|(_, line)| is_statement(line))?;
    Some((u32::try_from(index).ok()?, line))
}

const NOUNS: [&str; 16] = [
    "edge", "margin", "frame", "column", "cursor", "offset", "anchor", "label", "region", "border", "cell",
    "layer", "panel", "glyph", "marker", "slot",
];
const VERBS: [&str; 10] =
    ["measure", "place", "align", "clip", "shift", "split", "merge", "resolve", "scale", "collect"];
const TYPES: [&str; 6] = ["u32", "f64", "String", "Vec<u32>", "Option<f64>", "BTreeMap<u32, String>"];
const REMARKS: [&str; 6] = [
    "Rounded down, so that neighbours never overlap.",
    "An empty row still takes its margin.",
    "The caller has checked the bounds.",
    "Counted from the left edge of the page.",
    "Kept apart from the drawing, which may fail.",
    "Wide cells are shared out from the right.",
];

struct Writer {
    text: String,
    lines: usize,
    /// The number of names so far, which makes each name unique.
    names: usize,
    state: u64,
}

impl Writer {
    fn line(&mut self, indent: usize, line: &str) {
        if !line.is_empty() {
            self.text.extend(std::iter::repeat_n("    ", indent));
        }
        self.text.push_str(line);
        self.text.push('\n');
        self.lines += 1;
    }

    /// The next number of a SplitMix64 sequence, below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    fn pick(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }

    fn name(&mut self, word: &str) -> String {
        self.names += 1;
        format!("{word}_{}", self.names)
    }

    fn type_name(&mut self) -> String {
        let noun = self.pick(&NOUNS);
        let (first, rest) = noun.split_at(1);
        self.names += 1;
        format!("{}{rest}{}", first.to_uppercase(), self.names)
    }

    fn remark(&mut self, indent: usize, mark: &str) {
        let remark = self.pick(&REMARKS);
        self.line(indent, &format!("{mark} {remark}"));
    }

    fn structure(&mut self) {
        let name = self.type_name();
        self.remark(0, "///");
        self.line(0, "#[derive(Clone, Debug, Default)]");
        self.line(0, &format!("pub struct {name} {{"));
        for _ in 0..2 + self.below(4) {
            let field = self.pick(&NOUNS);
            let field = self.name(field);
            let kind = self.pick(&TYPES);
            self.line(1, &format!("pub {field}: {kind},"));
        }
        self.line(0, "}");
        self.line(0, "");
        self.line(0, &format!("impl {name} {{"));
        for method in 0..1 + self.below(3) {
            if method > 0 {
                self.line(0, "");
            }
            self.function(1, "&self, ");
        }
        self.line(0, "}");
    }

    fn enumeration(&mut self) {
        let name = self.type_name();
        self.remark(0, "///");
        self.line(0, "#[derive(Clone, Copy, Debug, PartialEq, Eq)]");
        self.line(0, &format!("pub enum {name} {{"));
        let variants: Vec<String> = (0..2 + self.below(4)).map(|_| self.type_name()).collect();
        for variant in &variants {
            self.line(1, &format!("{variant},"));
        }
        self.line(0, "}");
        self.line(0, "");
        self.line(0, &format!("impl {name} {{"));
        self.line(1, "pub fn weight(self) -> u32 {");
        self.line(2, "match self {");
        for variant in &variants {
            let weight = self.below(90);
            self.line(3, &format!("Self::{variant} => {weight},"));
        }
        self.line(2, "}");
        self.line(1, "}");
        self.line(0, "}");
    }

    fn function(&mut self, indent: usize, receiver: &str) {
        let verb = self.pick(&VERBS);
        let name = self.name(verb);
        self.remark(indent, "///");
        self.line(indent, &format!("pub fn {name}({receiver}width: u32, rows: &[u32]) -> u32 {{"));
        let mut last = String::from("width");
        for _ in 0..2 + self.below(5) {
            let noun = self.pick(&NOUNS);
            let next = self.name(noun);
            let number = 1 + self.below(40);
            self.line(indent + 1, &format!("let mut {next} = {last}.saturating_sub({number});"));
            match self.below(4) {
                0 => {
                    self.line(indent + 1, &format!("for row in rows.iter().skip({number}) {{"));
                    self.line(indent + 2, &format!("{next} = {next}.max(row + {last});"));
                    self.line(indent + 1, "}");
                }
                1 => {
                    self.remark(indent + 1, "//");
                    self.line(indent + 1, &format!("if {next} > width && !rows.is_empty() {{"));
                    self.line(indent + 2, &format!("{next} = width / {number};"));
                    self.line(indent + 1, "}");
                }
                2 => self.line(indent + 1, &format!("let {last} = rows.len() as u32 + {next};")),
                _ => self.remark(indent + 1, "//"),
            }
            last = next;
        }
        self.line(indent + 1, &last);
        self.line(indent, "}");
    }
}
