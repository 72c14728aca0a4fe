//! The program that is asked, with its arguments and environment.

use ccd_base::shell::quoted;
use ccd_protocol::{ErrorCode, ErrorData, Inherited, Reportable};
use rustix::fs::{Access, access};
use serde_json::json;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Programs that run commands: only their help is read, because a word at their prompt is a program.
const SHELLS: [&str; 16] = [
    "sh", "bash", "zsh", "fish", "dash", "ksh", "mksh", "ash", "csh", "tcsh", "rbash", "nu",
    "xonsh", "elvish", "pwsh", "su",
];

/// Other programs that run a script which is named in their arguments.
const INTERPRETERS: [&str; 9] = [
    "python", "node", "perl", "ruby", "lua", "php", "tclsh", "Rscript", "deno",
];

/// Larger files are not copied: the program gets the caller's.
const MAX_COPIED_BYTES: u64 = 16 << 20;

/// Where a program is looked up if the caller's environment has no PATH.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    #[error("{program:?} is no program on PATH and no file that can be executed")]
    NotFound { program: String },
    #[error("{program:?} is a directory; give the path of a program")]
    IsDirectory { program: String },
    #[error("{program:?} is not executable; run chmod +x on it, or put its interpreter before it")]
    NotExecutable { program: String },
    #[error(
        "--sandbox needs bubblewrap: install the package bubblewrap, which has the program bwrap"
    )]
    NoSandbox,
    #[error(
        "bubblewrap cannot make a sandbox on this system: {why}; allow unprivileged user namespaces, or leave out --sandbox"
    )]
    SandboxFails { why: String },
    #[error("cwd {0:?} is not an absolute path")]
    Cwd(String),
}

impl Reportable for TargetError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound { .. } | Self::IsDirectory { .. } | Self::NotExecutable { .. } => {
                ErrorCode::TargetNotFound
            }
            Self::NoSandbox | Self::SandboxFails { .. } => ErrorCode::SandboxUnavailable,
            Self::Cwd(_) => ErrorCode::InvalidArgument,
        }
    }

    fn hint(&self) -> Option<&str> {
        None
    }

    fn data(&self) -> ErrorData {
        match self {
            Self::NotFound { program }
            | Self::IsDirectory { program }
            | Self::NotExecutable { program } => {
                ErrorData::from_iter([("program".into(), json!(program))])
            }
            _ => ErrorData::new(),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Target {
    /// As the caller named it.
    pub program: String,
    pub args: Vec<String>,
    pub(super) path: PathBuf,
    /// The arguments; a script, and what cannot be copied, with the absolute path.
    pub(super) resolved_args: Vec<String>,
    /// Files of the caller that arguments name: each copy of the program gets copies of them, so that it cannot change
    /// the caller's. With their paths relative to the directory of the copy.
    files: Vec<(String, PathBuf)>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) inherited: Inherited,
    /// Path of bubblewrap.
    pub(super) sandbox: Option<PathBuf>,
}

impl Target {
    /// Looks a program up, relative to the caller's directory and on the caller's PATH.
    pub fn find(
        program: &str,
        args: &[String],
        cwd: Option<&str>,
        env: BTreeMap<String, String>,
        inherited: Inherited,
        sandbox: bool,
    ) -> Result<Self, TargetError> {
        if let Some(cwd) = cwd.filter(|cwd| !cwd.starts_with('/')) {
            return Err(TargetError::Cwd(cwd.to_owned()));
        }
        let path_of_caller = inherited
            .caller_env
            .as_ref()
            .and_then(|env| env.get("PATH"));
        let path = env.get("PATH").or(path_of_caller);
        let path = path.map_or(DEFAULT_PATH, String::as_str);
        let found = executable(program, cwd, path).ok_or_else(|| not_found(program, cwd))?;
        let bubblewrap =
            sandbox.then(|| executable("bwrap", None, path).ok_or(TargetError::NoSandbox));
        let mut target = Self {
            program: program.to_owned(),
            args: args.to_vec(),
            path: found,
            resolved_args: args.iter().map(|arg| absolute(arg, cwd)).collect(),
            files: Vec::new(),
            env,
            inherited,
            sandbox: bubblewrap.transpose()?,
        };
        target.find_files();
        Ok(target)
    }

    /// Finds the files that are copied: those that arguments name relative to the caller's directory.
    fn find_files(&mut self) {
        for at in self.script().len()..self.args.len() {
            let (arg, path) = (&self.args[at], &self.resolved_args[at]);
            let mut parts = Path::new(arg).components();
            let is_inside =
                parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            let is_small = || {
                Path::new(path)
                    .metadata()
                    .is_ok_and(|file| file.len() <= MAX_COPIED_BYTES)
            };
            if arg != path && is_inside && is_small() {
                self.files.push((arg.clone(), path.into()));
                self.resolved_args[at].clone_from(arg);
            }
        }
    }

    /// Copies the files into the directory of a copy, unless they are there.
    pub(super) fn copy_files(&self, folder: &Path) -> std::io::Result<()> {
        for (name, path) in &self.files {
            let copy = folder.join(name);
            if let Some(parent) = copy.parent() {
                std::fs::create_dir_all(parent)?;
            }
            if !copy.exists() {
                std::fs::copy(path, &copy)?;
            }
        }
        Ok(())
    }

    /// Returns the paths below `/tmp`, which the sandbox hides, that the program needs: its directory, or only itself
    /// if that is `/tmp`, and files that arguments name.
    pub(super) fn hidden_by_sandbox(&self) -> Vec<String> {
        let tmp = Path::new("/tmp");
        let folder = self.path.parent().filter(|folder| *folder != tmp);
        let program = folder.unwrap_or(&self.path);
        let args = self.resolved_args.iter().map(Path::new);
        std::iter::once(program)
            .chain(args)
            .filter(|path| path.starts_with(tmp) && path.exists())
            .map(|path| path.to_string_lossy().into_owned())
            .collect()
    }

    /// Returns the arguments with which it is started, and one more after them.
    pub fn args_and(&self, more: &str) -> Vec<String> {
        let args = self.resolved_args.iter().cloned();
        args.chain([more.to_owned()]).collect()
    }

    /// Returns the command line with other arguments, as safe mode judges it.
    pub fn command_line(&self, args: &[String]) -> String {
        let words = std::iter::once(self.name()).chain(args.iter().map(String::as_str));
        words.map(quoted).collect::<Vec<_>>().join(" ")
    }

    pub fn name(&self) -> &str {
        let name = Path::new(&self.program).file_name().and_then(OsStr::to_str);
        name.unwrap_or(&self.program)
    }

    /// Returns whether what is typed at its prompt are programs to run.
    pub fn is_shell(&self) -> bool {
        is_shell(self.name()) && self.script().is_empty()
    }

    /// Returns the arguments up to the script that an interpreter runs, which is then what is asked; none otherwise.
    pub fn script(&self) -> &[String] {
        let name = self
            .name()
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let args = &self.resolved_args;
        let script = args.iter().position(|arg| !arg.starts_with('-'));
        match script {
            Some(at) if is_interpreter(name) && Path::new(&args[at]).is_file() => &args[..=at],
            _ => &[],
        }
    }
}

pub(crate) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name.trim_start_matches('-'))
}

fn is_interpreter(name: &str) -> bool {
    is_shell(name) || INTERPRETERS.contains(&name)
}

fn executable(program: &str, cwd: Option<&str>, path: &str) -> Option<PathBuf> {
    if program.is_empty() {
        return None;
    }
    let is_program = |path: &PathBuf| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    if program.contains('/') {
        let path = Path::new(cwd.unwrap_or("/")).join(program);
        return Some(path).filter(is_program);
    }
    let mut folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.find_map(|folder| Some(folder.join(program)).filter(is_program))
}

/// Returns why there is no program of this name. What is on the PATH and cannot be executed counts as missing there.
fn not_found(program: &str, cwd: Option<&str>) -> TargetError {
    let is_path = program.contains('/');
    let path = Path::new(cwd.unwrap_or("/")).join(program);
    let program = program.to_owned();
    match path.metadata().ok().filter(|_| is_path) {
        Some(found) if found.is_dir() => TargetError::IsDirectory { program },
        Some(_) => TargetError::NotExecutable { program },
        None => TargetError::NotFound { program },
    }
}

/// Returns the absolute path of a file of the caller, as the program runs elsewhere; anything else as it is.
fn absolute(arg: &str, cwd: Option<&str>) -> String {
    let Some(cwd) = cwd.filter(|_| !arg.is_empty() && !arg.starts_with(['-', '/'])) else {
        return arg.to_owned();
    };
    let path = Path::new(cwd).join(arg);
    match path.to_str() {
        Some(text) if path.is_file() => text.to_owned(),
        _ => arg.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safety::refusal;

    fn find(program: &str, args: &[&str], cwd: &Path) -> Result<Target, TargetError> {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        Target::find(
            program,
            &args,
            cwd.to_str(),
            BTreeMap::new(),
            Inherited::default(),
            false,
        )
    }

    #[test]
    fn a_further_argument_is_judged_with_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shutdown");
        std::os::unix::fs::symlink("/bin/true", path).unwrap();
        let target = find("./shutdown", &["--help"], folder.path()).unwrap();
        let refused = |args: &[String]| refusal(&target.command_line(args)).is_some();
        assert!(!refused(&target.args));
        assert!(refused(&["-h".to_owned()]) && refused(&["help".to_owned()]));
    }

    #[test]
    fn programs_and_files_are_those_of_the_caller() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("x.py"), "").unwrap();
        let target = find("sh", &["x.py", "-c", "none.py"], folder.path()).unwrap();
        let file = folder.path().join("x.py").to_str().unwrap().to_owned();
        assert_eq!(target.resolved_args, [file.as_str(), "-c", "none.py"]);
        assert!(!target.is_shell() && target.path.is_absolute());
        assert_eq!(target.script(), [file.as_str()]);
        let shell = find("sh", &["-c", "none.py"], folder.path()).unwrap();
        assert!(shell.is_shell() && shell.script().is_empty());
        // Other files are copied.
        std::fs::create_dir(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/b"), "text").unwrap();
        let target = find("cat", &["./a/b", "none", "a"], folder.path()).unwrap();
        assert_eq!(target.resolved_args, ["./a/b", "none", "a"]);
        let copies = tempfile::tempdir().unwrap();
        target.copy_files(copies.path()).unwrap();
        std::fs::write(copies.path().join("a/b"), "changed").unwrap();
        target.copy_files(copies.path()).unwrap();
        let text = |folder: &Path| std::fs::read_to_string(folder.join("a/b")).unwrap();
        assert_eq!(
            (text(copies.path()), text(folder.path())),
            ("changed".into(), "text".into())
        );
        let missing = "is no program on PATH and no file that can be executed";
        for (name, why) in [
            ("", missing),
            ("no-such-program-4711", missing),
            ("./none", missing),
            (".", missing),
            ("x.py", missing),
            ("./x.py", "is not executable; run chmod +x on it"),
            ("./a", "is a directory"),
            ("/", "is a directory"),
        ] {
            let error = find(name, &[], folder.path()).unwrap_err();
            assert_eq!(error.code(), ErrorCode::TargetNotFound);
            assert!(error.to_string().contains(why), "{name}: {error}");
        }
        let relative = Target::find(
            "sh",
            &[],
            Some("a"),
            BTreeMap::new(),
            Inherited::default(),
            false,
        );
        assert!(matches!(relative, Err(TargetError::Cwd(_))));
    }
}
