//! `ccctl chain`, `ccctl parallel` and `ccctl watch`.

mod cancel;
mod follow;
mod hit_command;
mod parallel;
mod progress;
mod run;
mod save;
mod watch;

use crate::args::ChainVerb;
use crate::{Context, Exit, Failure};
use ccd_protocol::NoParams;
use ccd_protocol::chain::{ChainDelete, ChainGet, ChainList, ChainParams};

pub(in crate::verb) use cancel::Cancel;
pub(in crate::verb) use follow::{Followed, cancelling, follow, until_end, why};
pub(crate) use parallel::parallel;
pub(in crate::verb) use progress::Progress;
pub(crate) use watch::watch;

pub(crate) fn dispatch(verb: &ChainVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        ChainVerb::List => context.show::<ChainList>(&NoParams {}),
        ChainVerb::Get { name } => {
            let name = name.clone();
            context.show::<ChainGet>(&ChainParams { name })
        }
        ChainVerb::Save(args) => save::save(args, context),
        ChainVerb::Delete { name } => {
            let name = name.clone();
            context.show::<ChainDelete>(&ChainParams { name })
        }
        ChainVerb::Run(args) => run::run(args, context),
    }
}
