//! Finds the tape that has a run.

use crate::TapeError;
use crate::format::{Exchange, Meta};
use crate::index::{Fits, Index, Lookup, ReadError, TapeId};
use crate::key::{Context, Invocation, StateHash};
use crate::root::{CATCH_UP, Root};
use crate::settings::TapeSettings;
use std::io;
use std::sync::Arc;

/// How often a tape is read that changes at the same time.
const MAX_LOOKS: usize = 3;

/// A run as it is looked up, and recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunKey {
    /// Without its directory.
    pub program: String,
    /// Only the arguments that count.
    pub args: Vec<String>,
    pub cwd: String,
    pub input: Vec<u8>,
}

/// A run that is on a tape.
#[derive(Debug, Clone)]
pub struct TapedRun {
    pub tape: TapeId,
    pub meta: Meta,
    pub exchange: Exchange,
}

impl RunKey {
    /// Returns the run from a tape; if several have it, always from the oldest one. Blocks.
    /// `record_with` is the command line that records it.
    pub fn find(
        &self,
        root: &Root,
        settings: &TapeSettings,
        record_with: &str,
    ) -> Result<TapedRun, TapeError> {
        let context = settings.rules.context_of(&Invocation::new(&self.meta()));
        let mut index = root.index();
        for look in 1.. {
            match self.read(&index, settings, &context) {
                Ok(Some(found)) => return Ok(found),
                Err(error) if look == MAX_LOOKS => return Err(error.into()),
                Err(ReadError::Changed { .. }) | Ok(None) => {}
                Err(error) => return Err(error.into()),
            }
            root.catch_up(CATCH_UP);
            let next = root.index();
            if Arc::ptr_eq(&index, &next) || look == MAX_LOOKS {
                break;
            }
            index = next;
        }
        let miss = index.fits(&settings.rules, &context).explain(&Lookup {
            rules: &settings.rules,
            session: &context,
            prompt: "",
            input: &self.input,
            state: StateHash::start().fingerprint(),
            last: None,
            played: None,
            is_strict: true,
            is_run: true,
            record_with,
        });
        Err(TapeError::Miss(Box::new(miss)))
    }

    fn read(
        &self,
        index: &Arc<Index>,
        settings: &TapeSettings,
        context: &Context,
    ) -> Result<Option<TapedRun>, ReadError> {
        let fits: Fits = index.fits(&settings.rules, context);
        let state = StateHash::start().fingerprint();
        let Some(hit) = fits.exact("", &self.input, state) else {
            return Ok(None);
        };
        Ok(Some(TapedRun {
            tape: Arc::clone(&hit.tape.id),
            meta: hit.meta().clone(),
            exchange: index.read(&hit)?,
        }))
    }

    pub(super) fn meta(&self) -> Meta {
        Meta {
            program: self.program.clone(),
            args: self.args.clone(),
            cwd: self.cwd.clone(),
            ..Meta::default()
        }
    }
}

impl From<ReadError> for TapeError {
    fn from(error: ReadError) -> Self {
        Self::Read(io::Error::other(error))
    }
}
