//! Replay: a tape answers in place of a program.

mod miss;
mod options;
mod pace;
mod playback;
mod player;
mod prompt_text;
mod search;
mod steps;

pub use options::{PlayError, ReplayOptions};
pub use pace::{Injection, ReplayPace};
pub use playback::{FarSide, InputModes, Playback, PlaybackStep};
pub use player::{KeptPlayer, Player};

// The names by which sessions still know these.
pub use options::ReplayOptions as Cue;
pub use pace::ReplayPace as Pace;
pub use playback::{Playback as Show, PlaybackStep as Act};
