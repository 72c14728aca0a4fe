//! The table of rules.

use super::{assignment, forms, netrc, pem, piped, protocol, sql, tokens, url};
use crate::redact::engine::Rule;

/// Returns the rules that are always in force.
pub(super) fn builtin() -> impl Iterator<Item = Rule> {
    [
        assignment::rule(),
        forms::rule(),
        netrc::RULE,
        pem::RULE,
        piped::HERE,
        piped::PIPED,
        protocol::RULE,
        sql::RULE,
        url::RULE,
    ]
    .into_iter()
    .chain(tokens::rules())
}
