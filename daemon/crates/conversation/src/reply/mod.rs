//! What the methods return.

mod export;
mod get;
mod order;
mod parts;

use crate::ConversationError;
use crate::model::Model;
use crate::price::Prices;
use crate::source::{Loaded, Shelf, find_session};
use ccd_protocol::conversation::{
    ConversationExportReply, ConversationGetReply, ConversationPageParams, ConversationPair,
    ConversationParams, ConversationRecord, ConversationRecordParams, ConversationToolParams,
    ConversationTree, ConversationTurn, ConversationTurnParams, ConversationTurnsReply,
};
use parts::Contents;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Result<T> = std::result::Result<T, ConversationError>;

/// The owner of conversations. Every method blocks while it reads files.
#[derive(Debug)]
pub struct Conversations {
    claude_dir: PathBuf,
    shelf: Shelf,
    prices: Prices,
}

impl Conversations {
    /// `claude_dir` is the user's directory of Claude Code.
    #[must_use]
    pub fn new(claude_dir: PathBuf) -> Self {
        Self {
            claude_dir,
            shelf: Shelf::default(),
            prices: Prices::built_in(),
        }
    }

    /// Returns a conversation as its files are now.
    fn load(&self, params: &ConversationParams) -> Result<Arc<Loaded>> {
        let path = match (&params.session, &params.file) {
            (Some(session), None) => {
                let given = params.claude_dirs.iter().map(PathBuf::from);
                let mut dirs: Vec<PathBuf> = given.chain([self.claude_dir.clone()]).collect();
                dirs.dedup();
                find_session(session, &dirs)?
            }
            (None, Some(file)) if Path::new(file).is_absolute() => PathBuf::from(file),
            (None, Some(file)) => return Err(ConversationError::NotAbsolute(file.into())),
            _ => return Err(ConversationError::Unnamed),
        };
        self.shelf.get(&path)
    }

    /// Carries out `conversation.get`.
    ///
    /// # Errors
    ///
    /// [`ConversationError`].
    pub fn get(&self, params: &ConversationPageParams) -> Result<ConversationGetReply> {
        let loaded = self.load(&params.conversation)?;
        get::get(&loaded, &Model::of(&loaded.records), params, &self.prices)
    }

    /// Carries out `conversation.export`.
    ///
    /// # Errors
    ///
    /// [`ConversationError`].
    pub fn export(&self, params: &ConversationPageParams) -> Result<ConversationExportReply> {
        let loaded = self.load(&params.conversation)?;
        export::export(&loaded, &Model::of(&loaded.records), params, &self.prices)
    }

    /// Carries out `conversation.turns`.
    ///
    /// # Errors
    ///
    /// [`ConversationError`].
    pub fn turns(&self, params: &ConversationPageParams) -> Result<ConversationTurnsReply> {
        let loaded = self.load(&params.conversation)?;
        let model = Model::of(&loaded.records);
        let page = Contents::of(&loaded, &model, params.redact).page(params)?;
        Ok(ConversationTurnsReply {
            turns: page.turns,
            total_turns: model.turns.len() as u64,
            next: page.next,
        })
    }

    /// Carries out `conversation.turn`.
    ///
    /// # Errors
    ///
    /// [`ConversationError`].
    pub fn turn(&self, params: &ConversationTurnParams) -> Result<ConversationTurn> {
        let loaded = self.load(&params.conversation)?;
        let model = Model::of(&loaded.records);
        let id = params.message_id.as_str();
        let has_record = |records: &[usize]| records.iter().any(|at| model.records[*at].uuid == id);
        let turn = model
            .turns
            .iter()
            .find(|turn| turn.message_id == id || has_record(&turn.records))
            .ok_or_else(|| ConversationError::NoRecord(id.to_owned()))?;
        Contents::of(&loaded, &model, false)
            .turn(turn)
            .map(|(turn, _)| turn)
    }

    /// Carries out `conversation.record`.
    ///
    /// # Errors
    ///
    /// [`ConversationError`].
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

    /// Carries out `conversation.tool`.
    ///
    /// # Errors
    ///
    /// [`ConversationError`].
    pub fn tool(&self, params: &ConversationToolParams) -> Result<ConversationPair> {
        let loaded = self.load(&params.conversation)?;
        let model = Model::of(&loaded.records);
        let mut pairs = model.pairs.iter();
        let pair = pairs
            .find(|pair| pair.id == params.tool_use_id)
            .ok_or_else(|| ConversationError::NoToolCall(params.tool_use_id.clone()))?;
        Contents::of(&loaded, &model, false).pair(pair)
    }

    /// Carries out `conversation.tree`.
    ///
    /// # Errors
    ///
    /// [`ConversationError`].
    pub fn tree(&self, params: &ConversationParams) -> Result<ConversationTree> {
        let loaded = self.load(params)?;
        let model = Model::of(&loaded.records);
        Ok(ConversationTree {
            tree: parts::tree(&model, &model.tree.roots),
            orphan_parents: parts::owned(&model.tree.orphans),
        })
    }
}
