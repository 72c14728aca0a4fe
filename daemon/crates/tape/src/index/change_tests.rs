use super::test_tapes::{fits, index, places, root, rules, state, tape, write};
use super::{Index, TapeId, walk};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

#[test]
fn a_bad_tape_is_told_with_its_place_and_the_others_are_found() {
    let root = root(&[("p/good", tape("p", &["x"]))]);
    let at = |name: &str| root.path().join(name);
    let bad = "{\n  meta: {\n    program: 1,\n  },\n}";
    fs::write(at("p/bad.json5"), bad).unwrap();
    fs::create_dir(at("p/folder.json5")).unwrap();
    std::os::unix::fs::symlink("loop.json5", at("p/loop.json5")).unwrap();
    std::os::unix::fs::symlink("..", at("p/up")).unwrap();
    #[cfg(target_os = "linux")]
    rustix::fs::mkfifoat(rustix::fs::CWD, at("p/pipe.json5"), 0o600.into()).unwrap();
    fs::create_dir(at(".journal")).unwrap();
    for name in [
        "p/empty.json5",
        ".journal/x.json5",
        "p/.x.json5",
        "p/notes.txt",
    ] {
        fs::write(at(name), "").unwrap();
    }
    let index = index(root.path());
    assert_eq!(fits(&index, "p", &[]).len(), 1);
    let name = |path| Path::new(path).file_name().unwrap().to_owned();
    let problems = index.problems().map(|it| (name(&it.path), it.line));
    let expected = [
        ("bad.json5", Some(3)),
        ("empty.json5", Some(1)),
        ("folder.json5", None),
        ("loop.json5", None),
        ("pipe.json5", None),
    ];
    assert!(problems.eq(expected.map(|(name, line)| (name.into(), line))));
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
                        write(root.path(), &id, &super::test_tapes::tape("p", &inputs));
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
