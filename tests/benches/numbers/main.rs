//! The figures that the project promises, each with the baseline of the machine and with comparable tools.
//!
//! `cargo build --release && cargo bench -p ccd-tests --bench numbers [-- --quick] [--only NAME]`
//!
//! Everything that is compared runs alternately in the same run, so the ratios matter, not the times. Times are not
//! asserted; that every contender did the same work is.

mod args;
mod bare;
#[path = "../../cases/support/browser/chromium.rs"]
mod chromium;
mod contest;
mod daemon;
mod flood;
mod history;
mod leftovers;
mod mcp;
mod proc;
mod programs;
mod project;
mod python;
mod report;
mod rows;
mod samples;
mod spawn;
mod tmux;
mod wire;

use args::Args;
use report::Report;
use std::io::Write;
use std::process::ExitCode;

/// Any error ends the run, so its kind does not matter.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "numbers: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|word| word == rows::pipe::CHILD)
    {
        return rows::pipe::tell_time();
    }
    let mut args = Args::parse()?;
    if let Some(count) = args.hold_sessions {
        return rows::memory::hold_bare_sessions(count);
    }
    leftovers::sweep();
    args.install()?;
    let mut report = Report::default();
    for (name, measure) in rows::ALL {
        if args.wants(name) {
            let _ = writeln!(std::io::stderr(), "measuring {name} …");
            measure(&args, &mut report).map_err(|error| format!("{name}: {error}"))?;
        }
    }
    std::fs::remove_dir_all(&args.bin_dir)?;
    Ok(std::io::stdout().write_all(report.markdown().as_bytes())?)
}
