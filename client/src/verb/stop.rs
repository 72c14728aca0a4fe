//! `ccctl daemon stop`.

use crate::call::processes::is_our_daemon;
use crate::call::{ConnectError, DaemonAddress, fetch_within};
use crate::context::{confirm, is_at_terminal};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, render};
use ccd_protocol::ErrorCode;
use ccd_protocol::daemon::DaemonStopParams;
use ccd_protocol::session::SessionListParams;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::time::{Duration, Instant};

/// How long the daemon may take to stop: its own limit of 10 s, and a margin.
const STOP_LIMIT: Duration = Duration::from_secs(12);

/// How long the daemon may take to reply before it is pinged.
const REPLY_LIMIT: Duration = Duration::from_secs(10);

/// The same with `--force`: a signal does what the call does.
const FORCED_REPLY_LIMIT: Duration = Duration::from_secs(1);

/// How long a daemon that does not reply may take to end after a signal: the holder kills a worker that does not heed it
/// within 2 s, and the next worker ends the sessions.
const SIGNAL_LIMIT: Duration = Duration::from_secs(8);

/// How long killed processes may take to end.
const KILL_LIMIT: Duration = Duration::from_secs(2);

const LOOK_PAUSE: Duration = Duration::from_millis(10);

const PROCESSES_PAUSE: Duration = Duration::from_millis(50);

/// Most sessions that the question names, and the most bytes of each command.
const MAX_NAMED: usize = 10;
const MAX_COMMAND_LEN: usize = 60;

pub(crate) fn stop(is_forced: bool, context: &mut Context) -> Result<Exit, Failure> {
    let place = context.place()?.without_start();
    ask_first(is_forced, &place)?;
    let limit = if is_forced {
        FORCED_REPLY_LIMIT
    } else {
        REPLY_LIMIT
    };
    let asked = fetch_within(&place, "daemon.stop", &DaemonStopParams {}, Some(limit));
    let answer = match asked {
        Err(failure) if is_forced && takes_no_request(&failure) => {
            return end_by_signal(&place, failure, context);
        }
        asked => asked?,
    };
    let pid = answer.value["pid"].as_i64();
    wait_until_gone(
        &place,
        pid.and_then(|pid| i32::try_from(pid).ok())
            .unwrap_or_default(),
    )?;
    context.print_as("daemon.stop", &answer)
}

/// At a terminal, names the live sessions, if any, and asks for confirmation. [`Failure::Failed`] if the user says no.
pub(super) fn ask_first(is_forced: bool, place: &DaemonAddress) -> Result<(), Failure> {
    if is_forced || !is_at_terminal() {
        return Ok(());
    }
    let place = &place.clone().without_start();
    let params = SessionListParams::default();
    let live = fetch_within(place, "session.list", &params, Some(REPLY_LIMIT))?;
    let sessions = live.value.list("sessions");
    let shown = sessions.iter().map(|session| {
        let name = session["name"].as_str();
        let name = name.unwrap_or_else(|| session.text("session_id"));
        (name, render::command_line(session))
    });
    if sessions.is_empty() || confirm(&format!("this ends {}. Stop the daemon?", named(shown))) {
        return Ok(());
    }
    Failure::failed("daemon stop: cancelled; the daemon keeps running")
}

/// The first sessions by name and command, and the number of further ones.
fn named<'a>(sessions: impl ExactSizeIterator<Item = (&'a str, String)>) -> String {
    let named = sessions.map(|(name, command)| {
        let command = render::printable(&command);
        match command.char_indices().nth(MAX_COMMAND_LEN) {
            Some((end, _)) => format!("{name} ({}…)", &command[..end]),
            None => format!("{name} ({command})"),
        }
    });
    render::few(MAX_NAMED, ", ", named)
}

/// Returns whether the daemon hangs, all its connections are taken, or its socket may be gone.
fn takes_no_request(failure: &Failure) -> bool {
    match failure {
        Failure::Silent { .. }
        | Failure::Connect(ConnectError::NoDaemon { .. } | ConnectError::Socket(_)) => true,
        Failure::Refused { error, .. } => error.known() == Some(ErrorCode::LimitReached),
        _ => false,
    }
}

/// Ends a daemon that takes no request: by a signal to its holder or, if that has no effect, by killing all its processes.
/// Returns `failure` if none is found, or one is left.
fn end_by_signal(
    place: &DaemonAddress,
    failure: Failure,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let Some(&holder) = place.processes().first() else {
        return Err(failure);
    };
    for signal in [Signal::TERM, Signal::CONT] {
        let _ = kill_process(holder, signal);
    }
    if !has_no_process(place, SIGNAL_LIMIT) {
        // A holder that is stopped starts no other worker.
        for signal in [Signal::STOP, Signal::KILL] {
            for pid in place.processes() {
                let _ = kill_process(pid, signal);
            }
        }
        if !has_no_process(place, KILL_LIMIT) {
            return Err(failure);
        }
    }
    let why = match failure {
        Failure::Silent { .. } => "did not reply",
        Failure::Connect(_) => "had no socket",
        _ => "accepted no more connections",
    };
    let pid = holder.as_raw_nonzero();
    let ended = serde_json::json!({ "pid": pid, "replied": false });
    context.print_either(&ended, |out| {
        writeln!(out, "ccd stopped: pid {pid}, which {why}")
    })
}

/// Waits until the daemon has no process any more; false if it still has one after `limit`.
fn has_no_process(place: &DaemonAddress, limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    while !place.processes().is_empty() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(PROCESSES_PAUSE);
    }
    true
}

fn wait_until_gone(place: &DaemonAddress, pid: i32) -> Result<(), Failure> {
    let deadline = Instant::now() + STOP_LIMIT;
    let seen = Pid::from_raw(pid).filter(|pid| is_our_daemon(*pid));
    let process = Process::of(seen);
    // With a unit, another client may start the next daemon at once.
    let is_served = || Ok::<_, Failure>(!place.has_unit() && place.try_connect()?.is_some());
    while process.is_alive() || is_served()? {
        if Instant::now() > deadline {
            return Err(Failure::TimedOut(format!(
                "daemon.stop: pid {pid} has not ended within {} s; ccctl daemon logs may say why",
                STOP_LIMIT.as_secs()
            )));
        }
        std::thread::sleep(LOOK_PAUSE);
    }
    Ok(())
}

/// A process to wait for that is not a child.
struct Process {
    pid: Option<Pid>,
    /// Reports the end even before the parent has collected the status, unlike a signal.
    #[cfg(target_os = "linux")]
    descriptor: Option<std::os::fd::OwnedFd>,
}

impl Process {
    fn of(pid: Option<Pid>) -> Self {
        Self {
            pid,
            #[cfg(target_os = "linux")]
            descriptor: pid.and_then(|pid| {
                rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
            }),
        }
    }

    #[cfg(target_os = "linux")]
    fn is_alive(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let Some(descriptor) = &self.descriptor else {
            return self.takes_signals();
        };
        let mut fds = [PollFd::new(descriptor, PollFlags::IN)];
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        matches!(poll(&mut fds, Some(&now)), Ok(0))
    }

    #[cfg(not(target_os = "linux"))]
    fn is_alive(&self) -> bool {
        self.takes_signals()
    }

    fn takes_signals(&self) -> bool {
        self.pid.is_some_and(|pid| test_kill_process(pid).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn the_question_names_the_first_sessions_and_counts_the_rest() {
        let sessions = |len| (0..len).map(|_| ("n", "sleep 1".to_owned()));
        assert_eq!(named(sessions(2)), "n (sleep 1), n (sleep 1)");
        assert!(!named(sessions(10)).contains("more"));
        let text = named(sessions(12));
        assert!(text.ends_with(", n (sleep 1) and 2 more"), "{text}");
        assert_eq!(text.matches("sleep").count(), 10);
        let long = named([("n", "x".repeat(100))].into_iter());
        assert_eq!(long, format!("n ({}…)", "x".repeat(60)));
    }

    #[test]
    fn a_process_is_gone_before_its_status_is_collected() {
        let mut cat = Command::new("cat");
        cat.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut cat = cat.spawn().unwrap();
        let pid = Pid::from_raw(cat.id().try_into().unwrap());
        let process = Process::of(pid);
        assert!(process.is_alive());
        drop(cat.stdin.take());
        if cfg!(target_os = "linux") {
            let deadline = Instant::now() + Duration::from_secs(10);
            while process.is_alive() {
                assert!(Instant::now() < deadline, "cat never ended");
                std::thread::yield_now();
            }
        }
        cat.wait().unwrap();
        assert!(!Process::of(pid).is_alive());
    }
}
