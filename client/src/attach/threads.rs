//! Threads for keys and signals, next to the one that shows output.

use super::link::{Link, Stop};
use super::screen::{Below, UserScreen};
use super::viewer_size;
use crate::detach_keys::{Typed, Watch};
use crate::terminal::ENDING_SIGNALS;
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::stdio::stdin;
use signal_hook::consts::{SIGCONT, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use std::io::{self, PipeReader, PipeWriter};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

const READ_BYTES: usize = 64 << 10;

const BELL: &[u8] = b"\x07";
const INTERRUPT_KEY: u8 = 0x03;

/// The user's terminal, shared by the threads.
pub(super) type Screen = Arc<Mutex<UserScreen>>;

/// Detaches if a thread panics, so that the terminal is restored.
struct OnPanic(Link);

impl Drop for OnPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(Stop::Panic);
        }
    }
}

/// Restores the terminal when dropped, and before a panic is reported: other threads hold it as long as they live.
pub(super) struct GivenBack(Screen);

impl GivenBack {
    pub(super) fn whatever_happens(screen: &Screen) -> Self {
        let (ours, tell) = (Arc::clone(screen), std::panic::take_hook());
        std::panic::set_hook(Box::new(move |info| {
            // The thread that holds the lock may be the one that panics.
            if let Some(mut screen) = ours.try_lock() {
                screen.leave(Below::All);
            }
            tell(info);
        }));
        Self(Arc::clone(screen))
    }
}

impl Drop for GivenBack {
    fn drop(&mut self) {
        self.0.lock().leave(Below::All);
    }
}

/// The thread that reads the keyboard. It ends when this is dropped, and leaves later input to other readers.
#[derive(Debug)]
pub(super) struct Keyboard {
    /// Closed to end the thread.
    end: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported already.
            let _ = thread.join();
        }
    }
}

pub(super) fn read_keys(
    link: Link,
    screen: Screen,
    mut watch: Watch,
    read_only: bool,
) -> io::Result<Keyboard> {
    let (ended, end) = io::pipe()?;
    let read = move || {
        let link = OnPanic(link);
        let mut buffer = vec![0; READ_BYTES];
        while wait_for_key(&ended) {
            let typed = match rustix::io::read(stdin(), &mut buffer) {
                Err(Errno::INTR | Errno::AGAIN) => continue,
                Ok(0) | Err(_) => return link.0.stop(Stop::NoInput),
                Ok(len) => watch.feed(&buffer[..len], link.0.look_keys(read_only)),
            };
            for look in &typed.looks {
                link.0.look(*look);
            }
            pass_on(&typed, &link.0, &screen, read_only);
            if typed.detaches {
                return link.0.stop(Stop::Detached);
            }
        }
    };
    let thread = thread::Builder::new().name("keys".to_owned()).spawn(read)?;
    Ok(Keyboard {
        end: Some(end),
        thread: Some(thread),
    })
}

/// Waits until something is typed; false if no more is to be read.
fn wait_for_key(ended: &PipeReader) -> bool {
    let input = stdin();
    loop {
        let mut both = [
            PollFd::new(&input, PollFlags::IN),
            PollFd::new(ended, PollFlags::IN),
        ];
        match rustix::event::poll(&mut both, None) {
            Err(Errno::INTR) => {}
            // The read reports the error.
            Err(_) => return true,
            Ok(_) => return both[1].revents().is_empty(),
        }
    }
}

fn pass_on(typed: &Typed, link: &Link, screen: &Screen, read_only: bool) {
    if typed.bytes.is_empty() {
        return;
    }
    if read_only {
        // In a read-only viewer, it can only mean this.
        if typed.bytes.contains(&INTERRUPT_KEY) {
            link.stop(Stop::Detached);
        }
    } else if !link.type_bytes(&typed.bytes) {
        let _ = screen.lock().show(BELL);
    }
}

/// Listens to signals, in a thread that ends with the process.
pub(super) fn heed_signals(link: Link, screen: Screen) -> io::Result<()> {
    let others = [SIGTSTP, SIGCONT, SIGWINCH];
    let mut signals = Signals::new(ENDING_SIGNALS.iter().chain(&others))?;
    let heed = move || {
        let link = OnPanic(link);
        let mut is_back = false;
        for signal in signals.forever() {
            match signal {
                SIGWINCH => link.0.resize(viewer_size()),
                SIGTSTP => {
                    suspend(&link.0, &screen);
                    is_back = true;
                }
                // After a stop of its own, or after one that it could not prepare for.
                SIGCONT if std::mem::take(&mut is_back) => {}
                SIGCONT => take_again(&link.0, &mut screen.lock()),
                signal => link.0.stop(Stop::Signal(signal)),
            }
        }
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(heed)
        .map(drop)
}

/// Stops with the terminal restored; draws the screen again when continued.
fn suspend(link: &Link, screen: &Screen) {
    let mut shown = screen.lock();
    shown.leave(Below::All);
    let _ = signal_hook::low_level::emulate_default_handler(SIGTSTP);
    take_again(link, &mut shown);
}

fn take_again(link: &Link, screen: &mut UserScreen) {
    match screen.enter_again() {
        Ok(()) => link.again(),
        Err(_) => link.stop(Stop::NoInput),
    }
}
