//! A year of use in some minutes, in ten parts: what grows, and what does not.
//!
//! `cargo build --release && cargo bench -p ccd-tests --bench soak [-- --quick]`
//!
//! Prints the tables of `docs/SOAK.md`. Any answer that is wrong ends the run; sizes and times are not asserted.

#[path = "../numbers/args.rs"]
#[expect(dead_code, reason = "the other benchmark has more options")]
mod args;
#[path = "../numbers/daemon.rs"]
#[expect(dead_code, reason = "the other benchmark also restarts daemons")]
mod daemon;
mod kills;
#[path = "../numbers/leftovers.rs"]
mod leftovers;
mod load;
#[path = "../numbers/proc.rs"]
#[expect(dead_code, reason = "the other benchmark also counts processor time")]
mod proc;
#[path = "../numbers/programs.rs"]
#[expect(dead_code, reason = "the other benchmark compares programs")]
mod programs;
#[path = "../numbers/samples.rs"]
#[expect(dead_code, reason = "the other benchmark compares samples")]
mod samples;
mod state;
#[path = "../numbers/wire.rs"]
mod wire;

use args::Args;
use daemon::{Daemon, create, session};
use load::Amounts;
use state::{DaemonState, Probe};
use std::io::Write;
use std::process::ExitCode;

/// Any error ends the run, so its kind does not matter.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Rows of each table.
const PARTS: usize = 10;

/// Sessions that live from start to end.
const OLD_SESSIONS: usize = 20;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "soak: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut args = Args::parse()?;
    leftovers::sweep();
    args.install()?;
    let amounts = Amounts::of(&args);
    let daemon = Daemon::start(&args, "soak")?;
    let mut wire = daemon.connect()?;
    let mut old = Vec::new();
    for _ in 0..OLD_SESSIONS {
        old.push(create(&mut wire, &session(&["cat"]))?.session_id);
    }
    drop(wire);
    let mut out = std::io::stdout();
    writeln!(out, "{}", amounts.describe())?;
    let states = use_for_long(&daemon, &amounts)?;
    writeln!(out, "\n{}", DaemonState::spread(&states))?;
    kills::run(&daemon, &old, args.amount(1_000, 20))?;
    drop(daemon);
    std::fs::remove_dir_all(&args.bin_dir)?;
    Ok(())
}

/// Puts the load on one worker, and prints a row after each part.
fn use_for_long(daemon: &Daemon, amounts: &Amounts) -> Result<Vec<DaemonState>> {
    let mut out = std::io::stdout();
    writeln!(out, "\n{}", DaemonState::HEAD)?;
    let worker = proc::worker_of(daemon.pid());
    let mut states = Vec::new();
    for part in 0..PARTS {
        let probe = Probe::start(daemon.socket());
        load::part(daemon, amounts)?;
        let pings = probe.stop()?;
        let state = DaemonState::when_quiet(daemon, pings)?;
        writeln!(out, "{}", state.row(part + 1))?;
        states.push(state);
    }
    if proc::worker_of(daemon.pid()) != worker {
        return Err("the worker has died".into());
    }
    Ok(states)
}
