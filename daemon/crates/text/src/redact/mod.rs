//! Takes secrets out of text before it reaches a disk.
//!
//! One search for literal anchors ("passw", "ghp_", "://" …) runs over the text; only where one is found does its
//! rule look at the surroundings. Clean text therefore costs no more than that search, and each rule may be exact
//! about what it leaves alone: redaction that eats innocent text gets switched off.

mod argument;
mod assignment;
mod bearer;
mod command;
mod cookie;
mod key;
mod key_lines;
mod known;
mod netrc;
mod netrc_lines;
mod pem;
mod place;
mod placeholder;
#[cfg_attr(not(test), allow(dead_code))]
mod raw;
mod redactor;
mod secret;
mod shown;
mod sql;
mod switch;
mod tokens;
mod typed_lines;
mod url;
mod user;
mod value;
#[cfg_attr(not(test), allow(dead_code))]
mod view;

#[cfg(test)]
mod fixture_tests;
#[cfg(test)]
mod raw_tests;
#[cfg(test)]
mod tests;

#[allow(unused_imports)] // the recorder's
pub use argument::{redact_args, redact_variable};
pub use key_lines::key_lines;
pub use known::{KnownTexts, is_distinctive, masked_texts};
pub use place::{redact_members, secret_place};
#[allow(unused_imports)] // the recorder's
pub use raw::{redact_bytes, redact_chunks, redact_each, redact_typed, secret_texts};
pub use redactor::{MASK, Redacted, redact, redact_part, secrets_in};
pub use redactor::{rules_in_force, use_rules};
pub use switch::is_on;
pub use typed_lines::{SecretLines, TypedLines};
pub use user::{MAX_RULE_BYTES, MAX_RULES, UserRules};
pub use view::Source;
