//! Deleting the index and the transcripts that ccd has copied. Those of Claude Code are only read.

use super::Index;
use crate::ConversationError;
use crate::error::Result;
use crate::source::{Dir, Layout};
use ccd_protocol::data::{DataForgetParams, DataPart, DataSelected};
use ccd_store::{blocking, query_as};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What the index knows of a transcript, by the name of its file: its directory, and when it ended.
type Known = HashMap<String, (Option<String>, Option<String>)>;

impl Index {
    /// Carries out `data.forget`. The index is made again when somebody asks.
    pub async fn forget(self: &Arc<Self>, which: &DataForgetParams) -> Result<DataSelected> {
        let part = DataPart::Conversations;
        let is_whole = which.project.is_none() && which.before.is_none();
        let mut copies = self.copies().await;
        if !is_whole {
            let known = self.known().await?;
            copies.retain(|path| is_selected(known.get(&name_of(path)), which));
        }
        let kind = ("copied transcript", "copied transcripts");
        let copied = DataSelected::of(part, copies.len() as u64, kind, oldest(&copies));
        if !which.dry_run {
            let deleted = blocking(move || copies.iter().try_for_each(|path| delete(path))).await;
            deleted.map_err(ConversationError::read(&self.path))?;
        }
        let mut selected = copied;
        if self.exists().await {
            if is_whole {
                let index = DataSelected::of(
                    part,
                    1,
                    ("index", "indexes"),
                    oldest(std::slice::from_ref(&self.path)),
                );
                selected = index.and(selected);
                if !which.dry_run {
                    self.delete().await?;
                }
            } else {
                if !which.dry_run {
                    self.erase().await;
                }
                let why = "it follows the transcripts that stay; ccctl data forget conversations deletes it";
                selected = selected.leaving(1, ("index", "indexes"), why);
            }
        }
        let projects = Layout::new(&Dir::of_claude(self.setup.claude_dir()))
            .projects()
            .to_owned();
        let originals = blocking(move || projects.is_dir().then_some(projects)).await;
        if let Some(projects) = originals {
            let why = "the transcripts of Claude Code itself, which ccd only reads";
            selected.left.push(format!("{}: {why}", projects.display()));
        }
        Ok(selected)
    }

    /// Returns the imported and archived transcripts.
    async fn copies(&self) -> Vec<PathBuf> {
        let (archive, imports) = (self.setup.archive.0.clone(), self.setup.imports.as_dir());
        let find = move || {
            let kept = fs::read_dir(archive).into_iter().flatten().flatten();
            let kept = kept.map(|entry| Dir::of_claude(&entry.path()));
            let dirs = kept.chain([imports]);
            let files = dirs.flat_map(|dir| dir.files());
            let mains = files.filter(|file| file.agent_id.is_none());
            mains.map(|file| file.path).collect()
        };
        blocking(find).await
    }

    async fn known(&self) -> Result<Known> {
        if !self.exists().await {
            return Ok(Known::new());
        }
        let database = self.database().await?;
        let rows = query_as(
            "SELECT path, cwd, strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1000.0, 'unixepoch') FROM files WHERE agent_id IS NULL",
        );
        let rows: Vec<(String, Option<String>, Option<String>)> =
            rows.fetch_all(database.readers()).await?;
        Ok(rows
            .into_iter()
            .map(|(path, cwd, at)| (name_of(Path::new(&path)), (cwd, at)))
            .collect())
    }

    pub async fn known_projects(&self) -> Vec<PathBuf> {
        let known = self.known().await.unwrap_or_default();
        known
            .into_values()
            .filter_map(|(cwd, _)| cwd)
            .map(PathBuf::from)
            .collect()
    }

    async fn delete(&self) -> Result<()> {
        let mut open = self.database.lock().await;
        self.leave_until_asked();
        self.is_erasing.store(false, Ordering::Relaxed);
        let deleted = match open.take() {
            Some(database) => database.delete().await,
            None => {
                let path = self.path.clone();
                blocking(move || ccd_store::delete(&path)).await
            }
        };
        deleted.map_err(ConversationError::read(&self.path))
    }
}

/// A copy has the name of its original, which is that of the session.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn is_selected(known: Option<&(Option<String>, Option<String>)>, which: &DataForgetParams) -> bool {
    let Some((cwd, ended_at)) = known else {
        return false;
    };
    let is_in = |project: &String| {
        cwd.as_ref()
            .is_some_and(|cwd| Path::new(cwd).starts_with(project))
    };
    let is_older = |before: &String| ended_at.as_ref().is_some_and(|at| at < before);
    which.project.as_ref().is_none_or(is_in) && which.before.as_ref().is_none_or(is_older)
}

/// Deletes a transcript and those of its sub-agents.
fn delete(path: &Path) -> io::Result<()> {
    let done = |result: io::Result<()>| match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    done(fs::remove_file(path))?;
    done(fs::remove_dir_all(path.with_extension("")))?;
    if let Some(folder) = path.parent() {
        // Others may be in it.
        let _ = fs::remove_dir(folder);
    }
    Ok(())
}

fn oldest(paths: &[PathBuf]) -> Option<String> {
    let made = |path: &PathBuf| {
        let about = fs::metadata(path).ok()?;
        about.created().or_else(|_| about.modified()).ok()
    };
    paths.iter().filter_map(made).min().map(ccd_base::clock::at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Follower;
    use crate::setup::{ConversationSettings, Setup};
    use ccd_protocol::conversation::{ConversationImportParams, ConversationSearchParams};
    use serde_json::json;
    use std::time::{Duration, Instant};

    const WORD: &str = "zirbelkiefer";

    #[tokio::test]
    async fn the_words_of_a_projects_copies_leave_the_index() {
        let home = tempfile::tempdir().unwrap();
        let setup = Setup::new(
            &home.path().join("claude"),
            home.path(),
            ConversationSettings::default(),
        );
        let database = home.path().join("index.sqlite");
        let (index, follower) = Follower::new(database.clone(), setup);
        let runtime = tokio::runtime::Handle::current();
        let thread = std::thread::spawn(move || runtime.block_on(follower.run()));
        for (id, cwd, word) in [("a", "/one", WORD), ("b", "/other", "latschenkiefer")] {
            let path = home.path().join(format!("{id}.jsonl"));
            let line = json!({
                "type": "user", "sessionId": id, "uuid": id, "cwd": cwd, "timestamp": "2026-01-31T12:00:00.000Z",
                "message": {"role": "user", "content": format!("the {word} again")},
            });
            fs::write(&path, format!("{line}\n")).unwrap();
            let file = path.display().to_string();
            let import = ConversationImportParams { file };
            index.import(&import).await.unwrap();
            fs::remove_file(path).unwrap();
        }
        let search = async |word: &str| {
            let params = ConversationSearchParams {
                query: word.into(),
                ..ConversationSearchParams::default()
            };
            index.search(&params).await.unwrap().hits.len()
        };
        assert_eq!(search(WORD).await, 1);
        let which = DataForgetParams {
            project: Some("/one".into()),
            ..DataForgetParams::default()
        };
        let has_word = || {
            let files = fs::read_dir(home.path()).unwrap();
            let mut files = files.map(|file| fs::read(file.unwrap().path()).unwrap_or_default());
            files.any(|bytes| memchr::memmem::find(&bytes, WORD.as_bytes()).is_some())
        };
        assert!(has_word());
        let deleted = index.forget(&which).await.unwrap();
        assert_eq!(deleted.what, "1 copied transcript");
        let deadline = Instant::now() + Duration::from_secs(20);
        while has_word() {
            assert!(Instant::now() < deadline, "it stays");
            tokio::task::yield_now().await;
        }
        assert_eq!((search(WORD).await, search("latschenkiefer").await), (0, 1));
        index.stop();
        blocking(move || thread.join().unwrap()).await;
        index.close().await;
    }

    #[tokio::test]
    async fn a_question_beside_a_deletion_answers_with_what_is_left() {
        let home = tempfile::tempdir().unwrap();
        let claude = home.path().join("claude");
        let project = claude.join("projects/-p");
        fs::create_dir_all(&project).unwrap();
        let line = json!({
            "type": "user", "sessionId": "a", "uuid": "a", "cwd": "/p", "timestamp": "2026-01-31T12:00:00.000Z",
            "message": {"role": "user", "content": WORD},
        });
        fs::write(project.join("a.jsonl"), format!("{line}\n")).unwrap();
        let setup = Setup::new(&claude, home.path(), ConversationSettings::default());
        let (index, follower) = Follower::new(home.path().join("index.sqlite"), setup);
        let runtime = tokio::runtime::Handle::current();
        let thread = std::thread::spawn(move || runtime.block_on(follower.run()));
        let params = ConversationSearchParams {
            query: WORD.into(),
            ..ConversationSearchParams::default()
        };
        let all = DataForgetParams::default();
        for round in 0..50 {
            let later = async {
                for _ in 0..round % 25 {
                    tokio::task::yield_now().await;
                }
                index.forget(&all).await
            };
            let (found, forgotten) = tokio::join!(index.search(&params), later);
            forgotten.unwrap();
            assert_eq!(found.unwrap().hits.len(), 1, "round {round}");
        }
        index.stop();
        blocking(move || thread.join().unwrap()).await;
        index.close().await;
    }
}
