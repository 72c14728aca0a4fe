//! JSON5 with positions: a scanner, what can be wrong with a text, and a writer.

mod fault;
mod literal;
mod scan;
mod value;
mod write;

pub use fault::{BOM, Fault, Stop, lines_in, place};
pub use literal::Number;
pub use scan::{Format, Key, Kind, Scanned, Scanner, line_end};
pub use write::{key, list, map, object, quoted, value};
