//! Inputs of any size.

/// Distinct lines of code.
pub(crate) fn lines(count: usize) -> String {
    (0..count)
        .map(|n| match n % 5 {
            0 => format!("fn function_{n}(input: &Input) -> Output {{\n"),
            1 => format!("    let value_{n} = input.field_{n}.compute(\"text {n}\");\n"),
            2 => format!("    if value_{0} > {n} {{ return Output::new(value_{0}); }}\n", n - 1),
            3 => format!("    Output::default_{n}()\n"),
            _ => format!("}} // {n}\n"),
        })
        .collect()
}

/// Distinct assignments in a language without braces.
pub(crate) fn assignments(count: usize) -> String {
    (0..count).map(|n| format!("value_{n} = compute({n})\n")).collect()
}

/// The text with every `step`th line changed.
pub(crate) fn changed(text: &str, step: usize) -> String {
    text.split_inclusive('\n')
        .enumerate()
        .map(|(n, line)| if n % step == step / 2 { line.replacen('_', "_new_", 1) } else { line.to_owned() })
        .collect()
}

/// A single line of code, of about `bytes` bytes.
pub(crate) fn long_line(bytes: usize) -> String {
    let items: String = (0..bytes / 8).map(|n| format!("{}, ", 100_000 + n % 7919)).collect();
    format!("let row = [{items}];\n")
}

/// The text with `mark` before each line.
pub(crate) fn marked(mark: char, text: &str) -> String {
    text.split_inclusive('\n').flat_map(|line| [mark.to_string(), line.to_owned()]).collect()
}
