//! What a server asks of its client, and how it begins.

use serde_json::{Value, json};

/// JSON-RPC's code for a method that does not exist.
const METHOD_NOT_FOUND: i64 = -32601;

/// The parameters of `initialize`.
///
/// Workspace folders are not named: the server is told of the files that it is asked about. The options are those
/// that GitHub Copilot's server requires.
pub(super) fn initialize() -> Value {
    let name_and_version = json!({ "name": "Tandem", "version": env!("CARGO_PKG_VERSION") });
    json!({
        "processId": std::process::id(),
        "clientInfo": name_and_version,
        "rootUri": null,
        "workspaceFolders": null,
        "capabilities": {
            "general": { "positionEncodings": ["utf-16"] },
            "textDocument": { "inlineCompletion": {} },
            "workspace": { "configuration": true },
        },
        "initializationOptions": { "editorInfo": name_and_version, "editorPluginInfo": name_and_version },
    })
}

/// The settings of a server's section: no telemetry, and otherwise the server's defaults.
pub(super) fn settings(section: &str) -> Value {
    let telemetry = json!({ "telemetryLevel": "off" });
    match section {
        "" => json!({ "telemetry": telemetry }),
        "telemetry" => telemetry,
        _ => Value::Null,
    }
}

/// The answer to a request of a server: a result, or an error.
pub(super) fn answer(method: &str, params: &Value) -> Result<Value, Value> {
    Ok(match method {
        "workspace/configuration" => {
            let items = params["items"].as_array().map_or(&[][..], Vec::as_slice);
            items.iter().map(|item| settings(item["section"].as_str().unwrap_or_default())).collect()
        }
        "window/showDocument" => json!({ "success": false }),
        "workspace/applyEdit" => json!({ "applied": false, "failureReason": "edits are not applied" }),
        "client/registerCapability"
        | "client/unregisterCapability"
        | "window/showMessageRequest"
        | "window/workDoneProgress/create"
        | "workspace/workspaceFolders" => Value::Null,
        other => {
            return Err(
                json!({ "code": METHOD_NOT_FOUND, "message": format!("there is no method `{other}`") }),
            );
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_of_a_server_is_answered() {
        let check = |method: &str, params: Value, expected: &str| {
            let text = match answer(method, &params) {
                Ok(result) => result.to_string(),
                Err(error) => format!("error {}", error["code"]),
            };
            assert_eq!(text, expected, "{method}");
        };
        let items = json!({ "items": [{ "section": "http" }, { "section": "telemetry" }, {}] });
        check(
            "workspace/configuration",
            items,
            r#"[null,{"telemetryLevel":"off"},{"telemetry":{"telemetryLevel":"off"}}]"#,
        );
        check("workspace/configuration", json!(7), "[]");
        check("client/registerCapability", json!({}), "null");
        check("window/showDocument", json!({ "uri": "https://a.test" }), r#"{"success":false}"#);
        check("window/showMessageRequest", json!({}), "null");
        check(
            "workspace/applyEdit",
            json!({}),
            r#"{"applied":false,"failureReason":"edits are not applied"}"#,
        );
        check("x/unknown", Value::Null, "error -32601");
    }
}
