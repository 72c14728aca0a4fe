//! The search: finds the anchors of rules in a text, lets each rule judge its surroundings, and puts masks.

mod mask;
mod patterns;
mod redactor;
mod rule;
mod shown;

pub use mask::MASK;
pub(crate) use mask::part_of;
pub(super) use mask::{masked_part, merge};
pub(super) use patterns::Patterns;
pub use redactor::Redacted;
pub(super) use redactor::{Anchors, MAX_PASSES, Redactor};
pub(super) use rule::{Judge, Rule, TwoSecrets};
pub(super) use shown::Shown;
