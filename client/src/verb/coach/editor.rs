//! The user's editor on the words of a candidate.

use super::form::{changes, form};
use crate::Failure;
use serde_json::Value;
use signal_hook::consts::{SIGINT, SIGQUIT};
use signal_hook::flag::register_conditional_default;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Opens the words of a candidate in the user's editor, and returns those that were changed; `None` if none were.
pub(super) fn reword(candidate: &Value) -> Result<Option<Value>, Failure> {
    let text = edited(&form(candidate), &editor())?;
    changes(candidate, &text)
        .map_err(|mistake| Failure::Failed(format!("coach edit: {mistake}; nothing was changed")))
}

/// The editor that git would use without a configuration.
fn editor() -> String {
    ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
        .unwrap_or_else(|| "vi".to_owned())
}

fn edited(text: &str, editor: &str) -> Result<String, Failure> {
    let file = Draft::new(text).map_err(Failure::io("a file for the editor"))?;
    let _guard = LeaveInterrupts::to_the_editor();
    // The variable may contain arguments, so a shell splits it. The shell must outlive Ctrl-C too, while the editor gets
    // the signal as usual.
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("trap : INT QUIT; {editor} \"$@\""))
        .args([editor.as_ref(), file.path.as_os_str()])
        .status()
        .map_err(Failure::io("sh"))?;
    if !status.success() {
        return Failure::failed(format!(
            "coach edit: the editor {editor:?} failed ({status}); nothing was changed"
        ));
    }
    fs::read_to_string(&file.path).map_err(Failure::io(file.path.display()))
}

/// A file that only this user can read, and that is removed at the end.
struct Draft {
    path: PathBuf,
}

impl Draft {
    fn new(text: &str) -> io::Result<Self> {
        let directory = std::env::temp_dir();
        let mut number = 0;
        loop {
            let name = format!("ccctl-coach-{}-{number}.txt", std::process::id());
            match Self::at(&directory.join(name), text) {
                // Left over from a process with this id.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 100 => {
                    number += 1;
                }
                made => return made,
            }
        }
    }

    fn at(path: &Path, text: &str) -> io::Result<Self> {
        let mut file = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        let draft = Self {
            path: path.to_owned(),
        };
        file.write_all(text.as_bytes())?;
        Ok(draft)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// While this exists, Ctrl-C is only for the editor, which has the terminal.
struct LeaveInterrupts(Arc<AtomicBool>);

impl LeaveInterrupts {
    fn to_the_editor() -> Self {
        static ENDS: OnceLock<Arc<AtomicBool>> = OnceLock::new();
        let ends = ENDS.get_or_init(|| {
            let ends = Arc::new(AtomicBool::new(true));
            for signal in [SIGINT, SIGQUIT] {
                let _ = register_conditional_default(signal, Arc::clone(&ends));
            }
            ends
        });
        ends.store(false, Ordering::SeqCst);
        Self(Arc::clone(ends))
    }
}

impl Drop for LeaveInterrupts {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn an_editor_may_have_arguments_and_changes_the_text_unless_it_fails() {
        for (text, editor, result) in [
            ("title: a b\n", "sed -i -e 's/a b/c/'", "title: c\n"),
            ("x", "true", "x"),
            // An interrupt does not part the editor from its terminal.
            ("x", "kill -INT $$; sed -i s/x/y/", "y"),
        ] {
            assert_eq!(edited(text, editor).unwrap(), result, "{editor}");
        }
        let failure = edited("x", "false").unwrap_err();
        assert!(failure.line().contains("nothing was changed"), "{failure}");
    }

    #[test]
    fn a_draft_is_private_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("draft");
        let draft = Draft::at(&path, "x").unwrap();
        let mode = fs::metadata(&draft.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(Draft::at(&path, "y").is_err());
        drop(draft);
        assert!(!path.exists());
    }
}
