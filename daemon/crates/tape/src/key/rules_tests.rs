use super::*;

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn rules(options: MatchOptions) -> Rules {
    Rules::new(&options).unwrap()
}

fn with_args(rules: &Rules, args: &[&str]) -> Context {
    rules.context("p", &words(args), &env(&[]), "/x")
}

#[test]
fn by_default_a_few_variables_are_recorded_and_compared() {
    let rules = rules(MatchOptions::default());
    let all = env(&[
        ("HOME", "/home/ann"),
        ("LANG", "C"),
        ("LANGUAGE", "en"),
        ("LC_ALL", "C"),
        ("TERM", "xterm"),
        ("TZ", "UTC"),
    ]);
    let some = env(&[
        ("LANG", "C"),
        ("LC_ALL", "C"),
        ("TERM", "xterm"),
        ("TZ", "UTC"),
    ]);
    assert_eq!(rules.record_env(&all), some);
    assert_eq!(rules.context("p", &[], &all, "/").env, some);
}

#[test]
fn variables_are_allowed_and_ignored_by_name_or_its_begin() {
    let rules = rules(MatchOptions {
        allow_env: Some(words(&["APP_*", "PWD"])),
        ignore_env: Some(words(&["PWD", "APP_RUN*"])),
        ..MatchOptions::default()
    });
    let all = env(&[
        ("APP_A", "1"),
        ("APP_RUN_ID", "2"),
        ("PWD", "/x"),
        ("LANG", "C"),
    ]);
    assert_eq!(
        rules.record_env(&all),
        env(&[("APP_A", "1"), ("APP_RUN_ID", "2"), ("PWD", "/x")])
    );
    assert_eq!(
        rules.context("p", &[], &all, "/").env,
        env(&[("APP_A", "1")])
    );
}

#[test]
fn the_folder_of_a_program_and_by_default_the_working_directory_do_not_count() {
    let rules_without = rules(MatchOptions::default());
    let context =
        |rules: &Rules, program: &str, cwd: &str| rules.context(program, &[], &env(&[]), cwd);
    assert_eq!(
        context(&rules_without, "/usr/bin/bc", "/a"),
        context(&rules_without, "bc", "/b")
    );
    let rules_with = rules(MatchOptions {
        match_cwd: Some(true),
        ..MatchOptions::default()
    });
    let here = context(&rules_with, "bc", "/a");
    let there = context(&rules_with, "bc", "/b");
    assert!(!here.fits(&there));
    assert_eq!(here.differences(&there)[0].part, "cwd");
    assert_eq!(
        context(&rules_with, "bc", "/home/ann/x"),
        context(&rules_with, "bc", "/home/bob/x")
    );
}

#[test]
fn arguments_are_ignored_by_place_text_or_expression() {
    let rules = rules(MatchOptions {
        ignore_args: Some(vec![
            IgnoredArg::Index(1),
            IgnoredArg::Text("-v".to_owned()),
            IgnoredArg::Text("/^--seed=/".to_owned()),
        ]),
        ..MatchOptions::default()
    });
    let context = with_args(&rules, &["a", "b", "-v", "--seed=1", "c"]);
    assert_eq!(context.args, ["a", "c"]);
    assert!(context.fits(&with_args(&rules, &["a", "x", "c", "--seed=77"])));
    let other = with_args(&rules, &["a", "x", "d", "e"]);
    let differences = context.differences(&other);
    let parts: Vec<_> = differences.iter().map(|found| &found.part[..]).collect();
    assert_eq!(parts, ["args[1]", "args[2]"]);
    assert_eq!(differences[0].tape.as_deref(), Some("c"));
    assert_eq!(differences[1].tape, None);
}

#[test]
fn secrets_and_homes_in_arguments_and_variables_do_not_count() {
    let rules = rules(MatchOptions {
        allow_env: Some(words(&["API_TOKEN", "LANG", "PYTHONPATH"])),
        ..MatchOptions::default()
    });
    let started = |home: &str| {
        rules.context(
            "p",
            &words(&[
                "--password=hunter2hunter2",
                &format!("--db={home}/x.db"),
                &format!("{home}/a.sh"),
            ]),
            &env(&[
                ("API_TOKEN", "hunter2hunter2"),
                ("LANG", "C"),
                ("PYTHONPATH", &format!("{home}/lib")),
            ]),
            "/",
        )
    };
    let context = started("/home/ann");
    assert_eq!(context.args, ["--password=***", "--db=~/x.db", "~/a.sh"]);
    assert_eq!(
        context.env,
        env(&[("API_TOKEN", "***"), ("LANG", "C"), ("PYTHONPATH", "~/lib")])
    );
    assert!(context.fits(&started("/Users/bob")));
    let again = rules.context("p", &context.args, &context.env, "/");
    assert_eq!(again, context);
}

#[test]
fn another_argument_is_another_start_also_where_it_looks_volatile() {
    let with_rules = rules(MatchOptions::default());
    for (one, other) in [
        ("/tmp/w/d1/a.sh", "/tmp/w/d1/b.sh"),
        ("0x1234", "0x9999"),
        ("12:30:45", "18:15:00"),
        (
            "123e4567-e89b-12d3-a456-426614174000",
            "00000000-e89b-12d3-a456-426614174000",
        ),
        ("pid 1", "pid 2"),
        ("/home/ann", "/home/bob"),
        ("a ", "a"),
    ] {
        let (one_context, other_context) = (
            with_args(&with_rules, &[one]),
            with_args(&with_rules, &[other]),
        );
        assert!(!one_context.fits(&other_context), "{one}");
        assert_eq!(one_context.differences(&other_context)[0].part, "args[0]");
        let with_env = |value: &str| with_rules.context("p", &[], &env(&[("TZ", value)]), "/");
        assert!(!with_env(one).fits(&with_env(other)), "{one}");
    }
    let ignoring = rules(MatchOptions {
        ignore_args: Some(vec![IgnoredArg::Text("/^\\/tmp\\//".to_owned())]),
        ..MatchOptions::default()
    });
    let context = with_args(&ignoring, &["/tmp/w/d1/a.sh"]);
    assert!(context.fits(&with_args(&ignoring, &["/tmp/w/d2/a.sh"])));
}

#[test]
fn a_tape_that_says_nothing_of_the_environment_plays_in_any() {
    let rules = rules(MatchOptions {
        match_cwd: Some(true),
        ..MatchOptions::default()
    });
    let session = rules.context("p", &[], &env(&[("LANG", "C")]), "/x");
    let tape = rules.context("p", &[], &env(&[]), "");
    assert!(tape.fits(&session));
    assert!(tape.differences(&session).is_empty());
    let tape = rules.context("p", &[], &env(&[("TZ", "UTC")]), "/x");
    assert!(!tape.fits(&session));
    let parts: Vec<_> = tape
        .differences(&session)
        .into_iter()
        .map(|found| found.part)
        .collect();
    assert_eq!(parts, ["env LANG", "env TZ"]);
}

#[test]
fn a_terminal_is_not_pipes_and_a_tape_that_does_not_say_plays_with_both() {
    let rules = rules(MatchOptions::default());
    let context = |has_terminal| Context {
        has_terminal,
        ..rules.context("p", &[], &env(&[]), "/x")
    };
    let kinds = [Some(true), Some(false)];
    for session in kinds {
        assert!(context(None).fits(&context(session)));
        assert!(context(None).differences(&context(session)).is_empty());
        for tape in kinds {
            let (tape_context, session_context) = (context(tape), context(session));
            let differences = tape_context.differences(&session_context);
            assert_eq!(tape_context.fits(&session_context), tape == session);
            assert_eq!(differences.is_empty(), tape == session);
            assert!(differences.iter().all(|found| found.part == TERMINAL));
        }
    }
    let components = context(Some(false)).components();
    assert_eq!(components[TERMINAL], "with pipes");
}

#[test]
fn components_are_told_by_name() {
    let rules = rules(MatchOptions::default());
    let context = rules.context("/bin/p", &words(&["a b"]), &env(&[("TZ", "UTC")]), "/x");
    let components = context.components();
    assert_eq!(components["program"], "p");
    assert_eq!(components["args"], "[\"a b\"]");
    assert_eq!(components["env"], "{\"TZ\":\"UTC\"}");
    assert!(!components.contains_key("cwd"));
}

#[test]
fn rules_that_cannot_be_used_are_refused_by_name() {
    let refused = |options: MatchOptions| Rules::new(&options).unwrap_err().to_string();
    assert_eq!(
        refused(MatchOptions {
            allow_env: Some(words(&["LANG", "A*B"])),
            ..MatchOptions::default()
        }),
        "match.allow_env[1] is not the name of a variable: \"A*B\" (give a name, or a prefix followed by *)"
    );
    let error = refused(MatchOptions {
        ignore_args: Some(vec![IgnoredArg::Text("/(/".to_owned())]),
        ..MatchOptions::default()
    });
    assert_eq!(
        error,
        "match.ignore_args[0] is not a regular expression: unclosed group"
    );
    let error = refused(MatchOptions {
        ignore_args: Some(vec![IgnoredArg::Text("/(\\w{1000}){1000}/".to_owned())]),
        ..MatchOptions::default()
    });
    assert!(error.contains("size limit"), "{error}");
    let error = refused(MatchOptions {
        ignore_env: Some(words(&["A"; 257])),
        ..MatchOptions::default()
    });
    assert!(error.contains("257 entries"), "{error}");
    let error = refused(MatchOptions {
        ignore_env: Some(vec!["A".repeat(5000)]),
        ..MatchOptions::default()
    });
    assert!(error.contains("longer than"), "{error}");
}
