//! Where transcripts are in a directory.

use super::older_agent::{is_older_agent, session_of_older_agent};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Directory of the copies in the one of projects. Those of Claude Code start with `-`.
pub(crate) const IMPORTED: &str = "imported";

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Dir {
    pub(crate) path: PathBuf,
    /// It was configured, and need not be one of Claude Code.
    pub(crate) is_root: bool,
}

/// Device and inode of the directory that the transcripts are in; `None` if there is none.
pub(crate) type DirId = Option<(u64, u64)>;

/// A file that is or becomes part of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundFile {
    pub(crate) path: PathBuf,
    pub(crate) claude_dir: PathBuf,
    /// The session that the file's place says it is of.
    pub(crate) session_id: String,
    pub(crate) agent_id: Option<String>,
    /// Known once the file is to be read.
    pub(crate) parent_tool_use_id: Option<String>,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) len: u64,
    /// Nanoseconds since 1970.
    pub(crate) modified: i64,
    /// Its records may have no time: it is the copy of a stream.
    pub(crate) is_import: bool,
}

/// How a directory is laid out.
/// A directory of Claude Code has `projects/PROJECT/SESSION.jsonl`, and those of sub-agents in
/// `projects/PROJECT/SESSION/subagents`; older versions wrote `projects/PROJECT/agent-ID.jsonl`. A configured directory without `projects` may itself have the directories of
/// projects, or be one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout<'a> {
    dir: &'a Dir,
    projects: PathBuf,
    /// Transcripts may be in `projects` itself.
    is_flat: bool,
}

impl Dir {
    /// Returns a directory of Claude Code. Its path is the same text however many slashes were written at its end.
    pub(crate) fn of_claude(path: &Path) -> Self {
        Self {
            path: path.components().collect(),
            is_root: false,
        }
    }

    /// Returns the transcripts, as [`Layout::files`]. Blocks.
    pub(crate) fn files(&self) -> Vec<FoundFile> {
        Layout::new(self).files(&mut |_| ())
    }

    /// Blocks.
    pub(crate) fn id(&self) -> DirId {
        let found = fs::metadata(Layout::new(self).projects()).ok()?;
        Some((found.dev(), found.ino()))
    }
}

impl FoundFile {
    /// Returns the transcript of the session, if this is that of a sub-agent.
    pub(crate) fn main(&self) -> Option<PathBuf> {
        self.agent_id.as_ref()?;
        let folder = self.path.parent()?;
        // Older versions of Claude Code wrote them side by side.
        let folder = if folder.ends_with("subagents") {
            folder.parent()?.parent()?
        } else {
            folder
        };
        Some(folder.join(format!("{}.jsonl", self.session_id)))
    }
}

impl<'a> Layout<'a> {
    pub(crate) fn new(dir: &'a Dir) -> Self {
        let projects = dir.path.join("projects");
        let is_flat = dir.is_root && !projects.is_dir();
        Self {
            dir,
            projects: if is_flat { dir.path.clone() } else { projects },
            is_flat,
        }
    }

    /// Returns the directory that all transcripts are below.
    pub(crate) fn projects(&self) -> &Path {
        &self.projects
    }

    /// Returns the transcripts, those of sub-agents too. Links are left out. `enter` is called with each directory before
    /// it is read. Blocks.
    pub(crate) fn files(&self, enter: &mut dyn FnMut(&Path)) -> Vec<FoundFile> {
        let mut found = Vec::new();
        self.visit(&self.projects, enter, &mut found);
        found
    }

    /// Returns the transcripts below a directory, as [`Self::files`] does; `None` if it is not one of these.
    pub(crate) fn below(
        &self,
        folder: &Path,
        enter: &mut dyn FnMut(&Path),
    ) -> Option<Vec<FoundFile>> {
        self.depth(folder)?;
        let mut found = Vec::new();
        if self.may_have_transcripts(folder) {
            self.visit(folder, enter, &mut found);
        }
        Some(found)
    }

    fn visit(&self, folder: &Path, enter: &mut dyn FnMut(&Path), found: &mut Vec<FoundFile>) {
        enter(folder);
        let is_session = self.depth(folder) == Some(2) && !folder.ends_with("subagents");
        let entries = if is_session {
            // It may have many others, which do not matter.
            let agents = folder.join("subagents");
            let metadata = fs::symlink_metadata(&agents).into_iter();
            metadata
                .map(|metadata| (agents.clone(), metadata))
                .collect()
        } else {
            list(folder)
        };
        for (path, metadata) in entries {
            if !metadata.is_dir() {
                found.extend(self.found(&path, &metadata));
            } else if self.may_have_transcripts(&path) {
                self.visit(&path, enter, found);
            }
        }
    }

    /// Returns whether a directory is that of a project, of a session or of its sub-agents.
    fn may_have_transcripts(&self, folder: &Path) -> bool {
        match self.depth(folder) {
            Some(1 | 2) => true,
            Some(3) => folder.ends_with("subagents"),
            _ => false,
        }
    }

    /// Returns how deep a path is below the directory of projects.
    fn depth(&self, path: &Path) -> Option<usize> {
        let inside = path.strip_prefix(&self.projects).ok()?;
        Some(inside.iter().count())
    }

    /// Returns the directories that transcripts of sessions are in. Blocks.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let folders = list(&self.projects).into_iter();
        let folders = folders.filter(|(_, metadata)| metadata.is_dir());
        let own = self.is_flat.then(|| self.projects.clone());
        own.into_iter()
            .chain(folders.map(|(path, _)| path))
            .collect()
    }

    pub(crate) fn at(&self, path: &Path) -> Option<FoundFile> {
        let metadata = fs::symlink_metadata(path).ok()?;
        self.found(path, &metadata)
    }

    fn found(&self, path: &Path, metadata: &fs::Metadata) -> Option<FoundFile> {
        if !metadata.is_file() || path.extension().is_none_or(|end| end != "jsonl") {
            return None;
        }
        let name = text(path.file_stem().unwrap_or_default());
        let session = match self.session_of_agent(path)? {
            None if is_older_agent(path) => {
                Some(session_of_older_agent(path).unwrap_or_else(|| name.clone()))
            }
            session => session,
        };
        let (session_id, agent_id) = match session {
            Some(session) => (session, Some(name.trim_start_matches("agent-").to_owned())),
            None => (name, None),
        };
        Some(FoundFile {
            session_id,
            agent_id,
            parent_tool_use_id: None,
            is_import: path.parent()?.ends_with(IMPORTED),
            path: path.to_owned(),
            claude_dir: self.dir.path.clone(),
            device: metadata.dev(),
            inode: metadata.ino(),
            len: metadata.len(),
            modified: metadata
                .mtime()
                .saturating_mul(1_000_000_000)
                .saturating_add(metadata.mtime_nsec()),
        })
    }

    /// Returns the session whose sub-agent has its transcript at this path; `Some(None)` if it is the place of a session's
    /// own, `None` if it is that of neither.
    fn session_of_agent(&self, path: &Path) -> Option<Option<String>> {
        let inside = path.strip_prefix(&self.projects).ok()?.parent()?;
        let folders: Vec<&std::ffi::OsStr> = inside.iter().collect();
        match folders[..] {
            [_, session, agents] if agents == "subagents" => Some(Some(text(session))),
            [session, agents] if self.is_flat && agents == "subagents" => Some(Some(text(session))),
            [_] => Some(None),
            [] if self.is_flat => Some(None),
            _ => None,
        }
    }
}

fn list(dir: &Path) -> Vec<(PathBuf, fs::Metadata)> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let with_metadata = |entry: fs::DirEntry| Some((entry.path(), entry.metadata().ok()?));
    entries.filter_map(with_metadata).collect()
}

fn text(name: &std::ffi::OsStr) -> String {
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Returns session and sub-agent of each file that is found, in the order of paths; each must be found by its path too.
    fn found(dir: &Path, is_root: bool) -> Vec<String> {
        let path = dir.to_owned();
        let dir = Dir { path, is_root };
        let layout = Layout::new(&dir);
        let mut entered = Vec::new();
        let mut files = layout.files(&mut |folder| entered.push(folder.to_owned()));
        files.sort_by(|one, other| one.path.cmp(&other.path));
        for file in &files {
            assert_eq!(layout.at(&file.path).as_ref(), Some(file));
            // A directory that is new is looked through alone.
            let mut folders = file.path.ancestors().skip(1);
            let found = folders.find_map(|folder| layout.below(folder, &mut |_| ()));
            let is_in_none = file.path.parent() == Some(layout.projects());
            assert!(is_in_none || found.is_some_and(|found| found.contains(file)));
            assert!(
                entered
                    .iter()
                    .any(|folder| file.path.parent() == Some(folder))
            );
        }
        let name = |file: FoundFile| match file.agent_id {
            Some(agent) => format!("{}/{agent}", file.session_id),
            None => file.session_id,
        };
        files.into_iter().map(name).collect()
    }

    #[test]
    fn a_root_may_be_a_directory_of_claude_code_or_of_projects_or_one_project() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("projects/-srv-shop");
        fs::create_dir_all(project.join("s1/subagents")).unwrap();
        fs::create_dir_all(project.join("s1/tool-results")).unwrap();
        for name in [
            "s1.jsonl",
            "s1/subagents/agent-a1.jsonl",
            "s1/subagents/agent-a1.meta.json",
            "agent-b2.jsonl",
            "s1/tool-results/x.jsonl",
            "notes.txt",
            "../history.jsonl",
            "../../history.jsonl",
        ] {
            fs::write(project.join(name), "").unwrap();
        }
        let older = "{\"type\":\"summary\"}\n{\"sessionId\":\"s1\",\"isSidechain\":true}\n";
        fs::write(project.join("agent-c3.jsonl"), older).unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("s2.jsonl"), "").unwrap();
        symlink(outside.path(), folder.path().join("projects/linked")).unwrap();
        symlink(outside.path().join("s2.jsonl"), project.join("s2.jsonl")).unwrap();
        let all = ["agent-b2/b2", "s1/c3", "s1/a1", "s1"];
        assert_eq!(found(folder.path(), false), all);
        assert_eq!(found(folder.path(), true), all);
        let projects = found(&folder.path().join("projects"), true);
        let with_history = [&all[..], &["history"]].concat();
        assert_eq!(projects, with_history);
        assert_eq!(found(&project, true), all);
        assert!(found(&project, false).is_empty());
    }
}
