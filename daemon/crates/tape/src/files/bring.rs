//! `tape.import`.

use super::error::FilesError;
use crate::format::{RecordedBy, read, write};
use crate::key::StateHash;
use crate::root::Root;
use crate::settings::TapeSettings;
use crate::tools::asciicast::{self, CastError, CastFacts, MAX_CAST_BYTES};
use crate::tools::{chain, redact_tape};
use ccd_protocol::tape::{TapeImportParams, TapeImportReply};
use std::fs::File;
use std::io::{self, Read as _};

/// Used in the name of a tape without a tag.
const VERB: &str = "imported";

pub fn bring(
    root: &Root,
    settings: &TapeSettings,
    params: &TapeImportParams,
) -> Result<TapeImportReply, FilesError> {
    let cast = match (&params.cast, &params.path) {
        (Some(cast), None) => cast.clone().into_bytes(),
        (None, Some(path)) => read_cast(path)?,
        _ => {
            let told = "give either cast (the text of an asciicast) or path (its file)";
            return Err(FilesError::Argument(told.into()));
        }
    };
    if params.program.is_none() && !params.args.is_empty() {
        let told = "args need program: give it too";
        return Err(FilesError::Argument(told.into()));
    }
    let facts = CastFacts {
        program: params.program.clone(),
        args: params.args.clone(),
        tag: settings.tag.clone(),
        now: ccd_base::clock::now(),
        recorder: RecordedBy {
            flags: vec![VERB.to_owned()],
            ..RecordedBy::own()
        },
    };
    let found = asciicast::import(&cast, facts)?;
    let (mut tape, warnings) = (found.tape, found.warnings);
    tape.meta.redact = settings.redact;
    if settings.redact {
        redact_tape(&mut tape);
    }
    chain(&mut tape, b"", StateHash::start());
    let text = write(&tape);
    // A tape has more limits than an asciicast.
    read(text.as_bytes()).map_err(|error| CastError::TooMuch(error.fault.to_string()))?;
    root.make_folder()?;
    let added = root.add_tape(&settings.name, &tape.meta, VERB, &text)?;
    let (tape_id, path) = added.ok_or_else(|| {
        let root = root.path.display();
        FilesError::Argument(format!("no free name for the tape was found in {root}"))
    })?;
    root.refresh(&path);
    Ok(TapeImportReply {
        tape_id,
        path: path.display().to_string(),
        exchanges: tape.exchanges.len() as u64,
        warnings,
    })
}

fn read_cast(path: &str) -> Result<Vec<u8>, FilesError> {
    if !path.starts_with('/') {
        return Err(FilesError::Argument(format!(
            "path {path:?} is not absolute"
        )));
    }
    let io = |source: io::Error| FilesError::Io {
        path: path.to_owned(),
        source,
    };
    // Opening a named pipe would wait for a writer.
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Err(io(io::Error::other("it is not a file")));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(io)?;
    // One byte more shows whether it is too long.
    let most = MAX_CAST_BYTES as u64 + 1;
    file.take(most).read_to_end(&mut bytes).map_err(io)?;
    Ok(bytes)
}
