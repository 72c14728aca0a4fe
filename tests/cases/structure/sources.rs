//! The sources of a package for the checks: without comments and string contents, with tests and code separated.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Returns the workspace's directory.
pub(super) fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap().to_owned()
}

/// A source file in which everything irrelevant is replaced with spaces, so that line numbers are unchanged.
#[derive(Debug)]
pub(super) struct Source {
    /// Relative to the directory that was read.
    pub(super) path: PathBuf,
    /// The code of a release.
    pub(super) code: String,
    /// The code of tests only.
    pub(super) tests: String,
}

/// Returns all Rust files in a directory and its subdirectories, in order.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Reads all sources in a directory and its subdirectories.
pub(super) fn sources(folder: &Path) -> Vec<Source> {
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    let texts: Vec<_> = files(folder).into_iter().map(read).collect();
    let mut test_files = BTreeSet::new();
    let mut sources = Vec::new();
    for (path, text) in texts {
        let (source, tests) = Source::of(path.strip_prefix(folder).unwrap(), &text);
        test_files.extend(tests);
        sources.push(source);
    }
    for source in &mut sources {
        let is_test = |path: &Path| test_files.contains(&path.with_extension(""));
        if source.path.ancestors().any(is_test) {
            source.tests = std::mem::take(&mut source.code);
        }
    }
    sources
}

impl Source {
    /// Also returns the test modules in other files, as paths without an extension.
    fn of(path: &Path, text: &str) -> (Self, Vec<PathBuf>) {
        let code = without_texts(text);
        let (mut without_tests, mut tests) = (code.clone().into_bytes(), blank(&code));
        let mut test_files = Vec::new();
        for range in test_items(&code) {
            tests[range.clone()].copy_from_slice(&code.as_bytes()[range.clone()]);
            blank_out(&mut without_tests[range.clone()]);
            test_files.extend(test_file(path, &text[range.clone()], &code[range]));
        }
        let source = Self {
            path: path.to_owned(),
            code: String::from_utf8(without_tests).unwrap(),
            tests: String::from_utf8(tests).unwrap(),
        };
        (source, test_files)
    }
}

/// Returns the line number of a byte offset.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn blank_out(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
}

fn blank(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    blank_out(&mut bytes);
    bytes
}

/// Returns the code with spaces in place of comments and of quoted text.
pub(super) fn without_texts(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let len = text_len(&text[at..], &text[..at]);
        blank_out(&mut bytes[at..at + len]);
        at += len.max(text[at..].chars().next().unwrap().len_utf8());
    }
    String::from_utf8(bytes).unwrap()
}

/// Returns the length of the comment, string or character that `text` starts with; 0 if it starts with none.
fn text_len(text: &str, before: &str) -> usize {
    let until = |start: usize, end: &str| {
        text[start..]
            .find(end)
            .map_or(text.len(), |at| start + at + end.len())
    };
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return until(2, "*/");
    }
    if text.starts_with('"') {
        return quoted_len(text, '"');
    }
    if let Some(rest) = text.strip_prefix('\'') {
        // A lifetime has no closing quote.
        let is_character = rest.starts_with('\\') || rest.chars().nth(1) == Some('\'');
        return if is_character {
            quoted_len(text, '\'')
        } else {
            0
        };
    }
    let before = before.strip_suffix(['b', 'c']).unwrap_or(before);
    let is_in_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let hashes = text
        .strip_prefix('r')
        .map_or(0, |rest| rest.len() - rest.trim_start_matches('#').len());
    if !is_in_word && text.starts_with('r') && text[1 + hashes..].starts_with('"') {
        return until(2 + hashes, &format!("\"{}", "#".repeat(hashes)));
    }
    0
}

/// Returns the length of a quoted text, including both quotes.
fn quoted_len(text: &str, quote: char) -> usize {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return at + 1;
        }
    }
    text.len()
}

/// Returns the ranges of items that are compiled only for tests, including their attributes.
fn test_items(code: &str) -> Vec<Range<usize>> {
    let mut items: Vec<Range<usize>> = Vec::new();
    for attribute in ["#[cfg(test)]", "#[cfg(all(test,"] {
        for (start, _) in code.match_indices(attribute) {
            items.push(start..start + item_len(&code[start..]));
        }
    }
    items
}

/// Returns the length of an item that starts with its attributes.
fn item_len(code: &str) -> usize {
    let mut at = 0;
    loop {
        at += code[at..].len() - code[at..].trim_start().len();
        if !code[at..].starts_with("#[") {
            break;
        }
        at += closing(&code[at..], '[', ']');
    }
    let body = code[at..].find(['{', ';']).unwrap_or(code.len() - at);
    let is_block = code[at + body..].starts_with('{') && !code[at..].starts_with("use ");
    if is_block {
        at + body + closing(&code[at + body..], '{', '}')
    } else {
        code[at..].find(';').map_or(code.len(), |end| at + end + 1)
    }
}

/// Returns the offset after the bracket that closes the first one of `code`.
pub(super) fn closing(code: &str, open: char, close: char) -> usize {
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return at + 1;
            }
        }
    }
    code.len()
}

/// Returns the path, without an extension, of a module in another file that `code` declares; `text` is the same with
/// its string contents.
fn test_file(path: &Path, text: &str, code: &str) -> Option<PathBuf> {
    let (_, name) = code.strip_suffix(';')?.rsplit_once("mod ")?;
    let folder = path.parent().unwrap();
    if let Some((_, file)) = text.split_once("#[path = \"") {
        let (file, _) = file.split_once('"')?;
        return Some(folder.join(file).with_extension(""));
    }
    let stem = path.file_stem().unwrap();
    let has_folder = ["mod", "lib", "main"].iter().any(|name| stem == *name);
    let folder = if has_folder {
        folder.to_owned()
    } else {
        folder.join(stem)
    };
    Some(folder.join(name.trim()))
}

#[test]
fn comments_texts_and_tests_are_told_from_code() {
    let text = r##"//! A "comment".
use a::B; // sleep(
const T: &str = "sleep( \" // no comment"; const R: &[u8] = br#"sleep( " "#;
fn f<'a>(x: &'a str) -> char { '"' /* sleep( */ }
#[cfg(test)]
#[path = "f_tests.rs"]
mod tests;
#[cfg(all(test, unix))]
mod more {
    fn g() { sleep(1); }
}
fn h() {}
"##;
    let (source, files) = Source::of(Path::new("a/f.rs"), text);
    assert_eq!(files, [Path::new("a/f_tests")]);
    let lines: Vec<&str> = source.code.lines().map(str::trim_end).collect();
    assert_eq!(lines[1], "use a::B;");
    assert_eq!(
        lines[2].split_whitespace().collect::<Vec<_>>().join(" "),
        "const T: &str = ; const R: &[u8] = b ;"
    );
    assert!(lines[3].starts_with("fn f<'a>(x: &'a str) -> char {") && lines[3].ends_with('}'));
    assert_eq!((lines[9], lines[11]), ("", "fn h() {}"));
    assert!(!source.code.contains("sleep("));
    assert_eq!(
        source.tests.lines().nth(9),
        Some("    fn g() { sleep(1); }")
    );
}
