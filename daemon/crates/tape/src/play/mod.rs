//! Playing: a tape stands in for a program.

mod acts;
mod cue;
mod miss;
mod pace;
mod player;
mod prompt_text;
mod search;
mod show;

pub use cue::{Cue, PlayError};
pub use pace::{Injection, Pace};
pub use player::{KeptPlayer, Player};
pub use show::{Act, FarSide, InputModes, Show};
