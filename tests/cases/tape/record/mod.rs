//! Recording sessions on tapes.

mod endings;
mod leaving;
mod meta;
mod retry;
mod secrets;
mod secrets_shown;
mod survival;
mod trouble;
