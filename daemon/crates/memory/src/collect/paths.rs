//! Paths as the memory has them: relative to the project, with forward slashes; and names that are looked for.

use std::path::{Component, Path};

/// Returns `path` relative to `root`; of a path elsewhere (a report of another machine) only the file's name.
pub(super) fn relative(root: &Path, path: &str) -> String {
    let path = path
        .strip_prefix("file://")
        .unwrap_or(path)
        .replace('\\', "/");
    let inside = Path::new(&path)
        .strip_prefix(root)
        .unwrap_or(Path::new(&path));
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    let leaves = inside.components().any(|part| part == Component::ParentDir);
    if inside.is_absolute() || has_drive || leaves {
        return path.rsplit('/').next().unwrap_or_default().to_owned();
    }
    let parts = inside
        .components()
        .filter(|part| *part != Component::CurDir);
    let parts: Vec<_> = parts
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}

/// Returns the lines of `names.txt` that start with a word, without it.
pub(super) fn known(kind: &str) -> impl Iterator<Item = &'static str> {
    let lines = include_str!("names.txt").lines();
    lines.filter_map(move |line| line.strip_prefix(kind)?.strip_prefix(' '))
}
