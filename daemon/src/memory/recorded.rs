//! How the last commands of a project ended, as hooks and sessions recorded it. All texts are without secrets already.

use super::command::of_line;
use super::owner::Memories;
use ccd_memory::{Recorded, RecordedRun, RecordedTask};
use ccd_store::{SqlResult, Store, blocking, query_as};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Commands that ended longer ago say little.
const MAX_AGE: Duration = Duration::from_secs(7 * 86_400);

/// How long a save waits for payloads of hooks that are still being processed.
const PATIENCE: Duration = Duration::from_millis(500);

/// The newest calls of tools are examined; those of a project are few among them.
const HOOKS: &str = "
    SELECT at, coalesce(payload ->> '$.tool_input.command', ''),
        coalesce(payload ->> '$.error', ''),
        coalesce(payload ->> '$.tool_response.stdout', '') || char(10) || coalesce(payload ->> '$.tool_response.stderr', '')
    FROM (SELECT at, payload FROM hook_events
        WHERE at >= ?1 AND event IN ('PostToolUse', 'PostToolUseFailure') ORDER BY at DESC LIMIT 2000)
    WHERE payload ->> '$.tool_name' = 'Bash'
        AND (payload ->> '$.cwd' = ?2 OR substr(payload ->> '$.cwd', 1, length(?2) + 1) = ?2 || '/')
    ORDER BY at DESC LIMIT 200";

/// Commands that were run in a shell, each with what was typed before.
const COMMANDS: &str = "
    SELECT r.timestamp, coalesce(s.name, s.session_id), coalesce((SELECT input_text FROM interactions AS typed
            WHERE typed.session_id = r.session_id AND typed.id < r.id AND typed.action = 'SEND' ORDER BY typed.id DESC LIMIT 1), ''),
        r.exit_code, coalesce(r.output_text, '')
    FROM (SELECT session_id, name FROM sessions
        WHERE last_activity >= ?1 AND (cwd = ?2 OR substr(cwd, 1, length(?2) + 1) = ?2 || '/')
        ORDER BY last_activity DESC LIMIT 50) AS s
    JOIN interactions AS r ON r.session_id = s.session_id
    WHERE r.action = 'RECV' AND r.exit_code IS NOT NULL AND r.pattern_matched IS NULL AND r.timestamp >= ?1
    ORDER BY r.id DESC LIMIT 200";

/// Programs that were run without a shell, with the end of what they printed.
const PROGRAMS: &str = "
    SELECT s.ended_at, coalesce(s.name, s.session_id), (SELECT s.program || coalesce(' ' || group_concat(value, ' '), '') FROM json_each(s.args)),
        s.exitstatus, coalesce((SELECT group_concat(output_text, char(10)) FROM
            (SELECT id, output_text FROM interactions AS r
                WHERE r.session_id = s.session_id AND r.action = 'RECV' AND r.pattern_matched IS NULL ORDER BY id DESC LIMIT 1)), '')
    FROM sessions AS s
    WHERE s.exitstatus IS NOT NULL AND s.shell = 0 AND s.ended_at >= ?1
        AND (cwd = ?2 OR substr(cwd, 1, length(?2) + 1) = ?2 || '/')
    ORDER BY s.ended_at DESC LIMIT 100";

/// Time, source, command line, exit status, output.
type Row = (String, String, String, i64, String);

/// Returns the commands of a project that hooks and sessions recorded, the newest first. What cannot be read is left out.
pub(super) async fn recorded(memories: &Memories, project: &Path) -> Recorded {
    let _ = tokio::time::timeout(PATIENCE, memories.coach.settle()).await;
    let root = canonical(project);
    let runs = newest(memories, &root, MAX_AGE).await;
    let task = task(memories, root).await;
    Recorded { runs, task }
}

/// Returns the commands that ended after a time, RFC 3339; none if that is not known.
pub(super) async fn recorded_since(memories: &Memories, project: &Path, time: &str) -> Recorded {
    let age_s = ccd_base::clock::age_s(time);
    let age = age_s.and_then(|age_s| Duration::try_from_secs_f64(age_s).ok());
    let runs = match age {
        Some(age) => newest(memories, &canonical(project), age.min(MAX_AGE)).await,
        None => Vec::new(),
    };
    Recorded { runs, task: None }
}

fn canonical(project: &Path) -> PathBuf {
    let root = project.canonicalize();
    root.unwrap_or_else(|_| project.to_owned())
}

/// Returns the commands that are not older than `age`, the newest first.
async fn newest(memories: &Memories, root: &Path, age: Duration) -> Vec<RecordedRun> {
    let since = ccd_base::clock::at(SystemTime::now() - age);
    let runs = runs_in(&memories.store, &since, root).await;
    let mut runs = runs.unwrap_or_else(|error| {
        tracing::warn!(%error, "recorded commands cannot be read for a session memory");
        Vec::new()
    });
    runs.sort_by(|one, other| other.at.cmp(&one.at));
    runs
}

/// Returns the current task of Claude Code's own list.
async fn task(memories: &Memories, root: PathBuf) -> Option<RecordedTask> {
    let conversations = Arc::clone(&memories.conversations);
    let task = blocking(move || conversations.current_task(&root)).await?;
    Some(RecordedTask {
        title: task.title,
        at: task.at,
        source: format!("transcript {}", task.transcript),
    })
}

async fn runs_in(store: &Store, since: &str, root: &Path) -> SqlResult<Vec<RecordedRun>> {
    let folder = root.to_string_lossy();
    let rows = query_as(HOOKS).bind(since).bind(&*folder);
    let rows: Vec<(String, String, String, String)> = rows.fetch_all(store.readers()).await?;
    let mut rows: Vec<Row> = rows.into_iter().filter_map(of_hook).collect();
    for statement in [COMMANDS, PROGRAMS] {
        let of_sessions = query_as(statement).bind(since).bind(&*folder);
        let of_sessions: Vec<Row> = of_sessions.fetch_all(store.readers()).await?;
        rows.extend(of_sessions.into_iter().map(|row| {
            let source = format!("session {}", row.1);
            (row.0, source, row.2, row.3, row.4)
        }));
    }
    Ok(rows.into_iter().filter_map(|row| run(row, root)).collect())
}

fn of_hook((at, command, error, output): (String, String, String, String)) -> Option<Row> {
    let (exit_code, output) = match failure(&error) {
        Some((code, output)) => (code, output.to_owned()),
        None if error.is_empty() => (0, output),
        // It was interrupted or not run at all.
        None => return None,
    };
    let source = "hook events".to_owned();
    Some((at, source, command, i64::from(exit_code), output))
}

fn run((at, source, line, exit_code, output): Row, root: &Path) -> Option<RecordedRun> {
    let command = of_line(&line, root)?;
    Some(RecordedRun {
        purpose: command.purpose,
        is_part: command.is_part,
        is_failed: match exit_code {
            0 => command.has_to_succeed.then_some(false),
            _ => command.is_alone.then_some(true),
        },
        command: command.text,
        output,
        at,
        source,
    })
}

/// Takes `Exit code N` apart from the output below it.
fn failure(error: &str) -> Option<(i32, &str)> {
    let rest = error.strip_prefix("Exit code ")?;
    let (code, output) = rest.split_once('\n').unwrap_or((rest, ""));
    Some((code.trim().parse().ok()?, output))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_status_is_the_first_line_of_a_failure() {
        assert_eq!(failure("Exit code 101\na\nb"), Some((101, "a\nb")));
        assert_eq!(failure("Exit code 2"), Some((2, "")));
        assert_eq!(failure("No such tool available"), None);
    }
}
