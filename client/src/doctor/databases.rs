//! The databases, as far as their first bytes tell: only the daemon opens them, and it sets damaged ones aside.

use super::folders::{OTHERS, mode_problem};
use super::places::Places;
use crate::check::{Check, checks as found, shown};
use crate::render::size;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The databases in the base directory, and in that of the coach.
const OF_BASE: [&str; 3] = ["ccd.sqlite", "exec.sqlite", "conversations.sqlite"];
const OF_COACH: [&str; 2] = ["events.sqlite", "ledger.sqlite"];

/// Part of the names of what was set aside.
const ASIDE: &str = ".corrupt-";

/// Every database starts with it.
const MAGIC: &[u8] = b"SQLite format 3\0";

pub(super) fn checks(places: &Places) -> Vec<Check> {
    let folders = [(&places.base, &OF_BASE[..]), (&places.coach, &OF_COACH)];
    let (mut sound, mut facts) = (Vec::new(), Vec::new());
    for (folder, names) in folders {
        let Some(folder) = folder else { continue };
        for name in names {
            let path = folder.join(name);
            match len_of(&path) {
                Ok(None) => {}
                Ok(Some(bytes)) => sound.push(format!("{name} {}", size(bytes))),
                Err(problem) => facts.push(json!({"path": shown(path), "problem": problem})),
            }
        }
        facts.push(set_aside(folder));
    }
    facts.push(json!({ "sound": sound }));
    found("databases", facts.into())
}

/// The size of a database with its journal, `None` if there is none, or what is wrong with it.
fn len_of(path: &Path) -> Result<Option<u64>, String> {
    let there = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        there => there.map_err(|error| error.to_string())?,
    };
    if !there.is_file() {
        return Err("not a file; move it away".to_owned());
    }
    if let Some(problem) = mode_problem(&there, OTHERS) {
        return Err(problem);
    }
    let mut start = Vec::new();
    let opened = File::open(path).and_then(|file| file.take(16).read_to_end(&mut start));
    opened.map_err(|error| error.to_string())?;
    if !start.is_empty() && start != MAGIC {
        return Err("damaged; the daemon sets it aside when it opens it, so copy a backup there first if you have one".to_owned());
    }
    let journal = fs::metadata(journal_of(path)).map_or(0, |journal| journal.len());
    Ok(Some(there.len() + journal))
}

fn journal_of(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    path.into()
}

/// What a daemon has set aside in a directory.
fn set_aside(folder: &Path) -> Value {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.contains(ASIDE)).collect();
    names.sort();
    json!({"aside": names, "folder": shown(folder)})
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn databases_are_sound_damaged_open_to_others_or_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ccd.sqlite");
        let places = || Places {
            socket: Ok("/s".into()),
            base: Some(folder.path().to_owned()),
            coach: None,
            tapes: None,
            socket_is_named: false,
        };
        assert_eq!(checks(&places()), []);
        let mut sound = MAGIC.to_vec();
        sound.resize(4096, 0);
        let write = |content: &[u8], mode: u32| {
            fs::write(&path, content).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            checks(&places()).remove(0)
        };
        assert_eq!(write(&sound, 0o600).text, "ccd.sqlite 4.0K");
        assert_eq!(write(b"", 0o600).state, crate::check::CheckState::Ok);
        assert!(write(b"noise", 0o600).text.contains("damaged"));
        assert!(write(&sound, 0o644).text.contains("chmod"));
        let aside = folder.path().join("ccd.sqlite.corrupt-2026");
        fs::write(aside, "").unwrap();
        let check = checks(&places()).remove(1);
        assert!(check.text.starts_with("1 entry set aside"), "{check:?}");
    }
}
