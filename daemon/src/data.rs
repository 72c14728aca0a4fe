//! Everything that is kept about the user: where each part is, how long it is kept, and what switches it off.

use crate::daemon::Daemon;
use crate::log;
use crate::status::file_bytes;
use ccd_memory::MEMORY_FILE;
use ccd_protocol::data::{DataForgetParams, DataKept, DataPart, DataSelected};
use ccd_protocol::memory::place::find;
use ccd_store::{blocking, forget_files};
use ccd_tape::settings::root_of;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

const DAY_S: u64 = 86_400;
/// See [`crate::job`].
const JOB_DAYS: u32 = 7;

pub(crate) async fn kept(daemon: &Daemon, has: DataSelected, memories: &[PathBuf]) -> DataKept {
    let (mut places, kept, off) = about(daemon, has.part);
    if has.part == DataPart::Memory {
        places.extend_from_slice(memories);
    }
    let is_first = has.part == DataPart::Sessions;
    let shared = daemon.paths.database.clone();
    let (places, bytes) = blocking(move || {
        places.retain(|place| place.exists());
        // A database that several parts share is counted with the first.
        let own = places.iter().filter(|place| is_first || **place != shared);
        let bytes = own.map(|place| file_bytes(place) + file_bytes(&write_ahead_log(place)));
        let bytes = bytes.sum();
        (places, bytes)
    })
    .await;
    let places = places.iter().map(|place| place.display().to_string());
    DataKept {
        has,
        places: places.collect(),
        bytes,
        kept,
        off: off.to_owned(),
    }
}

fn write_ahead_log(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    path.into()
}

/// Returns where a part is, how long it is kept, and what switches it off.
fn about(daemon: &Daemon, part: DataPart) -> (Vec<PathBuf>, String, &'static str) {
    let (paths, loaded) = (&daemon.paths, daemon.loaded());
    let config = &loaded.config;
    let base = |name: &str| paths.base.join(name);
    let own = |places: &[&Path]| places.iter().map(|place| place.to_path_buf()).collect();
    let forever = || "until you delete it".to_owned();
    let days = |days: u32, after: &str| match (config.auto_cleanup, days) {
        (false, _) => "until you delete it (auto_cleanup is false)".to_owned(),
        (true, 0) => format!("less than a day {after}"),
        (true, 1) => format!("1 day {after}"),
        (true, days) => format!("{days} days {after}"),
    };
    let ttl_days = u32::try_from(config.ended_session_ttl.as_secs() / DAY_S).unwrap_or(u32::MAX);
    match part {
        DataPart::Sessions => (
            own(&[&paths.sessions, &paths.database]),
            days(config.keep_log_days.max(ttl_days), "after the end"),
            "keep_log_days: 0 and ended_session_ttl: 0 delete ended sessions within an hour",
        ),
        DataPart::Tapes => (
            root_of(None, &config.replay, &paths.base)
                .into_iter()
                .chain([base("cache")])
                .collect(),
            forever(),
            "recorded only on request: rec, play, proxy, or --record; or replay.record",
        ),
        DataPart::Coach => (
            own(&[&paths.coach, &base(ccd_protocol::coach::RECORDING_FILE)]),
            days(
                config.coach.keep_event_days,
                "(events); rejected proposals 90 days",
            ),
            "coach.record: false, or ccctl hooks uninstall",
        ),
        DataPart::Hooks => (
            own(&[
                &paths.database,
                &paths.spool,
                &paths.hook_journal,
                &paths.agents,
            ]),
            days(config.hooks.keep_days, "(without secrets)"),
            "coach.record: false, or ccctl hooks uninstall",
        ),
        DataPart::Conversations => (
            own(&[
                &base("conversations.sqlite"),
                &base("imports"),
                &base("archive"),
            ]),
            "as long as the transcripts".to_owned(),
            "begins with the first ccctl conversation; conversations.watch: false updates it only then",
        ),
        DataPart::Memory => (
            Vec::new(),
            "until the next save replaces it".to_owned(),
            "saved only by ccctl memory save, or memory.save_on",
        ),
        DataPart::Runs => (
            own(&[&paths.exec_database, &paths.worktrees]),
            days(config.exec.keep_days, "after the run"),
            "written only by ccctl exec",
        ),
        DataPart::Reports => (
            own(&[daemon.investigations.folder(), daemon.test_reports.folder()]),
            forever(),
            "written only by investigate, learn, test and fuzz",
        ),
        DataPart::Jobs => (
            own(&[&paths.database]),
            days(JOB_DAYS, "after the end"),
            "written only by chain, parallel, watch, exec, investigate, test and tape verify",
        ),
        DataPart::Logs => (
            own(&[&paths.logs]),
            days(
                config.logging.keep_days,
                "(lengths and errors, no text of yours)",
            ),
            "logging.destination: \"stderr\"",
        ),
    }
}

/// Returns the memories of all projects that sessions, hooks, runs or transcripts name, or of those in one directory.
pub(crate) async fn memories(daemon: &Daemon, project: Option<&str>) -> Vec<PathBuf> {
    let mut folders: BTreeSet<PathBuf> = project.map(PathBuf::from).into_iter().collect();
    // An error leaves only those that ended under an earlier worker out.
    let _ = daemon.sessions.load_ended().await;
    let sessions = daemon.sessions.list().into_iter();
    folders.extend(sessions.map(|session| PathBuf::from(&session.facts.cwd)));
    folders.extend(daemon.coach.known_projects().await);
    folders.extend(daemon.exec.known_projects().await);
    folders.extend(daemon.conversation_index.known_projects().await);
    let top = project.map(PathBuf::from);
    blocking(move || {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let user = rustix::process::geteuid().as_raw();
        let places = folders
            .iter()
            .filter_map(|folder| find(folder, home.as_deref()));
        let is_in = |root: &Path| top.as_ref().is_none_or(|top| root.starts_with(top));
        let places = places.filter(|place| place.has_memory && is_in(&place.root));
        let files = places.map(|place| place.root.join(MEMORY_FILE));
        let is_own = |file: &PathBuf| file.metadata().is_ok_and(|about| about.uid() == user);
        let found: BTreeSet<PathBuf> = files.filter(is_own).collect();
        found.into_iter().collect()
    })
    .await
}

pub(crate) async fn forget_memories(
    memories: Vec<PathBuf>,
    which: &DataForgetParams,
) -> DataSelected {
    let (before, dry_run) = (which.before.clone(), which.dry_run);
    blocking(move || {
        let saved_at = |path: &Path| {
            let saved = fs::metadata(path).and_then(|file| file.modified());
            saved.map(ccd_base::clock::at).unwrap_or_default()
        };
        let is_older =
            |path: &&PathBuf| (before.as_ref()).is_none_or(|before| saved_at(path) < *before);
        let memories: Vec<&PathBuf> = memories.iter().filter(is_older).collect();
        let oldest = memories.iter().map(|path| saved_at(path)).min();
        let kind = ("memory", "memories");
        let mut selected = DataSelected::of(DataPart::Memory, memories.len() as u64, kind, oldest);
        for path in memories {
            let root = path.ancestors().nth(2);
            if let Some(Ok(link)) = root.map(|root| ccd_memory::link(root, false))
                && link.diff.is_empty()
            {
                let file = link.file.display();
                let left = format!("{file}: the line that imports the memory; delete it");
                selected.left.push(left);
            }
            if !dry_run && let Err(error) = fs::remove_file(path) {
                selected.failed.push(format!("{}: {error}", path.display()));
            }
        }
        selected
    })
    .await
}

/// Carries out `data.forget` for the log. The newest file is being written.
pub(crate) async fn forget_logs(daemon: &Daemon, which: &DataForgetParams) -> DataSelected {
    let (folder, which) = (daemon.paths.logs.clone(), which.clone());
    blocking(move || {
        let mut files = log::files(&folder).unwrap_or_default();
        let written = files.pop().map_or(0, |_| 1);
        let files = files.into_iter().map(|(path, _)| path);
        let kind = ("log file", "log files");
        let selected = forget_files(DataPart::Logs, kind, files, &which);
        selected.leaving(written, kind, "the newest, which the daemon writes")
    })
    .await
}

/// Carries out `data.forget` for pages of `ccctl conversation open`. They say nothing of their project.
pub(crate) async fn forget_pages(which: &DataForgetParams) -> DataSelected {
    let which = which.clone();
    blocking(move || {
        let user = rustix::process::geteuid().as_raw();
        let folder = std::env::temp_dir().join(format!("ccd-pages-{user}"));
        let is_own = fs::symlink_metadata(&folder).is_ok_and(|about| about.uid() == user);
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let pages = entries.map(|entry| entry.path()).filter(|_| is_own);
        let kind = ("page of conversation open", "pages of conversation open");
        forget_files(DataPart::Conversations, kind, pages, &which)
    })
    .await
}
