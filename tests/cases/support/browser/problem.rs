//! What must not happen while a page is open: scripts that run, requests, errors, dialogs.

use serde_json::Value;

/// Domains of the protocol that report it.
pub(super) const DOMAINS: [&str; 4] = ["Runtime", "Log", "Network", "Audits"];

/// Returns what is wrong with an event of a page that is at `url`, if anything is.
pub(super) fn of(event: &Value, url: &str) -> Option<String> {
    let params = &event["params"];
    match event["method"].as_str()? {
        "Runtime.exceptionThrown"
        | "Runtime.consoleAPICalled"
        | "Log.entryAdded"
        | "Page.javascriptDialogOpening"
        | "Page.windowOpen"
        | "Page.frameAttached"
        | "Page.downloadWillBegin"
        | "Network.webSocketCreated"
        | "Inspector.targetCrashed" => Some(event.to_string()),
        "Audits.issueAdded" => {
            // A change of the address that no person made.
            let is_harmless = event.to_string().contains("NavigationEntryMarkedSkippable");
            (!is_harmless).then(|| event.to_string())
        }
        "Network.requestWillBeSent" => {
            let asked = params["request"]["url"].as_str()?;
            // Pictures are part of the page.
            let is_own = asked.split('#').next() == Some(url) || asked.starts_with("data:image/");
            (!is_own).then(|| event.to_string())
        }
        _ => None,
    }
}
