//! Authentication methods of the protocol: how the user of an editor configures a model.

use std::path::PathBuf;

use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::cli::jsonrpc::{Answer, INTERNAL_ERROR, INVALID_PARAMS};
use crate::cli::settings;

/// The protocol's error code for requests that need a model when none is configured.
pub(super) const AUTH_REQUIRED: i64 = -32000;

/// The method that runs `tandem acp setup` in the editor's terminal.
const SETUP: &str = "setup";
/// The method that checks whether a model has been configured elsewhere.
const CONFIGURED: &str = "configured";

/// The authentication method for an editor with these capabilities.
pub(super) fn methods(capabilities: &Value) -> Value {
    // The second name predates the first in the protocol, and the registry's check still sends it.
    let has_terminal =
        capabilities["auth"]["terminal"] == true || capabilities["_meta"]["terminal-auth"] == true;
    if has_terminal {
        let about = "Finds keys and local servers, asks for what is missing, and tries one request";
        json!([{ "id": SETUP, "name": "Choose a model", "description": about, "type": "terminal", "args": [SETUP] }])
    } else {
        let about = "Run `tandem setup` in a terminal first";
        json!([{ "id": CONFIGURED, "name": "Use the model that was set up", "description": about }])
    }
}

/// Succeeds if a model is configured.
pub(super) async fn authenticate(params: &Value, config: Option<PathBuf>) -> Answer {
    let method = params["methodId"].as_str().unwrap_or_default();
    if ![SETUP, CONFIGURED].contains(&method) {
        return Err((INVALID_PARAMS, format!("there is no method `{method}` to authenticate by")));
    }
    // Commands that print keys may take a while.
    let loaded = spawn_blocking(move || settings::load_with_kept_policy(config.as_deref(), &[])).await;
    let loaded = loaded.map_err(|_| (INTERNAL_ERROR, "the settings could not be read".to_owned()))?;
    match settings::gears(loaded.settings.everywhere()).models() {
        [None, None] => {
            let why = "no model is configured; `tandem setup` in a terminal chooses one";
            Err((AUTH_REQUIRED, why.to_owned()))
        }
        _ => Ok(json!({})),
    }
}
