//! Takes secrets out of text before it reaches a disk.
//!
//! One search for literal anchors ("passw", "ghp_", "://" …) runs over the text; only where one is found does its
//! rule look at the surroundings. Clean text therefore costs no more than that search, and each rule may be exact
//! about what it leaves alone: redaction that eats innocent text gets switched off.

mod assignment;
mod bearer;
mod key;
mod pem;
mod place;
mod placeholder;
mod redactor;
mod secret;
mod tokens;
mod url;
mod value;

#[cfg(test)]
mod tests;

pub(crate) use place::secret_place;
pub(crate) use redactor::{MASK, redact, redact_part, secrets_in};
