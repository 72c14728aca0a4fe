//! The index of conversations: how fast it is built, how soon it has what is new, and how fast it answers.

use super::conversation_totals;
use crate::Result;
use crate::args::Args;
use crate::daemon::Daemon;
use crate::history::History;
use crate::leftovers;
use crate::proc::{peak_memory, worker_of};
use crate::programs::is_installed;
use crate::report::{Line, Report};
use crate::samples::Samples;
use crate::wire::Wire;
use ccd_protocol::conversation::{
    ConversationList, ConversationListParams, ConversationScope, ConversationSearch,
    ConversationSearchParams, ConversationStats, ConversationStatsParams,
};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const INDEX_GOAL_MB: f64 = 250.0;
const MEMORY_GOAL_MIB: f64 = 64.0;
const NEW_GOAL_MS: f64 = 20.0;
const SEARCH_GOALS_MS: [f64; 2] = [10.0, 50.0];

const MB: f64 = 1e6;

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let home = leftovers::on_disk("history");
    let mut history = History::create(&home, args.amount(1000, 80) << 20)?;
    let scope = ConversationScope {
        claude_dirs: vec![history.dir().display().to_string()],
        wait_ms: Some(3_600_000),
        ..ConversationScope::default()
    };
    conversation_totals::measure(args, &history, &scope, report)?;
    let daemon = Daemon::start(args, "conversation")?;
    let mut wire = daemon.connect()?;
    first_index(&daemon, &mut wire, &history, &scope, report)?;
    let times = search_times(args, &mut wire, &scope)?;
    report.add(search_line("a search in it", times));
    answers(args, &mut wire, &scope, report)?;
    appended(args, &mut wire, &mut history, &scope, report)?;
    searches_beside_writes(args, &mut wire, &mut history, &scope, report)?;
    drop(daemon);
    fs::remove_dir_all(home)?;
    Ok(())
}

fn first_index(
    daemon: &Daemon,
    wire: &mut Wire,
    history: &History,
    scope: &ConversationScope,
    report: &mut Report,
) -> Result<()> {
    let worker = worker_of(daemon.pid()).unwrap_or(daemon.pid());
    let before = peak_memory(worker)?;
    let start = Instant::now();
    wire.call::<ConversationSearch>(&search(History::word(0), scope))?;
    let seconds = start.elapsed().as_secs_f64();
    let rate = history.len() as f64 / MB / seconds;
    let more_mib = (peak_memory(worker)? - before) as f64 / f64::from(1 << 20);
    report.add(Line {
        what: format!(
            "first index of {:.0} MB until it is searched; memory that it adds",
            history.len() as f64 / MB
        ),
        peers: claude_code_log(history)?,
        ccd: format!("{rate:.0} MB/s ({seconds:.1} s); {more_mib:.0} MiB"),
        goal: format!("≥ {INDEX_GOAL_MB:.0} MB/s; ≤ {MEMORY_GOAL_MIB:.0} MiB"),
        met: Some(rate >= INDEX_GOAL_MB && more_mib <= MEMORY_GOAL_MIB),
        ..Line::default()
    });
    Ok(())
}

fn search(query: String, scope: &ConversationScope) -> ConversationSearchParams {
    ConversationSearchParams {
        query,
        scope: scope.clone(),
        ..ConversationSearchParams::default()
    }
}

/// How fast claude-code-log reads one project and writes its pages and its database, if it is installed.
fn claude_code_log(history: &History) -> Result<String> {
    if !is_installed("claude-code-log") {
        return Ok(String::new());
    }
    let home = leftovers::on_disk("claude-code-log");
    fs::create_dir_all(&home)?;
    let project = history.dir().join("projects/-srv-project0");
    let copy = home.join("project");
    let megabytes = copy_files(&project, &copy)? as f64 / MB;
    let start = Instant::now();
    let status = Command::new("claude-code-log")
        .arg(&copy)
        .env("HOME", &home)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    let rate = megabytes / start.elapsed().as_secs_f64();
    fs::remove_dir_all(home)?;
    if !status.success() {
        return Ok(format!("claude-code-log ended with {status}"));
    }
    Ok(format!(
        "claude-code-log {rate:.1} MB/s ({megabytes:.0} MB)"
    ))
}

/// Returns how many bytes were copied.
fn copy_files(from: &Path, to: &Path) -> Result<u64> {
    fs::create_dir_all(to)?;
    let mut bytes = 0;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        bytes += fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(bytes)
}

/// Searches while another program appends a line every five milliseconds.
fn searches_beside_writes(
    args: &Args,
    wire: &mut Wire,
    history: &mut History,
    scope: &ConversationScope,
    report: &mut Report,
) -> Result<()> {
    let is_done = AtomicBool::new(false);
    let times = std::thread::scope(|threads| {
        let writer = threads.spawn(|| {
            let mut lines = 0;
            while !is_done.load(Ordering::Relaxed) {
                history.append(&format!("beside{lines}")).ok()?;
                lines += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
            Some(lines)
        });
        let times = search_times(args, wire, scope);
        is_done.store(true, Ordering::Relaxed);
        match writer.join() {
            Ok(Some(_)) => times,
            _ => Err("no lines could be appended".into()),
        }
    })?;
    let what = "the same while a line is appended every 5 ms, each found in the next search";
    report.add(search_line(what, times));
    Ok(())
}

fn search_line(what: &str, [p50, p99]: [f64; 2]) -> Line {
    Line {
        what: format!("{what}, p50 and p99"),
        ccd: format!("{p50:.2} ms, {p99:.1} ms"),
        goal: format!("≤ {} ms, ≤ {} ms", SEARCH_GOALS_MS[0], SEARCH_GOALS_MS[1]),
        met: Some(p50 <= SEARCH_GOALS_MS[0] && p99 <= SEARCH_GOALS_MS[1]),
        ..Line::default()
    }
}

/// Words, pairs, phrases and exclusions, from the most frequent words on; every fifth search has a filter.
fn search_times(args: &Args, wire: &mut Wire, scope: &ConversationScope) -> Result<[f64; 2]> {
    let mut times = Samples::default();
    for number in 0..args.amount(1000, 50) {
        let word = |share: usize| History::word(number / share);
        let query = match number % 4 {
            0 => word(1),
            1 => format!("{} {}", word(10), word(7)),
            2 => format!("\"{} {}\"", History::word(0), History::word(number % 9)),
            _ => format!("{} -{}", word(3), History::word(1)),
        };
        let params = ConversationSearchParams {
            tool: (number % 5 == 0).then(|| "Bash".to_owned()),
            ..search(query, scope)
        };
        times.time(|| wire.call::<ConversationSearch>(&params))?;
    }
    Ok(times.p50_p99())
}

fn answers(
    args: &Args,
    wire: &mut Wire,
    scope: &ConversationScope,
    report: &mut Report,
) -> Result<()> {
    let (mut sums, mut lists) = (Samples::default(), Samples::default());
    for _ in 0..args.amount(20, 3) {
        let params = ConversationStatsParams {
            scope: scope.clone(),
            by: None,
        };
        sums.time(|| wire.call::<ConversationStats>(&params))?;
        let params = ConversationListParams {
            scope: scope.clone(),
            ..ConversationListParams::default()
        };
        lists.time(|| wire.call::<ConversationList>(&params))?;
    }
    let [sum, list] = [sums, lists].map(|times| times.median() / 1e3);
    report.add(Line {
        what: "sums of all tokens; the list of the last 50 conversations (p50)".into(),
        ccd: format!("{sum:.0} ms; {list:.0} ms"),
        ..Line::default()
    });
    Ok(())
}

fn appended(
    args: &Args,
    wire: &mut Wire,
    history: &mut History,
    scope: &ConversationScope,
    report: &mut Report,
) -> Result<()> {
    let mut times = Samples::default();
    for number in 0..args.amount(200, 10) {
        let word = format!("appended{number}");
        history.append(&word)?;
        let found = times.time(|| wire.call::<ConversationSearch>(&search(word, scope)))?;
        if found.total != 1 {
            return Err("a line that was appended is not found".into());
        }
    }
    let [p50, p99] = times.p50_p99();
    report.add(Line {
        what: "a line that was appended until it is found, p50 and p99".into(),
        ccd: format!("{p50:.2} ms, {p99:.1} ms"),
        goal: format!("≤ {NEW_GOAL_MS} ms"),
        met: Some(p50 <= NEW_GOAL_MS),
        ..Line::default()
    });
    Ok(())
}
