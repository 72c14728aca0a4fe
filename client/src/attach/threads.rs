//! What happens beside the output: keys, and signals.

use super::link::{Link, Stop};
use super::screen::{Below, UserScreen};
use super::viewer_size;
use crate::detach_keys::{Typed, Watch};
use crate::terminal::ENDING_SIGNALS;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::stdio::stdin;
use signal_hook::consts::{SIGCONT, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use std::io::{self, PipeReader, PipeWriter};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Bytes of one read of the keyboard.
const READ_BYTES: usize = 64 << 10;

const BELL: &[u8] = b"\x07";
const INTERRUPT_KEY: u8 = 0x03;

/// The user's terminal, shared by the threads.
pub(super) type Screen = Arc<Mutex<UserScreen>>;

/// Leaves the session should a thread fail, so that the terminal is given back.
struct OnPanic(Link);

impl Drop for OnPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(Stop::Panic);
        }
    }
}

/// Gives the terminal back when dropped, and before a defect is told of: other threads hold it for as long as they live.
pub(super) struct GivenBack(Screen);

impl GivenBack {
    pub(super) fn whatever_happens(screen: &Screen) -> Self {
        let (ours, tell) = (Arc::clone(screen), std::panic::take_hook());
        std::panic::set_hook(Box::new(move |info| {
            // Who has it now may be who fails.
            if let Ok(mut screen) = ours.try_lock() {
                screen.leave(Below::All);
            }
            tell(info);
        }));
        Self(Arc::clone(screen))
    }
}

impl Drop for GivenBack {
    fn drop(&mut self) {
        lock(&self.0).leave(Below::All);
    }
}

/// The thread that reads the keyboard. It ends when this is dropped, and what is typed from then on is for others.
#[derive(Debug)]
pub(super) struct Keys {
    /// Closed to end the thread.
    end: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            // Had it failed, that would have been told already.
            let _ = thread.join();
        }
    }
}

/// Reads the keyboard.
///
/// # Errors
///
/// The system's.
pub(super) fn read_keys(
    link: Link,
    screen: Screen,
    mut watch: Watch,
    read_only: bool,
) -> io::Result<Keys> {
    let (ended, end) = io::pipe()?;
    let read = move || {
        let link = OnPanic(link);
        let mut buffer = vec![0; READ_BYTES];
        while wait_for_key(&ended) {
            let typed = match rustix::io::read(stdin(), &mut buffer) {
                Err(Errno::INTR | Errno::AGAIN) => continue,
                Ok(0) | Err(_) => return link.0.stop(Stop::NoInput),
                Ok(len) => watch.feed(&buffer[..len]),
            };
            pass_on(&typed, &link.0, &screen, read_only);
            if typed.detaches {
                return link.0.stop(Stop::Detached);
            }
        }
    };
    let thread = thread::Builder::new().name("keys".to_owned()).spawn(read)?;
    Ok(Keys {
        end: Some(end),
        thread: Some(thread),
    })
}

/// Waits until something is typed; false when no more is to be read.
fn wait_for_key(ended: &PipeReader) -> bool {
    let input = stdin();
    loop {
        let mut both = [
            PollFd::new(&input, PollFlags::IN),
            PollFd::new(ended, PollFlags::IN),
        ];
        match rustix::event::poll(&mut both, None) {
            Err(Errno::INTR) => {}
            // The read tells what is wrong.
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
        // Nothing else that it could mean.
        if typed.bytes.contains(&INTERRUPT_KEY) {
            link.stop(Stop::Detached);
        }
    } else if !link.type_bytes(&typed.bytes) {
        let _ = lock(screen).show(BELL);
    }
}

/// Listens to signals, in a thread that ends with the process.
///
/// # Errors
///
/// The system's.
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
                // It is back from its own stop; otherwise from one that it could not prepare for.
                SIGCONT if std::mem::take(&mut is_back) => {}
                SIGCONT => take_again(&link.0, &mut lock(&screen)),
                signal => link.0.stop(Stop::Signal(signal)),
            }
        }
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(heed)
        .map(drop)
}

/// Stops, with the terminal as it was before; goes on with a new picture.
fn suspend(link: &Link, screen: &Screen) {
    let mut shown = lock(screen);
    shown.leave(Below::All);
    let _ = signal_hook::low_level::emulate_default_handler(SIGTSTP);
    take_again(link, &mut shown);
}

/// Takes the terminal as the session's, with a new picture.
fn take_again(link: &Link, screen: &mut UserScreen) {
    match screen.enter_again() {
        Ok(()) => link.again(),
        Err(_) => link.stop(Stop::NoInput),
    }
}

/// The terminal, for one change.
pub(super) fn lock(screen: &Screen) -> std::sync::MutexGuard<'_, UserScreen> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}
