//! Runs of Claude Code: what `exec.run` adds to `claude -p`, a diff of 10 MB against `git diff`, and the time limit.

use crate::Result;
use crate::args::Args;
use crate::daemon::Daemon;
use crate::leftovers;
use crate::proc::{peak_memory, worker_of};
use crate::programs::{Running, until};
use crate::report::{Line, Report};
use crate::samples::{Samples, alternate, each};
use crate::wire::Wire;
use ccd_protocol::exec::{
    DirtyWorktree, ExecGet, ExecRun, ExecRunParams, ExecutionParams, ExecutionResult,
    ExecutionStatus,
};
use ccd_protocol::job::{JobGet, JobGetParams};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// Milliseconds that a run may take longer than `claude -p`.
const OVERHEAD_GOAL_MS: f64 = 30.0;

const DIFF_GOAL: f64 = 2.0;
const MEMORY_GOAL_MIB: u64 = 100;

/// Answers at once, as Claude Code does.
const ANSWERS: &str = r#"#!/bin/sh
cat >/dev/null
echo '{"type":"system","subtype":"init","session_id":"x"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'
"#;

/// Changes each of 100 files.
const CHANGES: &str = r#"#!/bin/sh
cat >/dev/null
cp "$CCD_BENCH_NEW"/* .
echo '{"type":"result","subtype":"success","is_error":false,"result":"done"}'
"#;

/// Writes down when it got the first signal, and does not obey it.
const IGNORES: &str = r#"#!/bin/bash
trap 'date +%s.%N > "$CCD_BENCH_NEW/signal"' INT
trap '' TERM
setsid sleep 1000 & sleep 1000
while :; do sleep 1; done
"#;

/// The real program, as the checks install it.
const CLAUDE: &str = "target/claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude";

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let bench = Bench::create(args)?;
    overhead(args, &bench, report)?;
    match Api::start(&bench.folder)? {
        Some(api) => real(args, &bench, &api, report)?,
        None => report.note("Claude Code is not installed: its own row was left out."),
    }
    large_diff(args, &bench, report)?;
    time_limit(&bench, report)
}

type Env = BTreeMap<String, String>;

/// A daemon, a repository, and programs in the place of `claude`.
struct Bench {
    daemon: Daemon,
    folder: PathBuf,
}

impl Bench {
    fn create(args: &Args) -> Result<Self> {
        let folder = leftovers::on_disk("exec");
        for name in ["repo", "answers", "changes", "ignores", "new", "home"] {
            fs::create_dir_all(folder.join(name))?;
        }
        for (name, text) in [
            ("answers", ANSWERS),
            ("changes", CHANGES),
            ("ignores", IGNORES),
        ] {
            let file = folder.join(name).join("claude");
            fs::write(&file, text)?;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        }
        for number in 0..100 {
            let line = |word: &str, n: usize| format!("{word} {number} {n} {}\n", n * 7919 % 1000);
            let text = |word| (0..2500).map(|n| line(word, n)).collect::<String>();
            let name = format!("file-{number}.txt");
            fs::write(folder.join("repo").join(&name), text("old line"))?;
            fs::write(folder.join("new").join(&name), text("new line"))?;
        }
        let bench = Self {
            daemon: Daemon::start(args, "exec-daemon")?,
            folder,
        };
        let commit = "-c user.name=b -c user.email=b@b commit -qm one";
        for line in ["init -q", "add .", commit] {
            let arguments: Vec<&str> = line.split(' ').collect();
            bench.git(&arguments)?;
        }
        Ok(bench)
    }

    fn repo(&self) -> PathBuf {
        self.folder.join("repo")
    }

    fn git(&self, arguments: &[&str]) -> Result<()> {
        let status = Command::new("git")
            .args(arguments)
            .current_dir(self.repo())
            .stdout(Stdio::null())
            .status()?;
        if status.success() {
            return Ok(());
        }
        Err(format!("git {arguments:?}: {status}").into())
    }

    /// The environment with this `claude` first on the path.
    fn env(&self, claude: &Path) -> Env {
        let path = std::env::var("PATH").unwrap_or_default();
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let env = [
            ("PATH", format!("{}:{path}", claude.display())),
            ("HOME", text(self.folder.join("home"))),
            ("CCD_BENCH_NEW", text(self.folder.join("new"))),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
            ("DISABLE_AUTOUPDATER", "1".into()),
            ("ANTHROPIC_API_KEY", "sk-bench".into()),
        ];
        env.map(|(name, value)| (name.to_owned(), value)).into()
    }

    /// Runs to the end of the job, and reads the result.
    fn run(&self, wire: &mut Wire, env: &Env, timeout: i64) -> Result<ExecutionResult> {
        let request_id = self.carry_out(wire, env, timeout)?;
        wire.call::<ExecGet>(&ExecutionParams { request_id })
    }

    /// Runs to the end of the job; returns the id of the run.
    fn carry_out(&self, wire: &mut Wire, env: &Env, timeout: i64) -> Result<String> {
        let params = ExecRunParams {
            instruction: "go on".into(),
            repo_path: Some(self.repo().to_string_lossy().into_owned()),
            dirty_worktree: DirtyWorktree::Allow,
            timeout: Some(timeout),
            inherited: ccd_protocol::Inherited {
                caller_env: Some(env.clone()),
                ..Default::default()
            },
            ..ExecRunParams::default()
        };
        let started = wire.call::<ExecRun>(&params)?;
        let job = JobGetParams {
            job: started.job,
            wait_ms: Some(60_000.0),
        };
        wire.call::<JobGet>(&job)?;
        Ok(started.request_id)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn expect(result: &ExecutionResult, status: ExecutionStatus) -> Result<()> {
    if result.status == status {
        return Ok(());
    }
    Err(format!("the run ended otherwise: {:?}", result.error_message).into())
}

fn overhead(args: &Args, bench: &Bench, report: &mut Report) -> Result<()> {
    let env = bench.env(&bench.folder.join("answers"));
    let name = "`exec.run` to result, beside a script in the place of `claude -p` (p50 / p95)";
    compare(args, bench, &env, name, (10, 20), report)
}

fn real(args: &Args, bench: &Bench, api: &Api, report: &mut Report) -> Result<()> {
    let mut env = bench.env(&api.claude);
    env.insert("ANTHROPIC_BASE_URL".into(), api.url.clone());
    let name = "the same with Claude Code and a stand-in for its API (p50 / p95)";
    compare(args, bench, &env, name, (3, 10), report)
}

/// Measures a program by itself and as a run.
fn compare(
    args: &Args,
    bench: &Bench,
    env: &Env,
    name: &str,
    (rounds, blocks): (usize, usize),
    report: &mut Report,
) -> Result<()> {
    let mut wire = bench.daemon.connect()?;
    let run = each(move |samples| {
        let result = samples.time(|| bench.run(&mut wire, env, 60))?;
        expect(&result, ExecutionStatus::Success)
    });
    let alone = each(|samples| samples.time(|| alone(bench, env)));
    let mut contenders = [(rounds, alone), (rounds, run)];
    let samples = alternate(args.amount(blocks, 1), &mut contenders)?;
    let added = (samples[1].median() - samples[0].median()) / 1e3;
    report.add(Line {
        what: name.into(),
        bare: samples[0].p50_p95_ms(),
        ccd: samples[1].p50_p95_ms(),
        goal: format!("≤ {OVERHEAD_GOAL_MS} ms more"),
        ratio: format!("{added:.1} ms more"),
        met: Some(added <= OVERHEAD_GOAL_MS),
        ..Line::default()
    });
    Ok(())
}

fn alone(bench: &Bench, env: &Env) -> Result<()> {
    let path = env.get("PATH").map(String::as_str).unwrap_or_default();
    let claude = Path::new(path.split(':').next().unwrap_or_default()).join("claude");
    let mut child = Command::new(claude)
        .args(["-p", "--output-format", "stream-json", "--verbose"])
        .env_clear()
        .envs(env)
        .current_dir(bench.repo())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        std::io::Write::write_all(&mut stdin, b"go on")?;
    }
    let output = child.wait_with_output()?;
    if !output.status.success() || output.stdout.is_empty() {
        return Err(format!("claude alone: {}", output.status).into());
    }
    Ok(())
}

fn large_diff(args: &Args, bench: &Bench, report: &mut Report) -> Result<()> {
    let env = bench.env(&bench.folder.join("changes"));
    let mut wire = bench.daemon.connect()?;
    let mut reading = Samples::default();
    let git_diff = each(|samples| {
        bench.git(&["checkout", "-q", "."])?;
        copy_new(bench)?;
        samples.time(|| bench.git(&["diff", "-M", "--binary"]))
    });
    let run = each(|samples| {
        bench.git(&["checkout", "-q", "."])?;
        let start = Instant::now();
        let request_id = bench.carry_out(&mut wire, &env, 60)?;
        let took = start.elapsed();
        let params = ExecutionParams { request_id };
        let result = reading.time(|| wire.call::<ExecGet>(&params))?;
        let claude = Duration::from_secs_f64(result.execution_time);
        samples.add(took.saturating_sub(claude));
        expect(&result, ExecutionStatus::Success)?;
        if result.files_changed.len() != 100 || result.diff.len() < 10_000_000 {
            return Err("the diff is not complete".into());
        }
        Ok(())
    });
    let mut contenders = [(1, git_diff), (1, run)];
    let samples = alternate(args.amount(10, 1), &mut contenders)?;
    drop(contenders);
    let ratio = samples[1].ratio_to(&samples[0]);
    let worker = worker_of(bench.daemon.pid()).unwrap_or(bench.daemon.pid());
    let peak = peak_memory(worker)? >> 20;
    report.add(Line {
        what: "a diff of 10 MB over 100 files: everything that a run does beside Claude Code until its result is stored, \
               against `git diff -M --binary` (p50 / p95)"
            .into(),
        bare: samples[0].p50_p95_ms(),
        ccd: samples[1].p50_p95_ms(),
        goal: format!("≤ {DIFF_GOAL} × git diff"),
        ratio: ratio.to_string(),
        met: Some(ratio.meets(DIFF_GOAL)),
        ..Line::default()
    });
    report.add(Line {
        what: "the same: reading the result over the socket, with the diff and its parts by file (p50 / p95)".into(),
        ccd: reading.p50_p95_ms(),
        ..Line::default()
    });
    report.add(Line {
        what: "the same: most memory that the worker ever had".into(),
        ccd: format!("{peak} MiB"),
        goal: format!("≤ {MEMORY_GOAL_MIB} MiB"),
        met: Some(peak <= MEMORY_GOAL_MIB),
        ..Line::default()
    });
    Ok(())
}

fn copy_new(bench: &Bench) -> Result<()> {
    for entry in fs::read_dir(bench.folder.join("new"))? {
        let entry = entry?;
        fs::copy(entry.path(), bench.repo().join(entry.file_name()))?;
    }
    Ok(())
}

fn time_limit(bench: &Bench, report: &mut Report) -> Result<()> {
    let env = bench.env(&bench.folder.join("ignores"));
    let mut wire = bench.daemon.connect()?;
    let start = SystemTime::now();
    let result = bench.run(&mut wire, &env, 2)?;
    let gone = start.elapsed()?.saturating_sub(Duration::from_secs(2));
    expect(&result, ExecutionStatus::Timeout)?;
    let signal: f64 = fs::read_to_string(bench.folder.join("new/signal"))?
        .trim()
        .parse()?;
    let begun = start.duration_since(SystemTime::UNIX_EPOCH)?.as_secs_f64();
    let late_ms = (signal - begun - 2.0) * 1e3;
    report.add(Line {
        what: "time limit of 2 s, a program that ignores INT and TERM: first signal after the limit / until nothing of the run \
               is left"
            .into(),
        ccd: format!("{late_ms:.0} ms / {:.1} s", gone.as_secs_f64()),
        goal: "≤ 1 s / ≤ 10 s".into(),
        met: Some(late_ms.abs() <= 1000.0 && gone <= Duration::from_secs(10)),
        ..Line::default()
    });
    Ok(())
}

/// A stand-in for the API of Claude; ended when it is dropped.
struct Api {
    _server: Running,
    url: String,
    /// The directory of the program.
    claude: PathBuf,
}

impl Api {
    fn start(folder: &Path) -> Result<Option<Self>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let claude = root.join("..").join(CLAUDE);
        let Ok(claude) = claude.canonicalize() else {
            return Ok(None);
        };
        let port = folder.join("port");
        let mut server = Command::new("python3");
        server.arg(root.join("fixtures/fake_messages_api.py"));
        server.args(["serve", "--port-file"]).arg(&port);
        server.stdout(Stdio::null()).stderr(Stdio::null());
        let _server = Running(server.spawn()?);
        let number = until("the stand-in for the API does not start", || {
            let text = fs::read_to_string(&port).ok()?;
            Some(text.trim().to_owned()).filter(|number| !number.is_empty())
        })?;
        Ok(Some(Self {
            _server,
            url: format!("http://127.0.0.1:{number}"),
            claude: claude.parent().map(Path::to_owned).unwrap_or_default(),
        }))
    }
}
