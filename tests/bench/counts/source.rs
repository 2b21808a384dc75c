//! Sources to type in: identical on every run, without syntax errors, and with realistic names.

/// The language of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Python,
}

impl Language {
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Python => "python",
        }
    }
}

/// A source, and the end of an unfinished line in its middle.
pub(crate) struct Source {
    pub(crate) language: Language,
    pub(crate) text: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Source {
    pub(crate) fn new(language: Language, lines: usize) -> Self {
        let function = |number: usize| match language {
            Language::Rust => format!(
                "/// Measures row {number}.\npub fn measure_{number}(width: u32, rows: &[u32]) -> u32 {{\n    \
                 let mut edge = width.saturating_sub({number});\n    for row in rows.iter().skip(3) {{\n        \
                 edge = edge.max(row + width);\n    }}\n    edge\n}}\n\n"
            ),
            Language::Python => format!(
                "def measure_{number}(width, rows):\n    \"\"\"Measures row {number}.\"\"\"\n    edge = width - {number}\n    \
                 for row in rows[3:]:\n        edge = max(edge, row + width)\n    total = edge * 2\n    return total\n\n\n"
            ),
        };
        let half = lines / 18;
        let mut text: String = (0..half).map(function).collect();
        text.push_str(match language {
            Language::Rust => "pub fn typed(width: u32) {\n    let edge = ",
            Language::Python => "def typed(width):\n    edge = ",
        });
        let line = u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
        let column = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
        let column = u32::try_from(column).unwrap_or(u32::MAX);
        text.push_str(match language {
            Language::Rust => "\n}\n\n",
            Language::Python => "\n    return width\n\n\n",
        });
        text.extend((half..2 * half).map(function));
        Self { language, text, line, column }
    }

    /// Not a path on disk: the threads that read from disk do not follow the paused clock.
    pub(crate) fn uri(&self) -> &'static str {
        match self.language {
            Language::Rust => "untitled:a.rs",
            Language::Python => "untitled:a.py",
        }
    }
}
