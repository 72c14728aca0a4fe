use super::check::{Checked, check};
use super::keys::Config;
use super::remark::Remark;
use ccd_protocol::daemon::ConfigCheckReply;
use ccd_text::redact::UserRules;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// Maximum size of a configuration file, in bytes: the complete example has a few thousand.
const MAX_FILE_BYTES: usize = 64 * 1024;

const FILE_NAME: &str = "config.json";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("the configuration {} does not exist{}", .path.display(), .named_by.map(|by| format!(" (named by {by})")).unwrap_or_default())]
    Missing {
        path: PathBuf,
        named_by: Option<&'static str>,
    },
    #[error("the configuration {} cannot be read: {why}", .path.display())]
    Read { path: PathBuf, why: String },
    #[error("the configuration {} is not a regular file", .path.display())]
    NotAFile { path: PathBuf },
    #[error("the configuration {} is larger than {MAX_FILE_BYTES} bytes", .path.display())]
    TooLarge { path: PathBuf },
    #[error("{}", lines(.path, .mistakes).join("\n"))]
    Invalid {
        path: PathBuf,
        /// At least one.
        mistakes: Vec<Remark>,
    },
}

impl ConfigError {
    pub(crate) fn in_one_line(&self) -> String {
        self.to_string().replace('\n', "; ")
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Loaded {
    pub(crate) config: Config,
    /// The dotted keys that the file sets.
    pub(crate) set: BTreeSet<&'static str>,
    pub(crate) warnings: Vec<Remark>,
    pub(crate) path: Option<PathBuf>,
    /// Why it was not used.
    pub(super) refused: Option<String>,
}

/// The first file that exists, as it was read; `None` if there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot(Option<Result<(PathBuf, Vec<u8>), ConfigError>>);

/// The paths at which a configuration may be; only the first file that exists is read.
#[derive(Debug, Clone)]
pub(crate) struct Sources {
    candidates: Vec<Candidate>,
}

#[derive(Debug, Clone)]
struct Candidate {
    path: PathBuf,
    /// The option or variable that names the file, if any; such a file must exist.
    named_by: Option<&'static str>,
}

impl Sources {
    /// Returns the sources: only `flag` (`--config`) or `$CCD_CONFIG`, else the platform's directory and `base`.
    pub(crate) fn from_env(
        flag: Option<PathBuf>,
        env: impl Fn(&str) -> Option<OsString>,
        base: &Path,
    ) -> Self {
        let variable = || {
            let value = env("CCD_CONFIG").filter(|value| !value.is_empty())?;
            Some((PathBuf::from(value), "$CCD_CONFIG"))
        };
        let named = flag.map(|path| (path, "--config")).or_else(variable);
        let candidates = match named {
            Some((path, named_by)) => vec![Candidate {
                // A reload must find the same file even if the daemon's working directory has changed.
                path: std::path::absolute(&path).unwrap_or(path),
                named_by: Some(named_by),
            }],
            None => platform_folder()
                .into_iter()
                .chain([base.to_owned()])
                .map(|folder| Candidate {
                    path: folder.join(FILE_NAME),
                    named_by: None,
                })
                .collect(),
        };
        Self { candidates }
    }

    /// Returns the file that [`Self::read`] would read, if there is one.
    pub(crate) fn current(&self) -> Option<PathBuf> {
        let mut paths = self.candidates.iter().map(|candidate| &candidate.path);
        paths.find(|path| path.exists()).cloned()
    }

    /// Returns the paths, whether or not the files exist.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.candidates
            .iter()
            .map(|candidate| candidate.path.as_path())
    }

    /// Reads the first file that exists.
    pub(crate) fn read(&self) -> Snapshot {
        let mut found = self.candidates.iter().filter_map(|candidate| {
            let Candidate { path, named_by } = candidate;
            match (read(path), *named_by) {
                (Err(ConfigError::Missing { .. }), None) => None,
                (Err(ConfigError::Missing { path, .. }), named_by) => {
                    Some(Err(ConfigError::Missing { path, named_by }))
                }
                (bytes, _) => Some(bytes.map(|bytes| (path.clone(), bytes))),
            }
        });
        Snapshot(found.next())
    }
}

impl Snapshot {
    /// Checks what was read; without a file, all values are defaults.
    pub(crate) fn load(&self) -> Result<Loaded, ConfigError> {
        match &self.0 {
            Some(Ok((path, bytes))) => Loaded::new(check(bytes), path),
            Some(Err(error)) => Err(error.clone()),
            None => Ok(Loaded::default()),
        }
    }
}

impl Loaded {
    fn new(checked: Checked, path: &Path) -> Result<Self, ConfigError> {
        let path = path.to_owned();
        if !checked.mistakes.is_empty() {
            let mistakes = checked.mistakes;
            return Err(ConfigError::Invalid { path, mistakes });
        }
        Ok(Self {
            config: checked.config,
            set: checked.set,
            warnings: checked.warnings,
            path: Some(path),
            refused: None,
        })
    }

    /// Returns the defaults, for a process that must start although its configuration is invalid.
    pub(crate) fn in_spite_of(error: &ConfigError) -> Self {
        let error = error.in_one_line();
        Self {
            refused: Some(format!(
                "the configuration was rejected; the defaults apply until it is corrected: {error}"
            )),
            ..Self::default()
        }
    }

    /// Returns the file's path as text.
    pub(crate) fn path_text(&self) -> Option<String> {
        let path = self.path.as_deref()?;
        Some(path.to_string_lossy().into_owned())
    }

    pub(crate) fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    pub(crate) fn use_redact_rules(&self) {
        match UserRules::new(&self.config.replay.redact_rules) {
            Ok(rules) => rules.put_in_force(),
            // Does not happen: the rules were compiled when the file was checked.
            Err(error) => {
                tracing::error!(%error, "the rules of replay.redact_rules are not applied");
            }
        }
    }

    /// Returns the warnings as `file:line:column: text`.
    pub(crate) fn warning_lines(&self) -> Vec<String> {
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        let mut warnings = lines(path, &self.warnings);
        warnings.extend(self.refused.clone());
        warnings
    }
}

/// Returns all mistakes and warnings of the file at `path`, each as `file:line:column: text`.
/// A file that cannot be read is one error.
pub(crate) fn check_file(path: &Path) -> ConfigCheckReply {
    let (errors, warnings) = match read(path) {
        Ok(bytes) => {
            let checked = check(&bytes);
            (
                lines(path, &checked.mistakes),
                lines(path, &checked.warnings),
            )
        }
        Err(error) => (vec![error.to_string()], Vec::new()),
    };
    ConfigCheckReply {
        path: Some(path.display().to_string()),
        errors,
        warnings,
    }
}

fn platform_folder() -> Option<PathBuf> {
    let folders = directories::BaseDirs::new()?;
    Some(folders.config_dir().join("ccd"))
}

fn lines(path: &Path, notes: &[Remark]) -> Vec<String> {
    let line = |note| format!("{}:{note}", path.display());
    notes.iter().map(line).collect()
}

fn read(path: &Path) -> Result<Vec<u8>, ConfigError> {
    let failed = |error: io::Error| {
        let path = path.to_owned();
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => ConfigError::Missing {
                path,
                named_by: None,
            },
            _ => ConfigError::Read {
                path,
                why: error.to_string(),
            },
        }
    };
    // Checked first, because opening a named pipe would wait for its writer.
    if !path.metadata().map_err(failed)?.is_file() {
        return Err(ConfigError::NotAFile {
            path: path.to_owned(),
        });
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes))
        .map_err(failed)?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(ConfigError::TooLarge {
            path: path.to_owned(),
        });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn sources(paths: &[&Path], named_by: Option<&'static str>) -> Sources {
        let candidate = |path: &&Path| Candidate {
            path: path.to_path_buf(),
            named_by,
        };
        Sources {
            candidates: paths.iter().map(candidate).collect(),
        }
    }

    #[test]
    fn the_first_file_found_is_the_only_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("b"), "{ max_sessions: 2 }").unwrap();
        fs::write(path("c"), "{ max_sessions: 3, log_level: 'debug' }").unwrap();
        let loaded = sources(&[&path("a"), &path("b"), &path("c")], None)
            .read()
            .load()
            .unwrap();
        assert_eq!(loaded.config.max_sessions, Some(2));
        assert_eq!(Vec::from_iter(loaded.set), ["max_sessions"]);
        assert_eq!(loaded.path, Some(path("b")));
    }

    #[test]
    fn without_a_file_there_are_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let loaded = sources(&[&folder.path().join("none")], None)
            .read()
            .load()
            .unwrap();
        assert_eq!(loaded.config, Config::default());
        assert!(loaded.path.is_none() && loaded.set.is_empty());
    }

    #[test]
    fn a_named_file_must_exist() {
        let env = |name: &str| (name == "CCD_CONFIG").then(|| "/nowhere/at/all.json".into());
        let error = Sources::from_env(None, env, Path::new("/base"))
            .read()
            .load()
            .unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("/nowhere/at/all.json") && text.contains("$CCD_CONFIG"),
            "{text}"
        );
        let flag = Some(PathBuf::from("/nowhere/else.json"));
        let error = Sources::from_env(flag, env, Path::new("/base"))
            .read()
            .load()
            .unwrap_err();
        assert!(error.to_string().contains("--config"), "{error}");
    }

    #[test]
    fn mistakes_carry_file_line_and_column() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.json");
        fs::write(&path, "{\n  max_sessions: true, rows: 1,\n}").unwrap();
        let error = sources(&[&path], None)
            .read()
            .load()
            .unwrap_err()
            .to_string();
        let place = format!("{}:2:17: max_sessions must be", path.display());
        assert!(error.starts_with(&place), "{error}");
        let reply = check_file(&path);
        assert_eq!(reply.errors, [error]);
        let warning = format!("{}:2:23: unknown key rows", path.display());
        assert!(reply.warnings[0].starts_with(&warning), "{reply:?}");
    }

    #[test]
    fn only_small_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let error = sources(&[folder.path()], None).read().load().unwrap_err();
        assert!(matches!(error, ConfigError::NotAFile { .. }), "{error}");
        let large = folder.path().join("large");
        fs::write(&large, " ".repeat(MAX_FILE_BYTES + 1)).unwrap();
        let error = sources(&[&large], None).read().load().unwrap_err();
        assert!(matches!(error, ConfigError::TooLarge { .. }), "{error}");
        let reply = check_file(&folder.path().join("none"));
        assert_eq!(reply.errors.len(), 1);
    }
}
