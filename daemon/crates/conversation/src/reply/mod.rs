//! What the methods return.

mod export;
mod get;
mod page;
mod parts;

use crate::ConversationError;
use crate::error::Result;
use crate::follow::{Area, Follower, Following, Start};
use crate::last_turn::{LastTurn, last_turn};
use crate::model::{Model, Record};
use crate::setup::Setup;
use crate::source::{Dir, Loaded, Shelf, find_session};
use crate::task_list::{CurrentTask, current_task};
use ccd_protocol::conversation::{
    ConversationContentsParams, ConversationContentsReply, ConversationExportParams,
    ConversationExportReply, ConversationGetReply, ConversationPageParams, ConversationPair,
    ConversationParams, ConversationRecord, ConversationRecordParams, ConversationSubscribeParams,
    ConversationToolParams, ConversationTree, ConversationTurn, ConversationTurnParams,
    ConversationTurnsReply,
};
use parts::Contents;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The owner of conversations. Every method blocks while it reads files.
#[derive(Debug)]
pub struct Conversations {
    setup: Arc<Setup>,
    shelf: Shelf,
}

/// Most messages and prompts that a subscription starts with.
const MAX_LAST: u64 = 1000;

impl Conversations {
    #[must_use]
    pub fn new(setup: Arc<Setup>) -> Self {
        Self {
            setup,
            shelf: Shelf::default(),
        }
    }

    fn load(&self, params: &ConversationParams) -> Result<Arc<Loaded>> {
        self.shelf.get(&self.path_of(params)?)
    }

    fn path_of(&self, params: &ConversationParams) -> Result<PathBuf> {
        match (&params.session, &params.file) {
            (Some(session), None) => {
                find_session(session, &self.setup.dirs_of_ids(&params.claude_dirs))
            }
            (None, Some(file)) if Path::new(file).is_absolute() => Ok(PathBuf::from(file)),
            (None, Some(file)) => Err(ConversationError::NotAbsolute(file.into())),
            _ => Err(ConversationError::Unnamed),
        }
    }

    /// Returns the task that Claude Code works on in the project `root`, as its newest transcript says: an absolute path with
    /// links resolved. Blocks.
    #[must_use]
    pub fn current_task(&self, root: &Path) -> Option<CurrentTask> {
        current_task(self.setup.claude_dir(), root)
    }

    /// Returns the last prompt to Claude Code in the project `root` and its answer, in the same way. Blocks.
    #[must_use]
    pub fn last_turn(&self, root: &Path) -> Option<LastTurn> {
        last_turn(self.setup.claude_dir(), root)
    }

    /// Carries out `conversation.subscribe`. Blocks; the items themselves are read by other threads.
    pub fn follow(&self, params: &ConversationSubscribeParams) -> Result<Following> {
        let area = match (&params.session, &params.file, &params.project) {
            (None, None, project) => {
                let given = params.claude_dirs.iter().map(Path::new);
                let mut dirs: Vec<Dir> = given.map(Dir::of_claude).collect();
                if dirs.is_empty() {
                    dirs.push(Dir::of_claude(self.setup.claude_dir()));
                }
                Area::Dirs {
                    dirs,
                    project: project.clone(),
                }
            }
            (session, file, None) => {
                let path = self.path_of(&ConversationParams {
                    session: session.clone(),
                    file: file.clone(),
                    claude_dirs: params.claude_dirs.clone(),
                })?;
                if !path.is_file() {
                    return Err(ConversationError::NoFile(path));
                }
                Area::Conversation(path)
            }
            (_, _, Some(_)) => return Err(ConversationError::Unnamed),
        };
        let last = params.last.unwrap_or(0).min(MAX_LAST);
        let start = Start {
            last: usize::try_from(last).unwrap_or(usize::MAX),
            from: params.from.clone(),
            kinds: params.kinds.clone(),
        };
        let prices = self.setup.prices()?.prices;
        Following::start(Follower::new(area, &start, &prices))
    }

    pub fn get(&self, params: &ConversationPageParams) -> Result<ConversationGetReply> {
        let loaded = self.load(&params.conversation)?;
        let prices = self.setup.prices()?.prices;
        get::get(&loaded, &Model::new(&loaded.records), params, &prices)
    }

    pub fn export(&self, params: &ConversationExportParams) -> Result<ConversationExportReply> {
        let loaded = self.load(&params.page.conversation)?;
        let prices = self.setup.prices()?.prices;
        export::export(&loaded, &Model::new(&loaded.records), params, &prices)
    }

    /// Returns the page that lists pages.
    #[must_use]
    pub fn contents(params: ConversationContentsParams) -> ConversationContentsReply {
        let private = if params.with_paths {
            ccd_page::Private::default()
        } else {
            export::private_of(
                params.pages.iter().filter_map(|page| page.cwd.as_deref()),
                [],
            )
        };
        ConversationContentsReply {
            html: ccd_page::contents(params, &private),
        }
    }

    pub fn turns(&self, params: &ConversationPageParams) -> Result<ConversationTurnsReply> {
        let loaded = self.load(&params.conversation)?;
        let model = Model::new(&loaded.records);
        let page = Contents::new(&loaded, &model, params.redact).page(params)?;
        Ok(ConversationTurnsReply {
            turns: page.turns,
            total_turns: model.turns.len() as u64,
            next: page.next,
        })
    }

    pub fn turn(&self, params: &ConversationTurnParams) -> Result<ConversationTurn> {
        let loaded = self.load(&params.conversation)?;
        let model = Model::new(&loaded.records);
        let id = params.message_id.as_str();
        let is_named = |record: &Record| {
            let mut calls = record.calls.iter();
            record.uuid == id
                || record.prompt_id.as_deref() == Some(id)
                || calls.any(|call| call.id == id)
        };
        let has_record = |records: &[usize]| records.iter().any(|at| is_named(model.records[*at]));
        let turn = model
            .turns
            .iter()
            .find(|turn| turn.message_id == id || has_record(&turn.records))
            .ok_or_else(|| ConversationError::NoRecord(id.to_owned()))?;
        Contents::new(&loaded, &model, false)
            .turn(turn, false)
            .map(|(turn, _)| turn)
    }

    pub fn record(&self, params: &ConversationRecordParams) -> Result<ConversationRecord> {
        let loaded = self.load(&params.conversation)?;
        let record = loaded
            .records
            .get(&params.uuid)
            .ok_or_else(|| ConversationError::NoRecord(params.uuid.clone()))?;
        let path = loaded.paths().nth(record.place.file as usize);
        let path = path.unwrap_or(Path::new("")).to_owned();
        let line = loaded.line_of(record)?;
        Ok(ConversationRecord {
            record: RawValue::from_string(line)
                .map_err(|_| ConversationError::Changed(path.clone()))?,
            file: path.display().to_string(),
            offset: record.place.offset,
        })
    }

    pub fn tool(&self, params: &ConversationToolParams) -> Result<ConversationPair> {
        let loaded = self.load(&params.conversation)?;
        let model = Model::new(&loaded.records);
        let mut pairs = model.pairs.iter();
        let pair = pairs
            .find(|pair| pair.id == params.tool_use_id)
            .ok_or_else(|| ConversationError::NoToolCall(params.tool_use_id.clone()))?;
        Contents::new(&loaded, &model, false).pair(pair)
    }

    pub fn tree(&self, params: &ConversationParams) -> Result<ConversationTree> {
        let loaded = self.load(params)?;
        let prices = self.setup.prices()?.prices;
        let model = Model::new(&loaded.records);
        let contents = Contents::new(&loaded, &model, false);
        let mut tree = contents.tree(&prices)?;
        tree.extend(contents.reported()?);
        Ok(ConversationTree {
            tree,
            orphan_parents: parts::owned(&model.tree.orphans),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::ConversationSettings;

    #[test]
    fn the_tree_has_a_sub_agent_that_only_a_result_reports() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let file = fixtures.join("05-agent-summary-only.jsonl");
        let setup = Setup::new(&fixtures, &fixtures, ConversationSettings::default());
        let params = ConversationParams {
            file: Some(file.to_string_lossy().into_owned()),
            ..ConversationParams::default()
        };
        let tree = Conversations::new(setup).tree(&params).unwrap().tree;
        let [node] = &tree[..] else {
            panic!("{tree:?}");
        };
        assert_eq!((node.records.len(), node.cost_usd), (0, None));
        assert!(
            node.usage.output_tokens > 0 && node.description.is_some(),
            "{node:?}"
        );
    }
}
