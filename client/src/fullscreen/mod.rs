//! Full-screen use of the user's terminal: modes that are always restored, keys, and drawing of changes.

mod canvas;
mod events;
mod guard;
mod keys;
mod screen;

use canvas::Canvas;
pub(crate) use events::{Event, Events, Waker};
pub(crate) use keys::Key;
pub(crate) use screen::{Fullscreen, LeftBy, View};
