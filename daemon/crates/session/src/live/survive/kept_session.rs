//! The facts of a session that are kept for the next worker in memory that the holder has open: what is in no file, and
//! secrets, which must not be in a file.

use super::rows::{facts_of, row_of_start};
use super::table::SessionRow;
use crate::live::attach::Size;
use crate::live::error::reason_text;
use crate::live::facts::SessionFacts;
use crate::live::pipe::KeptPipe;
use crate::live::run::KeptCommand;
use crate::live::screen::Sizes;
use crate::live::session::Session;
use crate::live::tape::{KeptTape, SessionTape};
use ccd_terminal::holder::KeptFile;
use ccd_text::hidden::HiddenTexts;
use ccd_text::redact::TypedLines;
use serde::{Deserialize, Serialize};
use std::io;

/// The facts of a session. They are kept as JSON texts: the facts, the hidden input, and how far a private key has been typed;
/// the last two are kept anew with each input. Fields that an older build does not write have defaults.
#[derive(Serialize, Deserialize)]
pub(crate) struct KeptSession {
    pub(super) row: SessionRow,
    plain: bool,
    #[serde(default)]
    pipes: bool,
    log_limit_bytes: u64,
    output_limit: u64,
    reuse_hash: [u8; 32],
    pub(super) sizes: Sizes,
    #[serde(default)]
    pub(super) input_has_ended: bool,
    #[serde(skip)]
    pub(super) hidden: Vec<String>,
    #[serde(skip)]
    pub(super) lines: TypedLines,
    #[serde(default)]
    pub(super) close: Option<KeptOrder>,
    /// Since when the session waits for a client to own it.
    #[serde(default)]
    pub(super) orphaned_at: Option<String>,
    /// From its program configuration.
    #[serde(default)]
    success_indicators: Vec<String>,
    #[serde(default)]
    pub(super) is_starting: bool,
    /// Set if a request or the environment says whether secrets are redacted in its interaction log.
    #[serde(default)]
    redacts_log: Option<bool>,
    #[serde(default)]
    pub(super) pipe: Option<KeptPipe>,
    /// Set if it is recorded, or a tape replays in place of its program.
    #[serde(default)]
    pub(super) tape: Option<KeptTape>,
    #[serde(default)]
    pub(super) command: Option<KeptCommand>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct KeptOrder {
    /// Text, because another build may have other reasons.
    pub(super) reason: String,
    pub(super) grace_ms: u64,
}

impl KeptSession {
    /// Makes the kept state from what is known before the program is started.
    pub(crate) fn at_start(facts: &SessionFacts, size: Size, tape: Option<&SessionTape>) -> Self {
        Self {
            row: row_of_start(facts, size),
            plain: facts.plain,
            pipes: facts.pipes,
            log_limit_bytes: facts.log_limit_bytes,
            output_limit: facts.output_limit,
            reuse_hash: facts.reuse_hash,
            sizes: Sizes::new(size.0, size.1),
            input_has_ended: false,
            hidden: Vec::new(),
            lines: TypedLines::default(),
            close: None,
            orphaned_at: None,
            success_indicators: facts
                .origin
                .as_ref()
                .map_or_else(Vec::new, |origin| origin.success.clone()),
            is_starting: facts.origin.as_ref().is_some_and(|origin| origin.has_start),
            redacts_log: Some(facts.redacts_log),
            pipe: None,
            tape: tape.map(KeptTape::new),
            command: None,
        }
    }

    /// Makes the kept state of a session as it is now.
    fn new(session: &Session) -> Self {
        let mut kept = Self::at_start(&session.facts, session.size(), None);
        kept.row.name = session.name().map(|name| name.to_string());
        Self {
            sizes: session.screen.sizes(),
            input_has_ended: session.input_has_ended(),
            close: session.close_order().map(|order| KeptOrder {
                reason: reason_text(order.reason),
                grace_ms: order.grace.as_millis() as u64,
            }),
            orphaned_at: session.orphaned_at(),
            is_starting: !session.start_up.is_over(),
            pipe: session.pipe.kept(),
            tape: session.kept_tape(),
            command: session.kept_command(),
            ..kept
        }
    }

    /// Returns the kept state in the form in which it is kept.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(super) fn read(bytes: &[u8]) -> serde_json::Result<Self> {
        let mut texts = serde_json::Deserializer::from_slice(bytes);
        let mut kept = Self::deserialize(&mut texts)?;
        if texts.end().is_err() {
            kept.hidden = Vec::deserialize(&mut texts)?;
        }
        // Older builds do not write them.
        kept.lines = TypedLines::deserialize(&mut texts).unwrap_or_default();
        Ok(kept)
    }

    /// Returns the facts, without those that the holder knows.
    pub(super) fn facts(&self) -> Option<SessionFacts> {
        let facts = facts_of(&self.row, &self.success_indicators)?;
        Some(SessionFacts {
            plain: self.plain,
            pipes: self.pipes,
            log_limit_bytes: self.log_limit_bytes,
            output_limit: self.output_limit,
            reuse_hash: self.reuse_hash,
            is_of_this_holder: true,
            redacts_log: self.redacts_log.unwrap_or(facts.redacts_log),
            ..facts
        })
    }
}

#[derive(Debug)]
pub(crate) struct KeptIn {
    file: KeptFile,
    /// The facts as this process has kept them last, without the hidden input.
    facts: Vec<u8>,
}

impl KeptIn {
    pub(crate) fn new(file: KeptFile) -> Self {
        Self {
            file,
            facts: Vec::new(),
        }
    }

    fn write(&mut self, hidden: &HiddenTexts) -> io::Result<()> {
        let mut bytes = self.facts.clone();
        hidden.show(|texts| serde_json::to_writer(&mut bytes, &texts))?;
        serde_json::to_writer(&mut bytes, &hidden.typed_lines())?;
        self.file.write(&bytes)
    }
}

impl Session {
    /// Keeps the session's facts as they are now for the next worker.
    pub fn keep(&self) {
        self.keep_all(true);
    }

    /// Keeps the hidden input as it is now for the next worker. All other facts must have been kept, except those of a
    /// tape, which may contain hidden input.
    pub(crate) fn keep_hidden(&self) {
        self.keep_all(self.input.tape().is_some());
    }

    fn keep_all(&self, has_new_facts: bool) {
        // Held until it is written, so that the newest facts are the last ones.
        let mut kept = self.kept_state.lock();
        let Some(kept) = &mut *kept else {
            return;
        };
        if has_new_facts || kept.facts.is_empty() {
            kept.facts = KeptSession::new(self).to_bytes();
        }
        if let Err(error) = kept.write(&self.hidden) {
            tracing::warn!(session = %self.id(), %error, "could not save the state for the next worker: it would get an older one");
        }
    }

    /// Closes the file with the session's facts, because no worker will continue the session.
    pub(crate) fn forget_kept_state(&self) {
        self.kept_state.lock().take();
    }
}
