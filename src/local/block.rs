//! The block that comes with a line: a function's body with its head.

use super::{
    mapping::Mapping,
    page::{Line, Page},
};

/// The longest block that is offered, in lines.
const LONGEST: usize = 24;

/// The block that a line opens, with the words changed.
pub(super) fn below(page: &Page<'_>, index: usize, mapping: &Mapping<'_>) -> Option<String> {
    let (typed, opener) = (page.typed(), &page.lines[index]);
    let mut text = String::new();
    for line in opened_by(page, index)? {
        text.push_str(page.line_end);
        if let Some(deeper) = line.indent.strip_prefix(opener.indent)
            && !line.is_blank()
        {
            text.push_str(typed.indent);
            text.push_str(deeper);
        }
        text.push_str(&mapping.carry(&line.tokens).0);
    }
    Some(text)
}

/// The lines of the block that a line opens, if the current line would open one and none is
/// there yet.
pub(super) fn opened_by<'p, 'a>(
    page: &'p Page<'a>,
    index: usize,
) -> Option<impl Iterator<Item = &'p Line<'a>>> {
    let (typed, opener) = (page.typed(), &page.lines[index]);
    let opens = opener.text.ends_with(['{', '(', '[', ':']) || opener.text.ends_with(" do");
    if !opens || !page.rest.trim().is_empty() {
        return None;
    }
    let is_inner = |line: &Line<'_>, than: &Line<'_>| line.indent.len() > than.indent.len();
    let next = page.next_line();
    if next.is_some_and(|next| is_inner(next, typed)) {
        return None;
    }
    // The analog's own block must not run into the line being typed.
    let end = if index < page.current { page.current } else { page.lines.len() };
    let below = &page.lines[index + 1..end];
    let inner =
        below.iter().take(LONGEST + 1).take_while(|line| line.is_blank() || is_inner(line, opener)).count();
    let blank = below[..inner].iter().rev().take_while(|line| line.is_blank()).count();
    if inner == blank || inner > LONGEST {
        return None;
    }
    let is_closer = |line: &Line<'_>| line.text.starts_with(['}', ')', ']']) || line.text == "end";
    let closer = below.get(inner).filter(|line| is_closer(line) && line.indent == opener.indent);
    if closer.is_none() && !opener.text.ends_with(':') {
        // A block that needs a closing sign and has none here is not whole.
        return None;
    }
    let is_closed = next.is_some_and(|next| next.indent == typed.indent && is_closer(next));
    Some(below[..inner - blank].iter().chain(closer.filter(|_| !is_closed)))
}
