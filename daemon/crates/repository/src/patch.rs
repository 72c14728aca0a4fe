//! The files in a diff that git printed.

use ccd_protocol::exec::FileStatus;
use std::ops::Range;

/// One file of a diff. Paths are plain: not quoted, and U+FFFD where bytes are not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub path: String,
    /// Only of a renamed file.
    pub old_path: Option<String>,
    pub status: FileStatus,
    /// Lines; 0 for a binary file.
    pub additions: usize,
    pub deletions: usize,
    /// The bytes of the diff that are this file's.
    pub range: Range<usize>,
}

/// Starts the part of a file. Lines of content start with a space, `+`, `-` or `\`, and base 85 has no spaces.
const HEADER: &[u8] = b"diff --git ";

/// Returns the files of a diff as [`crate::WorkTree::diff`] returns it, in its order. Other text yields no files or
/// strange ones.
#[must_use]
pub fn files(diff: &[u8]) -> Vec<FileChange> {
    let mut parts: Vec<PatchFile> = Vec::new();
    let mut offset = 0;
    for line in diff.split_inclusive(|&byte| byte == b'\n') {
        let start = offset;
        offset += line.len();
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        if let Some(names) = text.strip_prefix(HEADER) {
            parts.push(PatchFile::new(names, start));
        } else if let Some(part) = parts.last_mut() {
            part.read(text);
        }
        if let Some(part) = parts.last_mut() {
            part.range.end = offset;
        }
    }
    let mut files: Vec<FileChange> = Vec::new();
    for file in parts.into_iter().map(PatchFile::finish) {
        match files.last_mut() {
            // git prints a change of type, for example to a link, as two parts.
            Some(last)
                if last.status == FileStatus::Deleted
                    && file.status == FileStatus::Added
                    && last.path == file.path =>
            {
                last.status = FileStatus::Modified;
                last.additions += file.additions;
                last.deletions += file.deletions;
                last.range.end = file.range.end;
            }
            _ => files.push(file),
        }
    }
    files
}

struct PatchFile<'a> {
    /// The two names after `diff --git`.
    names: &'a [u8],
    new: Option<Vec<u8>>,
    renamed_from: Option<Vec<u8>>,
    status: FileStatus,
    is_in_hunks: bool,
    additions: usize,
    deletions: usize,
    range: Range<usize>,
}

impl<'a> PatchFile<'a> {
    fn new(names: &'a [u8], start: usize) -> Self {
        Self {
            names,
            new: None,
            renamed_from: None,
            status: FileStatus::Modified,
            is_in_hunks: false,
            additions: 0,
            deletions: 0,
            range: start..start,
        }
    }

    fn read(&mut self, line: &[u8]) {
        if self.is_in_hunks {
            match line.first() {
                Some(b'+') => self.additions += 1,
                Some(b'-') => self.deletions += 1,
                _ => {}
            }
        } else if line.starts_with(b"@@ ") {
            self.is_in_hunks = true;
        } else if line.starts_with(b"new file mode ") {
            self.status = FileStatus::Added;
        } else if line.starts_with(b"deleted file mode ") {
            self.status = FileStatus::Deleted;
        } else if let Some(name) = line.strip_prefix(b"rename from ") {
            self.status = FileStatus::Renamed;
            self.renamed_from = Some(unquote(name));
        } else if let Some(name) = line.strip_prefix(b"rename to ") {
            self.new = Some(unquote(name));
        }
    }

    fn finish(self) -> FileChange {
        // Only a rename has two names, and says so.
        let path = self.new.unwrap_or_else(|| common_name(self.names));
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        FileChange {
            path: text(path),
            old_path: self.renamed_from.map(text),
            status: self.status,
            additions: self.additions,
            deletions: self.deletions,
            range: self.range,
        }
    }
}

/// Returns the name of `a/NAME b/NAME` or `"a/NAME" "b/NAME"`. A name may contain ` b/`, so that only the length says
/// where the second one starts.
fn common_name(names: &[u8]) -> Vec<u8> {
    let first = &names[..names.len() / 2];
    let name = unquote(first);
    name.strip_prefix(b"a/").unwrap_or(&name).to_vec()
}

/// Returns a name without git's quotes and escapes.
fn unquote(name: &[u8]) -> Vec<u8> {
    let inner = name
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""));
    let Some(inner) = inner else {
        return name.to_vec();
    };
    let mut plain = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'a') => plain.push(0x07),
            Some(b'b') => plain.push(0x08),
            Some(b't') => plain.push(b'\t'),
            Some(b'n') => plain.push(b'\n'),
            Some(b'v') => plain.push(0x0b),
            Some(b'f') => plain.push(0x0c),
            Some(b'r') => plain.push(b'\r'),
            Some(digit @ b'0'..=b'3') => {
                // Always three octal digits.
                let rest = [bytes.next(), bytes.next()];
                let value = rest.iter().flatten().fold(digit - b'0', |value, digit| {
                    value.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0'))
                });
                plain.push(value);
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn files_without_hunks_have_their_names_from_the_first_line() {
        let diff = b"diff --git a/x b/y b/x b/y\nold mode 100644\nnew mode 100755\n\
            diff --git \"a/n\\nl\\303\\244\\\"\" \"b/n\\nl\\303\\244\\\"\"\nnew file mode 100644\nindex 0000000..e69de29\n";
        let files = files(diff);
        assert_eq!(files[0].path, "x b/y");
        assert_eq!(files[0].status, FileStatus::Modified);
        assert_eq!(files[1].path, "n\nl\u{e4}\"");
        assert_eq!(files[1].status, FileStatus::Added);
        assert_eq!(files[0].range.end, files[1].range.start);
        assert_eq!(files[1].range.end, diff.len());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(lines in prop::collection::vec("(diff --git |@@ |rename from |)[\"\\\\ a0-9/+-]{0,9}", 0..9)) {
            let diff = lines.join("\n");
            for file in files(diff.as_bytes()) {
                prop_assert!(file.range.end <= diff.len());
            }
        }
    }
}
