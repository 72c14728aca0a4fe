use super::test_tapes::{TestTape, fits, index, places, rules, state, write};
use super::{Index, TapeId, walk};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

#[test]
fn a_bad_tape_is_told_with_its_place_and_the_others_are_found() {
    let root = tempfile::tempdir().unwrap();
    let tape = TestTape {
        program: "p",
        inputs: &["x"],
        ..TestTape::default()
    };
    write(root.path(), "p/good", &tape);
    fs::write(
        root.path().join("p/bad.json5"),
        "{\n  meta: {\n    program: 1,\n  },\n}",
    )
    .unwrap();
    fs::write(root.path().join("p/empty.json5"), "").unwrap();
    fs::create_dir(root.path().join("p/folder.json5")).unwrap();
    std::os::unix::fs::symlink("loop.json5", root.path().join("p/loop.json5")).unwrap();
    std::os::unix::fs::symlink("..", root.path().join("p/up")).unwrap();
    #[cfg(target_os = "linux")]
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.path().join("p/pipe.json5"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    fs::create_dir(root.path().join(".journal")).unwrap();
    fs::write(root.path().join(".journal/x.json5"), "").unwrap();
    fs::write(root.path().join("p/.x.json5"), "").unwrap();
    fs::write(root.path().join("p/notes.txt"), "").unwrap();
    let index = index(root.path());
    assert_eq!(fits(&index, "p", &[]).len(), 1);
    let problems: Vec<_> = index
        .problems()
        .map(|problem| {
            (
                Path::new(&problem.path)
                    .file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned(),
                problem.line,
            )
        })
        .collect();
    let expected = [
        ("bad.json5", Some(3)),
        ("empty.json5", Some(1)),
        ("folder.json5", None),
        ("loop.json5", None),
        ("pipe.json5", None),
    ];
    assert_eq!(
        problems,
        expected.map(|(name, line)| (name.to_owned(), line))
    );
    let folder = index.problems().nth(2).unwrap();
    assert!(folder.message.contains("folder"), "{}", folder.message);
}

#[test]
fn a_root_that_is_not_there_is_empty() {
    let index = index(Path::new("/nonexistent/tapes"));
    assert_eq!((index.tapes().count(), index.problems().count()), (0, 0));
    assert_eq!(fits(&index, "p", &[]).len(), 0);
    assert!(index.tape("a").is_none());
}

#[derive(Debug, Clone)]
enum Change {
    Write { tape: u8, inputs: Vec<u8> },
    Break { tape: u8 },
    Remove { tape: u8 },
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = prop_oneof![
        4 => (0u8..12, proptest::collection::vec(0u8..3, 0..4)).prop_map(|(tape, inputs)| Change::Write { tape, inputs }),
        1 => (0u8..12).prop_map(|tape| Change::Break { tape }),
        1 => (0u8..12).prop_map(|tape| Change::Remove { tape }),
    ];
    proptest::collection::vec(change, 1..12)
}

/// Returns everything that can be found in an index, as text.
fn shown(index: &Arc<Index>) -> String {
    let fits = fits(index, "p", &[]);
    let mut shown = String::new();
    let mut ids: Vec<_> = index.tapes().map(|tape| tape.id.clone()).collect();
    ids.sort();
    let _ = write!(shown, "{ids:?}");
    for first in 0..3 {
        let inputs = [format!("i{first}")];
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        for state in [state(&[]), state(&inputs)] {
            let exact = fits.exact("> ", b"i1\r", state).map(|hit| hit.place());
            let candidates = places(fits.candidates(None, state));
            let _ = write!(
                shown,
                "{exact:?} {candidates:?} {:?}",
                places(index.after(state))
            );
        }
        let _ = write!(
            shown,
            "{:?}",
            places(fits.loose("> ", format!("i{first}\r").as_bytes()))
        );
    }
    let problems: Vec<_> = index.problems().map(|problem| &problem.path).collect();
    let duplicates = index.duplicates(&rules(), 1000);
    let _ = write!(shown, "{problems:?} {duplicates:?}");
    shown
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_changed_index_is_as_one_made_anew(rounds in proptest::collection::vec(changes(), 1..4)) {
        let root = tempfile::tempdir().unwrap();
        let mut index = index(root.path());
        let mut walked = Arc::clone(&index);
        for changes in rounds {
            let mut touched = BTreeSet::new();
            for change in changes {
                let (Change::Write { tape, .. } | Change::Break { tape } | Change::Remove { tape }) = change;
                let id = format!("p/{tape}");
                let path = root.path().join(format!("{id}.json5"));
                match change {
                    Change::Write { inputs, .. } => {
                        let inputs: Vec<String> = inputs.iter().map(|input| format!("i{input}")).collect();
                        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
                        write(root.path(), &id, &TestTape { program: "p", inputs: &inputs, ..TestTape::default() });
                    }
                    Change::Break { .. } => {
                        fs::create_dir_all(path.parent().unwrap()).unwrap();
                        fs::write(&path, "{").unwrap();
                    }
                    Change::Remove { .. } => drop(fs::remove_file(&path)),
                }
                touched.insert(TapeId::from(id));
            }
            if let Some(next) = index.with_files(&touched) {
                prop_assert!(next.generation > index.generation);
                index = Arc::new(next);
            }
            prop_assert!(index.with_files(&touched).is_none(), "nothing has changed");
            if let Some(next) = walked.with_found(walk(root.path(), |_| {}), &BTreeSet::new()) {
                walked = Arc::new(next);
            }
            let anew = super::test_tapes::index(root.path());
            prop_assert_eq!(shown(&index), shown(&anew));
            prop_assert_eq!(shown(&walked), shown(&anew));
        }
    }
}
