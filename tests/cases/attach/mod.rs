//! `session.attach`, and `ccctl session attach` on terminals.

mod requests;
pub(crate) mod terminal;
mod ways_out;
