//! What a secret looks like. Lists of words are in `words/`, the forms of tokens in `tokens.txt`.

mod assignment;
mod builtin;
mod command;
mod command_table;
mod cookie;
mod in_force;
mod key;
pub(super) mod netrc;
pub(super) mod pem;
mod piped;
mod placeholder;
mod prose;
mod protocol;
mod run;
mod scan;
mod secret;
mod sql;
mod statement;
mod tokens;
mod url;
mod user;
mod value;
mod word;

pub(super) use command::takes_password;
pub(super) use in_force::in_force;
pub(crate) use key::is_secret_name;
pub(super) use key::secret_key;
pub(super) use placeholder::is_placeholder;
pub use user::{MAX_RULE_BYTES, MAX_RULES, RuleError, UserRules};
