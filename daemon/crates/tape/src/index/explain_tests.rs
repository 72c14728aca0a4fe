use super::test_tapes::{context, index, root, rules, state, tape};
use super::{Lookup, Miss};
use crate::key::Context;

#[test]
fn a_miss_names_the_nearest_exchange_what_differs_and_what_to_do() {
    let recorded = tape("sqlite3", &["select 1;", "select 2;", ".exit"]);
    let root = root(&[("sqlite3/a", recorded.with_args(&["-batch"]))]);
    let index = index(root.path());
    let rules = rules();
    let played = [("sqlite3/a".to_owned(), std::iter::once(1..2).collect())].into();
    let miss = |session: &Context, prompt: &str, input: &[u8], inputs: &[&str], last| {
        let asked = Lookup {
            played: Some(&played),
            rules: &rules,
            session,
            prompt,
            input,
            state: state(inputs),
            last,
            is_strict: true,
            is_run: false,
            record_with: "ccctl rec --tapes t -- sqlite3 -batch",
        };
        index.fits(&rules, session).explain(&asked)
    };
    let same = context("sqlite3", &["-batch"]);
    let parts = |miss: &Miss| {
        let nearest = miss.nearest.as_ref().unwrap();
        let parts = nearest.differs.iter().map(|differs| differs.part.clone());
        (nearest.exchange, parts.collect::<Vec<_>>().join(" "))
    };
    let last = Some(("sqlite3/a", 1));
    let other_input = miss(&same, "> ", b"select 3;\r", &["select 1;"], last);
    assert_eq!(parts(&other_input), (2, "input".to_owned()));
    let said = other_input.to_string();
    assert_eq!(
        said,
        "no tape of sqlite3 answers \"select 3;\" at the prompt \"> \"; the closest is exchange 2 of sqlite3/a (line 14), \
         where input differs: recorded \"select 2;\", now \"select 3;\"; record it with `ccctl rec --tapes t -- sqlite3 -batch`, \
         or use `--fallback proxy` to let the real program answer"
    );
    let other = |program: &str, arg: &str| context(program, &[arg]);
    let longer = "record a longer run with `ccctl rec --tapes t -- sqlite3 -batch`";
    #[rustfmt::skip]
    let rows = [
        (other("sqlite3", "-csv"), "> ", "select 2;\r", "select 1;", (2, "args[0]"), "--ignore-arg 0`"),
        (same.clone(), "> ", "select 2;\r", "select 7;", (2, "state"), "other inputs came before"),
        (same.clone(), "> ", "select 2;\r", "select 7;", (2, "state"), "--no-strict"),
        (same.clone(), "> ", "select 1;\r", "select 7;", (1, "state"), "(line 9), which has already been played; use `--no-strict`"),
        (same.clone(), "> ", "select 1;\r", "select 7;", (1, "state"), longer),
        (same.clone(), "...> ", "select 2;\r", "select 1;", (2, "prompt"), ""),
        (other("psql", "-batch"), "> ", "select 2;\r", "select 1;", (2, "program"), ""),
    ];
    for (session, prompt, input, before, (exchange, part), advice) in rows {
        let found = miss(&session, prompt, input.as_bytes(), &[before], None);
        assert_eq!(parts(&found), (exchange, part.to_owned()));
        assert!(found.to_string().contains(advice), "{found}");
        assert_eq!(found.nearest.unwrap().was_played, exchange == 1);
    }
    let nothing = miss(&context("psql", &[]), "x", b"y\r", &["z"], None);
    assert_eq!(nothing.nearest, None);
    assert_eq!(nothing.hints.len(), 2);
    let secret = miss(&same, "> ", b"password=hunter2hunter2\r", &[], None);
    let said = format!("{secret:?}{secret}");
    assert!(!said.contains("hunter2"), "{said}");
}

#[test]
fn a_miss_tells_of_files_that_are_set_aside_and_of_a_folder_that_is_not_there() {
    let root = tempfile::tempdir().unwrap();
    let rules = rules();
    let session = context("sqlite3", &[]);
    let hints = || {
        let asked = Lookup {
            played: None,
            rules: &rules,
            session: &session,
            prompt: "> ",
            input: b"x\r",
            state: state(&[]),
            last: None,
            is_strict: false,
            is_run: false,
            record_with: "ccctl rec sqlite3",
        };
        let index = index(root.path());
        index.fits(&rules, &session).explain(&asked).hints
    };
    let shown = root.path().display();
    std::fs::write(root.path().join("a.json5"), "{").unwrap();
    let validate = format!("run `ccctl tape validate --tapes {shown}` to see why");
    assert_eq!(
        hints().last().unwrap(),
        &format!("{validate} a.json5 is skipped")
    );
    std::fs::create_dir(root.path().join("sqlite3")).unwrap();
    std::fs::write(root.path().join("sqlite3/b.json5"), "{").unwrap();
    assert_eq!(
        hints()[0],
        format!("{validate} sqlite3/b.json5 and another file are skipped")
    );
    std::fs::remove_dir_all(root.path()).unwrap();
    let absent = format!("name another directory with `--tapes`: {shown} does not exist");
    assert_eq!(hints()[0], absent);
}

#[test]
fn behind_a_recording_that_was_cut_off_its_end_is_told_and_no_other_program() {
    let root = root(&[
        ("bash/a", tape("bash", &["x", "\u{4}"])),
        ("seq/a", tape("seq", &[])),
    ]);
    let index = index(root.path());
    let (rules, session) = (rules(), context("seq", &[]));
    let asked = |last| Lookup {
        played: None,
        rules: &rules,
        session: &session,
        prompt: "> ",
        input: b"\x04",
        state: state(&["x"]),
        last,
        is_strict: false,
        is_run: false,
        record_with: "ccctl rec seq",
    };
    let fits = index.fits(&rules, &session);
    let miss = fits.explain(&asked(Some(("seq/a", 0))));
    assert_eq!(miss.nearest.as_ref().unwrap().tape_id, "seq/a");
    let ended = "; the recording seq/a ends here, before the program did; ";
    assert!(miss.to_string().contains(ended), "{miss}");
    assert_eq!(fits.explain(&asked(None)).ended_tape, None);
}
