use super::Hit;
use super::problem::ReadError;
use super::test_tapes::{fits, index, places, root, rules, state, tape, write};
use crate::key::ContextRules;
use ccd_protocol::tape::{IgnoredArg, MatchOptions};
use std::collections::BTreeMap;
use std::fs;

#[test]
fn the_same_input_is_another_exchange_after_other_inputs() {
    let inputs = ["next", "next", "next"];
    let root = root(&[("counter/a", tape("counter", &inputs))]);
    let fits = fits(&index(root.path()), "/usr/bin/counter", &[]);
    for count in 0..3 {
        let hit = fits
            .exact("> ", b"next\n", state(&inputs[..count]))
            .unwrap();
        assert_eq!(hit.exchange, u32::try_from(count).unwrap() + 1);
        assert_eq!(hit.state_after(), state(&inputs[..=count]));
        assert_eq!(hit.exchange + 1 == hit.tape.exchanges(), count == 2);
    }
    assert_eq!(fits.exact("> ", b"next\n", state(&inputs)), None);
    assert_eq!(fits.exact("$ ", b"next\n", state(&[])), None);
    assert_eq!(places(fits.start()), [("counter/a".to_owned(), 0)]);
}

#[test]
fn an_exchange_is_read_from_its_place_until_the_file_changes() {
    let one_two = tape("p", &["one", "two"]);
    let root = root(&[("p/a", one_two.clone())]);
    let index = index(root.path());
    let hit = fits(&index, "p", &[])
        .exact(">", b"two\r", state(&["one"]))
        .unwrap();
    let exchange = index.read(&hit).unwrap();
    assert_eq!(exchange.input.bytes, b"two\r");
    assert_eq!(exchange.chunks[0].data, b"two ok\r\n> ");
    assert_eq!((hit.input(), hit.prompt()), (&b"two\r"[..], "> "));
    let line = hit.place().line as usize;
    let text = one_two.text();
    assert!(
        text.lines()
            .nth(line)
            .unwrap()
            .contains(&hit.state().to_string())
    );
    write(root.path(), "p/a", &tape("p", &["one", "2"]));
    assert!(matches!(index.read(&hit), Err(ReadError::Changed { .. })));
    fs::remove_file(root.path().join("p/a.json5")).unwrap();
    assert!(matches!(index.read(&hit), Err(ReadError::Changed { .. })));
}

#[test]
fn what_is_typed_can_become_any_exchange_from_here() {
    let older = tape("p", &["login", "quit"]).made_in("2025-01-01T00:00:00Z");
    let root = root(&[
        ("p/a", tape("p", &["login", "***", "ls"])),
        ("p/b", older),
        ("q/c", tape("q", &["login", "other"])),
    ]);
    let fits = fits(&index(root.path()), "p", &[]);
    assert_eq!(fits.len(), 2);
    let candidates: Vec<Hit> = fits.candidates(Some("> "), state(&["login"])).collect();
    let expected = [("p/b".to_owned(), 2), ("p/a".to_owned(), 2)];
    assert_eq!(places(candidates.clone()), expected);
    assert!(candidates.iter().map(Hit::is_hidden).eq([false, true]));
    assert_eq!(fits.candidates(Some("$ "), state(&["login"])).count(), 0);
    assert_eq!(fits.candidates(None, state(&[])).count(), 2, "no starts");
    // Any line matches a hidden one; the chain then continues with its mask.
    let hidden = fits.exact("> ", b"hunter2\r", state(&["login"])).unwrap();
    assert!(hidden.is_hidden());
    assert_eq!(fits.exact("> ", b"hunter2", state(&["login"])), None);
    let after = fits.exact("> ", b"ls\r", hidden.state_after());
    assert_eq!(after.unwrap().exchange, 3);
}

#[test]
fn without_the_state_the_next_of_the_tape_comes_then_the_oldest_of_any() {
    let old = tape("p", &["z", "x"]).made_in("2020-01-01T00:00:00Z");
    let root = root(&[("p/a", tape("p", &["x", "y", "x"])), ("p/old", old)]);
    let fits = fits(&index(root.path()), "p", &[]);
    let next = |after| {
        fits.next_in("p/a", after, "> ", Some(b"x\r"))
            .map(|hit| hit.exchange)
    };
    let found = [None, Some(1), Some(3)].map(next);
    assert_eq!(found, [Some(1), Some(3), None]);
    let any = fits.next_in("p/a", Some(1), "> ", None).unwrap();
    assert_eq!(any.exchange, 2);
    assert_eq!(fits.next_in("p/none", None, "> ", None), None);
    let loose = places(fits.loose("> ", b"x\n"));
    let expected =
        [("p/old", 2), ("p/a", 1), ("p/a", 3)].map(|(tape, exchange)| (tape.to_owned(), exchange));
    assert_eq!(loose, expected);
}

#[test]
fn two_exchanges_with_one_key_are_told_and_the_oldest_is_found() {
    let same = || tape("p", &["x"]);
    let root = root(&[
        ("p/b", same()),
        ("p/a", same()),
        ("p/c", same().made_in("2020-01-01T00:00:00Z")),
        ("p/d", same().with_args(&["-v"])),
    ]);
    let index = index(root.path());
    let hit = fits(&index, "p", &[])
        .exact("> ", b"x\r", state(&[]))
        .unwrap();
    assert_eq!(&*hit.tape.id, "p/c");
    let (duplicates, more) = index.duplicates(&rules(), 100);
    assert_eq!(more, 0);
    assert!(duplicates.iter().all(|pair| &*pair.first.tape == "p/c"));
    let others = duplicates.iter().map(|pair| &pair.second);
    let others: Vec<_> = others.map(|it| (&*it.tape, it.exchange)).collect();
    assert_eq!(others, [("p/a", 0), ("p/a", 1), ("p/b", 0), ("p/b", 1)]);
    let (some, more) = index.duplicates(&rules(), 1);
    assert_eq!((some.len(), more), (1, 3));
}

#[test]
fn what_leads_to_a_tape_that_was_begun_in_the_middle_is_found() {
    let root = root(&[("p/a", tape("p", &["x", "y"]))]);
    let index = index(root.path());
    let after = |inputs: &[&str]| places(index.after(state(inputs)));
    assert_eq!(after(&["x"]), [("p/a".to_owned(), 1)]);
    assert_eq!(after(&["x", "y"]), [("p/a".to_owned(), 2)]);
    assert_eq!(after(&["y"]), []);
    // The start leads to the state without input.
    assert_eq!(after(&[]), [("p/a".to_owned(), 0)]);
}

#[test]
fn a_tape_without_states_gets_them_from_its_inputs() {
    let root = tempfile::tempdir().unwrap();
    let text = "{meta: {program: 'p'}, exchanges: [{output: {chunks: []}}, {pre: {prompt: '> '}, input: {dataText: 'a'}},
        {pre: {prompt: '> '}, input: {dataText: 'b'}}]}";
    fs::write(root.path().join("hand.json5"), text).unwrap();
    let index = index(root.path());
    let fits = fits(&index, "p", &[]);
    let hit = fits.exact("> ", b"b\r", state(&["a"])).unwrap();
    assert_eq!(hit.exchange, 2);
    assert_eq!(hit.state_after(), state(&["a", "b"]));
}

#[test]
fn ignored_arguments_let_a_tape_fit() {
    let root = root(&[("p/a", tape("p", &["x"]).with_args(&["--seed=1"]))]);
    let index = index(root.path());
    let rules = ContextRules::new(&MatchOptions {
        ignore_args: Some(vec![IgnoredArg::Text("/--seed=/".to_owned())]),
        ..MatchOptions::default()
    })
    .unwrap();
    let args = ["--seed=2".to_owned()];
    let session = rules.context(
        "p",
        &args,
        &BTreeMap::from([("LANG".to_owned(), "C".to_owned())]),
        "/",
    );
    assert_eq!(index.fits(&rules, &session).len(), 1);
    assert_eq!(fits(&index, "p", &["--seed=2"]).len(), 0);
}

#[test]
fn an_input_that_the_recording_has_cut_off_never_answers() {
    let root = tempfile::tempdir().unwrap();
    let line = "type: \"line\", dataText: \"hal\"";
    let text = tape("p", &["hal"]).text();
    assert!(text.contains(line));
    let cut = text.replace(line, "type: \"raw\", dataText: \"hal\", unfinished: true");
    fs::write(root.path().join("p.json5"), cut).unwrap();
    let fits = fits(&index(root.path()), "p", &[]);
    assert_eq!(fits.exact("> ", b"hal", state(&[])), None);
    assert_eq!(fits.loose("> ", b"hal").count(), 0);
    assert_eq!(fits.next_in("p", None, "> ", None), None);
    // The pending bytes may continue like this.
    let candidates: Vec<Hit> = fits.candidates(Some("> "), state(&[])).collect();
    assert!(candidates.len() == 1 && candidates[0].is_unfinished());
}
