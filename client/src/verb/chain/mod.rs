//! `ccctl chain`, `ccctl parallel` and `ccctl watch`.

mod cancel;
mod follow;
mod hit_command;
mod progress;
mod run;
mod watch;

use crate::args::Given;
use crate::{Context, Exit, Failure};

pub(in crate::verb) use cancel::Cancel;
pub(in crate::verb) use follow::{Followed, cancelling, follow, until_end, why};
pub(in crate::verb) use progress::Progress;
pub(crate) use run::parallel;
pub(crate) use watch::watch;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "save" => run::save(args, context),
        "run" => run::run(args, context),
        _ => context.carry_out(args),
    }
}
