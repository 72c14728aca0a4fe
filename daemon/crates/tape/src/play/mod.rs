//! Replay: a tape answers in place of a program.

mod miss;
mod options;
mod pace;
mod playback;
mod player;
mod playing;
mod search;
mod steps;

pub use options::{PlayError, ReplayOptions};
pub use pace::{Injection, ReplayPace, stored_latency};
pub use playback::{FarSide, InputModes, Playback, PlaybackStep};
pub use player::{KeptPlayer, Player};
