//! Numbers and paths in words, for people.

use std::fmt::Display;
use std::path::Path;

/// A number of things: `1 file`, `3 fixes`.
pub(crate) fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = match &*count {
        "1" => "",
        _ if noun.ends_with('x') => "es",
        _ => "s",
    };
    format!("{count} {noun}{ending}")
}

/// A path with `/` on every system.
pub(crate) fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_several() {
        assert_eq!([counted(1, "line"), counted(0, "line")], ["1 line", "0 lines"]);
        assert_eq!([counted(1_u64, "certain fix"), counted(2, "fix")], ["1 certain fix", "2 fixes"]);
    }

    #[test]
    fn paths_of_every_system_have_slashes() {
        assert_eq!(slashed(Path::new("C:\\x\\.ENV")), "C:/x/.ENV");
    }
}
