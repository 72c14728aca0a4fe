//! Which files a subscriber follows.

use crate::line::read;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// How much of a transcript is read to find the directory that it was started in.
const HEAD_BYTES: u64 = 4 << 20;

/// The files of one conversation, or of directories of Claude Code.
#[derive(Debug, Clone)]
pub(crate) enum Area {
    /// A transcript or a stream.
    Conversation(PathBuf),
    Dirs {
        claude_dirs: Vec<PathBuf>,
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
    pub(super) fn projects(&self) -> Vec<PathBuf> {
        match self {
            Self::Conversation(_) => Vec::new(),
            Self::Dirs { claude_dirs, .. } => {
                claude_dirs.iter().map(|dir| dir.join("projects")).collect()
            }
        }
    }

    /// Names the directories whose changes matter, each before it is read.
    pub(super) fn folders(&self, ask: &mut dyn FnMut(&Path)) {
        match self {
            Self::Conversation(main) => {
                main.parent().into_iter().for_each(&mut *ask);
                let own = main.with_extension("");
                ask(&own);
                ask(&own.join("subagents"));
            }
            Self::Dirs { .. } => {
                for projects in self.projects() {
                    ask(&projects);
                    for project in folders_in(&projects) {
                        ask(&project);
                        for session in folders_in(&project) {
                            ask(&session);
                            ask(&session.join("subagents"));
                        }
                    }
                }
            }
        }
    }

    /// Returns the files that exist. Links are left out.
    pub(super) fn files(&self) -> Vec<AreaFile> {
        let mut files = Vec::new();
        match self {
            Self::Conversation(main) => {
                files.push(AreaFile {
                    path: main.clone(),
                    main: None,
                });
                add_agents(&main.with_extension(""), main, &mut files);
            }
            Self::Dirs { .. } => {
                let projects = self.projects();
                for project in projects.iter().flat_map(|projects| folders_in(projects)) {
                    let mains = transcripts_in(&project);
                    files.extend(mains.map(|path| AreaFile { path, main: None }));
                    for session in folders_in(&project) {
                        add_agents(&session, &session.with_extension("jsonl"), &mut files);
                    }
                }
            }
        }
        files
    }

    /// Returns the file at a path, if it is one of the area by its place.
    pub(super) fn file_at(&self, path: &Path) -> Option<AreaFile> {
        let folder = path.parent()?;
        let main = if folder.file_name().is_some_and(|name| name == "subagents") {
            Some(folder.parent()?.with_extension("jsonl"))
        } else {
            None
        };
        let file = AreaFile {
            path: path.to_owned(),
            main,
        };
        let is_in = match self {
            // A stream may have any name; its sub-agents are beside it all the same.
            Self::Conversation(main) => {
                path == main || folder == main.with_extension("").join("subagents")
            }
            Self::Dirs { .. } => {
                let projects = file.main().parent().and_then(Path::parent);
                let known = self.projects();
                known.iter().any(|known| projects == Some(known.as_path()))
            }
        };
        let is_file = || fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
        (is_in && (self.is_main(path) || is_file())).then_some(file)
    }

    pub(super) fn main(&self) -> Option<&Path> {
        match self {
            Self::Conversation(main) => Some(main),
            Self::Dirs { .. } => None,
        }
    }

    pub(super) fn is_main(&self, path: &Path) -> bool {
        self.main() == Some(path)
    }

    /// Returns whether conversations belong to the area only by the directory that they were started in.
    pub(super) fn is_of_project(&self) -> bool {
        matches!(
            self,
            Self::Dirs {
                project: Some(_),
                ..
            }
        )
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

fn add_agents(session: &Path, main: &Path, files: &mut Vec<AreaFile>) {
    let agents = transcripts_in(&session.join("subagents"));
    files.extend(agents.map(|path| AreaFile {
        path,
        main: Some(main.to_owned()),
    }));
}

fn folders_in(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

fn transcripts_in(dir: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let paths = files.map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
}

fn cwd_of(main: &Path) -> Option<String> {
    let mut head = BufReader::new(fs::File::open(main).ok()?.take(HEAD_BYTES));
    let mut line = Vec::new();
    loop {
        line.clear();
        if head.read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        let end = line.len() - usize::from(line.last() == Some(&b'\n'));
        if let Some(cwd) = read(&line[..end]).ok().and_then(|line| line.cwd) {
            return Some(cwd.into_owned());
        }
    }
}
