//! The installed Claude Code, as far as its files tell: running it takes longer than everything else together.

use super::command::on_path;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A `claude` on PATH.
#[derive(Debug)]
pub(super) struct Claude {
    pub(super) path: PathBuf,
    /// `None` if the files do not tell it.
    pub(super) version: Option<String>,
}

impl Claude {
    /// Finds it.
    pub(super) fn find() -> Option<Self> {
        let path = on_path(OsStr::new("claude"))?;
        let version = version_of(&path);
        Some(Self { path, version })
    }
}

/// The version of the program at `path`: the name of the file that it links to (`versions/2.1.0`), or that of its package.
fn version_of(path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    let mut names = real.iter().rev().take(2).filter_map(OsStr::to_str);
    let named = names.find(|name| is_version(name)).map(str::to_owned);
    named.or_else(|| {
        // .../claude-code/cli.js, or .../claude-code/bin/claude.
        let packages = real.ancestors().skip(1).take(2);
        packages.filter_map(of_package).next()
    })
}

fn of_package(folder: &Path) -> Option<String> {
    let text = std::fs::read(folder.join("package.json")).ok()?;
    let package: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let is_it = package["name"].as_str()?.ends_with("claude-code");
    package["version"]
        .as_str()
        .filter(|_| is_it)
        .map(str::to_owned)
}

fn is_version(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_version_is_found_in_the_path_or_the_package() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("versions")).unwrap();
        fs::create_dir_all(path("claude-code/bin")).unwrap();
        fs::write(path("versions/2.1.197"), "").unwrap();
        symlink(path("versions/2.1.197"), path("claude")).unwrap();
        assert_eq!(version_of(&path("claude")).as_deref(), Some("2.1.197"));
        let package = r#"{"name": "@anthropic-ai/claude-code", "version": "2.1.9"}"#;
        fs::write(path("claude-code/package.json"), package).unwrap();
        for program in ["claude-code/cli.js", "claude-code/bin/claude"] {
            fs::write(path(program), "").unwrap();
            assert_eq!(version_of(&path(program)).as_deref(), Some("2.1.9"));
        }
        fs::write(path("other"), "").unwrap();
        assert_eq!(version_of(&path("other")), None);
        assert_eq!(version_of(&path("none")), None);
    }
}
