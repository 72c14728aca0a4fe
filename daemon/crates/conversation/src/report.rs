//! What a running Claude Code reports about itself, in `sessions/PID.json` of its directory. It writes the file when it starts and
//! whenever it begins to work, to wait for its user, or to be idle, and removes it when it ends.

use crate::source::plain_name;
use crate::task_list::tail;
use ccd_protocol::SessionId;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// Files of a directory that are read, and bytes of each. The largest seen has 700 bytes.
const MAX_FILES: usize = 1000;
const MAX_BYTES: u64 = 256 << 10;

const KINDS: [&str; 2] = ["interactive", "bg"];

/// What it may wait for that is a permission.
const PERMISSIONS: [&str; 4] = [
    "permission prompt",
    "sandbox request",
    "worker request",
    "goal proposal",
];

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
    /// When the file was written, in the same way. It names another conversation from then on.
    pub written_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaudeActivity {
    Idle,
    Works,
    /// It waits for its user.
    Waits(ClaudeWait),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaudeWait {
    pub is_permission: bool,
    /// For what, such as `permission prompt`.
    pub what: String,
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
    updated_at: u64,
    #[serde(default)]
    waiting_for: String,
    #[serde(default)]
    kind: Option<String>,
    /// It was started in advance, and has no conversation yet.
    #[serde(default)]
    spare: bool,
    #[serde(default)]
    parked_job_id: Option<String>,
}

impl Reported {
    /// Returns whether it is a conversation of a person.
    fn is_conversation(&self) -> bool {
        let is_driven = self.entrypoint.starts_with(DRIVEN) || self.spare;
        let kind = self.kind.as_deref();
        !is_driven && self.parked_job_id.is_none() && kind.is_none_or(|kind| KINDS.contains(&kind))
    }

    fn activity(&self) -> Option<ClaudeActivity> {
        match &*self.status {
            // A command goes on in the background.
            "idle" | "shell" => Some(ClaudeActivity::Idle),
            "busy" => Some(ClaudeActivity::Works),
            // A menu that its user has opened.
            "waiting" if self.waiting_for == "dialog open" => None,
            "waiting" => Some(ClaudeActivity::Waits(ClaudeWait {
                is_permission: PERMISSIONS.contains(&&*self.waiting_for),
                what: self.waiting_for.clone(),
            })),
            _ => None,
        }
    }
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
    let bytes = tail(path, MAX_BYTES).ok()?;
    let reported: Reported = serde_json::from_slice(&bytes).ok()?;
    let is_own = path.file_stem()?.to_str() == Some(&reported.pid.to_string());
    if !is_own || !reported.is_conversation() || SessionId::parse(&reported.session_id).is_err() {
        return None;
    }
    let activity = reported.activity();
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
        written_ms: reported.updated_at,
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
            "status": "waiting", "statusUpdatedAt": 1_796_125_580_987_u64, "updatedAt": 7, "waitingFor": "permission prompt"});
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
                    ClaudeActivity::Waits(ClaudeWait {
                        is_permission: true,
                        what: "permission prompt".into()
                    }),
                    1_796_125_580_987
                )),
                written_ms: 7,
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
        for (number, member, value) in [
            (8, "spare", json!(true)),
            (9, "kind", json!("daemon")),
            (10, "parkedJobId", json!("j")),
            (11, "sessionId", json!("../c")),
        ] {
            let mut report = report(number, "cli");
            report[member] = value;
            written(dir.path(), &format!("{number}.json"), &report);
        }
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

    #[test]
    fn each_status_is_an_activity() {
        let of = |status: &str, waiting_for: &str| {
            let report = json!({"pid": 1, "sessionId": "c", "cwd": "/", "status": status, "waitingFor": waiting_for});
            let reported: Reported = serde_json::from_value(report).unwrap();
            reported.activity()
        };
        let waits = |is_permission, what: &str| {
            let what = what.into();
            Some(ClaudeActivity::Waits(ClaudeWait {
                is_permission,
                what,
            }))
        };
        assert_eq!(of("idle", ""), Some(ClaudeActivity::Idle));
        assert_eq!(of("shell", ""), Some(ClaudeActivity::Idle));
        assert_eq!(of("busy", ""), Some(ClaudeActivity::Works));
        assert_eq!(of("waiting", "dialog open"), None);
        assert_eq!(
            of("waiting", "sandbox request"),
            waits(true, "sandbox request")
        );
        assert_eq!(of("waiting", "input needed"), waits(false, "input needed"));
        assert_eq!(of("new", ""), None);
    }
}
