//! `ccctl session cleanup`.

use crate::args::Given;
use crate::context::{confirm, is_at_terminal};
use crate::fields::Fields as _;
use crate::render::counted;
use crate::{Context, Exit, Failure};
use ccd_protocol::session::SessionListParams;

/// Removes ended sessions, closes idle or all live ones if asked for, and prints how many.
pub(crate) fn cleanup(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    if args.has("force") && !args.has("yes") && is_at_terminal() {
        let live = context.fetch("session.list", &SessionListParams::default())?;
        let live_len = live.value.list("sessions").len();
        let what = counted(live_len as u64, "live session");
        if live_len > 0 && !confirm(&format!("this ends {what}. Continue?")) {
            return Failure::failed("session.cleanup: cancelled; nothing was done");
        }
    }
    context.show("session.cleanup", &args.params())
}
