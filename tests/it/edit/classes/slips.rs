//! Slips whose meaning remains certain, or nearly so.

use super::Sample;
use super::formats::{block, blocks, diff, marked, numbers, patch_text, range_of, text};
use crate::edit::corpus::{Case, Hunk, Rng};

pub(super) fn crlf_file(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let sample = case.sample(any_format(case, rng))?;
    Some(Sample {
        file: sample.file.replace('\n', "\r\n"),
        target: sample.target.replace('\n', "\r\n"),
        ..sample
    })
}

pub(super) fn crlf_reply(case: &Case, rng: &mut Rng) -> Option<Sample> {
    case.sample(any_format(case, rng).replace('\n', "\r\n"))
}

pub(super) fn byte_order_mark(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let sample = case.sample(any_format(case, rng))?;
    Some(Sample {
        file: format!("\u{feff}{}", sample.file),
        target: format!("\u{feff}{}", sample.target),
        ..sample
    })
}

pub(super) fn no_final_newline(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut case = case.clone();
    // The last hunk extends to the file's end.
    let last = case.hunks.last_mut()?;
    case.lines.truncate(last.at + last.old.len());
    case.grammar = None;
    let last = case.hunks.last()?;
    let (old, _) = case.halves(last, 3);
    if old.is_empty() || case.lines.windows(old.len()).filter(|window| **window == old).count() != 1 {
        return None;
    }
    let sample = case.sample(any_format(&case, rng))?;
    let cut = |text: &str| text.strip_suffix('\n').unwrap_or(text).to_owned();
    Some(Sample { file: cut(&sample.file), target: cut(&sample.target), ..sample })
}

pub(super) fn any_format(case: &Case, rng: &mut Rng) -> String {
    match rng.below(3) {
        0 => blocks(case).concat(),
        1 => diff(case),
        _ => patch_text(case),
    }
}

/// A reply without line numbers.
pub(super) fn any_format_without_numbers(case: &Case, rng: &mut Rng) -> String {
    if rng.below(2) == 0 { blocks(case).concat() } else { patch_text(case) }
}

pub(super) fn trailing_blanks(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut case = case.clone();
    let reply = any_format(&case, rng);
    // The file has trailing spaces that the reply omits.
    let touched: Vec<usize> = case.hunks.iter().flat_map(|hunk| hunk.at..hunk.at + hunk.old.len()).collect();
    for number in (0..case.lines.len()).filter(|number| !touched.contains(number)) {
        if number % 3 != 0 {
            case.lines[number].push_str("  ");
        }
    }
    case.sample(reply)
}

pub(super) fn dressed(text: &str) -> String {
    let mut open = false;
    text.chars()
        .map(|sign| match sign {
            '"' => {
                open = !open;
                if open { '“' } else { '”' }
            }
            '\'' => '’',
            sign => sign,
        })
        .collect()
}

/// The case with context lines of the reply changed; `None` if that changes nothing.
fn with_context(case: &Case, change: impl Fn(&str) -> String) -> Option<Sample> {
    let mut changed = false;
    let reply: String = case
        .hunks
        .iter()
        .map(|hunk| {
            let (before, after) = case.around(hunk, 3);
            let mut odd = |lines: &[String]| -> Vec<String> {
                lines
                    .iter()
                    .map(|line| {
                        let other = change(line);
                        changed |= other != *line;
                        other
                    })
                    .collect()
            };
            let (before, after) = (odd(before), odd(after));
            block(&[&before[..], &hunk.old, &after].concat(), &[&before[..], &hunk.new, &after].concat())
        })
        .collect();
    changed.then(|| case.sample(reply))?
}

pub(super) fn typographic(case: &Case, _: &mut Rng) -> Option<Sample> {
    with_context(case, dressed)
}

pub(super) fn typographic_throughout(case: &Case, _: &mut Rng) -> Option<Sample> {
    let reply = blocks(case).concat();
    let odd = dressed(&reply);
    (odd != reply).then(|| case.sample(odd))?
}

pub(super) fn no_break_blanks(case: &Case, _: &mut Rng) -> Option<Sample> {
    with_context(case, |line| {
        let start = line.len() - line.trim_start().len();
        format!("{}{}", &line[..start], line[start..].replace(' ', "\u{a0}"))
    })
}

/// The hunk's lines in the reply, changed by `change`.
pub(super) fn reindented(case: &Case, change: impl Fn(&str) -> Option<String>) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let (old, new) = case.halves(hunk, 3);
    let all = |lines: &[String]| -> Option<Vec<String>> {
        lines
            .iter()
            .map(|line| if line.trim().is_empty() { Some(String::new()) } else { change(line) })
            .collect()
    };
    let (odd_old, odd_new) = (all(&old)?, all(&new)?);
    // Without its indentation it must not match anywhere else.
    let bare = |lines: &[String]| lines.iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let wanted = bare(&old);
    let places = bare(&case.lines).windows(wanted.len()).filter(|window| **window == wanted).count();
    (odd_old != old && places == 1).then(|| case.sample(block(&odd_old, &odd_new)))?
}

pub(super) fn outdented(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let by = [2, 4][rng.below(2)];
    reindented(case, |line| line.strip_prefix(&" ".repeat(by)).map(str::to_owned))
}

pub(super) fn tabs_for_spaces(case: &Case, _: &mut Rng) -> Option<Sample> {
    let sample = reindented(case, |line| {
        let width = line.len() - line.trim_start_matches(' ').len();
        (width % 4 == 0).then(|| format!("{}{}", "\t".repeat(width / 4), &line[width..]))
    })?;
    // A single depth does not reveal the width of a tab.
    let depths: std::collections::HashSet<usize> = sample
        .reply
        .lines()
        .filter(|line| line.starts_with('\t'))
        .map(|line| line.matches('\t').count())
        .collect();
    (depths.len() > 1).then_some(sample)
}

pub(super) fn first_indentation(case: &Case, _: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let (mut old, mut new) = case.halves(hunk, 3);
    let (before, _) = case.around(hunk, 3);
    let first = before.first()?;
    if !first.starts_with(' ')
        || first.trim().is_empty()
        || first.trim().chars().all(|sign| !sign.is_alphanumeric())
    {
        return None;
    }
    old[0] = first.trim().to_owned();
    new[0] = first.trim().to_owned();
    case.sample(block(&old, &new))
}

pub(super) fn reversed(case: &Case, rng: &mut Rng) -> Option<Sample> {
    if case.hunks.len() < 2 {
        return None;
    }
    let mut turned = case.clone();
    turned.hunks.reverse();
    case.sample(any_format(&turned, rng))
}

pub(super) fn twice(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let blocks = blocks(case);
    let again = blocks[rng.below(blocks.len())].clone();
    case.sample(blocks.concat() + &again)
}

pub(super) fn thinking(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let tag = ["think", "thinking", "reasoning"][rng.below(3)];
    let draft = blocks(case).concat().replace("=======\n", "=======\ndraft\n");
    case.sample(format!("<{tag}>\nPerhaps:\n{draft}\nNo.\n</{tag}>\n\n{}", any_format(case, rng)))
}

pub(super) fn changed_elsewhere(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let reply = any_format(case, rng);
    let mut moved = case.clone();
    let first = case.hunks.first()?;
    let at = first.at.checked_sub(4)?;
    moved.lines.insert(at, String::new());
    moved.lines.insert(0, "// A new first line.".to_owned());
    moved.hunks.iter_mut().for_each(|hunk| hunk.at += 2);
    moved.grammar = None;
    moved.sample(reply)
}

pub(super) fn indented_copy(case: &Case, _: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let (old, _) = case.halves(hunk, 3);
    let reply = blocks(case).concat();
    let mut more = case.clone();
    more.grammar = None;
    more.lines
        .extend(old.iter().map(|line| if line.is_empty() { String::new() } else { format!("    {line}") }));
    more.sample(reply)
}

/// The case with its only hunk's surroundings copied to the end, so that the hunk matches twice.
pub(super) fn doubled(case: &Case, head: &str) -> Option<(Case, Hunk)> {
    let [hunk] = case.hunks.as_slice() else { return None };
    if hunk.old.is_empty() {
        return None;
    }
    let (old, _) = case.halves(hunk, 3);
    let mut more = case.clone();
    more.grammar = None;
    more.lines.push(head.to_owned());
    let at = more.lines.len() + case.around(hunk, 3).0.len();
    more.lines.extend(old.iter().cloned());
    Some((more, Hunk { at, ..hunk.clone() }))
}

pub(super) fn number_settles(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (mut more, copy) = doubled(case, "// The same once more.")?;
    more.hunks = vec![copy];
    let hunk = &more.hunks[0];
    let [a, b, c, d] = numbers(&more, hunk, 3);
    more.sample(format!("```diff\n@@ -{a},{b} +{c},{d} @@\n{}```\n", marked(&more, hunk, 3)))
}

pub(super) fn definition_settles(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (mut more, mut copy) = doubled(case, "fn the_same_once_more() {")?;
    let start = copy.at - case.around(&case.hunks[0], 3).0.len();
    more.lines[start..]
        .iter_mut()
        .filter(|line| !line.is_empty())
        .for_each(|line| line.insert_str(0, "    "));
    // The text before it has the same depth, so that only the definition distinguishes them.
    let first = case.hunks[0].at - case.around(&case.hunks[0], 3).0.len();
    let end = case.hunks[0].at + case.hunks[0].old.len() + case.around(&case.hunks[0], 3).1.len();
    more.lines[first..end]
        .iter_mut()
        .filter(|line| !line.is_empty())
        .for_each(|line| line.insert_str(0, "    "));
    for line in copy.old.iter_mut().chain(&mut copy.new).filter(|line| !line.is_empty()) {
        line.insert_str(0, "    ");
    }
    more.hunks = vec![copy];
    let hunk = &more.hunks[0];
    more.sample(format!(
        "*** Begin Patch\n*** Update File: {}\n@@ fn the_same_once_more() {{\n{}*** End Patch\n",
        more.path,
        marked(&more, hunk, 3)
    ))
}

pub(super) fn end_settles(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (mut more, copy) = doubled(case, "// The same once more.")?;
    more.hunks = vec![copy];
    let lines = marked(&more, &more.hunks[0], 3);
    more.sample(format!(
        "*** Begin Patch\n*** Update File: {}\n@@\n{lines}*** End of File\n*** End Patch\n",
        more.path
    ))
}

pub(super) fn html(case: &Case, _: &mut Rng) -> Option<Sample> {
    let escape = |text: String| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut changed = true;
    let reply: String = case
        .hunks
        .iter()
        .map(|hunk| {
            let (old, new) = case.halves(hunk, 3);
            changed &= old.iter().any(|line| line.contains(['<', '>', '&']));
            format!("<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n", escape(text(&old)), escape(text(&new)))
        })
        .collect();
    changed.then(|| case.sample(reply))?
}

/// The old half as it is, the new one escaped.
pub(super) fn html_in_new(case: &Case, _: &mut Rng) -> Option<Sample> {
    let escape = |text: String| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    // A file with entities may want more of them.
    let file = case.file();
    if ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#"].iter().any(|it| file.contains(it)) {
        return None;
    }
    let mut changed = false;
    let reply: String = case
        .hunks
        .iter()
        .map(|hunk| {
            let (old, new) = case.halves(hunk, 0);
            let count = |lines: &[String]| lines.concat().matches(['<', '>', '&']).count();
            changed |= count(&old) > 0 && count(&new) > 0;
            format!("<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n", text(&old), escape(text(&new)))
        })
        .collect();
    changed.then(|| case.sample(reply))?
}

pub(super) fn line_numbers(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mark = [" | ", ": ", "\t"][rng.below(3)];
    let reply: String = case
        .hunks
        .iter()
        .map(|hunk| {
            let (old, new) = case.halves(hunk, 3);
            let first = hunk.at.saturating_sub(3) + 1;
            let count = |lines: &[String]| -> Vec<String> {
                lines.iter().enumerate().map(|(n, line)| format!("{}{mark}{line}", first + n)).collect()
            };
            block(&count(&old), &count(&new))
        })
        .collect();
    case.sample(reply)
}

pub(super) fn diff_like(case: &Case, _: &mut Rng) -> Option<Sample> {
    let mut case = case.clone();
    case.grammar = None;
    let hunk = case.hunks.first_mut()?;
    let old = hunk.old.first_mut()?;
    let text = format!("-- {}", old.trim());
    case.lines[hunk.at].clone_from(&text);
    *old = text;
    hunk.new = vec!["++ counted".to_owned(), "@@ not a header".to_owned()];
    case.sample(diff(&case))
}

pub(super) fn dots(case: &Case, _: &mut Rng) -> Option<Sample> {
    let [first, second] = case.hunks.as_slice() else { return None };
    let ((old, new), (old_too, new_too)) = (case.halves(first, 2), case.halves(second, 2));
    let once =
        |lines: &[String]| case.lines.windows(lines.len()).filter(|window| *window == lines).count() == 1;
    if !once(&old) || !once(&old_too) || case.lines.iter().any(|line| line.trim() == "...") {
        return None;
    }
    let gap = vec!["...".to_owned()];
    case.sample(block(&[old, gap.clone(), old_too].concat(), &[new, gap, new_too].concat()))
}

pub(super) fn dots_of_code(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let mut case = case.clone();
    case.grammar = None;
    let hunk = case.hunks.first_mut()?;
    let near = hunk.old.first().or(case.lines.get(hunk.at)).map_or("", String::as_str);
    let blanks = &near[..near.len() - near.trim_start().len()];
    hunk.new.push(format!("{blanks}let all = [...first, ...rest]; // waits a little... then goes on"));
    let reply = any_format(&case, rng);
    case.sample(reply)
}

pub(super) fn region_outdented(case: &Case, _: &mut Rng) -> Option<Sample> {
    let (range, old, new) = range_of(case, 2)?;
    let least = |lines: &[String]| {
        lines
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start_matches(' ').len())
            .min()
    };
    let by = least(&old).filter(|by| *by > 0 && least(&new) == Some(*by))?;
    let odd: Vec<String> = new.iter().map(|line| line.get(by..).unwrap_or("").to_owned()).collect();
    Some(Sample { range: Some(range), ..case.sample(format!("```\n{}```\n", text(&odd)))? })
}

pub(super) fn region_overlap(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let (range, ..) = range_of(case, 2)?;
    let [hunk] = case.hunks.as_slice() else { return None };
    let more = 1 + rng.below(3);
    let (_, new) = case.halves(hunk, 2);
    let before = &case.lines[hunk.at.saturating_sub(2 + more)..hunk.at.saturating_sub(2)];
    let end = (hunk.at + hunk.old.len() + 2).min(case.lines.len());
    let after = &case.lines[end..(end + more).min(case.lines.len())];
    let telling = |lines: &[String]| lines.iter().any(|line| line.contains(char::is_alphanumeric));
    if !telling(before) || !telling(after) {
        return None;
    }
    let reply = match rng.below(3) {
        0 => [before, &new].concat(),
        1 => [&new, after].concat(),
        _ => [before, &new, after].concat(),
    };
    Some(Sample { range: Some(range), ..case.sample(format!("```\n{}```\n", text(&reply)))? })
}

pub(super) fn whole_with_gaps(case: &Case, _: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let (_, new) = case.halves(hunk, 5);
    let mark = "// ... existing code ...".to_owned();
    case.sample(format!("```\n{}```\n", text(&[vec![mark.clone()], new, vec![mark]].concat())))
}

/// The block without one of its context lines that satisfy `skip`.
fn without(case: &Case, skip: fn(&str) -> bool) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let (before, after) = case.around(hunk, 3);
    let at = before.iter().rposition(|line| skip(line)).filter(|at| *at > 0 && *at + 1 < before.len())?;
    let before = [&before[..at], &before[at + 1..]].concat();
    case.sample(block(&[&before, &hunk.old[..], after].concat(), &[&before, &hunk.new[..], after].concat()))
}

pub(super) fn blank_left_out(case: &Case, _: &mut Rng) -> Option<Sample> {
    without(case, |line| line.trim().is_empty())
}

pub(super) fn comment_left_out(case: &Case, _: &mut Rng) -> Option<Sample> {
    without(case, |line| line.trim_start().starts_with("//") || line.trim_start().starts_with("# "))
}

pub(super) fn letter_in_context(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let (before, after) = case.around(hunk, 3);
    let mut before = before.to_vec();
    let at = rng.below(before.len());
    let letter = before.get(at)?.char_indices().filter(|(_, letter)| letter.is_ascii_lowercase()).nth(2)?.0;
    before[at].remove(letter);
    case.sample(block(&[&before, &hunk.old[..], after].concat(), &[&before, &hunk.new[..], after].concat()))
}

pub(super) fn written_newlines(case: &Case, _: &mut Rng) -> Option<Sample> {
    let [hunk] = case.hunks.as_slice() else { return None };
    let (old, new) = case.halves(hunk, 3);
    case.sample(block(&[old.join("\\n")], &[new.join("\\n")]))
}

pub(super) fn several(case: &Case, rng: &mut Rng) -> Option<Sample> {
    let sample = [trailing_blanks, changed_elsewhere, typographic, byte_order_mark][rng.below(4)](case, rng)?;
    let reply = match rng.below(3) {
        0 => format!("<think>\nhm\n</think>\nSure:\n\n{}", sample.reply),
        1 => format!("Like this.\n\n{}", sample.reply).replace('\n', "\r\n"),
        _ => format!("{}\nHope that helps!", sample.reply),
    };
    Some(Sample { reply, ..sample })
}
