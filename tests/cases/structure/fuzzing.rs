//! The fuzz targets, which are outside the workspace, are complete: a source, an entry in the manifest, and inputs to
//! start with.

use super::sources::{files, root};
use std::collections::BTreeSet;
use std::fs;

/// The readers of bytes from outside.
const TARGETS: &str = "casts chains configuration connections conversations frames hooks keys patterns port programs \
    redaction screen sequences tapes texts";

const MAX_CORPUS_BYTES: u64 = 100 << 10;

#[test]
fn each_reader_of_outside_bytes_has_a_fuzz_target_with_a_small_corpus() {
    let folder = root().join("tests/fuzz");
    let expected: BTreeSet<&str> = TARGETS.split(' ').collect();
    let sources = files(&folder.join("fuzz_targets"));
    let sources = sources.iter().map(|file| file.file_stem().unwrap());
    let sources = sources.map(|name| name.to_str().unwrap());
    assert_eq!(sources.collect::<BTreeSet<_>>(), expected);
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let names = manifest.lines().filter_map(|line| {
        let path = line.strip_prefix("path = \"fuzz_targets/")?;
        path.strip_suffix(".rs\"")
    });
    assert_eq!(names.collect::<BTreeSet<_>>(), expected);
    let corpus = folder.join("corpus");
    let mut bytes = 0;
    for name in &expected {
        let entry = format!("[[bin]]\nname = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"\n");
        assert!(manifest.contains(&entry), "{name} in Cargo.toml");
        // Fuzzing adds files with other names.
        let entries = fs::read_dir(corpus.join(name)).unwrap().flatten();
        let seeds =
            entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"seed-"));
        let lens: Vec<u64> = seeds.map(|seed| seed.metadata().unwrap().len()).collect();
        assert!(!lens.is_empty(), "{name} has inputs");
        bytes += lens.iter().sum::<u64>();
    }
    let folders = fs::read_dir(&corpus).unwrap().count();
    assert_eq!(folders, expected.len(), "folders of {}", corpus.display());
    assert!(bytes <= MAX_CORPUS_BYTES, "{bytes} bytes");
}
