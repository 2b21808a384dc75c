//! Renders a comparison as a self-contained HTML page: one sentence, the table, and the most telling pairs.
//!
//! The texts are code and model output, so all of them are escaped, and the page may neither load nor run anything.

use std::fmt::Write as _;

use super::result::{Answer, Comparison, Pair, Source};
use crate::text::printable_lines;

const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1f24;--dim:#59636e;--line:#d1d9e0;--code:#f6f8fa;--kept:#1a7f37}
@media(prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--dim:#9198a1;--line:#3d444d;--code:#161b22;--kept:#3fb950}}
body{margin:2rem auto;max-width:72rem;padding:0 1rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.4rem;line-height:1.35}h2{font-size:1.1rem;margin-top:2.5rem}
p,figcaption,th{color:var(--dim)}
table{border-collapse:collapse}th,td{padding:.3rem 1rem .3rem 0;border-bottom:1px solid var(--line);text-align:right}
th{font-weight:normal}th:first-child{text-align:left}td{font-variant-numeric:tabular-nums}
figure{margin:1.5rem 0}figcaption,code,pre{overflow-wrap:anywhere}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(16rem,1fr));gap:.75rem}
.pair h3{margin:0;font-size:.85rem;font-weight:normal;color:var(--dim)}.pair h3 b{color:var(--kept)}
pre{margin:.25rem 0 0;padding:.6rem;background:var(--code);border:1px solid var(--line);border-radius:6px;white-space:pre-wrap}
pre,code{font:13px/1.45 ui-monospace,monospace}";

/// Renders a comparison between models of these names; `stopped` is the reason if it ended early.
pub fn page(comparison: &Comparison, names: [&str; 2], stopped: Option<&str>) -> String {
    let [a, b] = names.map(escaped);
    let sentence = escaped(&comparison.sentence());
    let note = stopped.map(|why| format!("<p>Note: {}.</p>\n", escaped(why))).unwrap_or_default();
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{a} and {b}</title>\n<style>{STYLE}</style>\n\
         <h1>{sentence}.</h1>\n<p>A is {a}, B is {b}.</p>\n{note}<table>\n<tr><th><th>A<th>B</tr>\n"
    );
    for [name, a, b] in comparison.rows() {
        // Writing to a string does not fail.
        _ = writeln!(page, "<tr><th>{}<td>{}<td>{}</tr>", escaped(&name), escaped(&a), escaped(&b));
    }
    page += "</table>\n";
    let telling = comparison.telling();
    if !telling.is_empty() {
        page += "<h2>The most telling pairs</h2>\n";
    }
    telling.into_iter().for_each(|pair| page += &figure(pair, comparison.source));
    page + "</html>\n"
}

/// Renders one pair: the written text with both answers beside it.
fn figure(pair: &Pair, source: Source) -> String {
    let cluster = source.shown(&pair.cluster);
    let (path, before) = (escaped(&pair.path), escaped(pair.before.trim_start()));
    let column = |title: &str, text: &str| {
        let text = if text.is_empty() { "(nothing)" } else { text };
        format!("<div><h3>{title}</h3><pre>{}</pre></div>\n", escaped(text))
    };
    let answer = |name: &str, it: &Answer| {
        let title = format!("{name} keeps <b>{} of {}</b> characters", it.kept, it.suggested);
        column(&title, &it.text)
    };
    let [a, b] = &pair.answers;
    format!(
        "<figure><figcaption>{path} in {}, after <code>{before}</code></figcaption>\n<div class=\"pair\">\n{}{}{}</div></figure>\n",
        escaped(&cluster),
        column("what was written", &pair.written),
        answer("A", a),
        answer("B", b)
    )
}

fn escaped(text: &str) -> String {
    let text = printable_lines(text);
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            sign => escaped.push(sign),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(text: &str) -> Comparison {
        let answer =
            |text: &str, kept| Answer { text: text.to_owned(), suggested: 9, kept, ..Answer::default() };
        let pair = |at: usize| Pair {
            cluster: format!("{at:040}"),
            path: format!("src/{text}.rs"),
            language: "Rust".to_owned(),
            before: format!("    let a = {text}"),
            written: text.to_owned(),
            answers: [answer(text, at % 9), answer("", 0)],
        };
        Comparison::new(Source::History, (0..30).map(pair).collect())
    }

    #[test]
    fn nothing_of_a_text_is_markup_and_nothing_is_loaded() {
        let hostile = "<script src=\"http://a\">&\u{1b}[2J</pre><img onerror='x'>";
        let page = page(&comparison(hostile), ["<b>", "\u{202e}m"], Some("<i>"));
        for sign in ["<script", "<img", "<b><", "<i>", "\u{1b}", "\u{202e}", "</pre><img"] {
            assert!(!page.contains(sign), "{sign}\n{page}");
        }
        assert_eq!((page.matches("<pre>").count(), page.matches("</pre>").count()), (30, 30));
        for sign in ["src=", "href=", "url(", "@import"] {
            assert_eq!(page.matches(sign).count(), page.matches(&format!("script {sign}")).count(), "{sign}");
        }
    }

    #[test]
    fn page_has_the_sentence_the_table_and_ten_pairs() {
        let comparison = comparison("f(1)");
        let page = page(&comparison, ["one", "two"], None);
        assert!(page.contains(&format!("<h1>{}.</h1>", comparison.sentence())), "{page}");
        for [name, a, b] in comparison.rows() {
            assert!(page.contains(&format!("<th>{name}<td>{a}<td>{b}")), "{name}\n{page}");
        }
        assert_eq!(page.matches("<figure>").count(), 10);
        assert!(page.contains("<pre>(nothing)</pre>") && page.contains("A keeps <b>8 of 9</b> characters"));
    }
}
