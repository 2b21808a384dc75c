//! Files written by shell commands: `cat > src/main.rs <<'EOF'`.

use crate::edit::line;

/// Returns the paths and texts of the files if a list of commands does nothing but write files.
///
/// Commands may also create directories for them. `None` if a command does anything else, or if the shell
/// would expand a text.
pub(super) fn files(commands: &str) -> Option<Vec<(&str, &str)>> {
    let mut files = Vec::new();
    let mut rest = commands;
    while let Some(line) = line::split_iter(rest).next() {
        rest = &rest[line.len()..];
        let command = line.trim();
        if command.is_empty() || command.starts_with('#') || command.starts_with("mkdir ") {
            continue;
        }
        let Opener { path, word, is_literal } = Opener::of(command.strip_prefix("$ ").unwrap_or(command))?;
        let mut end = 0;
        let closer = line::split_iter(rest).find(|line| {
            let closes = line::body(line) == word;
            end += if closes { 0 } else { line.len() };
            closes
        })?;
        let text = &rest[..end];
        if !is_literal && text.contains(['$', '`', '\\']) {
            return None;
        }
        files.push((path, text));
        rest = &rest[end + closer.len()..];
    }
    Some(files)
}

/// Returns the path of the file that a command writes the lines below it to.
pub(in crate::edit) fn target(command: &str) -> Option<&str> {
    let command = command.trim();
    Opener::of(command.strip_prefix("$ ").unwrap_or(command)).map(|opener| opener.path)
}

/// Whether a text has a command, so that in a new version of it the command is code as well.
pub(in crate::edit) fn has_command(text: &str, command: &str) -> bool {
    line::split_iter(text).any(|line| line.trim() == command.trim())
}

/// A command that writes the lines after it to a file.
struct Opener<'l> {
    path: &'l str,
    /// The word on the line that ends the text.
    word: &'l str,
    /// Whether the shell leaves the text unexpanded.
    is_literal: bool,
}

impl<'l> Opener<'l> {
    fn of(command: &'l str) -> Option<Self> {
        let (before, behind) = command.split_once("<<")?;
        let (quoted, behind) = behind.trim_start().split_once(' ').unwrap_or((behind.trim(), ""));
        let word = quoted.trim_matches(['\'', '"', '\\']);
        let goal =
            |text: &'l str| text.trim().strip_prefix('>').map(str::trim).filter(|it| !it.starts_with('>'));
        let path = match (before.trim().strip_prefix("cat"), before.trim().strip_prefix("tee ")) {
            (Some(""), _) => goal(behind)?,
            (Some(rest), _) if line::is_blank(behind) => goal(rest)?,
            (_, Some(path)) if matches!(behind.trim(), "" | "> /dev/null" | ">/dev/null") => path.trim(),
            _ => return None,
        };
        let path = path.trim_matches(['\'', '"']);
        let is_one = !path.is_empty() && !path.starts_with('-') && !path.contains(char::is_whitespace);
        (is_one && !word.is_empty()).then_some(Self { path, word, is_literal: quoted != word })
    }
}

#[cfg(test)]
mod tests {
    use super::files;

    #[test]
    fn files_that_commands_write() {
        let one = [("src/a.rs", "b $c\n")];
        for commands in [
            "cat > src/a.rs <<'EOF'\nb $c\nEOF\n",
            "# New.\nmkdir -p src\n\ncat <<\"END\" > src/a.rs\nb $c\nEND\n",
            "$ tee src/a.rs << \\EOF >/dev/null\nb $c\nEOF",
        ] {
            assert_eq!(files(commands).as_deref(), Some(&one[..]), "{commands}");
        }
        let two = "cat > a <<EOF\n1\nEOF\ncat > 'b' <<EOF\n2\nEOF\n";
        assert_eq!(files(two), Some(vec![("a", "1\n"), ("b", "2\n")]));
        for commands in [
            "cat >> a <<'EOF'\n1\nEOF\n",
            "cat > a <<EOF\n$1\nEOF\n",
            "cat > a <<'EOF'\n1\n",
            "cat > a <<'EOF'\n1\nEOF\nrm b\n",
            "cat > a b <<'EOF'\n1\nEOF\n",
            "cat a <<'EOF'\n1\nEOF\n",
        ] {
            assert_eq!(files(commands), None, "{commands}");
        }
    }
}
