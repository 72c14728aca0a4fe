//! Sessions: their records, names, limits, history, terminal and screen.

mod echo;
mod history;
mod history_of_calls;
mod life;
mod limits;
mod list;
mod many;
mod names;
mod reuse;
mod screen;
mod screen_load;
mod terminal;
