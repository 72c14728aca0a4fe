//! `ccctl chain`, `ccctl parallel` and `ccctl watch`.

mod cancel;
mod follow;
mod hit_command;
mod parallel;
mod progress;
mod run;
mod save;
mod watch;

use crate::args::Given;
use crate::{Context, Exit, Failure};

pub(in crate::verb) use cancel::Cancel;
pub(in crate::verb) use follow::{Followed, cancelling, follow, until_end, why};
pub(crate) use parallel::parallel;
pub(in crate::verb) use progress::Progress;
pub(crate) use watch::watch;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "save" => save::save(args, context),
        "run" => run::run(args, context),
        _ => context.carry_out(args),
    }
}
