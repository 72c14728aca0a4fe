//! The table of rules.

use super::{assignment, command, cookie, netrc, pem, piped, protocol, run, sql, tokens, url};
use crate::redact::engine::Rule;

/// Returns the rules that are always in force.
pub(super) fn builtin() -> impl Iterator<Item = Rule> {
    [
        assignment::rule(),
        command::RULE,
        cookie::RULE,
        netrc::RULE,
        pem::RULE,
        piped::HERE,
        piped::PASS,
        piped::PIPED,
        protocol::RULE,
        run::BEARER,
        run::SIGNATURE,
        run::WEBHOOK,
        sql::RULE,
        url::RULE,
    ]
    .into_iter()
    .chain(tokens::rules())
}
