//! Which files a subscriber follows.

use crate::line::read;
use crate::source::{Dir, FoundFile, Layout, first_in, transcripts_in};
use std::fs;
use std::path::{Path, PathBuf};

/// How much of a transcript is read to find the directory that it was started in.
const HEAD_BYTES: u64 = 4 << 20;

/// The files of one conversation, or of directories of Claude Code.
#[derive(Debug, Clone)]
pub(crate) enum Area {
    /// A transcript or a stream.
    Conversation(PathBuf),
    Dirs {
        dirs: Vec<Dir>,
        /// Only conversations that were started in this directory or below it.
        project: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AreaFile {
    pub(super) path: PathBuf,
    /// The transcript of the session itself, if it is that of a sub-agent.
    pub(super) main: Option<PathBuf>,
}

impl From<FoundFile> for AreaFile {
    fn from(file: FoundFile) -> Self {
        Self {
            main: file.main(),
            path: file.path,
        }
    }
}

impl AreaFile {
    pub(super) fn main(&self) -> &Path {
        self.main.as_deref().unwrap_or(&self.path)
    }

    /// Returns the session that the file's place says it is of.
    pub(super) fn session_id(&self) -> String {
        let name = self.main().file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

impl Area {
    /// Names the directories whose changes matter, each before it is read.
    pub(super) fn folders(&self, ask: &mut dyn FnMut(&Path)) {
        match self {
            Self::Conversation(main) => {
                main.parent().into_iter().for_each(&mut *ask);
                ask(&main.with_extension(""));
                ask(&agents_of(main));
            }
            Self::Dirs { dirs, .. } => {
                for dir in dirs {
                    Layout::new(dir).files(ask);
                }
            }
        }
    }

    /// Returns the directories of projects that are not there yet.
    pub(super) fn missing(&self) -> Vec<PathBuf> {
        let Self::Dirs { dirs, .. } = self else {
            return Vec::new();
        };
        let projects = dirs
            .iter()
            .map(|dir| Layout::new(dir).projects().to_owned());
        projects.filter(|projects| !projects.is_dir()).collect()
    }

    /// Returns the files that exist. Links are left out.
    pub(super) fn files(&self) -> Vec<AreaFile> {
        match self {
            Self::Conversation(main) => {
                let agents = transcripts_in(&agents_of(main)).into_iter();
                let agent = |path| AreaFile {
                    path,
                    main: Some(main.clone()),
                };
                let main = AreaFile {
                    path: main.clone(),
                    main: None,
                };
                std::iter::once(main).chain(agents.map(agent)).collect()
            }
            Self::Dirs { dirs, .. } => {
                let found = dirs.iter().flat_map(Dir::files);
                found.map(AreaFile::from).collect()
            }
        }
    }

    /// Returns the file at a path, if it is one of the area by its place.
    pub(super) fn file_at(&self, path: &Path) -> Option<AreaFile> {
        let main = match self {
            Self::Dirs { dirs, .. } => {
                let mut found = dirs.iter().filter_map(|dir| Layout::new(dir).at(path));
                return found.next().map(AreaFile::from);
            }
            Self::Conversation(main) => main,
        };
        let is_main = path == main;
        // A stream may have any name; its sub-agents are beside it all the same.
        let is_agent = || {
            path.parent() == Some(&*agents_of(main))
                && fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
        };
        (is_main || is_agent()).then(|| AreaFile {
            path: path.to_owned(),
            main: (!is_main).then(|| main.clone()),
        })
    }

    pub(super) fn main(&self) -> Option<&Path> {
        match self {
            Self::Conversation(main) => Some(main),
            Self::Dirs { .. } => None,
        }
    }

    /// Returns whether a conversation belongs to the area by the directory that it was started in; `None` if its
    /// transcript does not say yet.
    pub(super) fn has(&self, main: &Path) -> Option<bool> {
        let Self::Dirs {
            project: Some(project),
            ..
        } = self
        else {
            return Some(true);
        };
        let cwd = cwd_of(main)?;
        let project = project.trim_end_matches('/');
        let rest = cwd.strip_prefix(project);
        Some(rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }
}

fn agents_of(main: &Path) -> PathBuf {
    main.with_extension("").join("subagents")
}

fn cwd_of(main: &Path) -> Option<String> {
    first_in(main, HEAD_BYTES, |line| {
        let cwd = read(line).ok()?.cwd?;
        Some(cwd.into_owned())
    })
}
