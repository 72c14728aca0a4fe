//! Decisions of `ccctl coach`.

use super::value::word;
use ccd_protocol::coach::{CandidateType, CandidateWords, Scope};
use clap::Args;

/// A candidate.
#[derive(Debug, Args)]
pub(crate) struct CandidateArg {
    /// Id of the candidate, its fingerprint, or a unique prefix of either
    #[arg(value_name = "ID")]
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
#[command(after_help = "Examples:
  ccctl coach approve 3f2a91bc
  ccctl coach approve 3f2a91bc --scope global --title 'Use pnpm'
  ccctl coach approve 3f2a91bc --diff | git apply
  ccctl coach approve 3f2a91bc --branch coach-rules

The title is added to the list \"Learned rules\" in the project's CLAUDE.md; a skill becomes a file in .claude. \
With scope global, both go to ~/.claude. git is not touched without --branch. ccctl coach undo restores the file.")]
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
#[command(after_help = "Examples:
  ccctl coach rule 154bb987 'Use pnpm instead of npm'
  ccctl coach rule 154bb987 'Answer in English' --scope global

ccctl coach events lists the events. ccctl coach undo removes the rule.")]
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
#[command(after_help = "Examples:
  ccctl coach reject 3f2a91bc
  ccctl coach reject 3f2a91bc --reason 'only true for this release'")]
pub(crate) struct RejectArgs {
    #[command(flatten)]
    pub(crate) of: CandidateArg,
    /// Why; the ledger keeps it
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

/// Arguments of `coach edit`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl coach edit 3f2a91bc
  ccctl coach edit 3f2a91bc --title 'Use pnpm' --action 'Run pnpm instead of npm'
  ccctl coach edit 3f2a91bc --type antipattern

Without options, at a terminal, the words are opened in $VISUAL, $EDITOR or vi.")]
pub(crate) struct EditArgs {
    #[command(flatten)]
    pub(crate) of: CandidateArg,
    #[command(flatten)]
    pub(crate) words: WordsArgs,
}

/// Arguments of `coach promote`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl coach promote 3f2a91bc
  ccctl coach promote 3f2a91bc --force 'I use pnpm everywhere'

At least two projects must have seen the candidate (promotion_threshold_repos in the coach's \
config.json).")]
pub(crate) struct PromoteArgs {
    #[command(flatten)]
    pub(crate) of: CandidateArg,
    /// Promote it even if too few projects have seen it; the reason is recorded
    #[arg(long, value_name = "REASON")]
    pub(crate) force: Option<String>,
}

/// Arguments of `coach guard`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl coach guard 3f2a91bc
  ccctl coach guard 3f2a91bc --pattern '^npm (ci|i|install)'
  ccctl coach guard 3f2a91bc --tool Edit --pattern 'node_modules/'
  ccctl coach guard 3f2a91bc --off

ccctl hook refuses a tool call that a guard matches, and gives the rule as the reason. If the \
daemon cannot be reached, the call is allowed.")]
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
