//! Faults of a program that its answers show.

use super::notebook::Notebook;
use crate::drive::{Reply, Settled};
use ccd_protocol::investigate::{Finding, FindingKind};

/// Returns the fault that an answer shows; none if the program waits for input or ended in its own way.
pub(super) fn finding(
    notebook: &Notebook,
    state: usize,
    command: &str,
    reply: &Reply,
) -> Option<Finding> {
    let (kind, signal, exit_status, message) = match reply.settled {
        Settled::Ended(exit) if exit.is_crash() => {
            let signal = exit.signal_name();
            let message = format!("ended by {}", signal.as_deref().unwrap_or_default());
            (FindingKind::Crash, signal, Some(exit.status()), message)
        }
        Settled::Hangs => {
            // Whole seconds, so that two reports of the same program are the same.
            let message = format!(
                "neither an answer nor a prompt after {:.0} s",
                reply.took.as_secs_f64()
            );
            (FindingKind::Hang, None, None, message)
        }
        Settled::Floods => {
            let message = "printed without end".to_owned();
            (FindingKind::Flood, None, None, message)
        }
        Settled::Ended(_) | Settled::Waits { .. } => return None,
    };
    let (state, _, _) = notebook.state_facts(state);
    Some(Finding {
        kind,
        command: Some(command.to_owned()),
        state: Some(state),
        input: None,
        input_b64: None,
        signal,
        exit_status,
        message,
        tape: None,
    })
}
