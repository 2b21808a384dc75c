//! Splits a reply into the pieces to send, up to the limit on output tokens.

use crate::simulate::{script::Reply, speech::Piece};
use crate::text::tokens;

/// The part of a reply that is sent.
pub(super) struct Capped {
    pub(super) pieces: Vec<Piece>,
    pub(super) truncated: bool,
}

/// Splits a reply into the script's deltas, or else into tokens.
pub(super) fn pieces(reply: Reply) -> Vec<Piece> {
    match reply {
        Reply::Text(text) => {
            tokens::split(&text).map(|token| Piece { text: token.to_owned(), tokens: 1 }).collect()
        }
        Reply::Deltas(deltas) => {
            deltas.into_iter().map(|text| Piece { tokens: tokens::count(&text), text }).collect()
        }
    }
}

/// Truncates a reply at the cap on output tokens.
pub(super) fn cap(pieces: Vec<Piece>, most: Option<usize>) -> Capped {
    let mut left = most.unwrap_or(usize::MAX);
    let mut kept = Vec::with_capacity(pieces.len());
    for piece in pieces {
        if piece.tokens > left {
            if left > 0 {
                let text = tokens::split(&piece.text).take(left).collect();
                kept.push(Piece { text, tokens: left });
            }
            return Capped { pieces: kept, truncated: true };
        }
        left -= piece.tokens;
        kept.push(piece);
    }
    Capped { pieces: kept, truncated: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::speech::joined;

    #[test]
    fn a_cap_cuts_between_tokens() {
        let check = |reply: Reply, most: usize, expected: &str, truncated: bool| {
            let capped = cap(pieces(reply), Some(most));
            assert_eq!((joined(&capped.pieces).as_str(), capped.truncated), (expected, truncated));
            assert!(capped.pieces.iter().map(|piece| piece.tokens).sum::<usize>() <= most);
        };
        let text = || Reply::Text("let a = 1;".into());
        check(text(), 9, "let a = 1;", false);
        check(text(), 6, "let a = 1;", false);
        check(text(), 5, "let a = 1", true);
        let deltas = || Reply::Deltas(vec!["let a".into(), " = 1;".into()]);
        check(deltas(), 3, "let a =", true);
        check(deltas(), 2, "let a", true);
        check(deltas(), 6, "let a = 1;", false);
    }
}
