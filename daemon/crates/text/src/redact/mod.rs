//! Takes secrets out of text before it reaches a disk.
//!
//! One search for literal anchors ("passw", "ghp_", "://" …) runs over the text; only where one is found does its
//! rule look at the surroundings. Clean text therefore costs no more than that search, and each rule may be exact
//! about what it leaves alone: redaction that eats innocent text gets switched off.

mod argument;
mod bytes;
mod engine;
mod rules;
mod switch;
mod values;

#[cfg(test)]
mod fixture_tests;
#[cfg(test)]
mod tests;

pub use argument::{redact_args, redact_variable};
pub use bytes::{KnownTexts, SecretLines, Source, TypedLines, is_distinctive, key_lines};
pub use bytes::{
    masked_texts, redact_bytes, redact_chunks, redact_each, redact_typed, secret_texts,
};
pub use engine::{MASK, Redacted, redact, redact_part, rules_in_force, secrets_in, use_rules};
pub use rules::{MAX_RULE_BYTES, MAX_RULES, RuleError, UserRules};
pub use switch::is_on;
pub use values::{redact_members, secret_place};
