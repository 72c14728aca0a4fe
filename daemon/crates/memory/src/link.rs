//! The import of the memory in CLAUDE.md, which gives a session all of it.

use crate::disk;
use crate::error::{MemoryError, Result};
use crate::model::prose_lines;
use crate::store::root;
use ccd_base::whole_file::{self, Durability};
use ccd_protocol::memory::place::MEMORY_FILE;
use ccd_text::diff;
use std::io;
use std::path::{Path, PathBuf};

const NAME: &str = "CLAUDE.md";
const OLD: &str = "a/CLAUDE.md";
const NEW: &str = "b/CLAUDE.md";
/// Of a file of instructions: Claude Code reads all of it at every start.
const MAX_BYTES: u64 = 1024 * 1024;

/// How CLAUDE.md imports the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub file: PathBuf,
    /// Empty if it does already.
    pub diff: String,
    pub written: bool,
}

/// Returns the change that makes CLAUDE.md import the memory; with `write`, makes it. A link in its place is refused.
/// On an error, the file is as it was.
pub fn link(directory: &Path, write: bool) -> Result<Link> {
    let root = root(directory)?;
    if !root.join(MEMORY_FILE).is_file() {
        return Err(MemoryError::NotFound(root));
    }
    let file = root.join(NAME);
    let failed = |error: io::Error| MemoryError::NotWritable {
        path: file.clone(),
        reason: error.to_string(),
    };
    let before = read(&root).map_err(failed)?;
    let text = before.as_ref().map(|(text, _)| text.as_str());
    if text.is_some_and(imports) {
        return Ok(Link {
            file,
            diff: String::new(),
            written: false,
        });
    }
    let after = with_import(text.unwrap_or_default());
    if write {
        let mode = before.as_ref().map_or(0o644, |(_, mode)| mode & 0o7777);
        whole_file::replace(&file, after.as_bytes(), mode, Durability::Now).map_err(failed)?;
    }
    let old = before.as_ref().map_or("/dev/null", |_| OLD);
    let diff = diff::unified((old, text.unwrap_or_default()), (NEW, &after));
    Ok(Link {
        file,
        diff,
        written: write,
    })
}

/// Returns the text and the mode of the file; nothing if there is none.
fn read(root: &Path) -> io::Result<Option<(String, u32)>> {
    const LOOP: i32 = rustix::io::Errno::LOOP.raw_os_error();
    let content = match disk::read(root, Path::new(NAME), MAX_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(LOOP) => {
            let why = format!("it is a link; add the line @{MEMORY_FILE} to its target");
            return Err(io::Error::other(why));
        }
        content => content?,
    };
    if content.is_cut {
        return Err(io::Error::other("it is longer than 1 MiB"));
    }
    let text = String::from_utf8(content.bytes);
    let text = text.map_err(|_| io::Error::other("it is not UTF-8"))?;
    Ok(Some((text, content.mode)))
}

/// True if a word of the text is the import. Claude Code imports nothing that is in a block of code or a comment.
fn imports(text: &str) -> bool {
    let is_import = |word: &str| {
        let path = word.strip_prefix('@');
        path.map(|path| path.trim_start_matches("./")) == Some(MEMORY_FILE)
    };
    prose_lines(text).any(|line| line.split_whitespace().any(is_import))
}

/// Adds the import after an empty line, with the line ends of the text.
fn with_import(text: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = match text {
        "" => String::new(),
        text if text.ends_with('\n') => end.to_owned(),
        _ => end.repeat(2),
    };
    format!("{text}{gap}@{MEMORY_FILE}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    /// A project with a memory.
    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".claude")).unwrap();
        fs::write(folder.path().join(MEMORY_FILE), "x").unwrap();
        folder
    }

    #[test]
    fn the_import_is_added_once_and_the_rest_stays() {
        for (before, after) in [
            (None, "@.claude/session-memory.md\n"),
            (Some(""), "@.claude/session-memory.md\n"),
            (Some("# A"), "# A\n\n@.claude/session-memory.md\n"),
            (Some("# A\r\n"), "# A\r\n\r\n@.claude/session-memory.md\r\n"),
        ] {
            let folder = project();
            let path = folder.path().join(NAME);
            if let Some(before) = before {
                fs::write(&path, before).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            }
            let shown = link(folder.path(), false).unwrap();
            assert!(
                shown.diff.contains("+@.claude/session-memory.md"),
                "{shown:?}"
            );
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), before);
            let written = link(folder.path(), true).unwrap();
            assert_eq!((written.diff, written.written), (shown.diff, true));
            assert_eq!(fs::read_to_string(&path).unwrap(), after);
            if before.is_some() {
                let mode = fs::metadata(&path).unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o640);
            }
            let again = link(folder.path(), true).unwrap();
            assert_eq!((&*again.diff, again.written), ("", false));
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        }
    }

    #[test]
    fn an_import_in_a_block_of_code_or_a_comment_is_none() {
        for (text, expected) in [
            ("See @.claude/session-memory.md here", true),
            ("```\n@.claude/session-memory.md\n```\n", false),
            (
                "~~~~ md\n```\n~~~\n@.claude/session-memory.md\n~~~~\n",
                false,
            ),
            ("```\nx\n```\n@./.claude/session-memory.md\n", true),
            ("<!--\n@.claude/session-memory.md\n-->\n", false),
            ("<!--\n```\n-->\n@.claude/session-memory.md\n", true),
            ("`@.claude/session-memory.md`\n", false),
        ] {
            assert_eq!(imports(text), expected, "{text}");
        }
    }

    #[test]
    fn a_link_and_a_file_that_is_no_text_are_refused() {
        let folder = project();
        let path = folder.path().join(NAME);
        fs::write(folder.path().join("AGENTS.md"), "# A\n").unwrap();
        std::os::unix::fs::symlink("AGENTS.md", &path).unwrap();
        let refused = link(folder.path(), true).unwrap_err();
        assert!(matches!(refused, MemoryError::NotWritable { .. }));
        assert!(refused.to_string().contains("it is a link"), "{refused}");
        assert_eq!(
            fs::read_to_string(folder.path().join("AGENTS.md")).unwrap(),
            "# A\n"
        );
        fs::remove_file(&path).unwrap();
        fs::write(&path, b"\xff").unwrap();
        assert!(link(folder.path(), true).is_err());
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(link(folder.path(), true).is_err());
        assert!(link(&folder.path().join("none"), true).is_err());
    }
}
