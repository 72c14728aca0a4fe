//! The user's terminal as a whole screen: modes that are always put back, keys, and drawing what has changed.

mod canvas;
mod events;
mod guard;
mod keys;
mod screen;

use canvas::Canvas;
pub(crate) use events::{Event, Events, Waker};
pub(crate) use keys::Key;
pub(crate) use screen::{Fullscreen, Left, View};
