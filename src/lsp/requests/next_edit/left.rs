//! The remaining work that the last change causes in other files, beyond the edit that is shown.

use std::sync::Arc;

use super::options::Asked;
use super::params::params;
use super::queued::renamed;
use crate::assist;
use crate::lsp::convert;
use crate::lsp::protocol::{self, Place};

/// The remaining work beyond `shown`; `None` if there is none, or if the client does not show it.
pub(super) async fn left(asked: &Asked<'_>, shown: &[protocol::NextEdit]) -> Option<protocol::Left> {
    if !asked.wants_left() {
        return None;
    }
    let Asked { state, id, .. } = asked;
    let params = {
        let session = state.session.lock();
        let about = (session.snapshot(id).ok()?, session.recent_edits(id));
        params(&session, asked, about).ok()?
    };
    let assist = state.serving.assist();
    let assist::Remnants { places, rename, signature } = assist.remaining_uses(Arc::new(params)).await?;
    let (encoding, rename) = {
        let session = state.session.lock();
        let rename = rename.filter(|_| asked.takes_renames()).and_then(|it| renamed(&session, &it));
        (session.encoding(), rename)
    };
    let place = |it: &assist::FileLocation| Place {
        uri: it.document.id().as_str().to_owned(),
        range: convert::to_range(&it.document, &it.span, encoding),
    };
    let is_shown =
        |it: &Place| shown.iter().any(|edit| edit.text_document.uri == it.uri && edit.range == it.range);
    let places: Vec<Place> = places.iter().map(place).filter(|it| !is_shown(it)).collect();
    // A shown edit already names the rename that it follows from.
    if places.is_empty() && (rename.is_none() || !shown.is_empty()) {
        return None;
    }
    let has_model = assist.has_model();
    let instruction = signature.filter(|_| has_model).map(|(name, path)| {
        format!("Adapt the calls of `{name}` in other files to its signature in {path}, which has changed")
    });
    Some(protocol::Left { places, rename, instruction })
}
