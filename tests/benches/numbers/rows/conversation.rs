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
    searches(args, &mut wire, &scope, report)?;
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
    let params = ConversationSearchParams {
        query: History::word(0),
        scope: scope.clone(),
        ..ConversationSearchParams::default()
    };
    wire.call::<ConversationSearch>(&params)?;
    let seconds = start.elapsed().as_secs_f64();
    let rate = history.len() as f64 / MB / seconds;
    let more_mib = (peak_memory(worker)? - before) as f64 / f64::from(1 << 20);
    report.add(Line {
        what: format!(
            "first index of {:.0} MB until it is searched; memory that it adds",
            history.len() as f64 / MB
        ),
        bare: String::new(),
        peers: claude_code_log(history)?,
        ccd: format!("{rate:.0} MB/s ({seconds:.1} s); {more_mib:.0} MiB"),
        goal: format!("≥ {INDEX_GOAL_MB:.0} MB/s; ≤ {MEMORY_GOAL_MIB:.0} MiB"),
        ratio: String::new(),
        met: Some(rate >= INDEX_GOAL_MB && more_mib <= MEMORY_GOAL_MIB),
        against: Vec::new(),
    });
    Ok(())
}

/// How fast claude-code-log reads one project and writes its pages and its database, if it is installed.
fn claude_code_log(history: &History) -> Result<String> {
    if !is_installed("claude-code-log") {
        return Ok(String::new());
    }
    let home = leftovers::on_disk("claude-code-log");
    fs::create_dir_all(&home)?;
    let project = history.dir().join("projects/-srv-project0");
    let bytes: u64 = fs::read_dir(&project)?
        .flatten()
        .filter_map(|entry| entry.metadata().ok())
        .map(|metadata| metadata.len())
        .sum();
    let copy = home.join("project");
    copy_files(&project, &copy)?;
    let start = Instant::now();
    let status = Command::new("claude-code-log")
        .arg(&copy)
        .env("HOME", &home)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    let rate = bytes as f64 / MB / start.elapsed().as_secs_f64();
    fs::remove_dir_all(home)?;
    Ok(if status.success() {
        format!(
            "claude-code-log {rate:.1} MB/s ({:.0} MB)",
            bytes as f64 / MB
        )
    } else {
        format!("claude-code-log ended with {status}")
    })
}

fn copy_files(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        fs::copy(&path, to.join(path.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

fn searches(
    args: &Args,
    wire: &mut Wire,
    scope: &ConversationScope,
    report: &mut Report,
) -> Result<()> {
    let times = search_times(args, wire, scope)?;
    report.add(search_line("a search in it", times));
    Ok(())
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
        bare: String::new(),
        peers: String::new(),
        ccd: format!("{p50:.2} ms, {p99:.1} ms"),
        goal: format!("≤ {} ms, ≤ {} ms", SEARCH_GOALS_MS[0], SEARCH_GOALS_MS[1]),
        ratio: String::new(),
        met: Some(p50 <= SEARCH_GOALS_MS[0] && p99 <= SEARCH_GOALS_MS[1]),
        against: Vec::new(),
    }
}

/// Words, pairs, phrases and exclusions, from the most frequent words on; every fifth search has a filter.
fn search_times(args: &Args, wire: &mut Wire, scope: &ConversationScope) -> Result<[f64; 2]> {
    let mut times = Vec::new();
    for number in 0..args.amount(1000, 50) {
        let query = match number % 4 {
            0 => History::word(number),
            1 => format!(
                "{} {}",
                History::word(number / 10),
                History::word(number / 7)
            ),
            2 => format!("\"{} {}\"", History::word(0), History::word(number % 9)),
            _ => format!("{} -{}", History::word(number / 3), History::word(1)),
        };
        let params = ConversationSearchParams {
            query,
            scope: scope.clone(),
            tool: (number % 5 == 0).then(|| "Bash".to_owned()),
            ..ConversationSearchParams::default()
        };
        let start = Instant::now();
        wire.call::<ConversationSearch>(&params)?;
        times.push(start.elapsed());
    }
    Ok(percentiles(&mut times))
}

fn answers(
    args: &Args,
    wire: &mut Wire,
    scope: &ConversationScope,
    report: &mut Report,
) -> Result<()> {
    let (mut sums, mut lists) = (Vec::new(), Vec::new());
    for _ in 0..args.amount(20, 3) {
        let params = ConversationStatsParams {
            scope: scope.clone(),
            by: None,
        };
        let start = Instant::now();
        wire.call::<ConversationStats>(&params)?;
        sums.push(start.elapsed());
        let params = ConversationListParams {
            scope: scope.clone(),
            ..ConversationListParams::default()
        };
        let start = Instant::now();
        wire.call::<ConversationList>(&params)?;
        lists.push(start.elapsed());
    }
    let ([sum, _], [list, _]) = (percentiles(&mut sums), percentiles(&mut lists));
    report.add(Line {
        what: "sums of all tokens; the list of the last 50 conversations (p50)".into(),
        bare: String::new(),
        peers: String::new(),
        ccd: format!("{sum:.0} ms; {list:.0} ms"),
        goal: String::new(),
        ratio: String::new(),
        met: None,
        against: Vec::new(),
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
    let mut times = Vec::new();
    for number in 0..args.amount(200, 10) {
        let word = format!("appended{number}");
        history.append(&word)?;
        let start = Instant::now();
        let params = ConversationSearchParams {
            query: word,
            scope: scope.clone(),
            ..ConversationSearchParams::default()
        };
        let found = wire.call::<ConversationSearch>(&params)?;
        times.push(start.elapsed());
        if found.total != 1 {
            return Err("a line that was appended is not found".into());
        }
    }
    let [p50, p99] = percentiles(&mut times);
    report.add(Line {
        what: "a line that was appended until it is found, p50 and p99".into(),
        bare: String::new(),
        peers: String::new(),
        ccd: format!("{p50:.2} ms, {p99:.1} ms"),
        goal: format!("≤ {NEW_GOAL_MS} ms"),
        ratio: String::new(),
        met: Some(p50 <= NEW_GOAL_MS),
        against: Vec::new(),
    });
    Ok(())
}

/// Returns the median and the 99th percentile in milliseconds.
fn percentiles(times: &mut [Duration]) -> [f64; 2] {
    times.sort();
    [50, 99].map(|percent| {
        let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
        times
            .get(at)
            .map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    })
}
