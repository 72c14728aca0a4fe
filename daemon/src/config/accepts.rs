//! The values that a key accepts.

use super::list_of::{ListOf, is_program};
use super::setting::whole;
use ccd_tape::settings::{MAX_LATENCY_MS, MAX_TAG_BYTES};
use serde_json::Value;
use std::fmt;

/// The values that a key accepts.
pub(super) enum Accepts {
    Boolean,
    /// True, false or null.
    BooleanOrNull,
    /// Whole numbers from the first to the second.
    Integer(u64, u64),
    /// Seconds from 0 to this number, with fractions down to a millisecond.
    Seconds(u64),
    OneOf(&'static [&'static str]),
    /// An absolute path.
    Path,
    /// An absolute path, or an empty text for the default.
    OptionalPath,
    /// An absolute path, or null.
    FileOrNull,
    /// From 0 to 100, with fractions.
    Percent,
    /// The latency of replays.
    Latency,
    /// The template for the name of a new tape.
    TapeName,
    /// The name of a program, or an absolute path.
    Program,
    /// The tag of a new tape, or an empty text for none.
    Tag,
    List(ListOf),
}

impl Accepts {
    /// Returns the name of the type, for lists.
    pub(super) fn type_name(&self) -> &'static str {
        self.about().0
    }

    /// Returns a short description of the allowed values, for lists.
    pub(super) fn range(&self) -> String {
        self.about().2
    }

    /// Returns the name of the type, what precedes the allowed values in a message, and these.
    fn about(&self) -> (&'static str, &'static str, String) {
        let (type_name, before, range) = match self {
            Accepts::Boolean => ("boolean", "", "true, false"),
            Accepts::BooleanOrNull => ("boolean or null", "", "true, false, null"),
            Accepts::Path => ("string", "", "an absolute path"),
            Accepts::OptionalPath => ("string", "", "an absolute path, or empty"),
            Accepts::FileOrNull => ("string or null", "", "an absolute path, or null"),
            Accepts::Program => ("string", "", "the name of a program, or an absolute path"),
            Accepts::Percent => ("number", "a number from ", "0 to 100"),
            Accepts::TapeName => (
                "string",
                "",
                "a relative path; {program}, {tag}, {verb}, {time} and {random} are filled in",
            ),
            Accepts::Integer(min, max) => {
                return ("integer", "a whole number from ", format!("{min} to {max}"));
            }
            Accepts::Seconds(max) => {
                return (
                    "seconds",
                    "a number of seconds from ",
                    format!("0 to {max}"),
                );
            }
            Accepts::OneOf(words) => return ("string", "one of ", words.join(", ")),
            Accepts::Latency => {
                let forms = "tape, recorded, N or N-M in milliseconds up to";
                return ("string", "one of ", format!("{forms} {MAX_LATENCY_MS}"));
            }
            Accepts::Tag => {
                let rest = "bytes without control characters, or empty";
                return ("string", "", format!("at most {MAX_TAG_BYTES} {rest}"));
            }
            Accepts::List(entries) => return ("list", "a list of ", entries.range()),
        };
        (type_name, before, range.to_owned())
    }

    /// Returns the invalid entry of a list, and what it must be.
    pub(super) fn wrong_entry(&self, value: &Value) -> Option<(usize, String)> {
        match (self, value) {
            (Accepts::List(list), Value::Array(entries)) => list.first_wrong(entries),
            _ => None,
        }
    }

    /// Returns whether a value of the right type is in the range. For the other keys, the type itself decides.
    pub(super) fn allows(&self, value: &Value) -> bool {
        let is_up_to =
            |max: f64| (value.as_f64()).is_some_and(|number| (0.0..=max).contains(&number));
        match self {
            Accepts::Integer(min, max) => {
                whole(value).is_some_and(|number| (*min..=*max).contains(&number))
            }
            Accepts::Seconds(max) => is_up_to(*max as f64),
            Accepts::Percent => is_up_to(100.0),
            Accepts::Program => value.as_str().is_some_and(is_program),
            Accepts::List(list) => value.as_array().is_some_and(|entries| {
                entries.len() <= list.max() && list.first_wrong(entries).is_none()
            }),
            _ => true,
        }
    }
}

/// What an invalid value should have been: "a whole number from 1 to 1000".
impl fmt::Display for Accepts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.about()) {
            (Accepts::Boolean, _) => f.write_str("true or false"),
            (Accepts::BooleanOrNull, _) => f.write_str("true, false or null"),
            (_, (_, before, range)) => write!(f, "{before}{range}"),
        }
    }
}
