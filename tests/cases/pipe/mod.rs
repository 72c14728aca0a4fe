//! Named pipes.

mod events;
mod place;
mod survival;
