//! Deleting the index and the transcripts that ccd has copied. Those of Claude Code are only read.

use super::Index;
use crate::ConversationError;
use crate::source::{Dir, Layout};
use ccd_protocol::data::{DataForgetParams, DataPart, DataSelected};
use ccd_store::{blocking, query_as};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the index knows of a transcript, by the name of its file: its directory, and when it ended.
type Known = HashMap<String, (Option<String>, Option<String>)>;

impl Index {
    /// Carries out `data.forget`. The index is made again when somebody asks.
    ///
    /// # Errors
    ///
    /// `Index`, `Read`.
    pub async fn forget(
        &self,
        which: &DataForgetParams,
    ) -> Result<DataSelected, ConversationError> {
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
                let why =
                    "it has what is in the transcripts; delete these, or forget all conversations";
                selected = selected.leaving(1, ("index", "indexes"), why);
            }
        }
        let projects = Layout::of(&Dir::of_claude(self.setup.claude_dir()))
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
            let files = dirs.flat_map(|dir| Layout::of(&dir).files(&mut |_| ()));
            let mains = files.filter(|file| file.agent_id.is_none());
            mains.map(|file| file.path).collect()
        };
        blocking(find).await
    }

    async fn known(&self) -> Result<Known, ConversationError> {
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

    /// Returns the directories of all conversations.
    pub async fn known_projects(&self) -> Vec<PathBuf> {
        let known = self.known().await.unwrap_or_default();
        known
            .into_values()
            .filter_map(|(cwd, _)| cwd)
            .map(PathBuf::from)
            .collect()
    }

    async fn delete(&self) -> Result<(), ConversationError> {
        let mut open = self.database.lock().await;
        self.leave_until_asked();
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
    paths.iter().filter_map(made).min().map(ccd_text::clock::at)
}
