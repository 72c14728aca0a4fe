//! `tape.*`.

use super::{CallError, Module, RpcResult, invalid, require_absolute, require_age};
use crate::daemon::Daemon;
use crate::verify::{Verify, lead_to};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::JobStarted;
use ccd_protocol::data::{DataForgetParams, DataPart, DataSelected};
use ccd_protocol::tape::{
    TapeDiff, TapeDiffParams, TapeDiffReply, TapeExport, TapeExportParams, TapeExportReply,
    TapeFormat, TapeGet, TapeImport, TapeImportParams, TapeImportReply, TapeList, TapeOptions,
    TapePrune, TapePruneParams, TapePruneReply, TapeRedact, TapeSvg, TapeSvgParams, TapeSvgReply,
    TapeValidate, TapeVerify, TapeVerifyParams,
};
use ccd_session::peer::Peer;
use ccd_tape::files::{self, FilesError, LoadedTape, TapeFolder};
use ccd_tape::key::ContextRules;
use ccd_tape::run::is_of_a_run;
use ccd_tape::settings::TapeSettings;
use ccd_tape::tools::asciicast::{self, CastVersion};
use ccd_tape::tools::{AnimationPace, animate, diff, snapshot, transcript};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Default for the longest pause of an animation.
const IDLE_LIMIT_S: f64 = 2.0;

/// Default for how long the end of an animation is shown.
const END_PAUSE_S: f64 = 2.0;

const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=1000.0;

/// Default for the longest time to wait for an answer.
const ANSWER_LIMIT_MS: u64 = 30_000;

const MAX_LIMIT_MS: u64 = 30 * 24 * 3_600 * 1_000;

const MAX_SECRETS: usize = 100;

pub(super) fn register(module: &mut Module) {
    module.add::<TapeList, _, _>(async |daemon, _, params| {
        let root = params.root.clone();
        in_folder(&daemon, root, move |folder, rules| {
            Ok(files::list(folder, &params, rules))
        })
        .await
    });
    module.add::<TapeGet, _, _>(async |daemon, _, params| {
        in_folder(&daemon, params.root, move |folder, rules| {
            files::show(folder, folder.which(&params.tape)?, rules, params.keys)
        })
        .await
    });
    module.add::<TapeValidate, _, _>(async |daemon, _, params| {
        in_folder(&daemon, params.root, move |folder, rules| {
            files::check(folder, params.tape.as_deref(), params.strict, rules)
        })
        .await
    });
    module.add::<TapeRedact, _, _>(async |daemon, _, params| {
        in_folder(&daemon, params.root, move |folder, _| {
            files::clean(folder, params.tape.as_deref(), params.inplace)
        })
        .await
    });
    module.add::<TapeDiff, _, _>(async |daemon, _, params| {
        let root = params.root.clone();
        in_folder(&daemon, root, move |folder, _| compare(folder, &params)).await
    });
    module.add::<TapeImport, _, _>(async |daemon, _, params| import(&daemon, params).await);
    module.add::<TapeExport, _, _>(async |daemon, _, params| {
        let root = params.root.clone();
        let limit = daemon.loaded().config.limits.reply_bytes;
        in_folder(&daemon, root, move |folder, _| {
            export(folder, &params, limit)
        })
        .await
    });
    module.add::<TapeSvg, _, _>(async |daemon, _, params| {
        let root = params.root.clone();
        in_folder(&daemon, root, move |folder, _| draw(folder, &params)).await
    });
    module
        .add::<TapeVerify, _, _>(async |daemon, peer, params| verify(&daemon, peer, params).await);
    module.add::<TapePrune, _, _>(async |daemon, _, params| prune(&daemon, params).await);
}

fn settings(daemon: &Daemon, options: &TapeOptions) -> Result<TapeSettings, CallError> {
    let loaded = daemon.loaded();
    TapeSettings::over(options, &loaded.config.replay, &daemon.paths.base)
        .map_err(|error| invalid(error.to_string()))
}

fn settings_of_root(daemon: &Daemon, root: Option<String>) -> Result<TapeSettings, CallError> {
    let options = TapeOptions {
        root,
        ..TapeOptions::default()
    };
    settings(daemon, &options)
}

async fn open(daemon: &Daemon, root: Option<String>) -> RpcResult<TapeFolder> {
    let root = settings_of_root(daemon, root)?.root;
    let opened = daemon.roots.open(&root).await;
    Ok(TapeFolder::new(opened.map_err(FilesError::from)?))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FilesError> + Send + 'static,
) -> RpcResult<T> {
    Ok(ccd_store::blocking(work).await?)
}

/// Does work on the tapes in a directory, with the rules of the configuration.
async fn in_folder<T: Send + 'static>(
    daemon: &Daemon,
    root: Option<String>,
    work: impl FnOnce(&TapeFolder, &ContextRules) -> Result<T, FilesError> + Send + 'static,
) -> RpcResult<T> {
    let folder = open(daemon, root).await?;
    let rules = settings_of_root(daemon, None)?.rules;
    blocking(move || work(&folder, &rules)).await
}

fn compare(folder: &TapeFolder, params: &TapeDiffParams) -> Result<TapeDiffReply, FilesError> {
    let a = folder.which(&params.a)?.load()?;
    let b = folder.which(&params.b)?.load()?;
    let found = diff((&a.which.id, &a.tape), (&b.which.id, &b.tape));
    Ok(TapeDiffReply {
        equal: found.is_none(),
        diff: found.unwrap_or_default(),
        a: a.which.id,
        b: b.which.id,
    })
}

async fn import(daemon: &Daemon, params: TapeImportParams) -> RpcResult<TapeImportReply> {
    let options = TapeOptions {
        root: params.root.clone(),
        tag: params.tag.clone(),
        redact: params.redact,
        ..TapeOptions::default()
    };
    let settings = settings(daemon, &options)?;
    let opened = daemon.roots.open(&settings.root).await;
    let root = opened.map_err(FilesError::from)?;
    blocking(move || files::bring(&root, &settings, &params)).await
}

/// Maximum size of a part of an export, in quarters of the longest reply.
const PART_QUARTERS: usize = 3;

fn export(
    folder: &TapeFolder,
    params: &TapeExportParams,
    reply_bytes: usize,
) -> Result<TapeExportReply, FilesError> {
    let LoadedTape { which, tape, .. } = folder.which(&params.tape)?.load()?;
    let cast = |version| {
        let cast = asciicast::export(&tape, version);
        (cast.text.into_bytes(), cast.is_lossy)
    };
    let is_output = params.format == TapeFormat::Output;
    let (bytes, is_lossy) = match params.format {
        TapeFormat::AsciicastV2 => cast(CastVersion::V2),
        TapeFormat::AsciicastV3 => cast(CastVersion::V3),
        TapeFormat::Transcript => (transcript(&tape).into_bytes(), false),
        TapeFormat::Output => {
            let chunks = tape.exchanges.iter().flat_map(|exchange| &exchange.chunks);
            let output: Vec<&[u8]> = chunks.map(|chunk| &chunk.data[..]).collect();
            let output = output.concat();
            let is_lossy = std::str::from_utf8(&output).is_err();
            (output, is_lossy)
        }
    };
    let (part, next) = match params.from {
        Some(from) => part_of(
            &bytes,
            !is_output || !is_lossy,
            from,
            reply_bytes / 4 * PART_QUARTERS,
        ),
        None => (&bytes[..], None),
    };
    Ok(TapeExportReply {
        tape_id: which.id,
        text: String::from_utf8_lossy(part).into_owned(),
        is_lossy,
        text_b64: (is_output && is_lossy).then(|| STANDARD.encode(part)),
        next,
    })
}

/// Returns the part of an export that starts at `from` and takes at most `max_bytes` in a reply, and where the next one starts.
/// A part ends between characters, if the export is text, or else its Base64 needs no padding.
fn part_of(bytes: &[u8], is_text: bool, from: u64, max_bytes: usize) -> (&[u8], Option<u64>) {
    let from = usize::try_from(from).map_or(bytes.len(), |from| from.min(bytes.len()));
    let rest = &bytes[from..];
    let mut room = max_bytes;
    let mut fits = |byte: &u8| {
        // As JSON, in which a byte that is not UTF-8 becomes a character of three, and in Base64.
        let text_len = match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
            0..32 => 6,
            128.. => 3,
            _ => 1,
        };
        let left = room.checked_sub(text_len + 2);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let most = rest.iter().take_while(|byte| fits(byte)).count();
    if most == rest.len() {
        return (rest, None);
    }
    let is_between = |end: &usize| rest[*end] & 0xc0 != 0x80;
    let end = if is_text {
        (1..=most).rev().find(is_between).unwrap_or(most)
    } else {
        most / 3 * 3
    };
    let end = end.max(rest.len().min(3));
    (&rest[..end], Some((from + end) as u64))
}

fn draw(folder: &TapeFolder, params: &TapeSvgParams) -> Result<TapeSvgReply, FilesError> {
    let pace = pace(params)?;
    let LoadedTape { which, tape, .. } = folder.which(&params.tape)?.load()?;
    let (svg, frames) = if params.animated {
        animate(&tape, pace, params.image).map_err(|_| FilesError::PictureTooLarge)?
    } else {
        let exchange = exchange_of(params, tape.exchanges.len())?;
        let snapshot =
            snapshot(&tape, exchange, params.image).map_err(|_| FilesError::PictureTooLarge)?;
        (snapshot, 1)
    };
    Ok(TapeSvgReply {
        tape_id: which.id,
        svg,
        frames: frames as u64,
    })
}

fn pace(params: &TapeSvgParams) -> Result<AnimationPace, FilesError> {
    let speed = params.speed.unwrap_or(1.0);
    if !SPEEDS.contains(&speed) {
        return Err(FilesError::Argument(format!(
            "speed is {speed}: give {} to {}",
            SPEEDS.start(),
            SPEEDS.end()
        )));
    }
    Ok(AnimationPace {
        speed,
        idle_limit_ms: pause_ms("idle_limit_s", params.idle_limit_s, IDLE_LIMIT_S)?,
        end_pause_ms: pause_ms("end_pause_s", params.end_pause_s, END_PAUSE_S)?,
    })
}

fn pause_ms(name: &str, given_s: Option<f64>, default_s: f64) -> Result<u64, FilesError> {
    let pause_s = given_s.unwrap_or(default_s);
    if (0.0..=MAX_LIMIT_MS as f64 / 1e3).contains(&pause_s) {
        Ok((pause_s * 1e3) as u64)
    } else {
        Err(FilesError::Argument(format!(
            "{name} is {pause_s}: give seconds, from 0 to 30 days"
        )))
    }
}

fn exchange_of(params: &TapeSvgParams, len: usize) -> Result<usize, FilesError> {
    let last = len.saturating_sub(1);
    let at = |exchange: u64| usize::try_from(exchange).unwrap_or(usize::MAX);
    match params.exchange.map(at) {
        Some(exchange) if exchange > last => Err(FilesError::Argument(format!(
            "exchange is {exchange}: the tape has 0 to {last}"
        ))),
        given => Ok(given.unwrap_or(last)),
    }
}

async fn verify(daemon: &Daemon, peer: Peer, params: TapeVerifyParams) -> RpcResult<JobStarted> {
    if let Some(cwd) = &params.cwd {
        require_absolute("cwd", cwd)?;
    }
    if params.secrets.len() > MAX_SECRETS {
        let given = params.secrets.len();
        let mistake = format!("{given} secrets: at most {MAX_SECRETS} are allowed");
        return Err(invalid(mistake).into());
    }
    let folder = open(daemon, params.root.clone()).await?;
    let (loaded, lead) = blocking(move || {
        let loaded = folder.which(&params.tape)?.load()?;
        let lead = lead_to(&folder, &loaded.tape)?;
        Ok((loaded, lead))
    })
    .await?;
    if is_of_a_run(&loaded.tape) {
        let mistake = format!(
            "{}: the tape of a run of Claude Code; to check it, record the run again with ccctl exec --record overwrite",
            loaded.which.id
        );
        return Err(invalid(mistake).into());
    }
    let limit_ms = params.timeout_ms.unwrap_or(ANSWER_LIMIT_MS);
    let verify = Verify {
        sessions: Arc::clone(&daemon.sessions),
        peer,
        tape_id: loaded.which.id,
        tape: loaded.tape,
        lead,
        secrets: params.secrets.into_iter().rev().collect(),
        cwd: params.cwd,
        inherited: params.inherited,
        limit: Duration::from_millis(limit_ms.min(MAX_LIMIT_MS)),
    };
    let work = |handle| verify.run(handle);
    let job = daemon.jobs.start("tape.verify", None, work).await?;
    Ok(JobStarted { job })
}

async fn prune(daemon: &Daemon, params: TapePruneParams) -> RpcResult<TapePruneReply> {
    require_age(params.older_than_s.unwrap_or(0.0))?;
    let folder = open(daemon, params.root.clone()).await?;
    let root = Arc::clone(&folder.root);
    let reply = blocking(move || Ok(files::prune(&folder, &params))).await?;
    if reply.is_done {
        let gone = reply.tapes.iter().map(|tape| tape.as_str().into());
        let gone: Vec<Arc<str>> = gone.collect();
        daemon.roots.forget(&root, &gone).await;
    }
    Ok(reply)
}

pub(super) async fn forget_tapes(
    daemon: &Daemon,
    which: &DataForgetParams,
) -> RpcResult<DataSelected> {
    let path = settings_of_root(daemon, None)?.root;
    let mut selected = DataSelected::none(DataPart::Tapes);
    if path.exists() {
        let (folder, which) = (open(daemon, None).await?, which.clone());
        let root = Arc::clone(&folder.root);
        let forget = move || Ok(files::forget(&folder, &which));
        let (tapes, gone) = blocking(forget).await?;
        daemon.roots.forget(&root, &gone).await;
        selected = tapes;
    }
    if !which.dry_run
        && let Err(error) = daemon.roots.remove_traces().await
    {
        selected.failed.push(format!("index of tapes: {error}"));
    }
    let recorded = recordings(daemon, &path, which.project.as_deref());
    let kind = (
        "tape that is being recorded",
        "tapes that are being recorded",
    );
    let why = "written when the session ends; ccctl close ends one";
    Ok(selected.leaving(recorded, kind, why))
}

fn recordings(daemon: &Daemon, root: &Path, project: Option<&str>) -> u64 {
    let mut live = daemon.sessions.list();
    live.retain(|session| {
        let is_in =
            project.is_none_or(|project| Path::new(&session.facts.cwd).starts_with(project));
        let tape = session.tape().filter(|_| is_in && !session.is_dead());
        tape.is_some_and(|tape| tape.recording().is_some() && tape.settings.root == root)
    });
    live.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(bytes: &[u8], is_text: bool, max_bytes: usize) -> Vec<&[u8]> {
        let (mut parts, mut from) = (Vec::new(), Some(0));
        while let Some(at) = from {
            let (part, next) = part_of(bytes, is_text, at, max_bytes);
            parts.push(part);
            from = next;
        }
        parts
    }

    #[test]
    fn the_parts_of_an_export_are_all_of_it_and_fit() {
        let text = "a\u{1b}[1m\"é\n漢字🙂\\".repeat(50);
        for max_bytes in [80, 100, 1000, 100_000] {
            let parts = parts(text.as_bytes(), true, max_bytes);
            assert_eq!(parts.concat(), text.as_bytes());
            assert_eq!(parts.len() == 1, max_bytes == 100_000);
            for part in parts {
                let part = std::str::from_utf8(part).unwrap();
                let len = serde_json::to_string(part).unwrap().len() + 4 * part.len().div_ceil(3);
                assert!(len <= max_bytes + 8, "{len} {max_bytes}");
            }
        }
        let bytes: Vec<u8> = (0..=255).cycle().take(4000).collect();
        for max_bytes in [60, 1000] {
            let parts = parts(&bytes, false, max_bytes);
            let encoded: String = parts.iter().map(|part| STANDARD.encode(part)).collect();
            assert_eq!(STANDARD.decode(encoded).unwrap(), bytes);
        }
        assert_eq!(part_of(b"abc", true, 9, 100), (&b""[..], None));
        assert_eq!(part_of(&[0x80; 40], false, 0, 50).0.len() % 3, 0);
    }
}
