//! `ccctl coach`.

mod decide;
mod editor;
mod form;
mod overview;
mod records;
mod review;
mod rule;
mod try_out;
mod walk;

use crate::args::CoachVerb;
use crate::{Context, Exit, Failure, caller};
use std::io::{self, IsTerminal as _};

/// Length of a repository id, in hexadecimal digits.
const REPO_ID_LEN: usize = 16;

pub(crate) fn dispatch(verb: &CoachVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        CoachVerb::Status => overview::status(context),
        CoachVerb::Review(args) => review::review(args, context),
        CoachVerb::Get(of) => overview::get(&of.candidate, context),
        CoachVerb::Approve(args) => decide::approve(args, context),
        CoachVerb::Rule(args) => rule::rule(args, context),
        CoachVerb::Reject(args) => decide::reject(args, context),
        CoachVerb::Edit(args) => decide::edit(args, context),
        CoachVerb::Promote(args) => decide::promote(args, context),
        CoachVerb::Undo(of) => decide::undo(&of.candidate, context),
        CoachVerb::Events(args) => records::events(args, context),
        CoachVerb::Ledger(args) => overview::ledger(args, context),
        CoachVerb::Report(args) => overview::report(args, context),
        CoachVerb::Patterns { group } => try_out::patterns(group.as_deref(), context),
        CoachVerb::Detect(args) => try_out::detect(args, context),
        CoachVerb::Fingerprint(args) => try_out::fingerprint(args, context),
        CoachVerb::Aggregate => try_out::aggregate(context),
        CoachVerb::Guard(args) => decide::guard(args, context),
        CoachVerb::Mute(args) => records::mute(args, context),
        CoachVerb::Forget(args) => records::forget(args, context),
        CoachVerb::Export { output } => records::export(output.as_deref(), context),
        CoachVerb::Import(args) => records::import(args, context),
    }
}

/// Returns a project as the daemon knows it: a repository id, or an absolute directory.
fn project(given: Option<&str>) -> Result<Option<String>, Failure> {
    match given {
        Some(id) if is_repo_id(id) => Ok(Some(id.to_owned())),
        given => caller::given_path(given),
    }
}

fn is_repo_id(text: &str) -> bool {
    text.len() == REPO_ID_LEN && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// True if there is a person who can answer questions and use an editor.
fn is_interactive(context: &Context) -> bool {
    !context.global.json && io::stdin().is_terminal() && io::stdout().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_an_id_or_an_absolute_directory() {
        let id = "0123456789abcdef";
        assert_eq!(project(Some(id)).unwrap().as_deref(), Some(id));
        let directory = project(Some("0123")).unwrap().unwrap();
        assert!(directory.starts_with('/') && directory.ends_with("/0123"));
        assert_eq!(project(None).unwrap(), None);
    }
}
