//! ccd: a local daemon that owns terminal sessions and offers them over a Unix socket.
//!
//! Layers, top first; none uses one before it: `life` → `rpc` → `data`, `discover`, `maintenance`, `status`,
//! `test_page`, `upgrade`, `fuzzing` → `daemon` → `agents`, `chain`, `verify` → `job`, `log`, `memory`, `tape_usage` → `config`,
//! `failure`, `friction`, `store`.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::print_stderr,
        reason = "tests fail by panicking and print what they skip"
    )
)]

mod agents;
mod chain;
mod config;
mod daemon;
mod data;
mod discover;
mod failure;
mod friction;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod job;
mod life;
mod log;
mod maintenance;
mod memory;
mod rpc;
mod status;
mod store;
mod tape_usage;
mod test_page;
mod upgrade;
mod verify;

use ccd_base::visible::Notation;
use ccd_terminal::{holder, piped, placeholder, supervised};
use clap::Parser;
use life::{Args, LockError, StartError, system};
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

#[must_use]
pub fn main() -> ExitCode {
    let part = placeholder::play_part().or_else(piped::play_part);
    if let Some(status) = part.or_else(supervised::play_part) {
        return status;
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage(&error),
    };
    if args.formats {
        return tell_formats();
    }
    if args.check_config {
        return check_config(&args);
    }
    holder::outlive_file_limit();
    match start(&args) {
        Ok(status) => status,
        Err(StartError::Lock(LockError::Held { holder })) if args.if_not_running => {
            say(&format!("a daemon is already running here: {holder}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Runs the holder: this process holds the terminals, and the worker that it starts does everything else.
#[cfg(not(portable))]
fn start(args: &Args) -> Result<ExitCode, StartError> {
    use holder::{DaemonEnd, Exit};
    holder::name_daemon().map_err(system("this process cannot be named"))?;
    if args.worker {
        holder::make_files_private();
        let holder = holder::join().map_err(system("there is no holder to work for"))?;
        return work(args, life::Terminals::Of(holder));
    }
    log::to_stderr().map_err(StartError::Log)?;
    let limits = claim()?;
    let life::LocksAndSocket { locks, socket } = life::LocksAndSocket::take(args)?;
    let held = holder::Held {
        listener: socket.listener,
        locks,
        owns_path: socket.own_path.is_some(),
    };
    let ended = holder::hold(&held, limits, &ccd_base::clock::now())
        .map_err(system("the worker cannot be started"));
    // A worker that ended as requested has removed it. This process still has the locks.
    drop(socket.own_path);
    let ended = ended?;
    match ended {
        DaemonEnd::Worker(Exit {
            code: Some(code), ..
        }) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(1))),
        ended => {
            say(&format!("{ended}, and all sessions have ended"));
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Runs the daemon as one process, which also holds the terminals.
#[cfg(portable)]
fn start(args: &Args) -> Result<ExitCode, StartError> {
    holder::name_daemon().map_err(system("this process cannot be named"))?;
    let limits = claim()?;
    let ground = life::LocksAndSocket::take(args)?;
    work(args, life::Terminals::Own { ground, limits })
}

/// Must run before any thread starts, because only the holder may handle children.
fn claim() -> Result<holder::DescriptorLimits, StartError> {
    holder::outlive_signals();
    holder::claim_children().map_err(system("the mask of signals cannot be changed"))?;
    holder::make_files_private();
    let limits = holder::raise_descriptor_limit();
    limits.map_err(system("the limit of descriptors cannot be raised"))
}

fn work(args: &Args, terminals: life::Terminals) -> Result<ExitCode, StartError> {
    give_back_large_memory();
    let prepared = life::prepare(args, &terminals)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(system("threads cannot be started"))?;
    let result = runtime.block_on(life::serve(prepared, terminals));
    // A write that never completes because the disk has failed must not prevent the exit.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    result.map(|()| ExitCode::SUCCESS)
}

/// Returns the memory of large replies to the system when they were sent. By default, the allocator would keep more and
/// more of it, because it raises its threshold to the largest size that it has seen.
fn give_back_large_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGE_BYTES: libc::c_int = 1 << 20;
        // SAFETY: called before any thread is started; it sets a number.
        unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BYTES) };
    }
}

/// Prints help and version, and for a mistake one line.
fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        let text = error.to_string();
        let mistake = text.lines().next().unwrap_or_default();
        let mistake = mistake.strip_prefix("error: ").unwrap_or(mistake);
        say(&format!("{mistake}; ccd --help shows more"));
    } else {
        print(&error.render().to_string());
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

fn tell_formats() -> ExitCode {
    let told = serde_json::to_string(&upgrade::Formats::own()).unwrap_or_default();
    if print(&format!("{told}\n")) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Prints what `ccctl config check` prints.
fn check_config(args: &Args) -> ExitCode {
    let (text, status) = match life::load_config(args) {
        Ok(loaded) => {
            let path = loaded.path_text();
            let path = path.as_deref().unwrap_or("no file; the defaults apply");
            let warnings = loaded.warning_lines().into_iter();
            let warnings: String = warnings.map(|line| format!("warning: {line}\n")).collect();
            (format!("{warnings}ok: {path}"), ExitCode::SUCCESS)
        }
        Err(error) => {
            let error = error.to_string().replace('\n', "\nerror: ");
            (format!("error: {error}"), ExitCode::FAILURE)
        }
    };
    if print(&format!("{text}\n")) {
        status
    } else {
        ExitCode::FAILURE
    }
}

/// Prints a text, in which nothing controls a terminal; false if that fails.
fn print(text: &str) -> bool {
    let mut out = std::io::stdout();
    let text = if out.is_terminal() {
        Notation::Text.visible(text)
    } else {
        text.to_owned()
    };
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .is_ok()
}

fn say(text: &str) {
    let text = Notation::Text.visible(text);
    let _ = writeln!(std::io::stderr(), "ccd: {text}");
}
