//! What a running Claude Code reports about itself, in `sessions/PID.json` of its directory. It writes the file when it starts and
//! whenever it begins to work, to wait for its user, or to be idle, and removes it when it ends.

use crate::source::plain_name;
use serde::Deserialize;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Files of a directory that are read, and bytes of each. The largest seen has 700 bytes.
const MAX_FILES: usize = 1000;
const MAX_BYTES: u64 = 256 << 10;

/// Programs that are driven by another one start so.
const DRIVEN: &str = "sdk";

/// A report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaudeReport {
    pub pid: i32,
    /// When the process started, in clock ticks since boot; `None` where it is not reported so.
    pub started_ticks: Option<u64>,
    pub conversation: String,
    pub cwd: String,
    /// The name that its user gave the conversation.
    pub title: Option<String>,
    pub transcript: PathBuf,
    /// What it does, and since when, in milliseconds since 1970.
    pub activity: Option<(ClaudeActivity, u64)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaudeActivity {
    Idle,
    Works,
    /// It waits for its user; the text says for what, such as `permission prompt`.
    Waits(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reported {
    pid: i32,
    session_id: String,
    cwd: String,
    #[serde(default)]
    proc_start: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    name_source: Option<String>,
    #[serde(default)]
    entrypoint: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    status_updated_at: u64,
    #[serde(default)]
    waiting_for: Option<String>,
}

/// Returns the reports below a directory of Claude Code, those of programs that were killed too. Blocks.
#[must_use]
pub fn claude_reports(claude_dir: &Path) -> Vec<ClaudeReport> {
    let files = fs::read_dir(claude_dir.join("sessions"))
        .into_iter()
        .flatten();
    let paths = files.flatten().map(|file| file.path());
    let paths = paths.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let reports = paths
        .take(MAX_FILES)
        .filter_map(|path| report(claude_dir, &path));
    reports.collect()
}

fn report(claude_dir: &Path, path: &Path) -> Option<ClaudeReport> {
    // Opening a pipe would wait for its writer.
    if !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let reported: Reported = serde_json::from_slice(&bytes).ok()?;
    if path.file_stem()?.to_str() != Some(&reported.pid.to_string())
        || reported.entrypoint.starts_with(DRIVEN)
    {
        return None;
    }
    let activity = match &*reported.status {
        "idle" => Some(ClaudeActivity::Idle),
        "busy" => Some(ClaudeActivity::Works),
        "waiting" => Some(ClaudeActivity::Waits(
            reported.waiting_for.unwrap_or_default(),
        )),
        _ => None,
    };
    let folder = claude_dir.join("projects").join(plain_name(&reported.cwd));
    let is_given = reported.name_source.as_deref() == Some("user");
    Some(ClaudeReport {
        pid: reported.pid,
        started_ticks: reported.proc_start.and_then(|ticks| ticks.parse().ok()),
        transcript: folder.join(format!("{}.jsonl", reported.session_id)),
        conversation: reported.session_id,
        cwd: reported.cwd,
        title: reported.name.filter(|_| is_given),
        activity: activity.map(|activity| (activity, reported.status_updated_at)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn written(dir: &Path, name: &str, report: &Value) {
        fs::create_dir_all(dir.join("sessions")).unwrap();
        fs::write(dir.join("sessions").join(name), report.to_string()).unwrap();
    }

    #[test]
    fn a_report_says_who_it_is_and_what_it_does() {
        let dir = tempfile::tempdir().unwrap();
        // As 2.1.330 writes it.
        let report = json!({"pid": 9162, "sessionId": "3d8b8287", "cwd": "/srv/shop.x", "startedAt": 1_796_125_567_016_u64, "procStart": "29093",
            "version": "2.1.330", "kind": "interactive", "entrypoint": "cli", "asksForConvertedSkills": null, "name": "lamp", "nameSource": "user",
            "status": "waiting", "statusUpdatedAt": 1_796_125_580_987_u64, "waitingFor": "permission prompt"});
        written(dir.path(), "9162.json", &report);
        let found = claude_reports(dir.path());
        assert_eq!(
            found,
            [ClaudeReport {
                pid: 9162,
                started_ticks: Some(29093),
                conversation: "3d8b8287".into(),
                cwd: "/srv/shop.x".into(),
                title: Some("lamp".into()),
                transcript: dir.path().join("projects/-srv-shop-x/3d8b8287.jsonl"),
                activity: Some((
                    ClaudeActivity::Waits("permission prompt".into()),
                    1_796_125_580_987
                )),
            }]
        );
    }

    #[test]
    fn what_is_no_report_of_a_person_s_program_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(claude_reports(dir.path()), []);
        let report = |pid: i32, entrypoint: &str| json!({"pid": pid, "sessionId": "c", "cwd": "/", "entrypoint": entrypoint, "status": "new"});
        written(dir.path(), "1.json", &report(2, "cli"));
        written(dir.path(), "3.json", &report(3, "sdk-cli"));
        written(dir.path(), "4.json", &json!("torn"));
        written(dir.path(), "5.0f.key", &report(5, "cli"));
        let pipe = dir.path().join("sessions/6.json");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert_eq!(claude_reports(dir.path()), []);
        written(dir.path(), "7.json", &report(7, "cli"));
        let found = claude_reports(dir.path());
        assert_eq!((found.len(), &found[0].activity), (1, &None));
    }
}
