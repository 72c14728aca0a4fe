//! Files that are given on the command line.

use crate::{Failure, named_file};
use serde_json::Value;
use std::io::{self, Read as _};
use std::path::Path;

/// Longest text: the most that the daemon accepts in one request.
pub(super) const MAX_BYTES: u64 = 16 << 20;

/// Returns the content of a file of at most `max_bytes`; `-` is standard input.
pub(super) fn read(path: &Path, max_bytes: u64) -> Result<Vec<u8>, Failure> {
    let name = name_of(path);
    let file: io::Result<Box<dyn io::Read>> = if is_standard_input(path) {
        Ok(Box::new(io::stdin().lock()))
    } else {
        named_file::open(path).map(|file| Box::new(file) as _)
    };
    let mut bytes = Vec::new();
    file.and_then(|file| file.take(max_bytes + 1).read_to_end(&mut bytes))
        .map_err(Failure::io(&name))?;
    if bytes.len() as u64 > max_bytes {
        let text = format!("{name} is longer than {max_bytes} bytes");
        return Failure::usage(text);
    }
    Ok(bytes)
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

fn name_of(path: &Path) -> String {
    if is_standard_input(path) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

pub(super) fn read_text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(read(path, MAX_BYTES)?)
        .map_err(|_| Failure::Usage(format!("{} is not UTF-8", name_of(path))))
}

pub(super) fn read_json(path: &Path) -> Result<Value, Failure> {
    let wrong = |error| Failure::Usage(format!("{} is not JSON: {error}", name_of(path)));
    serde_json::from_str(&read_text(path)?).map_err(wrong)
}

pub(super) fn read_object(path: &Path) -> Result<Value, Failure> {
    let what = match read_json(path)? {
        object @ Value::Object(_) => return Ok(object),
        Value::Array(_) => "it is a list, not a chain",
        _ => "it is not a chain",
    };
    let (name, form) = (name_of(path), "{\"commands\": […]}");
    Failure::usage(format!("{name}: {what}; give an object, {form}"))
}
