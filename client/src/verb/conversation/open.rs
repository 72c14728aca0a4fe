//! `ccctl conversation open`: a conversation in the user's browser.

use super::export::{Form, write_file};
use super::{named, with};
use crate::args::Given;
use crate::fields::Fields as _;
use crate::subscribe::Subscription;
use crate::{Context, Exit, Failure};
use ccd_protocol::subscription::CONVERSATION_SUBSCRIBE;
use serde::Deserialize;
use serde_json::json;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{TrySendError, sync_channel};
use std::time::{Duration, Instant, SystemTime};

/// The browser reads the page after this command has ended, and again if it is reloaded.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// An opener that still runs after this time is the browser itself.
const OPENER_TIME: Duration = Duration::from_secs(3);

const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else {
    "xdg-open"
};

/// Time between two versions of a page that is followed.
const REWRITE: Duration = Duration::from_secs(2);

/// Writes the page to a private file, and opens it as the user's system does. With `--follow`, the page is written again whenever
/// the conversation goes on.
pub(super) fn open(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let conversation = named(args)?;
    let follow = args.has("follow");
    let place = context.place()?;
    let folder = folder()?;
    remove_old(&folder);
    let file = folder.join(format!("{}.html", std::process::id()));
    // The page is for the user's own eyes.
    let form = Form::Html(json!({"with_paths": true, "live": follow}));
    let write = || write_file(&form, &conversation, &place, &file).map(drop);
    // Before the page is written: no change after that is missed.
    let changes = follow.then(|| {
        let params = with(&conversation, json!({"kinds": ["turn", "pair", "end"]}));
        Subscription::start(context.connect()?, CONVERSATION_SUBSCRIBE, &params)
    });
    let changes = changes.transpose()?;
    write()?;
    let written = json!({ "file": file });
    context.print_either(&written, |out| writeln!(out, "{}", file.display()))?;
    if let Some(why) = start(&file) {
        return Failure::failed(format!("{OPENER}: {why}; open the file above in a browser"));
    }
    match changes {
        None => Ok(Exit::Done),
        Some(changes) => {
            context.remark("the page follows the conversation; Ctrl-C to end");
            write_again(changes, write)
        }
    }
}

/// What changed.
#[derive(Deserialize)]
struct Kind {
    kind: String,
}

/// Calls `write` after each change, not more often than every [`REWRITE`], until the transcript is deleted.
fn write_again(
    mut changes: Subscription,
    write: impl Fn() -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    // One change that waits is as good as many.
    let (sender, receiver) = sync_channel(1);
    // It ends with the last change, or with this process.
    std::thread::spawn(move || {
        loop {
            let item = changes.next().and_then(|json| changes.parse::<Kind>(&json));
            let is_taken = match item {
                Ok(item) if item.kind == "end" => false,
                Ok(_) => !matches!(sender.try_send(Ok(())), Err(TrySendError::Disconnected(_))),
                Err(failure) => {
                    let _ = sender.send(Err(failure));
                    false
                }
            };
            if !is_taken {
                return;
            }
        }
    });
    while let Ok(change) = receiver.recv() {
        change?;
        std::thread::sleep(REWRITE);
        for change in receiver.try_iter() {
            change?;
        }
        write()?;
    }
    Ok(Exit::Done)
}

/// Makes the directory of pages, which nobody else can read or write to.
fn folder() -> Result<PathBuf, Failure> {
    let user = rustix::process::getuid().as_raw();
    let folder = std::env::temp_dir().join(format!("ccd-pages-{user}"));
    let made = DirBuilder::new().mode(0o700).create(&folder);
    let found = match made {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => fs::symlink_metadata(&folder),
    };
    let found = found.map_err(Failure::io(folder.display()))?;
    // Anybody can make a directory of this name in the system's temporary directory.
    if found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 {
        Ok(folder)
    } else {
        Failure::failed(format!(
            "{}: not a private directory of yours; remove it, or set TMPDIR",
            folder.display()
        ))
    }
}

/// Removes pages that were made long ago. One that cannot be removed harms nobody.
fn remove_old(folder: &Path) {
    let old = SystemTime::now() - KEPT;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let made = entry.metadata().and_then(|metadata| metadata.modified());
        if made.is_ok_and(|made| made < old) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Starts the opener. Returns why it failed, as far as that is known soon.
fn start(file: &Path) -> Option<String> {
    let started = Command::new(OPENER)
        .arg(OsStr::new(file))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // An interrupt at this terminal is not for the browser.
        .process_group(0)
        .spawn();
    let mut opener = match started {
        Ok(opener) => opener,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Some("not installed".to_owned());
        }
        Err(error) => return Some(error.to_string()),
    };
    let deadline = Instant::now() + OPENER_TIME;
    while Instant::now() < deadline {
        match opener.try_wait() {
            Ok(Some(status)) if status.success() => return None,
            Ok(Some(status)) => return Some(format!("cannot open the page ({status})")),
            Ok(None) => std::thread::sleep(Duration::from_millis(10)),
            Err(error) => return Some(error.to_string()),
        }
    }
    None
}
