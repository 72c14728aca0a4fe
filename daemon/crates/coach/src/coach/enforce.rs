//! Rules that are enforced: guards.

use super::CoachError;
use super::guard::{Guards, compile};
use super::owner::{Coach, Databases};
use crate::command;
use crate::ledger::{CandidateRow, Change, evidence_of, guards};
use crate::record::contexts_of;
use ccd_protocol::coach::{CandidateType, CoachGuardParams, CoachGuardReply, Guard, Scope};
use ccd_store::StoreError;

/// Words of a command that a pattern is made of, at most.
const MAX_WORDS: usize = 3;

impl Coach {
    /// Turns a rule into a guard, or removes it. On an error, nothing is changed.
    pub async fn guard(&self, params: CoachGuardParams) -> Result<CoachGuardReply, CoachError> {
        let databases = self.with_candidate(&params.id).await?;
        let _deciding = self.deciding.lock().await;
        let row = self.row(databases, &params.id).await?;
        let (change, guard) = if params.off {
            (Change::DeleteGuard(row.fingerprint.clone()), None)
        } else {
            let guard = self.new_guard(databases, &row, params).await?;
            (Change::Guard(guard.clone()), Some(guard))
        };
        databases.change(vec![change]).await?;
        self.use_guards(databases).await?;
        let candidate = self.shown_candidate(databases, &row).await?;
        Ok(CoachGuardReply { candidate, guard })
    }

    async fn new_guard(
        &self,
        databases: &Databases,
        row: &CandidateRow,
        params: CoachGuardParams,
    ) -> Result<Guard, CoachError> {
        if !row.is_in_force() {
            let what = "it has no guard; approve it first";
            return Err(self.state(databases, row, what).await);
        }
        let pattern = match params.pattern {
            Some(pattern) => pattern,
            None => derived_pattern(databases, row).await?,
        };
        if params.tool.as_deref().is_some_and(str::is_empty) {
            return Err(CoachError::invalid("tool: must not be empty"));
        }
        let compiled =
            compile(&pattern).map_err(|error| CoachError::invalid(format!("pattern: {error}")))?;
        if compiled.is_match("") {
            let what = "pattern: matches an empty text, so it would refuse every call";
            return Err(CoachError::invalid(what));
        }
        let is_everywhere = row.current_scope == Scope::Global;
        Ok(Guard {
            fingerprint: row.fingerprint.clone(),
            tool: params.tool.unwrap_or_else(|| "Bash".into()),
            pattern,
            reason: format!(
                "{}: {} (rule {})",
                row.trigger_condition,
                row.action,
                row.fingerprint.get(..8).unwrap_or_default()
            ),
            repo_ids: (!is_everywhere).then(|| row.repo_ids.clone()),
            created_at: ccd_base::clock::now(),
            hits: 0,
        })
    }

    pub(super) async fn use_guards(&self, databases: &Databases) -> Result<(), StoreError> {
        let guards = guards(&databases.ledger).await?;
        let guards = Guards::new(guards);
        *self.guards.write() = guards.into();
        Ok(())
    }
}

/// Returns a pattern for the commands that the rule is about: the words with which all of its evidence starts.
async fn derived_pattern(databases: &Databases, row: &CandidateRow) -> Result<String, CoachError> {
    let evidence = evidence_of(&databases.ledger, &row.fingerprint, 100).await?;
    let ids = evidence.iter().map(|piece| piece.event_id.as_str());
    let contexts = contexts_of(&databases.events, &ids.collect::<Vec<_>>()).await?;
    let words = contexts.iter().filter_map(|context| {
        let in_violation = context["violations"][0]["command"].as_str();
        first_words(context["command"].as_str().or(in_violation)?)
    });
    let common = words.reduce(|mut common, words| {
        let pairs = common.iter().zip(&words);
        common.truncate(pairs.take_while(|(one, other)| one == other).count());
        common
    });
    let Some((program, rest)) = common.as_deref().and_then(<[String]>::split_first) else {
        let what = "its evidence does not name one command; give a pattern with --pattern";
        return Err(CoachError::invalid(what));
    };
    let squash =
        (row.candidate_type == CandidateType::Antipattern).then_some("--squash".to_owned());
    // Options may be between the words.
    let words = rest.iter().chain(&squash);
    let words = words.map(|word| format!(r"\s(?:\S+\s)*?{}", regex::escape(word)));
    let (program, words) = (regex::escape(program), words.collect::<String>());
    let pattern = format!("^{program}{words}(?:\\s|$)");
    let mut commands = recommended(&row.action).into_iter();
    match commands.find(|command| compile(&pattern).is_ok_and(|one| one.is_match(command))) {
        None => Ok(pattern),
        Some(command) => Err(CoachError::invalid(format!(
            "a guard for {pattern} would refuse what the rule recommends ({command}); give another with --pattern"
        ))),
    }
}

/// Returns the commands that a rule recommends: those in backquotes, but not what it forbids, as in "not `python`".
fn recommended(action: &str) -> Vec<String> {
    const FORBIDS: [&str; 5] = ["not", "never", "instead of", "rather than", "avoid"];
    let parts: Vec<&str> = action.split('`').collect();
    let quoted = parts.chunks_exact(2).filter(|pair| {
        let before = pair[0].trim_end().to_lowercase();
        !FORBIDS.iter().any(|word| before.ends_with(word))
    });
    let commands = quoted.flat_map(|pair| command::parse(pair[1]));
    commands.map(|simple| simple.bare_text()).collect()
}

/// Returns the program of a command line and the names of what it is to do, without options, numbers and paths.
fn first_words(line: &str) -> Option<Vec<String>> {
    let simple = command::primary(line)?;
    let is_name = |word: &&String| {
        word.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && !word.contains(['/', '.', '='])
    };
    let names = simple.words.iter().take_while(is_name).take(MAX_WORDS - 1);
    let all = std::iter::once(&simple.program).chain(names);
    Some(all.cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_rule_forbids_is_not_what_it_recommends() {
        for (action, expected) in [
            ("use `python3`, not `python`", &["python3"][..]),
            (
                "run `npm run test:unit`, not `npm test`, here",
                &["npm run test:unit"],
            ),
            ("never `git push --force`: use `git push`", &["git push"]),
            ("be brief", &[]),
        ] {
            assert_eq!(recommended(action), expected, "{action}");
        }
    }
}
