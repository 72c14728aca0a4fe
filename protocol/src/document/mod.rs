//! The reference of the protocol, generated from its types: the pages in docs/protocol, and what `rpc.discover` returns. Only these tests know schemas, so no program contains any.
//!
//! `CCD_UPDATE_DOCS=1 cargo test -p ccd-protocol document` writes both.

mod markdown;
mod openrpc;
mod pages;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// A page is written by hand above this line, and generated below it.
const MARKER: &str = "<!-- Generated from the types in protocol/: change those, then run CCD_UPDATE_DOCS=1 cargo test -p ccd-protocol document. -->\n";

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn is_update() -> bool {
    std::env::var_os("CCD_UPDATE_DOCS").is_some()
}

#[test]
fn the_pages_for_people_equal_the_types() {
    let folder = path("docs/protocol");
    let expected = markdown::protocol();
    for (page, expected) in &expected {
        let path = folder.join(format!("{page}.md"));
        let text = fs::read_to_string(&path).unwrap_or_default();
        let (by_hand, generated) = text.split_once(MARKER).unwrap_or((&text, ""));
        if is_update() {
            fs::write(path, format!("{by_hand}{MARKER}{expected}")).unwrap();
            continue;
        }
        let mut lines = generated.lines().zip(expected.lines());
        let differing = lines.find(|(is, should)| is != should);
        assert_eq!(differing, None, "{} is out of date", path.display());
        assert_eq!(generated.len(), expected.len(), "at the end of {page}");
        let title = format!("# The protocol: {page}\n");
        assert!(page == "README" || by_hand.starts_with(&title), "{title}");
    }
    let pages = fs::read_dir(folder).unwrap();
    assert_eq!(pages.count(), expected.len(), "a page too many");
}

#[test]
fn the_document_for_programs_equals_the_types() {
    let path = path("daemon/src/rpc/openrpc.json.gz");
    let expected = openrpc::openrpc().to_string();
    if is_update() {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(expected.as_bytes()).unwrap();
        fs::write(path, packed.finish().unwrap()).unwrap();
        return;
    }
    let mut text = String::new();
    let packed = fs::read(path).unwrap();
    GzDecoder::new(&*packed).read_to_string(&mut text).unwrap();
    assert!(text == expected, "openrpc.json.gz is out of date");
}
