//! What a program inherits from the caller: environment, file mode mask, limits, and working directory.

use crate::Failure;
use crate::args::{DaemonPath, Given};
use crate::call::{elsewhere, is_elsewhere};
use crate::fields::Fields as _;
use crate::typed::typed;
use ccd_protocol::{Inherited, Resource, Umask};
use rustix::fs::Mode;
use rustix::process::{Resource as Rlimited, getrlimit, umask};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Length of the id of a repository, in hexadecimal digits.
const REPO_ID_LEN: usize = 16;
const TAPE_EXTENSION: &str = ".json5";

/// Returns what the program that this process asks for inherits from it, with a minimal environment if that is wanted. On
/// another host it is what `ccctl dial` over there has from its login, without the environment.
pub(crate) fn inherited(is_clean: bool) -> Result<Inherited, Failure> {
    if let Some(there) = elsewhere() {
        return Ok(there.inherited()?);
    }
    Ok(Inherited {
        caller_env: (!is_clean).then(environment),
        ..mask_and_limits()
    })
}

/// Returns the parameters of a method as its type; see [`values`].
pub(crate) fn of<P: DeserializeOwned>(args: &Given, names: &str) -> Result<P, Failure> {
    params(&values(args, names)?)
}

/// Returns the parameters of a method: the arguments `names` that are given, and what a program gets from the caller.
pub(crate) fn values(args: &Given, names: &str) -> Result<Value, Failure> {
    let mut params = json!(inherited(args.has("clean_env"))?);
    if args.is_given("timeout_ms") {
        params["timeout_ms"] = json!(args.timeout("timeout_ms"));
    }
    params["cwd"] = working_directory(args.word("cwd"))?.into();
    params["env"] = json!(args.variables());
    if let (Value::Object(all), Value::Object(given)) = (&mut params, args.pick(names)) {
        all.extend(given);
    }
    Ok(params)
}

/// Returns the parameters of a method as its type, whose defaults stand for what is not there.
pub(crate) fn params<P: DeserializeOwned>(all: &Value) -> Result<P, Failure> {
    typed(all).map_err(|error| Failure::Usage(error.to_string()))
}

/// Returns the file mode mask and the soft limits of this process.
pub(crate) fn mask_and_limits() -> Inherited {
    // It can only be read by setting it. Nothing else of this process makes files at this moment.
    let mask = umask(Mode::RWXG | Mode::RWXO);
    umask(mask);
    let limit = |resource: Resource| (resource, getrlimit(rlimited(resource)).current);
    Inherited {
        caller_env: None,
        umask: Some(Umask::of_bits(mask.bits() as _)),
        limits: Resource::ALL.map(limit).into(),
    }
}

fn rlimited(resource: Resource) -> Rlimited {
    match resource {
        Resource::As => Rlimited::As,
        Resource::Core => Rlimited::Core,
        Resource::Cpu => Rlimited::Cpu,
        Resource::Data => Rlimited::Data,
        Resource::Fsize => Rlimited::Fsize,
        Resource::Memlock => Rlimited::Memlock,
        Resource::Nofile => Rlimited::Nofile,
        Resource::Nproc => Rlimited::Nproc,
        Resource::Stack => Rlimited::Stack,
    }
}

/// Returns the environment. Variables that are not UTF-8 are left out: the wire is JSON.
fn environment() -> BTreeMap<String, String> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}

/// Returns the absolute path of `given`, or of the current directory; `None` for the home directory on another host.
/// It need not exist: the daemon's error names it.
pub(crate) fn working_directory(given: Option<&str>) -> Result<Option<String>, Failure> {
    match given {
        None if is_elsewhere() => Ok(None),
        given => absolute(Path::new(given.unwrap_or("."))).map(Some),
    }
}

/// Returns the absolute path of `given`, if it is given.
pub(crate) fn given_path(given: Option<&str>) -> Result<Option<String>, Failure> {
    given.map(|path| absolute(Path::new(path))).transpose()
}

/// Returns the absolute form of `path` for the daemon. On this host it is as [`absolute_here`] returns it.
pub(crate) fn absolute(path: &Path) -> Result<String, Failure> {
    if path.as_os_str().is_empty() {
        return Failure::usage("the path is empty; give another one");
    }
    if is_elsewhere() {
        over_there(path)
    } else {
        absolute_here(path)
    }
}

/// Returns what the daemon gets for an argument that is a path, or stands for one.
pub(crate) fn located(given: &str, kind: DaemonPath) -> Result<Value, Failure> {
    let path = Path::new(given);
    let is_relative = || given.starts_with("./") || given.starts_with("../");
    let is_path = match kind {
        DaemonPath::Directory => true,
        DaemonPath::Project => {
            !(given.len() == REPO_ID_LEN && given.bytes().all(|byte| byte.is_ascii_hexdigit()))
        }
        DaemonPath::Tape if path.is_absolute() || is_relative() => true,
        // The content is sent instead.
        DaemonPath::Text | DaemonPath::Document => false,
        DaemonPath::Tape => {
            given.ends_with(TAPE_EXTENSION) && !is_elsewhere() && path.symlink_metadata().is_ok()
        }
    };
    let located = if is_path {
        absolute(path)?
    } else {
        given.to_owned()
    };
    Ok(located.into())
}

/// Returns the directory of Claude Code that the user has chosen; the daemon's environment may have another one.
pub(crate) fn claude_dirs() -> Vec<String> {
    // That of this host says nothing about another one.
    let own = std::env::var("CLAUDE_CONFIG_DIR")
        .ok()
        .filter(|_| !is_elsewhere());
    let own = own.filter(|dir| Path::new(dir).is_absolute());
    own.into_iter().collect()
}

/// Returns the absolute form of a path on this host, without `..`, and with symbolic links resolved as far as it exists.
pub(crate) fn absolute_here(path: &Path) -> Result<String, Failure> {
    // Links are resolved, so that `--reuse` recognises a directory by either name.
    let path = std::fs::canonicalize(path)
        .or_else(|_| resolved(path))
        .map_err(Failure::io("the current directory"))?;
    text(path)
}

/// Resolves a path that does not exist, step by step: `..` after a link leads to the parent of the link's target.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    let mut resolved = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            Component::ParentDir => drop(resolved.pop()),
            part => resolved.push(part),
        }
        if let Ok(target) = std::fs::canonicalize(&resolved) {
            resolved = target;
        }
    }
    Ok(resolved)
}

/// A path on the other host, which has no current directory for this process.
fn over_there(path: &Path) -> Result<String, Failure> {
    if path.is_absolute() {
        return text(path.to_owned());
    }
    Failure::usage(format!(
        "{}: a relative path has no meaning on another host; give an absolute one",
        path.display()
    ))
}

/// Returns a path as the wire and command lines have it.
pub(crate) fn text(path: PathBuf) -> Result<String, Failure> {
    path.into_os_string()
        .into_string()
        .map_err(|path| Failure::Usage(format!("the path {path:?} is not UTF-8; give another one")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_start_at_the_root_whether_they_exist_or_not() {
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        let directory = |given| PathBuf::from(working_directory(given).unwrap().unwrap());
        assert_eq!(directory(None), here);
        assert_eq!(directory(Some("no/such")), here.join("no/such"));
        assert_eq!(directory(Some("/")), Path::new("/"));
        assert_eq!(given_path(Some("")).unwrap_err().exit(), crate::Exit::Usage);
        // Another host has only absolute paths.
        assert_eq!(over_there(Path::new("/no/../such")).unwrap(), "/no/../such");
        let relative = over_there(Path::new("x")).unwrap_err();
        assert_eq!(relative.exit(), crate::Exit::Usage);
    }

    #[test]
    fn the_daemon_gets_absolute_paths_and_ids_as_they_are() {
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        let here = |name: &str| here.join(name).to_str().unwrap().to_owned();
        for (given, kind, sent) in [
            ("a", DaemonPath::Directory, here("a")),
            (
                "0123456789abcdef",
                DaemonPath::Directory,
                here("0123456789abcdef"),
            ),
            (
                "0123456789abcdef",
                DaemonPath::Project,
                "0123456789abcdef".to_owned(),
            ),
            ("0123", DaemonPath::Project, here("0123")),
            ("bc", DaemonPath::Tape, "bc".to_owned()),
            ("./bc", DaemonPath::Tape, here("bc")),
            ("/t/bc", DaemonPath::Tape, "/t/bc".to_owned()),
            ("no.json5", DaemonPath::Tape, "no.json5".to_owned()),
        ] {
            assert_eq!(located(given, kind).unwrap(), sent, "{given}");
        }
    }

    #[test]
    fn a_path_that_does_not_exist_has_no_dots() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("real/deep")).unwrap();
        std::os::unix::fs::symlink("real/deep", base.join("link")).unwrap();
        for (given, expected) in [
            ("new", "new"),
            ("real/../new", "new"),
            ("./real/./new/", "real/new"),
            ("no/such/../../new", "new"),
            ("no/../link/new", "real/deep/new"),
            ("link/../new", "real/new"),
            ("link/no/../../new", "real/new"),
        ] {
            let absolute = absolute_here(&base.join(given)).unwrap();
            assert_eq!(Path::new(&absolute), base.join(expected), "{given}");
        }
        assert_eq!(absolute_here(Path::new("/../no-such")).unwrap(), "/no-such");
        let above = std::env::current_dir().unwrap().canonicalize().unwrap();
        let above = above.parent().unwrap().join("no-such");
        let absolute = absolute_here(Path::new("../no-such")).unwrap();
        assert_eq!(Path::new(&absolute), above);
    }
}
