//! Playing: a tape stands in for a program.

mod acts;
mod alarm;
mod cue;
mod miss;
mod pace;
mod player;
mod prompt_text;
mod search;
mod show;
mod stage;
mod stand_in;

pub(crate) use cue::{Cue, PlayError};
pub(crate) use pace::{Injection, Pace};
pub(crate) use player::{KeptPlayer, Player};
pub(crate) use show::{Act, Show};
pub(crate) use stage::{InputModes, Stage};
pub(crate) use stand_in::{command as stand_in, play_part};
