//! `session.attach`, and `ccctl session attach` on terminals.

mod pan;
mod requests;
mod terminal;
mod ways_out;
