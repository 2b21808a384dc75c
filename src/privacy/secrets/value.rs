//! Decides whether a text in the position of a secret is a secret.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::rules::{KEYS, MESSAGE_WORDS, PASSWORDS, STAND_INS};
use super::text::count_inspected;
use crate::privacy::limits::PHRASE_BYTES;

/// Whether a quoted or delimited text assigned to a name of a password is a password.
pub(super) fn is_password(value: &str) -> bool {
    value.len() >= 4 && !is_placeholder(value) && (!value.contains([' ', '\t']) || is_phrase(value))
}

/// Whether a text assigned to a name of a key or token looks random.
pub(super) fn is_key(value: &str) -> bool {
    value.len() >= 6
        && value.bytes().all(|byte| byte.is_ascii_graphic())
        && !is_stand_in(value)
        && !is_expression(value)
        && is_mixed(value)
        && !is_word_with_number(value)
}

/// Whether a word that may also be code, since it has no quotes, looks random.
pub(super) fn is_random_word(value: &str) -> bool {
    count_inspected(value.len());
    value.len() >= 8
        && value.bytes().all(|byte| byte.is_ascii_graphic())
        && !is_number(value)
        && !is_camel_case(value)
        && !value.trim_end_matches('=').contains('=')
        && !is_stand_in(value)
        && !(has_name(value) && digits(value) * 5 <= value.len())
        && !is_expression(value)
        && !value.contains(['(', ')', '{', '}', '[', ']', '?', '|', ';', ',', '&', ':'])
        && (is_mixed(value) && !is_word_with_number(value) || is_irregular(value))
}

/// Whether it contains a digit and a letter.
pub(super) fn is_mixed(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit()) && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether it contains letters of both cases.
pub(super) fn is_scattered(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_lowercase()) && value.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Whether it has capitals where names have none: `kXqTRwZbNm`.
fn is_irregular(value: &str) -> bool {
    value.len() >= 10 && is_scattered(value) && turns(value) * 5 >= value.len() * 2
}

/// A number in code: `-16`, `1_000`, `1.25e-06`, `0x8004004A_u32`, `4096usize`.
///
/// A text with more digits may be a key.
fn is_number(value: &str) -> bool {
    let value = value.trim_start_matches('-');
    if value.parse::<f64>().is_ok() && value.contains('.') {
        return true;
    }
    let count = |text: &str, kind: fn(&u8) -> bool| {
        text.bytes().take_while(|byte| kind(byte) || *byte == b'_').count()
    };
    let (number, suffix) = match value.strip_prefix("0x").or(value.strip_prefix("0X")) {
        Some(hex) => hex.split_at(count(hex, u8::is_ascii_hexdigit)),
        None => value.split_at(count(value, u8::is_ascii_digit)),
    };
    let typed = suffix.is_empty()
        || suffix.len() <= 5
            && suffix.starts_with(['i', 'u', 'f', 'l', 'n', 'U', 'L'])
            && suffix.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (1..=20).contains(&number.len()) && typed
}

/// A name in camel case with few digits: `addInt32Prefixed`.
fn is_camel_case(value: &str) -> bool {
    let words = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'));
    words
        && is_scattered(value)
        && digits(value) * 5 <= value.len()
        && changes(value) * 100 <= value.len() * 35
}

fn digits(value: &str) -> usize {
    value.bytes().filter(u8::is_ascii_digit).count()
}

/// The number of transitions between lower case, upper case and digits: 6 of 10 in random texts, 2 to 4 in names.
pub(super) fn changes(text: &str) -> usize {
    let kind = |byte: u8| (byte.is_ascii_lowercase(), byte.is_ascii_uppercase(), byte.is_ascii_digit());
    text.as_bytes().windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count()
}

/// The number of transitions between lower-case and upper-case letters.
fn turns(value: &str) -> usize {
    let bytes = value.as_bytes();
    bytes
        .windows(2)
        .filter(|pair| {
            pair.iter().all(u8::is_ascii_alphabetic)
                && pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase()
        })
        .count()
}

/// Words followed by numbers, as in names and versions: `sha-256`, `utf8`, `token2`, `v1.2.3`.
fn is_word_with_number(value: &str) -> bool {
    let parts = value.split(['-', '_', '.', '/', ':', '@', '+', ' ', ',']).filter(|part| !part.is_empty());
    parts.clone().all(|part| {
        let word = part.trim_end_matches(|it: char| it.is_ascii_digit());
        let digits = part.len() - word.len();
        word.bytes().all(|byte| byte.is_ascii_alphabetic()) && digits <= 4 && !is_irregular(word)
            || part.bytes().all(|byte| byte.is_ascii_digit())
    }) && parts.map(str::len).max().unwrap_or(0) <= 14
}

/// Code, a path or a URL: `self.token2`, `os.environ["A1"]`, `/run/secrets/1`,
/// `https://a/1`.
fn is_expression(value: &str) -> bool {
    value.contains("://")
        || value.starts_with(['/', '~', '&', '*', '!', '@'])
        || value.starts_with("./")
        || value.starts_with("../")
        || value.contains("()")
        || is_path_of_names(value)
}

/// Names joined by dots, `::` or `->`, perhaps followed by a call or an index.
pub(super) fn is_path_of_names(value: &str) -> bool {
    let head = value.find(['(', '[']).map_or(value, |at| &value[..at]);
    let separated = head.replace("->", ".").replace("::", ".").replace("?.", ".");
    let mut parts = separated.split('.').peekable();
    let names = parts.clone().all(|part| {
        let mut bytes = part.bytes();
        bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$')
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$')
            && part.len() <= 32
    });
    parts.next();
    names && (parts.peek().is_some() || head.len() < value.len() && !head.contains('$'))
}

/// Whether the words are a passphrase, not a message or a sentence.
fn is_phrase(value: &str) -> bool {
    let words: Vec<&str> = value.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
    words.len() >= 2
        && words.len() <= 8
        && value.len() <= PHRASE_BYTES
        && !value.ends_with(['.', '?', ':', '!', ',', ';'])
        && !value.contains(['(', '{', '<', '=', '%', '\\', '|', '"', '\'', '`'])
        && words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_graphic() || byte >= 0x80))
        && words.iter().any(|word| word.len() >= 4)
        && !words.iter().any(|word| {
            let word = word.trim_matches(|it: char| !it.is_alphanumeric()).to_lowercase();
            word.is_empty() || MESSAGE_WORDS.contains(&&*word)
        })
        // `Access Denied` is a title, `correct horse battery` is a phrase.
        && (value.bytes().next().is_some_and(|byte| !byte.is_ascii_uppercase()) || is_mixed(value))
        && !has_name(value)
}

/// A name in lower case, without the signs that join its words.
pub(super) fn joined_name(name: &str) -> String {
    name.chars().filter(|it| !matches!(it, '_' | '-' | '.' | ' ')).flat_map(char::to_lowercase).collect()
}

/// The names of secrets, as one word each.
static NAMES: LazyLock<Vec<String>> =
    LazyLock::new(|| PASSWORDS.iter().chain(KEYS).map(|name| joined_name(name)).collect());

/// Whether it contains a name of secrets.
pub(super) fn has_name(value: &str) -> bool {
    let joined = joined_name(value);
    NAMES.iter().any(|name| joined.contains(name))
}

/// Whether a text in the place of a password is a placeholder, or means that there is none.
///
/// It is one only as a whole: a password may begin with a sign, or contain any word.
pub(super) fn is_placeholder(value: &str) -> bool {
    count_inspected(value.len());
    let bare =
        value.trim_matches(|it: char| b"<>[](){}*-_. ".contains(&u8::try_from(it).unwrap_or_default()));
    let mut words = bare.split(['_', '-', '.', '/', ':', ' ']);
    let is_repeated = |text: &str| {
        let first = text.bytes().next();
        text.bytes().all(|byte| Some(byte) == first)
    };
    let signs: HashSet<char> = value.chars().filter(|it| !it.is_alphanumeric()).collect();
    let is_word = |word: &str| {
        let word = word.to_lowercase();
        STAND_INS.contains(&&*word)
            || NAMES.iter().any(|it| word.trim_end_matches('s') == it)
            || is_repeated(&word)
    };
    bare.is_empty()
        || words.all(is_word)
        || signs.len() <= 2 && !value.contains(char::is_alphanumeric)
        || is_constant(value)
        || is_dotted_number(value)
        || value.starts_with(['[', '^', '(', '\\']) && is_pattern(value)
        || is_interpolation(value, Extent::Whole)
}

/// Whether a text in the place of a key, or a word of code, is a placeholder: also if a part of it shows that.
pub(super) fn is_stand_in(value: &str) -> bool {
    const PARTS: [&str; 8] = ["your_", "your-", "placeholder", "changeme", "redacted", "...", "…", "***"];
    let lower = value.to_lowercase();
    let bare = lower.trim_matches(|it: char| !it.is_alphanumeric());
    is_placeholder(value)
        || bare.is_empty()
        || STAND_INS.contains(&bare)
        || lower.starts_with("your")
        || lower.starts_with("xxx")
        || PARTS.iter().any(|it| lower.contains(it))
        || is_example(value)
        || is_pattern(value)
        || is_interpolation(value, Extent::Part)
        || is_made_of_names(&lower)
}

/// Whether it identifies itself as an example, like those on vendors' pages: `AKIAIOSFODNN7EXAMPLE`.
pub(super) fn is_example(value: &str) -> bool {
    value.as_bytes().windows(7).any(|it| it.eq_ignore_ascii_case(b"example"))
}

/// A regular expression with a repeated character class: `[A-Za-z0-9]+`, `\w{8,}`.
fn is_pattern(value: &str) -> bool {
    const CLASSES: [&str; 7] = ["a-z", "A-Z", "0-9", "[^", r"\d", r"\w", r"\s"];
    value.contains(['+', '*', '{']) && CLASSES.iter().any(|it| value.contains(it))
}

/// A version, an IP address or an object identifier: `1.2.840.113549`.
fn is_dotted_number(value: &str) -> bool {
    value.bytes().filter(|byte| *byte == b'.').count() >= 2
        && value.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `DB_PASSWORD`: the name of a variable.
fn is_constant(value: &str) -> bool {
    value.contains('_')
        && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
        && value.bytes().filter(u8::is_ascii_alphabetic).count() * 2 > value.len()
        && value.split('_').all(|part| !is_mixed(part) || part.len() <= 4)
}

/// A text that is hardly more than a name of secrets: `my_password`, `test-token`.
fn is_made_of_names(lower: &str) -> bool {
    let joined = joined_name(lower);
    let Some(name) = NAMES.iter().filter(|name| joined.contains(*name)).max_by_key(|it| it.len()) else {
        return false;
    };
    let rest = joined.replacen(name, "", 1);
    let plain = rest
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || byte >= 0x80 || b":/,()[]'?!*#@&;=<>|".contains(&byte));
    plain || rest.bytes().filter(u8::is_ascii_alphanumeric).count() < 4
}

/// How much of a text an interpolation has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    /// All but a few letters.
    Part,
}

/// A text that is interpolated when used: `${X}`, `$(cat x)`, `{{ x }}`, `%(x)s`, `<your key>`, `%s`, `$X`.
fn is_interpolation(value: &str, extent: Extent) -> bool {
    let is_whole = extent == Extent::Whole;
    if let Some(name) = value.strip_prefix(['$', '%', '@', ':', '?', '&', '*']) {
        let name = name.strip_suffix('%').unwrap_or(name);
        // A variable, a parameter of a statement, or a format specifier.
        let is_variable =
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:->[]'\"?".contains(&byte))
                && !is_irregular(name)
                && (name.len() <= 2 || !is_mixed(name) || is_word_with_number(name));
        // A password may begin with the same sign.
        let is_evident = || {
            name.len() <= 2
                || is_path_of_names(name)
                || has_name(name) && !is_mixed(name)
                || STAND_INS.contains(&&*name.to_lowercase())
                || !name.bytes().any(|byte| byte.is_ascii_lowercase())
        };
        if is_variable && (!is_whole || is_evident()) {
            return true;
        }
    }
    let (mut rest, mut left, mut seen) = (value, 0, false);
    while !rest.is_empty() {
        let behind = BRACKETS.iter().find_map(|(open, close)| {
            let inner = rest.strip_prefix(open)?;
            let end = inner.find(*close)?;
            let name = &inner[..end];
            let is_name = !is_whole || open.len() > 1 || !is_mixed(name) || is_word_with_number(name);
            (is_name && is_name_or_call(name)).then(|| inner[end..].trim_start_matches(*close))
        });
        seen |= behind.is_some();
        rest = behind.unwrap_or_else(|| {
            left += usize::from(rest.as_bytes()[0].is_ascii_alphanumeric());
            &rest[rest.chars().next().map_or(1, char::len_utf8)..]
        });
    }
    seen && left < if is_whole { 1 } else { 12 }
}

/// The brackets of interpolations.
const BRACKETS: &[(&str, char)] = &[
    ("${", '}'),
    ("$((", ')'),
    ("$(", ')'),
    ("{{", '}'),
    ("#{", '}'),
    ("%(", ')'),
    ("%{", '}'),
    ("@{", '}'),
    ("{", '}'),
    ("<", '>'),
    ("$[", ']'),
    ("[", ']'),
];

/// Whether the text between the brackets of an interpolation is a name or a call.
fn is_name_or_call(inner: &str) -> bool {
    let inner = inner.trim();
    inner.len() <= 120
        && inner.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_.-:/'\"[]() ,|>?!$@{=\\&+".contains(&byte)
        })
        && (inner.len() <= 24 || inner.contains([' ', '.', '_', '-', '(', ':', '[']) || !is_mixed(inner))
}
