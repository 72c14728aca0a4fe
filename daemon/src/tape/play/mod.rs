//! Playing: a tape stands in for a program.

mod acts;
mod cue;
mod miss;
mod pace;
mod player;
mod prompt_text;
mod search;
mod show;

pub(crate) use cue::{Cue, PlayError};
pub(crate) use pace::{Injection, Pace};
pub(crate) use player::{KeptPlayer, Player};
pub(crate) use show::{Act, FarSide, InputModes, Show};
