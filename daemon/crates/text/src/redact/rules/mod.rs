//! What a secret looks like.

mod assignment;
mod bearer;
mod builtin;
mod command;
mod cookie;
mod in_force;
mod key;
mod netrc;
pub(super) mod pem;
mod placeholder;
mod secret;
mod sql;
mod tokens;
mod url;
mod user;
mod value;

pub(super) use in_force::in_force;
pub(super) use key::secret_key;
pub(super) use placeholder::is_placeholder;
pub use user::{MAX_RULE_BYTES, MAX_RULES, RuleError, UserRules};
