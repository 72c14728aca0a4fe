//! A ping of one client while others do what a careless or hostile client can do.

use crate::Result;
use crate::args::Args;
use crate::daemon::{Daemon, await_text, create, session};
use crate::proc::memory;
use crate::report::{Line, Report};
use crate::samples::Samples;
use crate::wire::{Request, Wire, result_of};
use ccd_protocol::daemon::DaemonPing;
use ccd_protocol::method::NoParams;
use serde_json::json;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const GOAL_MS: f64 = 20.0;

/// Time between two pings.
const PAUSE: Duration = Duration::from_millis(4);

/// Time for a load to reach its full strength.
const WARM_UP: Duration = Duration::from_millis(300);

const FRAME_BYTES: usize = (16 << 20) - 200;
const NOTIFICATIONS: usize = 100_000;
const NON_READERS: usize = 50;
const HALF_OPEN: usize = 500;

/// Connections that stay open, and more that come and go: together above the limit.
const OPEN: usize = 1_000;
const MORE: usize = 100;

/// What a session prints for clients that do not read.
const PRINT: &str = "seq 1 3000000; echo PRINTED; exec cat";

/// Goes on until the flag is set.
type Load = fn(&Path, &AtomicBool) -> Result<()>;

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let daemon = Daemon::start(args, "hostile-clients")?;
    let pings = args.amount(1_000, 50);
    let half = format!("beside {HALF_OPEN} clients that have sent half a line");
    let often = format!("beside a client that sends {NOTIFICATIONS} notifications again and again");
    let many = format!("beside {OPEN} connections, and {MORE} more that come and go");
    let loads: [(&str, Load); 5] = [
        ("beside nobody", |_, _| Ok(())),
        (&half, half_open),
        ("beside a client that sends lines of 16 MiB", large_frames),
        (&often, notifications),
        (&many, connections),
    ];
    for (what, load) in loads {
        let samples = ping_beside(&daemon, pings, load)?;
        report.add(line(what, &samples, String::new()));
    }
    beside_non_readers(&daemon, pings, report)
}

fn line(what: &str, samples: &Samples, note: String) -> Line {
    let [median, p99] = samples.p50_p99();
    Line {
        what: format!("ping {what} (p50 / p99)"),
        peers: note,
        ccd: format!("{median:.2} / {p99:.2} ms"),
        goal: format!("p99 ≤ {GOAL_MS:.0} ms"),
        met: Some(p99 <= GOAL_MS),
        ..Line::default()
    }
}

fn ping_beside(daemon: &Daemon, pings: usize, load: Load) -> Result<Samples> {
    // Before the load, which may reach the limit of connections.
    let mut wire = daemon.connect()?;
    let is_over = Arc::new(AtomicBool::new(false));
    let (socket, stop): (PathBuf, _) = (daemon.socket(), Arc::clone(&is_over));
    let loader =
        std::thread::spawn(move || load(&socket, &stop).map_err(|error| error.to_string()));
    std::thread::sleep(WARM_UP);
    let samples = ping(&mut wire, pings);
    is_over.store(true, Ordering::Relaxed);
    loader.join().map_err(|_| "the load panicked")??;
    samples
}

fn ping(wire: &mut Wire, pings: usize) -> Result<Samples> {
    let request = Request::new::<DaemonPing>(&NoParams {})?;
    let mut samples = Samples::default();
    for _ in 0..pings {
        let answer = samples.time(|| wire.exchange(&request))?;
        result_of::<DaemonPing>(answer)?;
        std::thread::sleep(PAUSE);
    }
    Ok(samples)
}

fn half_open(socket: &Path, is_over: &AtomicBool) -> Result<()> {
    let mut clients = Vec::new();
    for _ in 0..HALF_OPEN {
        let mut client = UnixStream::connect(socket)?;
        client.write_all(b"{\"jsonrpc\":")?;
        clients.push(client);
    }
    wait_for(is_over);
    Ok(())
}

fn large_frames(socket: &Path, is_over: &AtomicBool) -> Result<()> {
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "daemon.ping", "params": {"x": "a".repeat(FRAME_BYTES)},
    });
    let frame = format!("{request}\n").into_bytes();
    let mut client = UnixStream::connect(socket)?;
    let mut answer = [0; 4096];
    while !is_over.load(Ordering::Relaxed) {
        client.write_all(&frame)?;
        if client.read(&mut answer)? == 0 {
            return Err("the daemon closed the connection".into());
        }
    }
    Ok(())
}

fn notifications(socket: &Path, is_over: &AtomicBool) -> Result<()> {
    let all = b"{\"jsonrpc\":\"2.0\",\"method\":\"no.such\"}\n".repeat(NOTIFICATIONS);
    while !is_over.load(Ordering::Relaxed) {
        UnixStream::connect(socket)?.write_all(&all)?;
    }
    Ok(())
}

fn connections(socket: &Path, is_over: &AtomicBool) -> Result<()> {
    let connect = |count| (0..count).map(|_| UnixStream::connect(socket)).collect();
    let _open: std::io::Result<Vec<_>> = connect(OPEN);
    while !is_over.load(Ordering::Relaxed) {
        let more: std::io::Result<Vec<_>> = connect(MORE);
        drop(more?);
    }
    Ok(())
}

/// Clients that subscribe to much output and read nothing.
fn beside_non_readers(daemon: &Daemon, pings: usize, report: &mut Report) -> Result<()> {
    let mut wire = daemon.connect()?;
    let id = create(&mut wire, &session(&["sh", "-c", PRINT]))?.session_id;
    await_text(&mut wire, &id, "PRINTED")?;
    let before = memory(daemon.pid())?.own;
    let params = json!({"session": id, "since": 0});
    let request =
        json!({"jsonrpc": "2.0", "id": 1, "method": "session.subscribe", "params": params});
    let mut clients = Vec::new();
    for _ in 0..NON_READERS {
        let mut client = UnixStream::connect(daemon.socket())?;
        writeln!(client, "{request}")?;
        clients.push(client);
    }
    let samples = ping(&mut wire, pings)?;
    let more = memory(daemon.pid())?.own.saturating_sub(before);
    let each = more / 1024 / NON_READERS as u64;
    report.add(line(
        &format!("beside {NON_READERS} clients that subscribe and do not read"),
        &samples,
        format!("memory for each of them: {each} KiB"),
    ));
    Ok(())
}

fn wait_for(is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(PAUSE);
    }
}
