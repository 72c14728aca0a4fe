//! The terminal: what text and each sequence do to the cells, on the grid of `alacritty_terminal`.
//! Only the grid is that library's, with its scrolling and its reflow. Its own terminal differs from xterm in ways that
//! programs show, and its answers to queries are not ours: the sequences are obeyed here.

mod cell;
mod edit;
mod moves;
mod page;
#[cfg(test)]
mod rules;
mod sequence;
mod sgr;
mod write;

pub(crate) use cell::{Attributes, Cell, Style, Underline};
pub(crate) use page::{Page, Terminal, is_wrapped};
