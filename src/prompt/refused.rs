//! A refused reply, below the prompt that it answered: the model is asked for a better one.

use super::Prompt;
use super::marks::Marks;
use crate::text::floor_boundary;

/// Bytes of a refused reply that are shown.
const SHOWN: usize = 16 * 1024;
const NAMES: [&str; 2] = ["refused", "because"];
const REQUEST: [&str; 2] = [
    "\nThe reply after ",
    " was not used, for this reason. Reply again, complete, in the form that is asked for above, without this fault.\n",
];

/// A reply that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedReply {
    /// The reply.
    pub reply: String,
    /// The reason, as the user reads it.
    pub why: String,
}

impl Prompt {
    /// Adds a refused reply, of which at most 16 KiB are shown, below the input.
    #[must_use]
    pub fn with_refused(mut self, refused: &RefusedReply) -> Self {
        let RefusedReply { reply, why } = refused;
        let reply = &reply[..floor_boundary(reply, SHOWN)];
        let marks = Marks::absent_from(&NAMES, &[&self.input, reply, why]);
        let [begin, because] = NAMES.map(|name| marks.mark(name));
        let [request, form] = REQUEST;
        self.input.extend([&begin, "\n", reply, "\n", &because, "\n", why, request, &begin, form]);
        self
    }
}

/// The prompt without a refused reply below it.
pub(super) fn without(input: &str) -> &str {
    let [request, form] = REQUEST;
    let found = || {
        let (_, mark) = input.strip_suffix(form)?.rsplit_once(request)?;
        // The mark is in no other text, so its first line is the end of the prompt.
        Some(input.split_once(&format!("{mark}\n"))?.0)
    };
    found().unwrap_or(input)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(input: &str, reply: &str, expect: Expect) {
        let prompt = Prompt { instructions: "", input: input.to_owned(), stable: 0 };
        let refused = RefusedReply { reply: reply.to_owned(), why: "it is empty".to_owned() };
        let shown = prompt.with_refused(&refused).input;
        assert_eq!(without(&shown), input);
        expect.assert_eq(&shown);
    }

    #[test]
    fn refused_reply_follows_with_the_reason() {
        check(
            "<|code|>\na\n",
            "```\nb\n```",
            expect![[r#"
                <|code|>
                a
                <|refused|>
                ```
                b
                ```
                <|because|>
                it is empty
                The reply after <|refused|> was not used, for this reason. Reply again, complete, in the form that is asked for above, without this fault.
            "#]],
        );
    }

    #[test]
    fn marks_in_the_texts_are_told_apart() {
        check(
            "<|refused|>\na\n",
            "<|because-1|>\nb",
            expect![[r#"
                <|refused|>
                a
                <|refused-2|>
                <|because-1|>
                b
                <|because-2|>
                it is empty
                The reply after <|refused-2|> was not used, for this reason. Reply again, complete, in the form that is asked for above, without this fault.
            "#]],
        );
    }

    #[test]
    fn long_reply_is_cut_between_characters() {
        let prompt = Prompt { instructions: "", input: String::new(), stable: 0 };
        let refused = RefusedReply { reply: "é".repeat(SHOWN), why: String::new() };
        assert_eq!(prompt.with_refused(&refused).input.matches('é').count(), SHOWN / 2);
    }

    #[test]
    fn prompt_without_one_stays_as_it_is() {
        for input in ["a\n<|because|>\nb\n".to_owned(), format!("a{}", REQUEST.join("<|refused|>"))] {
            assert_eq!(without(&input), input);
        }
    }
}
