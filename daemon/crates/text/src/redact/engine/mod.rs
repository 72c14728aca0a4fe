//! The search for secrets in a text.

mod redactor;
mod shown;

pub use redactor::{MASK, Redacted, redact, redact_part, rules_in_force, secrets_in, use_rules};
pub(super) use redactor::{MAX_PASSES, Redactor, Rule, Verdict, in_force, merge, part_without};
pub(super) use shown::Shown;
