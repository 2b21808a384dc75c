//! Instructions for setting an environment variable that editors inherit.

/// How to set `variable` to a key: a clause with the line to run or to add.
pub(super) fn how_to_set(variable: &str) -> String {
    how_to_set_on(variable, cfg!(windows))
}

/// Only the line to run or to add.
pub(super) fn line_to_set(variable: &str) -> String {
    line_to_set_on(variable, cfg!(windows))
}

fn how_to_set_on(variable: &str, is_windows: bool) -> String {
    let line = line_to_set_on(variable, is_windows);
    match is_windows {
        true => format!("{line}    in a terminal; then restart the editor"),
        false => format!("{line}    in your shell's profile; then start the editor from a new shell"),
    }
}

fn line_to_set_on(variable: &str, is_windows: bool) -> String {
    if is_windows { format!("setx {variable} …") } else { format!("export {variable}=…") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_one_of_the_system() {
        assert_eq!(
            how_to_set_on("KEY", false),
            "export KEY=…    in your shell's profile; then start the editor from a new shell"
        );
        assert_eq!(how_to_set_on("KEY", true), "setx KEY …    in a terminal; then restart the editor");
    }
}
