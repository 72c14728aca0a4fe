//! Full-screen use of the user's terminal: modes that are always restored, keys, and drawing of changes.

mod canvas;
mod events;
mod guard;
mod keys;
mod screen;

use canvas::Canvas;
pub(crate) use events::{Event, Events, Reporter, Waker};
pub(crate) use keys::{Key, moved};
pub(crate) use screen::{Fullscreen, LeftBy, View};
