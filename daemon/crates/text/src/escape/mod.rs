//! Escape sequences in the output of terminals.
//! One scanner, [`Splitter`], reads them as terminals do. Only the stripper of [`expect`](crate::expect) has its own
//! rules: no byte of a broken sequence is text there, and it passes plain text at memory speed.

mod csi;
mod splitter;

pub use csi::{Csi, is_picture_only, number};
pub use splitter::{Kind, Piece, Sequence, Splitter};
