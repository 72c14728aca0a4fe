//! The task that Claude Code's own list has as the current one, from the end of a project's newest transcript.

use crate::line::{Block, Line, LineType, blocks, read};
use crate::lines::bytes_at;
use crate::source::{is_older_agent, plain_name, transcripts_in};
use ccd_base::surrogate::mended;
use serde_json::Value;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Of the end of a transcript that are read. A list that is older than these is not found.
pub(crate) const TAIL_BYTES: u64 = 1024 * 1024;
/// Transcripts of a project among which the newest is looked for.
const MAX_TRANSCRIPTS: usize = 10_000;

/// A task that is in progress, or else the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentTask {
    pub title: String,
    /// When the list was changed last, RFC 3339.
    pub at: String,
    /// Name of the transcript.
    pub transcript: String,
}

/// Returns the current task of the list in the newest transcript of the project `root`, an absolute path with links resolved.
/// Nothing if there is no list near its end, or if all its tasks are done. Blocks.
pub(crate) fn current_task(claude_dir: &Path, root: &Path) -> Option<CurrentTask> {
    let transcript = newest(claude_dir, root).pop()?;
    let tail = tail(&transcript, TAIL_BYTES).ok()?;
    let (title, at) = current(&tail)?;
    let transcript = transcript.file_name()?.to_string_lossy().into_owned();
    Some(CurrentTask {
        title,
        at,
        transcript,
    })
}

/// Returns the transcripts of a project, the newest last.
pub(crate) fn newest(claude_dir: &Path, root: &Path) -> Vec<PathBuf> {
    let Some(root) = root.to_str() else {
        return Vec::new();
    };
    let folder = claude_dir.join("projects").join(plain_name(root));
    let mut transcripts = transcripts_in(&folder);
    // What older versions wrote of sub-agents.
    transcripts.retain(|path| !is_older_agent(path));
    transcripts.truncate(MAX_TRANSCRIPTS);
    transcripts.sort_by_cached_key(|path| {
        let changed = path.metadata().and_then(|about| about.modified());
        (changed.unwrap_or(SystemTime::UNIX_EPOCH), path.clone())
    });
    transcripts
}

/// Returns the length of the transcript `path` and the whole lines in its last `max_bytes`, unless its length is
/// `known_len`. Blocks.
pub fn grown_tail(path: &Path, known_len: u64, max_bytes: u64) -> Option<(u64, Vec<u8>)> {
    let about = path.metadata().ok()?;
    let has_grown = about.is_file() && about.len() != known_len;
    has_grown
        .then(|| Some((about.len(), tail(path, max_bytes).ok()?)))
        .flatten()
}

/// Returns the whole lines in the last `max_bytes` of a file.
pub(crate) fn tail(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let len = file.metadata()?.len();
    let start = len.saturating_sub(max_bytes);
    let mut bytes = bytes_at(&file, start, len - start)?;
    if start > 0 {
        let first = bytes.iter().position(|byte| *byte == b'\n');
        bytes.drain(..first.map_or(bytes.len(), |at| at + 1));
    }
    Ok(bytes)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClaudeTaskState {
    Open,
    InProgress,
    Done,
}

impl ClaudeTaskState {
    fn from_word(word: Option<&str>) -> Option<Self> {
        Some(match word? {
            "pending" => Self::Open,
            "in_progress" => Self::InProgress,
            "completed" | "deleted" | "cancelled" => Self::Done,
            _ => return None,
        })
    }
}

#[derive(Debug)]
struct Task {
    id: String,
    title: String,
    state: ClaudeTaskState,
}

/// Returns the title of the current task after all `lines`, and when the list was changed last.
fn current(lines: &[u8]) -> Option<(String, String)> {
    let mut list = List::default();
    for line in lines.split(|byte| *byte == b'\n') {
        if let Ok(line) = read(&mended(line))
            && !line.is_sidechain
        {
            list.take(&line);
        }
    }
    let with = |state| list.tasks.iter().find(|task| task.state == state);
    let task = with(ClaudeTaskState::InProgress).or_else(|| with(ClaudeTaskState::Open))?;
    Some((task.title.clone(), list.changed?))
}

#[derive(Debug, Default)]
struct List {
    tasks: Vec<Task>,
    changed: Option<String>,
}

impl List {
    fn take(&mut self, line: &Line<'_>) {
        let is_change = match line.kind {
            LineType::Assistant => self.calls(line),
            LineType::User => self.created(line),
            _ => false,
        };
        if is_change {
            self.changed = line.timestamp.as_deref().map(str::to_owned);
        }
    }

    fn calls(&mut self, line: &Line<'_>) -> bool {
        let content = line.message.as_ref().and_then(|message| message.content);
        let mut is_change = false;
        for block in blocks(content) {
            let Block::ToolUse {
                name,
                input: Some(input),
                ..
            } = block
            else {
                continue;
            };
            let input = || serde_json::from_str::<Value>(input.get()).unwrap_or_default();
            is_change |= match &*name {
                "TodoWrite" => self.replace(&input()),
                "TaskUpdate" => self.update(&input()),
                _ => false,
            };
        }
        is_change
    }

    /// `TodoWrite` has the whole list.
    fn replace(&mut self, input: &Value) -> bool {
        let Some(todos) = input["todos"].as_array() else {
            return false;
        };
        let task = |todo: &Value| {
            Some(Task {
                id: String::new(),
                title: todo["content"].as_str()?.to_owned(),
                state: ClaudeTaskState::from_word(todo["status"].as_str())?,
            })
        };
        self.tasks = todos.iter().filter_map(task).collect();
        true
    }

    fn update(&mut self, input: &Value) -> bool {
        let id = input["taskId"].as_str().unwrap_or_default();
        let Some(task) = self
            .tasks
            .iter_mut()
            .find(|task| !id.is_empty() && task.id == id)
        else {
            return false;
        };
        if let Some(title) = input["subject"].as_str() {
            title.clone_into(&mut task.title);
        }
        task.state = ClaudeTaskState::from_word(input["status"].as_str()).unwrap_or(task.state);
        true
    }

    /// The result of `TaskCreate` has the task's id.
    fn created(&mut self, line: &Line<'_>) -> bool {
        let Some(meta) = line.result_meta.filter(|meta| meta.get().starts_with('{')) else {
            return false;
        };
        if !meta.get().contains("\"subject\"") {
            return false;
        }
        let meta: Value = serde_json::from_str(meta.get()).unwrap_or_default();
        let task = &meta["task"];
        let (Some(id), Some(title)) = (task["id"].as_str(), task["subject"].as_str()) else {
            return false;
        };
        if self.tasks.iter().any(|known| known.id == id) {
            return false; // the result of a look at the task
        }
        self.tasks.push(Task {
            id: id.to_owned(),
            title: title.to_owned(),
            state: ClaudeTaskState::from_word(task["status"].as_str())
                .unwrap_or(ClaudeTaskState::Open),
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

    fn call(name: &str, input: &Value, at: u32) -> String {
        json!({"type": "assistant", "uuid": format!("u{at}"), "sessionId": "s", "timestamp": format!("2026-03-02T10:00:{at:02}Z"),
            "message": {"id": "m", "content": [{"type": "tool_use", "id": "t", "name": name, "input": input}]}})
        .to_string()
    }

    fn result(meta: &Value, at: u32) -> String {
        json!({"type": "user", "uuid": format!("u{at}"), "sessionId": "s", "timestamp": format!("2026-03-02T10:00:{at:02}Z"),
            "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}, "toolUseResult": meta})
        .to_string()
    }

    fn todo(content: &str, status: &str) -> Value {
        json!({"content": content, "status": status, "activeForm": content})
    }

    fn current_of(lines: &[String]) -> Option<(String, String)> {
        current(lines.join("\n").as_bytes())
    }

    #[test]
    fn the_last_todo_list_counts() {
        let first = json!({"todos": [todo("a", "in_progress"), todo("b", "pending")]});
        let second = json!({"todos": [todo("a", "completed"), todo("b", "pending"), todo("c", "in_progress")]});
        let third = json!({"todos": [todo("a", "completed")]});
        let mut lines = vec![call("TodoWrite", &first, 1), call("Bash", &first, 2)];
        let expected = ("a".to_owned(), "2026-03-02T10:00:01Z".to_owned());
        assert_eq!(current_of(&lines), Some(expected));
        lines.push("{\"not\": \"whole".to_owned());
        lines.push(call("TodoWrite", &second, 3));
        let expected = ("c".to_owned(), "2026-03-02T10:00:03Z".to_owned());
        assert_eq!(current_of(&lines), Some(expected));
        lines.push(call("TodoWrite", &json!({"todos": "none"}), 4));
        assert_eq!(current_of(&lines).unwrap().0, "c");
        lines.push(call("TodoWrite", &third, 5));
        assert_eq!(current_of(&lines), None);
    }

    #[test]
    fn tasks_are_made_and_changed_one_by_one() {
        let mut lines = vec![
            result(&json!({"task": {"id": "1", "subject": "a"}}), 1),
            result(&json!({"task": {"id": "2", "subject": "b"}}), 2),
            call(
                "TaskUpdate",
                &json!({"taskId": "2", "status": "in_progress"}),
                3,
            ),
            call(
                "TaskUpdate",
                &json!({"taskId": "9", "status": "in_progress"}),
                4,
            ),
        ];
        let expected = ("b".to_owned(), "2026-03-02T10:00:03Z".to_owned());
        assert_eq!(current_of(&lines), Some(expected));
        lines.push(call(
            "TaskUpdate",
            &json!({"taskId": "2", "status": "completed", "subject": "B"}),
            5,
        ));
        assert_eq!(current_of(&lines).unwrap().0, "a");
    }

    #[test]
    fn the_newest_transcript_of_the_project_is_read_from_its_end() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("projects/-srv-a-b-c");
        fs::create_dir_all(&folder).unwrap();
        let root = Path::new("/srv/a b.c");
        assert_eq!(current_task(home.path(), root), None);
        let list = |title: &str| {
            call(
                "TodoWrite",
                &json!({"todos": [todo(title, "in_progress")]}),
                1,
            )
        };
        let filler = format!("{}\n", "x".repeat(1000)).repeat(2000);
        fs::write(
            folder.join("new.jsonl"),
            format!("{}\n{filler}{}\n", list("far"), list("near")),
        )
        .unwrap();
        fs::write(folder.join("old.jsonl"), list("old")).unwrap();
        let old = File::options()
            .append(true)
            .open(folder.join("old.jsonl"))
            .unwrap();
        old.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        fs::write(folder.join("agent-1.jsonl"), list("agent")).unwrap();
        let found = current_task(home.path(), root).unwrap();
        assert_eq!((&*found.title, &*found.transcript), ("near", "new.jsonl"));
        fs::write(
            folder.join("new.jsonl"),
            format!("{}\n{filler}", list("far")),
        )
        .unwrap();
        assert_eq!(current_task(home.path(), root), None);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            let _ = current(&bytes);
        }
    }
}
