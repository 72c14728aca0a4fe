//! Removes secrets from text before it reaches a disk.
//! There are three entry points: [`redact`] for text, [`redact_values`] for values with names, and [`redact_chunks`]
//! for the bytes of a terminal ([`redact_typed`] for typed text).
//! One search for literal anchors ("passw", "ghp_", "://" …) runs over the text. Only where it finds one, a rule
//! examines the surroundings. Clean text therefore costs no more than that search, and each rule can be exact about
//! what it leaves alone: users switch off a redaction that eats innocent text.

mod argument;
mod bytes;
mod engine;
mod line;
mod rules;
mod switch;
mod text;
mod values;

#[cfg(test)]
mod fixture_tests;
#[cfg(test)]
mod form_tests;
#[cfg(test)]
mod tests;

pub use bytes::{
    KnownTexts, RedactedChunks, SecretLines, Source, TypedLines, redact_chunks, redact_typed,
};
pub(crate) use engine::part_of;
pub use engine::{MASK, Redacted};
pub use line::redact_line;
pub(crate) use rules::is_secret_name;
pub use rules::{MAX_RULE_BYTES, MAX_RULES, RuleError, UserRules};
pub use switch::is_on;
pub use text::{Secrets, redact};
pub use values::{MaskedValue, Values, redact_values};
