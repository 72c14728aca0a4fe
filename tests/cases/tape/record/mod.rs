//! Recording sessions on tapes.

mod endings;
mod leaving;
mod meta;
mod secrets;
mod secrets_shown;
mod survival;
mod trouble;
