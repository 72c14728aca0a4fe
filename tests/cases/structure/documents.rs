//! docs/PROTOCOL.md says what the code says.
//!
//! `CCD_UPDATE_DOCS=1 cargo test -p ccd-tests protocol_document` writes its generated part anew.

use super::markdown;
use std::fs;
use std::path::{Path, PathBuf};

/// Above it the document is written by hand, below by this test.
const MARKER: &str = "<!-- Generated from the types in protocol/: change those, then run tests/cases/structure/documents.rs with CCD_UPDATE_DOCS=1. -->\n";

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/PROTOCOL.md")
}

#[test]
fn the_protocol_document_equals_the_code() {
    let text = fs::read_to_string(path()).unwrap();
    let (by_hand, generated) = text
        .split_once(MARKER)
        .expect("the marker stands in the document");
    let expected = markdown::protocol();
    if std::env::var_os("CCD_UPDATE_DOCS").is_some() {
        fs::write(path(), format!("{by_hand}{MARKER}{expected}")).unwrap();
        return;
    }
    let differing = generated
        .lines()
        .zip(expected.lines())
        .position(|(is, should)| is != should);
    if let Some(line) = differing {
        let show = |text: &str| text.lines().nth(line).unwrap_or_default().to_owned();
        panic!(
            "docs/PROTOCOL.md is out of date: it says\n{}\nbut should say\n{}",
            show(generated),
            show(&expected)
        );
    }
    assert_eq!(
        generated.len(),
        expected.len(),
        "docs/PROTOCOL.md is out of date at its end"
    );
}

#[test]
fn every_method_and_error_is_in_the_protocol_document() {
    let text = fs::read_to_string(path()).unwrap();
    for method in ccd_protocol::methods() {
        assert!(
            text.contains(&format!("### {}\n", method.name)),
            "{}",
            method.name
        );
    }
    for code in ccd_protocol::ErrorCode::ALL {
        let row = format!("| {} | `{}` |", *code as i32, code.kind());
        assert!(text.contains(&row), "{row}");
    }
}
