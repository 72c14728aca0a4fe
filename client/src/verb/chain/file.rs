//! Files that are given on the command line.

use crate::failure::Failure;
use serde_json::Value;
use std::io::{self, Read as _};
use std::path::Path;

/// Longest file: the most that the daemon accepts in one request.
const MAX_BYTES: u64 = 16 << 20;

/// Returns the content of a file; `-` is standard input.
///
/// # Errors
///
/// [`Failure::Io`] names the file, [`Failure::Usage`] if it is too long or not UTF-8.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin()
            .lock()
            .take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|source| Failure::Io {
        what: name.clone(),
        source,
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::Usage(format!(
            "{name} is longer than {MAX_BYTES} bytes"
        )));
    }
    String::from_utf8(bytes).map_err(|_| Failure::Usage(format!("{name} is not UTF-8")))
}

/// Returns the JSON object in a file.
///
/// # Errors
///
/// As [`read`], and [`Failure::Usage`] with line and column.
pub(super) fn read_object(path: &Path) -> Result<Value, Failure> {
    let wrong =
        |what: &dyn std::fmt::Display| Failure::Usage(format!("{}: {what}", path.display()));
    let value: Value = serde_json::from_str(&read(path)?).map_err(|error| wrong(&error))?;
    match value {
        Value::Object(_) => Ok(value),
        Value::Array(_) => Err(wrong(
            &"it is a list, not a chain; give an object, {\"commands\": […]}",
        )),
        _ => Err(wrong(
            &"it is not a chain; give an object, {\"commands\": […]}",
        )),
    }
}
