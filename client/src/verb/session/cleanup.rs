//! `ccctl session cleanup`.

use crate::args::Given;
use crate::context::{confirm, is_at_terminal};
use crate::fields::Fields as _;
use crate::render::counted;
use crate::{Context, Exit, Failure};
use ccd_protocol::Method as _;
use ccd_protocol::session::{SessionCleanup, SessionList, SessionListParams};
use serde_json::json;

/// Removes ended sessions, closes idle or all live ones if asked for, and prints how many.
pub(crate) fn cleanup(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    if args.has("force") && !args.has("yes") && is_at_terminal() {
        let live = context.fetch(SessionList::NAME, &SessionListParams::default())?;
        let live_len = live.value.list("sessions").len();
        let what = counted(live_len as u64, "live session");
        if live_len > 0 && !confirm(&format!("this ends {what}. Continue?")) {
            return Failure::failed("session.cleanup: cancelled; nothing was done");
        }
    }
    let params = json!({"force": args.at("force"), "max_age_s": args.at("max_age_s")});
    context.show(SessionCleanup::NAME, &params)
}
