//! `tape.import`.

use super::error::FilesError;
use crate::tape::format::file::{FileError, create_new};
use crate::tape::format::{Recorder, Tape, write};
use crate::tape::key::{PromptTracker, StateHash, program_name};
use crate::tape::name::{NameParts, NameTemplate};
use crate::tape::root::Root;
use crate::tape::settings::Settings;
use crate::tape::tools::asciicast::{self, Facts, MAX_CAST_BYTES};
use crate::tape::tools::redact_tape;
use ccd_protocol::tape::{TapeImportParams, TapeImportReply};
use std::fs::File;
use std::io::{self, Read as _};
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{OffsetDateTime, UtcOffset};

/// Names that are tried: each ends in another random number.
const ATTEMPTS: usize = 10;

/// Stands in the name of a tape without a tag.
const VERB: &str = "imported";

/// Makes a tape of an asciicast, as `settings` say.
///
/// # Errors
///
/// The asciicast cannot be read or is none, or the tape cannot be written.
pub(crate) fn bring(
    root: &Root,
    settings: &Settings,
    params: &TapeImportParams,
) -> Result<TapeImportReply, FilesError> {
    let cast = match (&params.cast, &params.path) {
        (Some(cast), None) => cast.clone().into_bytes(),
        (None, Some(path)) => read_cast(path)?,
        _ => {
            let told = "give cast, the text of an asciicast, or path, its file";
            return Err(FilesError::Argument(told.into()));
        }
    };
    if params.program.is_none() && !params.args.is_empty() {
        let told = "args are those of program: give it too";
        return Err(FilesError::Argument(told.into()));
    }
    let facts = Facts {
        program: params.program.clone(),
        args: params.args.clone(),
        tag: settings.tag.clone(),
        now: crate::clock::now(),
        recorder: Recorder {
            platform: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            flags: vec![VERB.to_owned()],
            ..Recorder::default()
        },
    };
    let found = asciicast::import(&cast, facts)?;
    let (mut tape, warnings) = (found.tape, found.warnings);
    // An asciicast names one or two variables. Where a tape names some, all must be the same to play it; with none it
    // plays anywhere.
    tape.meta.env.clear();
    tape.meta.redact = settings.redact;
    if settings.redact {
        redact_tape(&mut tape);
    }
    chain(&mut tape);
    root.make_folder()?;
    let text = write(&tape);
    for _ in 0..ATTEMPTS {
        let tape_id = name_of(&tape, &settings.name);
        let path = root.path.join(format!("{tape_id}.json5"));
        match create_new(&path, &text) {
            Ok(()) => {
                root.refresh(&path);
                return Ok(TapeImportReply {
                    tape_id,
                    path: path.display().to_string(),
                    exchanges: tape.exchanges.len() as u64,
                    warnings,
                });
            }
            Err(FileError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(FilesError::Argument(format!(
        "no free name for the tape was found in {}",
        root.path.display()
    )))
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
    // Opening a pipe would wait for who writes to it.
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Err(io(io::Error::other("it is no file")));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(io)?;
    // One byte more shows that it is too long.
    let most = MAX_CAST_BYTES as u64 + 1;
    file.take(most).read_to_end(&mut bytes).map_err(io)?;
    Ok(bytes)
}

/// Sets each exchange's prompt, from what was printed before it, and its state, from what was typed before it.
fn chain(tape: &mut Tape) {
    let (mut prompt, mut state) = (PromptTracker::default(), StateHash::start());
    for exchange in &mut tape.exchanges {
        exchange.pre.prompt = prompt.prompt();
        exchange.pre.state_hash = Some(state.value());
        if exchange.pre.hidden {
            state.feed_hidden();
        } else {
            state.feed(&exchange.input.bytes);
        }
        for chunk in &exchange.chunks {
            prompt.feed(&chunk.data);
        }
    }
}

fn name_of(tape: &Tape, template: &NameTemplate) -> String {
    let meta = &tape.meta;
    let time = OffsetDateTime::parse(&meta.created_at, &Rfc3339).ok();
    let form = format_description!("[year][month][day]T[hour][minute][second]Z");
    let time = time.and_then(|time| time.to_offset(UtcOffset::UTC).format(&form).ok());
    template.fill(&NameParts {
        program: program_name(&meta.program),
        tag: meta.tag.as_deref(),
        verb: VERB,
        time: time.as_deref().unwrap_or("undated"),
        random: &format!("{:08x}", rand::random::<u32>()),
    })
}
