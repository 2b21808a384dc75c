//! Vocabulary of file-editing tool calls: JSON keys and tags.
//!
//! A tool with its own names for a known call only needs a row here.

/// Keys for the path of a call.
pub(super) const PATHS: [&str; 18] = [
    "path",
    "file_path",
    "filePath",
    "filepath",
    "file",
    "filename",
    "file_name",
    "fileName",
    "target_file",
    "targetFile",
    "TargetFile",
    "absolute_path",
    "absolutePath",
    "AbsolutePath",
    "relative_path",
    "relativePath",
    "relative_workspace_path",
    "uri",
];

/// Keys for the text that an edit replaces.
pub(super) const OLD: [&str; 13] = [
    "TargetContent",
    "old_string",
    "oldString",
    "old_str",
    "oldStr",
    "old_text",
    "oldText",
    "old",
    "search",
    "find",
    "original",
    "old_code",
    "before",
];

/// Keys for the text that an edit writes.
pub(super) const NEW: [&str; 14] = [
    "ReplacementContent",
    "new_string",
    "newString",
    "new_str",
    "newStr",
    "new_text",
    "newText",
    "new",
    "replace",
    "replacement",
    "updated",
    "new_code",
    "after",
    "replace_with",
];

/// Keys for lists of edits.
pub(super) const LISTS: [&str; 5] = ["edits", "changes", "replacements", "files", "ReplacementChunks"];

/// Keys for edits in another format.
pub(super) const WRAPPERS: [&str; 8] =
    ["patch", "patchText", "input", "diff", "arguments", "args", "parameters", "reply"];

/// Keys for the arguments of a call.
pub(super) const ARGUMENTS: [&str; 4] = ["arguments", "args", "input", "parameters"];

/// Keys for the whole text of a file.
pub(super) const WHOLE: [&str; 3] = ["content", "contents", "file_text"];

/// Names of tools that write the whole text of a file.
pub(super) const WRITERS: [&str; 5] = ["write", "write_file", "create_file", "write_to_file", "create"];

/// Other keys in a call with a path and the whole text of that file.
pub(super) const BESIDE_WHOLE: [&str; 5] =
    ["explanation", "description", "instruction", "line_count", "overwrite"];

/// Keys for replacing all occurrences.
pub(super) const EVERYWHERE: [&str; 5] =
    ["replace_all", "replaceAll", "all", "AllowMultiple", "allow_multiple"];

/// Keys for the expected number of occurrences.
pub(super) const TIMES: [&str; 2] = ["expected_replacements", "expectedReplacements"];

/// Keys that mark the old text as a regular expression.
pub(super) const EXPRESSION: [&str; 4] = ["use_regex", "useRegex", "is_regex", "isRegex"];

/// Opening and closing tags of calls whose parameters are in tags.
pub(super) const CALLS: [(&str, &str); 6] = [
    ("invoke name=", "</invoke>"),
    ("function=", "</function>"),
    ("tool_call>", "</tool_call>"),
    ("replace_in_file>", "</replace_in_file>"),
    ("write_to_file>", "</write_to_file>"),
    ("search_and_replace>", "</search_and_replace>"),
];

/// Parameter tags named after the parameter, in calls whose tags are named after the tool.
pub(super) const PARAMETERS: [&str; 9] = [
    "path",
    "content",
    "diff",
    "line_count",
    "search",
    "replace",
    "use_regex",
    "ignore_case",
    "task_progress",
];

/// Opening tags of a file's whole text, with the path as an attribute, and their closing tags.
pub(super) const FILES: [(&str, &str); 3] =
    [("file ", "</file>"), ("boltAction ", "</boltAction>"), ("lov-write ", "</lov-write>")];

/// Tags around old text and around the new text after it.
pub(super) const PAIRS: [(&str, &str); 9] = [
    ("old_text", "new_text"),
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("old_code", "new_code"),
    ("original_code", "new_code"),
    ("original", "patched"),
    ("search", "replace"),
    ("old", "new"),
    ("find", "replace"),
];

/// Whether a line has a key for an edit's old text.
pub(super) fn has_old_text(line: &str) -> bool {
    let key = |name: &&str| line.contains(&format!("\"{name}\":"));
    OLD.iter().filter(|name| is_telling(name)).any(key)
}

/// Whether a key consists of two words, as hardly any but an edit's does.
pub(super) fn is_telling(name: &str) -> bool {
    name.contains(|letter: char| letter == '_' || letter.is_uppercase())
}
