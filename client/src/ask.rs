//! Asking for a secret at the terminal: the answer is not shown, and the terminal is restored however this exits.

use crate::Failure;
use crate::writer::visible;
use parking_lot::Mutex;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Longest answer, in bytes; more than the terminal keeps of a line.
const MAX_ANSWER_BYTES: u64 = 64 << 10;

static ASKING: Mutex<Option<Asking>> = Mutex::new(None);

/// True once another part of the program handles signals.
static SIGNALS_ARE_TAKEN: AtomicBool = AtomicBool::new(false);

struct Asking {
    terminal: File,
    question: String,
    before: Termios,
}

impl Asking {
    fn silence(&self) -> io::Result<()> {
        let mut silent = self.before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        // The newline of Enter is still echoed.
        silent.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(&self.terminal, OptionalActions::Flush, &silent)?;
        (&self.terminal).write_all(self.question.as_bytes())
    }

    fn restore(&self) {
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}

/// Restores the terminal, even after an error.
struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        if let Some(asking) = ASKING.lock().take() {
            asking.restore();
        }
    }
}

/// Asks the user at the terminal, whatever standard input is; `None` if there is no terminal.
pub(crate) fn ask(question: &str) -> Result<Option<String>, Failure> {
    let Ok(terminal) = OpenOptions::new().read(true).write(true).open("/dev/tty") else {
        return Ok(None);
    };
    answer(terminal, question).map(Some)
}

/// Leaves signals to another part of the program from now on; they no longer end this process here.
pub(crate) fn leave_signals() {
    SIGNALS_ARE_TAKEN.store(true, Ordering::Release);
}

fn answer(terminal: File, question: &str) -> Result<String, Failure> {
    let reader = terminal.try_clone().map_err(Failure::io("the terminal"))?;
    let before = tcgetattr(&terminal).map_err(Failure::io("the terminal"))?;
    watch_signals().map_err(Failure::io("the terminal"))?;
    let _restore = Restore;
    {
        let mut place = ASKING.lock();
        let asked = place.insert(Asking {
            terminal,
            question: visible(&format!("{} ", question.trim_end())),
            before,
        });
        asked.silence().map_err(Failure::io("the terminal"))?;
    }
    let mut line = String::new();
    let mut reader = BufReader::new(reader.take(MAX_ANSWER_BYTES));
    reader
        .read_line(&mut line)
        .map_err(Failure::io("the terminal"))?;
    match line.strip_suffix('\n') {
        Some(answer) => Ok(answer.to_owned()),
        None => Failure::failed("no answer was given"),
    }
}

/// Restores the terminal before a signal ends or stops this process. Call it once: handlers are not put back.
fn watch_signals() -> io::Result<()> {
    static WATCH: OnceLock<()> = OnceLock::new();
    if WATCH.get().is_some() {
        return Ok(());
    }
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP])?;
    std::thread::Builder::new()
        .name("asking".to_owned())
        .spawn(move || {
            for signal in signals.forever() {
                if !SIGNALS_ARE_TAKEN.load(Ordering::Acquire) {
                    act_on(signal);
                }
            }
        })?;
    let _ = WATCH.set(());
    Ok(())
}

fn act_on(signal: i32) {
    if let Some(asking) = &*ASKING.lock() {
        asking.restore();
        let _ = (&asking.terminal).write_all(b"\n");
    }
    let _ = emulate_default_handler(signal);
    // The process was only stopped, and continues.
    if let Some(asking) = &*ASKING.lock() {
        let _ = asking.silence();
    }
}
