use super::test_tapes::{TestTape, context, index, rules, state, write};
use super::{Asked, Miss};
use crate::key::Context;

#[test]
fn a_miss_names_the_nearest_exchange_what_differs_and_what_to_do() {
    let root = tempfile::tempdir().unwrap();
    write(
        root.path(),
        "sqlite3/a",
        &TestTape {
            program: "sqlite3",
            args: &["-batch"],
            inputs: &["select 1;", "select 2;", ".exit"],
            ..TestTape::default()
        },
    );
    let index = index(root.path());
    let rules = rules();
    let played = [("sqlite3/a".to_owned(), std::iter::once(1..2).collect())].into();
    let miss = |session: &Context, prompt: &str, input: &[u8], inputs: &[&str], last| {
        let asked = Asked {
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
    let other_input = miss(
        &same,
        "> ",
        b"select 3;\r",
        &["select 1;"],
        Some(("sqlite3/a", 1)),
    );
    assert_eq!(parts(&other_input), (2, "input".to_owned()));
    let said = other_input.to_string();
    assert_eq!(
        said,
        "no tape of sqlite3 answers \"select 3;\" at the prompt \"> \"; the closest is exchange 2 of sqlite3/a (line 14), \
         where input differs: recorded \"select 2;\", now \"select 3;\"; record it with `ccctl rec --tapes t -- sqlite3 -batch`, \
         or use `--fallback proxy` to let the real program answer"
    );
    let other_arg = miss(
        &context("sqlite3", &["-csv"]),
        "> ",
        b"select 2;\r",
        &["select 1;"],
        None,
    );
    assert_eq!(parts(&other_arg), (2, "args[0]".to_owned()));
    assert!(
        other_arg.to_string().contains("--ignore-arg 0`"),
        "{other_arg}"
    );
    let other_state = miss(&same, "> ", b"select 2;\r", &["select 7;"], None);
    assert_eq!(parts(&other_state), (2, "state".to_owned()));
    assert!(
        other_state.to_string().contains("other inputs came before"),
        "{other_state}"
    );
    assert!(other_state.hints[0].contains("--no-strict"));
    let used_up = miss(&same, "> ", b"select 1;\r", &["select 7;"], None);
    assert_eq!(parts(&used_up), (1, "state".to_owned()));
    assert!(used_up.nearest.as_ref().unwrap().was_played);
    let said = used_up.to_string();
    assert!(
        said.contains("(line 9), which has already been played; use `--no-strict`")
            && said.contains("record a longer run with `ccctl rec --tapes t -- sqlite3 -batch`"),
        "{said}"
    );
    let other_prompt = miss(&same, "...> ", b"select 2;\r", &["select 1;"], None);
    assert_eq!(parts(&other_prompt), (2, "prompt".to_owned()));
    let other_program = miss(
        &context("psql", &["-batch"]),
        "> ",
        b"select 2;\r",
        &["select 1;"],
        None,
    );
    assert_eq!(parts(&other_program), (2, "program".to_owned()));
    let nothing = miss(&context("psql", &[]), "x", b"y\r", &["z"], None);
    assert_eq!(nothing.nearest, None);
    assert_eq!(nothing.hints.len(), 2);
    let secret = miss(&same, "> ", b"password=hunter2hunter2\r", &[], None);
    assert!(
        !format!("{secret:?}{secret}").contains("hunter2"),
        "{secret}"
    );
}

#[test]
fn a_miss_tells_of_files_that_are_set_aside_and_of_a_folder_that_is_not_there() {
    let root = tempfile::tempdir().unwrap();
    let rules = rules();
    let session = context("sqlite3", &[]);
    let hints = || {
        let asked = Asked {
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
    assert_eq!(
        hints().last().unwrap(),
        &format!("run `ccctl tape validate --tapes {shown}` to see why a.json5 is skipped")
    );
    std::fs::create_dir(root.path().join("sqlite3")).unwrap();
    std::fs::write(root.path().join("sqlite3/b.json5"), "{").unwrap();
    assert_eq!(
        hints()[0],
        format!(
            "run `ccctl tape validate --tapes {shown}` to see why sqlite3/b.json5 and another file are skipped"
        )
    );
    std::fs::remove_dir_all(root.path()).unwrap();
    assert_eq!(
        hints()[0],
        format!("name another directory with `--tapes`: {shown} does not exist")
    );
}

#[test]
fn behind_a_recording_that_was_cut_off_its_end_is_told_and_no_other_program() {
    let root = tempfile::tempdir().unwrap();
    for (program, inputs) in [("bash", &["x", "\u{4}"][..]), ("seq", &[])] {
        let tape = TestTape {
            program,
            inputs,
            ..TestTape::default()
        };
        write(root.path(), &format!("{program}/a"), &tape);
    }
    let index = index(root.path());
    let (rules, session) = (rules(), context("seq", &[]));
    let asked = |last| Asked {
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
    assert!(
        miss.to_string()
            .contains("; the recording seq/a ends here, before the program did; "),
        "{miss}"
    );
    assert_eq!(fits.explain(&asked(None)).ended_tape, None);
}
