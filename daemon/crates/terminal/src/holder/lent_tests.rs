use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::atomic::AtomicBool;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::termios::{
    Action, OptionalActions, QueueSelector, tcflow, tcflush, tcgetattr, tcsetattr,
};

use super::super::platform::report_flushes;
use super::super::ring::layout::RingLayout;
use super::*;

/// A terminal in packet mode with its ring, as the holder has it, and the program's end.
struct SessionTerminal {
    master: Arc<OwnedFd>,
    program: File,
    writer: RingWriter,
    ring: Ring,
    _dir: tempfile::TempDir,
}

impl SessionTerminal {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.ring");
        let (master, pts) = pty_process::blocking::open().unwrap();
        let (master, program) = (
            OwnedFd::from(master),
            File::from(pts.as_fd().try_clone_to_owned().unwrap()),
        );
        let mut modes = tcgetattr(&program).unwrap();
        modes.make_raw();
        tcsetattr(&program, OptionalActions::Now, &modes).unwrap();
        report_flushes(&master).unwrap();
        rustix::io::ioctl_fionbio(&master, true).unwrap();
        Self {
            master: Arc::new(master),
            program,
            writer: RingWriter::create(&path).unwrap(),
            ring: Ring::open(&path).unwrap(),
            _dir: dir,
        }
    }

    fn print(&mut self, text: &[u8]) {
        self.program.write_all(text).unwrap();
        // The kernel hands output over on a thread of its own.
        poll(&mut [PollFd::new(&self.master, PollFlags::IN)], None).unwrap();
    }

    fn lend(&mut self) -> LentTerminal {
        self.writer.lend();
        self.ring.borrow(Arc::clone(&self.master))
    }

    fn layout(&self) -> &RingLayout {
        &self.ring.mapping
    }
}

fn byte_at(position: u64) -> u8 {
    (position.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

#[test]
fn what_is_lent_is_read_into_the_ring() {
    let mut terminal = SessionTerminal::new();
    assert!(!terminal.ring.is_lent());
    let mut lent = terminal.lend();
    assert!(terminal.ring.is_lent());
    assert_eq!(lent.read(), LentRead::All);
    terminal.print(b"hello");
    assert_eq!(lent.read(), LentRead::All);
    assert_eq!(terminal.ring.bytes(0), b"hello");
    assert!(terminal.ring.return_terminal());
    terminal.print(b" again");
    assert_eq!(lent.read(), LentRead::TakenBack);
    assert_eq!(terminal.ring.bytes(0), b"hello");
    assert!(!terminal.ring.return_terminal(), "it was returned before");
}

#[test]
fn discarded_input_is_counted_once() {
    let mut terminal = SessionTerminal::new();
    let mut lent = terminal.lend();
    tcflush(&terminal.program, QueueSelector::IFlush).unwrap();
    terminal.print(b"x");
    assert_eq!(lent.read(), LentRead::Part);
    assert_eq!(terminal.ring.input_flushes(), 1);
    assert_eq!(lent.read(), LentRead::All);
    assert_eq!(terminal.ring.input_flushes(), 1);
    assert_eq!(terminal.ring.bytes(0), b"x");
}

#[test]
fn a_flood_an_end_and_a_full_ring_are_the_holders() {
    let mut terminal = SessionTerminal::new();
    let mut lent = terminal.lend();
    for number in 0..=FLOOD_AFTER_READS {
        terminal.print(&[b'x'; 2000]);
        let expected = match number {
            FLOOD_AFTER_READS => LentRead::MustReturn,
            _ => LentRead::Part,
        };
        assert_eq!(lent.read(), expected, "{number}");
    }

    let mut terminal = SessionTerminal::new();
    while !terminal.writer.is_full() {
        let len = terminal.writer.spare().len();
        terminal.writer.publish(len);
    }
    let mut lent = terminal.lend();
    terminal.print(b"no room");
    assert_eq!(lent.read(), LentRead::MustReturn);
    let _ = terminal.ring.set_tail(100);
    assert_eq!(lent.read(), LentRead::All);

    let mut terminal = SessionTerminal::new();
    let mut lent = terminal.lend();
    drop(std::mem::replace(
        &mut terminal.program,
        tempfile::tempfile().unwrap(),
    ));
    wait_for_hangup(&lent.master);
    assert_eq!(lent.read(), LentRead::MustReturn);
}

/// A process that another test is starting has a copy of the terminal until it runs its program.
fn wait_for_hangup(master: &OwnedFd) {
    let mut events = [PollFd::new(master, PollFlags::empty())];
    assert_eq!(poll(&mut events, None).unwrap(), 1);
}

#[test]
fn a_terminal_is_not_taken_back_in_the_middle_of_a_read() {
    let mut terminal = SessionTerminal::new();
    let _lent = terminal.lend();
    terminal.layout().lent.reader.store(READING, SeqCst);
    assert!(!terminal.writer.call_back());
    terminal.layout().lent.reader.store(LENT, SeqCst);
    assert!(terminal.writer.call_back());
    assert!(terminal.writer.is_held());
    assert!(terminal.writer.call_back(), "it has it already");
}

#[test]
fn a_kill_at_any_point_of_a_read_loses_nothing() {
    let mut terminal = SessionTerminal::new();
    let read = |terminal: &SessionTerminal, kind: u8| {
        let lent = &terminal.layout().lent;
        lent.reader.store(READING, SeqCst);
        lent.read_from.store(terminal.writer.head(), SeqCst);
        lent.read_len.store(3, SeqCst);
        let flushes = terminal.ring.input_flushes();
        lent.flushes_before.store(flushes, SeqCst);
        lent.packet_kind.store(kind, SeqCst);
    };
    terminal.writer.spare()[..6].copy_from_slice(b"abcdef");
    // Before the read.
    read(&terminal, NO_PACKET);
    terminal.writer.take_back();
    assert_eq!(terminal.ring.bytes(0), b"");
    // After the read.
    read(&terminal, 0);
    terminal.writer.take_back();
    assert_eq!(terminal.ring.bytes(0), b"abc");
    // After the bytes were counted.
    read(&terminal, 0);
    terminal.writer.publish(3);
    terminal.writer.take_back();
    assert_eq!(terminal.ring.bytes(0), b"abcdef");
    // A report of discarded input, before and after it was counted.
    read(&terminal, 1);
    terminal.writer.take_back();
    assert_eq!(terminal.ring.input_flushes(), 1);
    read(&terminal, 1);
    terminal.writer.count_input_flush();
    terminal.writer.take_back();
    assert_eq!(terminal.ring.input_flushes(), 2);
    assert_eq!(terminal.ring.bytes(0), b"abcdef");
    // Nonsense is not believed.
    read(&terminal, 0);
    terminal.layout().lent.read_len.store(1 << 40, SeqCst);
    terminal.writer.take_back();
    assert_eq!(terminal.ring.bytes(0), b"abcdef");
}

/// Starts a process that reads the terminal until it is killed.
fn reader(lent: &mut LentTerminal) -> Pid {
    // SAFETY: the child only makes calls of the system: it allocates nothing and takes no lock that another thread of
    // the parent may have held.
    match unsafe { libc::fork() } {
        0 => loop {
            let mut master = libc::pollfd {
                fd: lent.master.as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            };
            // SAFETY: one valid entry.
            unsafe { libc::poll(&raw mut master, 1, -1) };
            lent.read();
        },
        pid => Pid::from_raw(pid).expect("a process"),
    }
}

/// Prints the bytes of [`byte_at`] in parts of any length, and uses what makes the kernel report changes.
fn print_all(mut program: &File, stop: &AtomicBool) {
    let (mut position, mut random) = (0_u64, 1_u64);
    while !stop.load(SeqCst) {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let most = if random >> 62 == 0 { 3000 } else { 60 };
        let len = 1 + (random >> 33) % most;
        let bytes: Vec<u8> = (position..position + len).map(byte_at).collect();
        if program.write_all(&bytes).is_err() {
            return;
        }
        position += len;
        match (random >> 40) % 64 {
            0 => tcflush(program, QueueSelector::IFlush).unwrap(),
            1 => {
                tcflow(program, Action::OOff).unwrap();
                tcflow(program, Action::OOn).unwrap();
            }
            _ => {}
        }
    }
}

#[test]
fn readers_that_are_killed_again_and_again_lose_nothing() {
    let rounds = std::env::var("CCD_TEST_ROUNDS").ok();
    let rounds: u64 = rounds.and_then(|text| text.parse().ok()).unwrap_or(10) * 30;
    let mut terminal = SessionTerminal::new();
    let stop = Arc::new(AtomicBool::new(false));
    let printing = {
        let (program, stop) = (terminal.program.try_clone().unwrap(), Arc::clone(&stop));
        std::thread::spawn(move || print_all(&program, &stop))
    };
    let (mut checked, mut recovered) = (0, 0);
    for round in 0..rounds {
        let mut lent = terminal.lend();
        let pid = reader(&mut lent);
        let moment = Timespec {
            tv_sec: 0,
            tv_nsec: (round * 618 % 1500 * 1000).cast_signed(),
        };
        poll(&mut [], Some(&moment)).unwrap();
        kill_process(pid, Signal::KILL).unwrap();
        waitpid(Some(pid), WaitOptions::empty()).unwrap();
        let counted = terminal.ring.head();
        terminal.writer.take_back();
        recovered += u64::from(terminal.ring.head() > counted);
        let bytes = terminal.ring.bytes(checked);
        let wrong = (checked..)
            .zip(bytes)
            .find(|(at, byte)| byte_at(*at) != **byte);
        assert_eq!(wrong, None, "round {round}, from {checked}");
        checked += bytes.len() as u64;
        let _ = terminal.ring.set_tail(checked);
    }
    stop.store(true, SeqCst);
    // Whoever still prints gets room.
    let mut lent = terminal.lend();
    while !printing.is_finished() {
        lent.read();
        let _ = terminal.ring.set_tail(u64::MAX);
    }
    printing.join().unwrap();
    assert!(checked > 0);
    assert!(recovered > 0 || rounds < 200, "no kill has hit a read");
    println!("{rounds} kills, {checked} bytes, {recovered} reads finished by the holder");
}
