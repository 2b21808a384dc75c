//! Fixes for common mistakes in JSON.

/// Returns JSON without two mistakes whose meaning is clear; `None` if it has neither.
///
/// These are trailing commas, and unescaped line ends and tabs in strings.
pub(super) fn repair_json(text: &str) -> Option<String> {
    let mut result = String::with_capacity(text.len());
    let (mut in_string, mut escaped, mut changed) = (false, false, false);
    for (at, letter) in text.char_indices() {
        let instead = match letter {
            _ if escaped => {
                escaped = false;
                None
            }
            '\\' if in_string => {
                escaped = true;
                None
            }
            '"' => {
                in_string = !in_string;
                None
            }
            '\n' if in_string => Some("\\n"),
            '\r' if in_string => Some("\\r"),
            '\t' if in_string => Some("\\t"),
            ',' if !in_string && text[at + 1..].trim_start().starts_with([']', '}']) => Some(""),
            _ => None,
        };
        match instead {
            Some(instead) => {
                changed = true;
                result.push_str(instead);
            }
            None => result.push(letter),
        }
    }
    changed.then_some(result)
}
