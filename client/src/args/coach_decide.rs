//! Decisions of `ccctl coach`.

use super::offer::NameKind;
use super::value::word;
use ccd_protocol::coach::{CandidateType, CandidateWords, Scope};
use clap::Args;

/// A candidate.
#[derive(Debug, Args)]
pub(crate) struct CandidateArg {
    /// Id of the candidate, its fingerprint, or a unique prefix of either
    #[arg(value_name = "ID")]
    #[arg(add = NameKind::Candidates)]
    pub(crate) candidate: String,
}

/// Other words for a candidate.
#[derive(Debug, Default, Args)]
pub(crate) struct WordsArgs {
    /// Change the title
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Change when it applies
    #[arg(long, value_name = "TEXT")]
    pub(crate) trigger: Option<String>,
    /// Change what to do
    #[arg(long, value_name = "TEXT")]
    pub(crate) action: Option<String>,
    /// Change what it becomes
    #[arg(long = "type", value_name = "TYPE", ignore_case = true, value_parser = candidate_type())]
    pub(crate) candidate_type: Option<CandidateType>,
}

impl WordsArgs {
    /// Returns the given words; `None` if there are none.
    pub(crate) fn given(&self) -> Option<CandidateWords> {
        let words = CandidateWords {
            title: self.title.clone(),
            trigger_condition: self.trigger.clone(),
            action: self.action.clone(),
            candidate_type: self.candidate_type,
        };
        Some(words).filter(|words| *words != CandidateWords::default())
    }
}

/// Arguments of `coach approve`.
#[derive(Debug, Args)]
#[command(mut_arg("candidate", |id| id.add(NameKind::PendingCandidates)))]
pub(crate) struct ApproveArgs {
    #[command(flatten)]
    pub(crate) of: CandidateArg,
    /// Where it applies [default: the suggested scope, which coach get shows]
    #[arg(long, value_name = "SCOPE", ignore_case = true, value_parser = scope())]
    pub(crate) scope: Option<Scope>,
    /// Only print the change as a patch; nothing is written or decided
    #[arg(long, conflicts_with = "branch")]
    pub(crate) diff: bool,
    /// Commit the change to a new branch of this name, without touching the working tree
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    #[command(flatten)]
    pub(crate) words: WordsArgs,
}

/// Arguments of `coach rule`.
#[derive(Debug, Args)]
pub(crate) struct RuleArgs {
    /// Event id or a unique prefix of it
    #[arg(value_name = "EVENT")]
    pub(crate) event: String,
    /// The rule: one sentence that says what to do
    pub(crate) text: String,
    /// Where it applies
    #[arg(long, value_name = "SCOPE", ignore_case = true, value_parser = scope(), default_value = "project")]
    pub(crate) scope: Scope,
}

/// Arguments of `coach reject`.
#[derive(Debug, Args)]
#[command(mut_arg("candidate", |id| id.add(NameKind::PendingCandidates)))]
pub(crate) struct RejectArgs {
    #[command(flatten)]
    pub(crate) of: CandidateArg,
    /// Why; the ledger keeps it
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

/// Arguments of `coach edit`.
#[derive(Debug, Args)]
#[command(mut_arg("candidate", |id| id.add(NameKind::PendingCandidates)))]
pub(crate) struct EditArgs {
    #[command(flatten)]
    pub(crate) of: CandidateArg,
    #[command(flatten)]
    pub(crate) words: WordsArgs,
}

/// Arguments of `coach promote`.
#[derive(Debug, Args)]
pub(crate) struct PromoteArgs {
    #[command(flatten)]
    pub(crate) of: CandidateArg,
    /// Promote it even if too few projects have seen it; the reason is recorded
    #[arg(long, value_name = "REASON")]
    pub(crate) force: Option<String>,
}

/// Arguments of `coach guard`.
#[derive(Debug, Args)]
pub(crate) struct GuardArgs {
    #[command(flatten)]
    pub(crate) of: CandidateArg,
    /// Refuse commands that match this regular expression; with --tool, file paths [default: derived from the evidence]
    #[arg(
        long,
        value_name = "RE",
        allow_hyphen_values = true,
        conflicts_with = "off"
    )]
    pub(crate) pattern: Option<String>,
    /// Guard this tool [default: Bash]
    #[arg(long, value_name = "TOOL", conflicts_with = "off")]
    pub(crate) tool: Option<String>,
    /// Remove the guard
    #[arg(long)]
    pub(crate) off: bool,
}

/// A parser of the types of candidates.
pub(super) fn candidate_type() -> impl clap::builder::TypedValueParser<Value = CandidateType> {
    let names = CandidateType::ALL.iter().map(|one| one.name());
    word(names, CandidateType::named)
}

fn scope() -> impl clap::builder::TypedValueParser<Value = Scope> {
    word(Scope::ALL.iter().map(|one| one.name()), Scope::named)
}
