//! Sessions that become tapes.

mod endings;
mod leaving;
mod secrets;
mod secrets_shown;
mod survival;
mod trouble;
