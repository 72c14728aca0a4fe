//! What a run changed in its work tree, as an annotation.

use crate::TapeError;
use crate::format::{Annotations, Tape, WORK_TREE_PATCH};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use std::io;

/// The key of bytes that are not UTF-8, as in a chunk.
const DATA: &str = "dataB64";

pub fn set_patch(annotations: &mut Annotations, patch: &[u8]) {
    let value = match std::str::from_utf8(patch) {
        Ok(text) => text.into(),
        Err(_) => json!({ DATA: BASE64_STANDARD.encode(patch) }),
    };
    annotations.insert(WORK_TREE_PATCH.to_owned(), value);
}

/// Returns the patch of an exchange; empty if it has none.
pub fn patch(annotations: &Annotations) -> Result<Vec<u8>, TapeError> {
    let wrong = || {
        TapeError::Read(io::Error::other(
            "work_tree_patch is neither a text nor { dataB64 }",
        ))
    };
    match annotations.get(WORK_TREE_PATCH) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(text.clone().into_bytes()),
        Some(other) => {
            let data = other.get(DATA).and_then(Value::as_str).ok_or_else(wrong)?;
            BASE64_STANDARD.decode(data).map_err(|_| wrong())
        }
    }
}

/// Returns whether a tape is that of a run, whose exchange always has a patch.
#[must_use]
pub fn is_of_a_run(tape: &Tape) -> bool {
    let mut exchanges = tape.exchanges.iter();
    exchanges.any(|exchange| exchange.annotations.contains_key(WORK_TREE_PATCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_come_back_and_text_stays_text() {
        for bytes in [&b""[..], b"+a\n", b"+\xff\n"] {
            let mut annotations = Annotations::new();
            set_patch(&mut annotations, bytes);
            assert_eq!(patch(&annotations).unwrap(), bytes);
            let is_text = std::str::from_utf8(bytes).is_ok();
            assert_eq!(annotations[WORK_TREE_PATCH].is_string(), is_text);
        }
        assert_eq!(patch(&Annotations::new()).unwrap(), b"");
        for wrong in [json!(5), json!({"dataB64": "*"})] {
            let annotations = Annotations::from_iter([(WORK_TREE_PATCH.to_owned(), wrong)]);
            assert!(patch(&annotations).is_err());
        }
    }
}
