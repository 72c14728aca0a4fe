//! `ccctl session cleanup`.

use crate::args::CleanupArgs;
use crate::context::{confirm, is_at_terminal};
use crate::fields::Fields as _;
use crate::render::counted;
use crate::{Context, Exit, Failure};
use ccd_protocol::session::{SessionCleanup, SessionCleanupParams, SessionList, SessionListParams};

/// Removes ended sessions, closes idle or all live ones if asked for, and prints how many.
pub(crate) fn cleanup(args: &CleanupArgs, context: &mut Context) -> Result<Exit, Failure> {
    if args.force && !args.yes && is_at_terminal() {
        let live = context.fetch::<SessionList>(&SessionListParams::default())?;
        let live_len = live.value.list("sessions").len();
        let what = counted(live_len as u64, "live session");
        if live_len > 0 && !confirm(&format!("this ends {what}. Continue?")) {
            return Failure::failed("session.cleanup: cancelled; nothing was done");
        }
    }
    let params = SessionCleanupParams {
        force: args.force,
        max_age_s: args.age,
    };
    context.show::<SessionCleanup>(&params)
}
