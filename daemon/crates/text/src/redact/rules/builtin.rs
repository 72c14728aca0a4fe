//! The table of rules.

use super::{assignment, bearer, command, cookie, netrc, pem, piped, protocol, sql, tokens, url};
use crate::redact::engine::Rule;

/// Returns the rules that are always in force.
pub(super) fn builtin() -> impl Iterator<Item = Rule> {
    [
        assignment::RULE,
        bearer::RULE,
        command::RULE,
        cookie::RULE,
        netrc::RULE,
        pem::RULE,
        piped::HERE,
        piped::PASS,
        piped::PIPED,
        protocol::RULE,
        sql::RULE,
        url::CREDENTIALS,
        url::SIGNATURE,
        url::WEBHOOK,
    ]
    .into_iter()
    .chain(tokens::RULES)
    .chain([tokens::discord_bots()])
}
