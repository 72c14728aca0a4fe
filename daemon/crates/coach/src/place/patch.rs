//! Changes as patches for `git apply`.

use ccd_text::diff;
use std::path::Path;

/// Returns the change of a file, with paths relative to `root`; empty if nothing changes.
pub(super) fn patch(root: &Path, path: &Path, before: Option<&str>, after: &str) -> String {
    if before == Some(after) {
        return String::new();
    }
    let name = path.strip_prefix(root).unwrap_or(path);
    let name = name.display().to_string();
    let name = name.trim_start_matches('/');
    let old = match before {
        Some(_) => format!("a/{name}"),
        None => "/dev/null".to_owned(),
    };
    let before_text = before.unwrap_or_default();
    let text = diff::unified((&old, before_text), (&format!("b/{name}"), after));
    match before {
        Some(_) => format!("diff --git a/{name} b/{name}\n{text}"),
        None => format!("diff --git a/{name} b/{name}\nnew file mode 100644\n{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn git_applies_the_patch_whatever_the_file_is_like() {
        for before in [
            None,
            Some(""),
            Some("a"),
            Some("a\n"),
            Some("a\r\nb\r\n"),
            Some("a\rb\r"),
            Some("é\n\n\n"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path();
            let path = root.join("docs and more/CLAUDE.md");
            if let Some(before) = before {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, before).unwrap();
            }
            let after = format!("{}\nnew\nlines", before.unwrap_or_default());
            let text = patch(root, &path, before, &after);
            let mut git = Command::new("git")
                .args(["apply", "-"])
                .current_dir(root)
                .env("GIT_CEILING_DIRECTORIES", root.parent().unwrap())
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            std::io::Write::write_all(&mut git.stdin.take().unwrap(), text.as_bytes()).unwrap();
            assert!(git.wait().unwrap().success(), "{before:?}:\n{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), after);
        }
    }
}
