//! Session memory: how long a save of a large project takes, and how long a new session waits for what was looked at again.

use crate::Result;
use crate::args::Args;
use crate::daemon::{Daemon, end_with_us};
use crate::report::{Line, Report};
use crate::samples::Samples;
use crate::wire::Wire;
use crate::{leftovers, project};
use ccd_protocol::memory::{
    MemoryLoad, MemoryLoadParams, MemoryLoadReply, MemorySave, MemorySaveParams, MemorySaveReply,
};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const FILES: usize = 10_000;
const LINES: usize = 1_000_000;
/// Lines of the project of which only the files count.
const FEW_LINES: usize = 200_000;

const FILES_GOAL_MS: f64 = 300.0;
const LINES_GOAL_MS: f64 = 1500.0;
const LOAD_GOAL_MS: f64 = 20.0;

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let daemon = Daemon::start(args, "memory-save")?;
    let mut wire = daemon.connect()?;
    let files = args.amount(FILES, FILES / 10);
    for (name, lines, goal_ms) in [
        (
            "files",
            args.amount(FEW_LINES, FEW_LINES / 10),
            FILES_GOAL_MS,
        ),
        ("lines", args.amount(LINES, LINES / 10), LINES_GOAL_MS),
    ] {
        let root = leftovers::on_disk(&format!("memory-{name}"));
        project::create(&root, files, lines)?;
        let server = Server::start(&root)?;
        let what = format!("save of the memory of {files} files with {lines} lines");
        let saves = saves(args, &mut wire, &root)?;
        report.add(line(what, &saves, goal_ms));
        let loads = loads(args, &mut wire, &root, &server)?;
        let what = format!("its digest, with git and a port looked at again, {files} files");
        report.add(line(what, &loads, LOAD_GOAL_MS));
        drop(server);
        std::fs::remove_dir_all(root)?;
    }
    Ok(())
}

fn line(what: String, samples: &Samples, goal_ms: f64) -> Line {
    Line {
        what: format!("{what} (p50 / p95)"),
        ccd: samples.p50_p95_ms(),
        goal: format!("≤ {goal_ms} ms"),
        met: Some(samples.quantile(0.5) <= goal_ms * 1000.0),
        ..Line::default()
    }
}

fn saves(args: &Args, wire: &mut Wire, root: &Path) -> Result<Samples> {
    let params = MemorySaveParams {
        project: root.display().to_string(),
        ..MemorySaveParams::default()
    };
    let mut samples = Samples::default();
    for round in 0..=args.amount(20, 3) {
        let start = Instant::now();
        let saved: MemorySaveReply = wire.call::<MemorySave>(&params)?;
        let elapsed = start.elapsed();
        if !saved.warnings.is_empty() {
            return Err(format!("a part is missing: {:?}", saved.warnings).into());
        }
        // The first one reads the files from the disk.
        if round > 0 {
            samples.add(elapsed);
        }
    }
    Ok(samples)
}

fn loads(args: &Args, wire: &mut Wire, root: &Path, server: &Server) -> Result<Samples> {
    let params = MemoryLoadParams {
        project: root.display().to_string(),
        ..MemoryLoadParams::default()
    };
    let mut samples = Samples::default();
    for _ in 0..args.amount(100, 10) {
        let start = Instant::now();
        let loaded: MemoryLoadReply = wire.call::<MemoryLoad>(&params)?;
        samples.add(start.elapsed());
        for fact in [
            format!("port {} still answers", server.port),
            "no commit since".to_owned(),
        ] {
            if loaded.verified.iter().all(|check| check.fact != fact) {
                return Err(format!("not looked at again: {fact}: {:?}", loaded.verified).into());
            }
        }
    }
    Ok(samples)
}

/// A server of the project; ended when dropped.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(root: &Path) -> Result<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let mut command = Command::new("python3");
        command
            .args(["-m", "http.server", "--bind", "127.0.0.1"])
            .arg(port.to_string())
            .current_dir(root)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        end_with_us(&mut command);
        let server = Self {
            child: command.spawn()?,
            port,
        };
        let deadline = Instant::now() + Duration::from_secs(10);
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if Instant::now() > deadline {
                return Err("the server does not answer".into());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
