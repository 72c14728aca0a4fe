//! Session memory: how long a save of a large project takes, and how long a new session waits for what was looked at again.

use crate::Result;
use crate::args::Args;
use crate::daemon::{Daemon, end_with_us};
use crate::programs::{Running, until};
use crate::report::{Line, Report};
use crate::samples::Samples;
use crate::wire::Wire;
use crate::{leftovers, project};
use ccd_protocol::memory::{MemoryLoad, MemoryLoadParams, MemorySave, MemorySaveParams};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};

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
        ("files", FEW_LINES, FILES_GOAL_MS),
        ("lines", LINES, LINES_GOAL_MS),
    ] {
        let lines = args.amount(lines, lines / 10);
        let root = leftovers::on_disk(&format!("memory-{name}"));
        project::create(&root, files, lines)?;
        let server = Server::start(&root)?;
        let what = format!("save of the memory of {files} files with {lines} lines");
        let saves = saves(args, &mut wire, &root)?;
        report.add(Line::within_ms(&what, &saves, goal_ms));
        let loads = loads(args, &mut wire, &root, &server)?;
        let what = format!("its digest, with git and a port looked at again, {files} files");
        report.add(Line::within_ms(&what, &loads, LOAD_GOAL_MS));
        drop(server);
        std::fs::remove_dir_all(root)?;
    }
    Ok(())
}

fn saves(args: &Args, wire: &mut Wire, root: &Path) -> Result<Samples> {
    let params = MemorySaveParams {
        project: root.display().to_string(),
        ..MemorySaveParams::default()
    };
    let mut samples = Samples::default();
    for round in 0..=args.amount(20, 3) {
        // The first one reads the files from the disk.
        if round == 1 {
            samples = Samples::default();
        }
        let saved = samples.time(|| wire.call::<MemorySave>(&params))?;
        if !saved.warnings.is_empty() {
            return Err(format!("a part is missing: {:?}", saved.warnings).into());
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
        let loaded = samples.time(|| wire.call::<MemoryLoad>(&params))?;
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
    _running: Running,
    port: u16,
}

impl Server {
    fn start(root: &Path) -> Result<Self> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = free.local_addr()?.port();
        drop(free);
        let mut command = Command::new("python3");
        command
            .args(["-m", "http.server", "--bind", "127.0.0.1"])
            .arg(port.to_string())
            .current_dir(root)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        end_with_us(&mut command);
        let _running = Running(command.spawn()?);
        until("the server does not answer", || {
            TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()
        })?;
        Ok(Self { _running, port })
    }
}
