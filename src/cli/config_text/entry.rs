//! The elements of an array in a TOML file, each with its comments.

use toml_edit::{Array, Value};

/// An element of an array with its comments. toml_edit attaches the comment at the end of an element's line to
/// the following element.
pub(super) struct Entry {
    /// The white space, line ends and comments before the element.
    pub(super) lead: String,
    pub(super) value: Value,
    /// The rest of the line after the element.
    pub(super) comment: String,
}

impl Entry {
    /// Splits an array into its elements.
    pub(super) fn of(array: &Array) -> Vec<Self> {
        let text = |raw: Option<&toml_edit::RawString>| {
            raw.and_then(|it| it.as_str()).unwrap_or_default().to_owned()
        };
        let mut entries: Vec<Self> = Vec::new();
        for value in array.iter() {
            let mut lead = text(value.decor().prefix());
            if let Some(before) = entries.last_mut()
                && let Some(end) = lead.find('\n')
            {
                before.comment += lead[..end].trim_end();
                lead.drain(..end);
            }
            // The last element may have a comment without a comma before it.
            let suffix = text(value.decor().suffix());
            let comment = suffix.lines().next().unwrap_or_default().trim_end().to_owned();
            entries.push(Self { lead, value: value.clone(), comment });
        }
        let trailing = text(Some(array.trailing()));
        if let Some(last) = entries.last_mut()
            && let Some(end) = trailing.find('\n')
        {
            last.comment += trailing[..end].trim_end();
        }
        entries
    }

    /// Replaces the array's elements. They are formatted uniformly: one per line, or all on a single line.
    pub(super) fn put(entries: Vec<Self>, array: &mut Array) {
        let own_line = entries.iter().find(|it| it.lead.contains('\n'));
        let indent = own_line.map(|it| it.lead[it.lead.rfind('\n').unwrap_or(0)..].to_owned());
        let end = array.trailing().as_str().unwrap_or_default();
        let end = end.find('\n').map_or(String::new(), |at| end[at..].to_owned());
        array.clear();
        let mut comment = String::new();
        for (at, mut entry) in entries.into_iter().enumerate() {
            let lead = match &indent {
                Some(indent) if !entry.lead.contains('\n') => indent.clone(),
                Some(_) => entry.lead,
                None if at == 0 => String::new(),
                None => " ".to_owned(),
            };
            *entry.value.decor_mut() = toml_edit::Decor::new(format!("{comment}{lead}"), "");
            array.push_formatted(entry.value);
            comment = entry.comment;
        }
        let is_lined = indent.is_some();
        array.set_trailing_comma(is_lined);
        let end = if is_lined && end.is_empty() { "\n".to_owned() } else { end };
        array.set_trailing(format!("{comment}{end}"));
    }
}
