//! `tape.list`.

use super::folder::TapeFolder;
use crate::index::{IndexedTape, beginning};
use crate::key::{ContextRules, Fingerprint, Invocation, program_name};
use crate::root::Used;
use crate::tools::ended;
use ccd_protocol::tape::{TapeBegin, TapeListParams, TapeListReply, TapePlace, TapeSummary};

/// Default number of tapes in one reply.
const DEFAULT_LEN: u64 = 1_000;
const MAX_LEN: u64 = 10_000;

/// Maximum number of arguments in a list, whose texts are cut as well: tapes may contain any text, and a list contains
/// many tapes. `tape.get` returns everything.
const SHOWN_ARGS: usize = 100;

const MAX_PROBLEMS: usize = 1_000;

/// Returns the requested tapes of a directory, sorted by id.
pub fn list(folder: &TapeFolder, params: &TapeListParams, rules: &ContextRules) -> TapeListReply {
    let program = params.program.as_deref().map(program_name);
    let is_wanted = |tape: &&IndexedTape| {
        let is_used = folder.root.used(&tape.id).is_some();
        params.used.is_none_or(|used| used == is_used)
            && program.is_none_or(|only| program_name(&tape.meta.program) == only)
    };
    let tapes = folder.index.tapes_by_id().into_iter();
    let wanted: Vec<&IndexedTape> = tapes.filter(is_wanted).collect();
    let total = wanted.len() as u64;
    let after = params.after.as_deref();
    let is_before = |tape: &&IndexedTape| after.is_some_and(|after| &*tape.id <= after);
    let len = params.limit.unwrap_or(DEFAULT_LEN).min(MAX_LEN);
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let page = wanted.into_iter().skip_while(is_before).take(len);
    let page = page.map(|tape| TapeSummary {
        begin: begin(folder, tape.begin(), &tape.invocation, rules),
        ..summary(tape, folder.root.used(&tape.id))
    });
    let problems = folder.index.problems().take(MAX_PROBLEMS);
    TapeListReply {
        root: folder.path().display().to_string(),
        tapes: page.collect(),
        problems: problems.cloned().collect(),
        total,
    }
}

/// Returns how a tape starts; `state` is that of its first exchange, unless that is the start of the program.
pub(super) fn begin(
    folder: &TapeFolder,
    state: Option<Fingerprint>,
    invocation: &Invocation,
    rules: &ContextRules,
) -> TapeBegin {
    let Some(state) = state else {
        return TapeBegin::default();
    };
    let before = folder.index.leads_to(state, invocation, rules);
    TapeBegin {
        begins_in_middle: true,
        begins_behind: before.map(|hit| TapePlace {
            tape_id: hit.tape.id.to_string(),
            exchange: hit.exchange.into(),
        }),
    }
}

fn shortened_args(args: &[String]) -> Vec<String> {
    let first = args.iter().take(SHOWN_ARGS);
    let mut shown: Vec<String> = first.map(|arg| beginning(arg)).collect();
    if args.len() > SHOWN_ARGS {
        shown.push("…".to_owned());
    }
    shown
}

fn summary(tape: &IndexedTape, used: Option<Used>) -> TapeSummary {
    TapeSummary {
        tape_id: tape.id.to_string(),
        program: beginning(&tape.meta.program),
        args: shortened_args(&tape.meta.args),
        tag: tape.meta.tag.as_deref().map(beginning),
        created_at: beginning(&tape.meta.created_at),
        exchanges: u64::from(tape.exchanges()),
        bytes: tape.stamp.bytes,
        ended: tape.exit.map(ended),
        used: used.as_ref().map_or(0, |used| used.exchanges),
        used_at: used.map(|used| used.at),
        begin: TapeBegin::default(),
    }
}
