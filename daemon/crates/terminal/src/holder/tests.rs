//! Tests of the holder with real programs on real terminals.

use std::ffi::OsString;
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::ring::layout::RING_BYTES;
use super::*;

/// Long enough for a slow machine.
const DEADLINE: Duration = Duration::from_secs(20);

fn eventually<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + DEADLINE;
    loop {
        if let Some(value) = probe() {
            return value;
        }
        assert!(Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A holder with a directory for its rings.
struct Fixture {
    runtime: tokio::runtime::Runtime,
    holder: Holder,
    news: HolderNews,
    dir: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        Self::with_limits(DescriptorLimits::unchanged())
    }

    fn with_limits(limits: DescriptorLimits) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let started = runtime.block_on(async { Holder::start(limits) });
        let (holder, news) = started.unwrap();
        Self {
            runtime,
            holder,
            news,
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn spec(&self, name: &str, argv: &[&str]) -> SpawnSpec {
        let mut env = vec![c_string(format!("CCD_SESSION_ID={}", self.id(name)), "env").unwrap()];
        env.extend(std::env::var_os("PATH").map(|path| {
            let entry = [OsString::from("PATH="), path]
                .into_iter()
                .collect::<OsString>();
            c_string(entry, "env").unwrap()
        }));
        let path = std::env::var_os("PATH");
        SpawnSpec {
            program: resolve(argv[0].as_ref(), path.as_deref(), Path::new("/")).unwrap(),
            argv: argv
                .iter()
                .map(|arg| c_string(*arg, "an argument").unwrap())
                .collect(),
            env,
            settings: crate::ProcessSettings::default(),
            cwd: "/".into(),
            rows: 24,
            cols: 80,
            plain: true,
            echo: false,
            ring_path: self.dir.path().join(format!("{name}.ring")),
        }
    }

    /// Unique on the machine, like the id of a session.
    fn id(&self, name: &str) -> String {
        format!("{}-{name}", self.dir.path().display())
    }

    fn try_spawn(&self, spec: SpawnSpec) -> Result<Spawned, SpawnError> {
        self.runtime.block_on(self.holder.spawn(spec, b""))
    }

    fn spawn(&self, name: &str, argv: &[&str]) -> Spawned {
        self.try_spawn(self.spec(name, argv)).unwrap()
    }

    fn probe(&self, session: &Spawned) -> Option<crate::probe::Probe> {
        let probe = self.holder.probe(session.slot, session.tty_device);
        self.runtime.block_on(probe)
    }

    fn shell(&self, name: &str, script: &str) -> Spawned {
        self.spawn(name, &["sh", "-c", script])
    }

    fn advance(&self, session: &mut Spawned, tail: u64) {
        if session.ring.set_tail(tail) {
            self.holder.space_freed(session.slot);
        }
    }
}

fn text(session: &Spawned) -> String {
    String::from_utf8_lossy(session.ring.bytes(0)).into_owned()
}

fn prints(session: &Spawned, wanted: &str) {
    eventually(wanted, || text(session).contains(wanted).then_some(()));
}

fn ended(session: &Spawned) -> Exit {
    eventually("the program ends", || {
        session.ring.status().filter(|_| session.ring.eof())
    })
}

fn type_into(session: &Spawned, input: &str) {
    assert_eq!(
        rustix::io::write(&session.master, input.as_bytes()).unwrap(),
        input.len()
    );
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn what_is_typed_comes_back_and_the_worker_is_woken() {
    let fixture = Fixture::new();
    let session = fixture.spawn("cat", &["cat"]);
    for round in 0..50 {
        let line = format!("line {round}\n");
        let seen = session.ring.head();
        type_into(&session, &line);
        eventually("the worker hears of it", || {
            let mut told = false;
            fixture
                .news
                .quiet
                .drain(|slot| told |= slot == session.slot);
            (told && session.ring.bytes(seen) == line.as_bytes()).then_some(())
        });
    }
}

#[test]
fn a_flood_arrives_whole_though_the_worker_is_slow() {
    const FLOOD_BYTES: u64 = 64 << 20;
    let fixture = Fixture::new();
    let script = format!("yes 'the same line, 32 characters long' | head -c {FLOOD_BYTES}");
    let mut session = fixture.shell("flood", &script);
    let quiet = fixture.spawn("quiet", &["cat"]);
    let line = b"the same line, 32 characters long\n";
    let (mut at, mut was_full) = (0_u64, false);
    for round in 0.. {
        if at == FLOOD_BYTES {
            break;
        }
        if round % 7 == 0 {
            eventually("the ring is full", || {
                let held = session.ring.head() - session.ring.tail();
                (held == RING_BYTES as u64 || session.ring.eof()).then_some(())
            });
        }
        let bytes = eventually("more of the flood", || {
            Some(session.ring.bytes(at)).filter(|bytes| !bytes.is_empty())
        });
        was_full |= bytes.len() == RING_BYTES;
        let wanted = line.iter().cycle().skip((at % line.len() as u64) as usize);
        assert!(
            bytes
                .iter()
                .zip(wanted)
                .all(|(byte, wanted)| byte == wanted),
            "at {at}"
        );
        at += bytes.len() as u64;
        fixture.advance(&mut session, at);
    }
    assert!(was_full, "a slow worker lets the ring fill");
    assert_eq!(session.ring.head(), FLOOD_BYTES);
    assert_eq!(ended(&session).code, Some(0));
    type_into(&quiet, "still here\n");
    prints(&quiet, "still here\n");
}

#[test]
fn a_start_that_fails_names_the_reason_and_leaves_nothing() {
    let fixture = Fixture::new();
    let dir = fixture.dir.path().to_owned();
    let script = |name: &str, content: &str| {
        let path = dir.join(name);
        // Another process writes the file: this process may fork while it has the file open for writing, and then the
        // file cannot be executed.
        let write = "printf %s \"$1\" >\"$0\" && chmod 755 \"$0\"";
        let mut shell = std::process::Command::new("sh");
        let written = shell.arg("-c").arg(write).arg(&path).arg(content).status();
        assert!(written.unwrap().success());
        path
    };
    let text = script("text", "no program\n");
    let orphan = script("orphan", "#!/no/such/interpreter\n");
    let fail = |change: &dyn Fn(&mut SpawnSpec), reason: &str| {
        let mut spec = fixture.spec("failed", &["cat"]);
        change(&mut spec);
        let error = fixture.try_spawn(spec).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert!(!dir.join("failed.ring").exists(), "{error}");
    };
    for (cwd, reason) in [
        (Path::new("/no/such/folder"), "/no/such/folder"),
        (&text, "Not a directory"),
    ] {
        fail(&|spec| spec.cwd = cwd.into(), reason);
    }
    for (program, reason) in [
        (Path::new("/no/such/program"), "/no/such/program"),
        (Path::new("/etc/passwd"), "not executable"),
        (Path::new("/"), "directory"),
        (&text, "#!"),
        (&orphan, "interpreter"),
    ] {
        fail(&|spec| spec.program = program.into(), reason);
    }
    let long = c_string("x".repeat(4 << 20), "an argument").unwrap();
    fail(&|spec| spec.argv.push(long.clone()), "exceed");
    std::fs::write(dir.join("file"), "").unwrap();
    let no_folder = dir.join("file/failed.ring");
    fail(
        &|spec| spec.ring_path = no_folder.clone(),
        "file/failed.ring",
    );
    // Other tests open descriptors at the same time, but fewer than a leak of one per start would.
    let (starts, before) = (600, open_descriptors());
    for _ in 0..starts {
        fail(&|spec| spec.program = text.clone(), "#!");
    }
    assert!(open_descriptors() < before + starts, "failed starts leak");
    let session = fixture.spawn("after", &["cat"]);
    assert_eq!(session.slot, 0, "failed starts took no slot");
}

#[test]
fn a_released_program_is_hung_up_and_reaped() {
    let fixture = Fixture::new();
    let session = fixture.spawn("cat", &["cat"]);
    let leader = Process::find(session.pid).unwrap();
    fixture.holder.release(session.slot);
    let (slot, pid) = (session.slot, session.pid);
    drop(session.master);
    eventually("cat ends", || leader.is_gone().then_some(()));
    eventually("it is reaped", || {
        (!Path::new(&format!("/proc/{pid}")).exists()).then_some(())
    });
    let released = fixture.holder.probe(slot, session.tty_device);
    assert!(fixture.runtime.block_on(released).is_none());
    eventually("its ring goes", || {
        (!fixture.dir.path().join("cat.ring").exists()).then_some(())
    });
    assert_eq!(fixture.spawn("next", &["cat"]).slot, slot);
}

#[test]
fn eof_comes_when_the_last_process_closes_the_terminal() {
    let fixture = Fixture::new();
    let session = fixture.shell("late", "trap '' HUP; (read x; echo late $x) & exit 3");
    let exit = eventually("the leader ends", || session.ring.status());
    assert_eq!(exit.code, Some(3));
    // The background job reads /dev/null, so it ends by itself; its output still arrives.
    prints(&session, "late");
    eventually("everyone has closed it", || {
        session.ring.eof().then_some(())
    });
}

#[test]
fn a_look_and_a_signal_are_for_the_living() {
    let fixture = Fixture::new();
    let session = fixture.spawn("cat", &["cat"]);
    assert_eq!(fixture.probe(&session).unwrap().foreground, session.pid);
    let nowhere = fixture.holder.probe(99, session.tty_device);
    assert!(fixture.runtime.block_on(nowhere).is_none());
    assert_eq!(session.ring.status(), None);
    let leader = Process::find(session.pid).unwrap();
    assert_eq!(signal_all(&[leader], Signal::TERM), [session.pid]);
    let exit = ended(&session);
    assert_eq!((exit.code, exit.signal), (None, Some(15)));
    assert!(signal_all(&[leader], Signal::TERM).is_empty());
    assert!(fixture.probe(&session).is_none());
}

#[test]
fn an_answer_nobody_waits_for_leaves_no_program() {
    let fixture = Fixture::new();
    let id = fixture.id("lost");
    {
        let spec = fixture.spec("lost", &["sleep", "1000"]);
        let mut start = pin!(fixture.holder.spawn(spec, b""));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(start.as_mut().poll(&mut cx).is_pending());
    }
    let after = fixture.spawn("after", &["cat"]);
    eventually("it is killed", || {
        let table = ProcessTable::read(&ProcessTable::default());
        table
            .processes_of(&Traces::from_id(&id))
            .is_empty()
            .then_some(())
    });
    eventually("its ring goes", || {
        (!fixture.dir.path().join("lost.ring").exists()).then_some(())
    });
    type_into(&after, "fine\n");
    prints(&after, "fine");
}

#[test]
fn a_program_gets_the_limit_that_the_daemon_was_started_with() {
    let fixture = Fixture::with_limits(DescriptorLimits::restoring(123));
    let session = fixture.shell("limit", "read x; ulimit -Sn");
    type_into(&session, "\n");
    prints(&session, "123\n");
}

#[test]
fn a_stopped_holder_starts_nothing() {
    let fixture = Fixture::new();
    let session = fixture.spawn("cat", &["cat"]);
    fixture.holder.stop();
    let error = fixture
        .try_spawn(fixture.spec("late", &["cat"]))
        .unwrap_err();
    assert!(matches!(error, SpawnError::Stopped), "{error}");
    assert!(
        fixture.dir.path().join("cat.ring").exists(),
        "rings outlive the holder"
    );
    drop(session.master);
}
