use super::*;
use serde_json::json;

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// Returns the rules of options as a request has them.
fn rules(options: serde_json::Value) -> ContextRules {
    ContextRules::new(&serde_json::from_value(options).unwrap()).unwrap()
}

fn with_args(rules: &ContextRules, args: &[&str]) -> Context {
    rules.context("p", &words(args), &env(&[]), "/x")
}

#[test]
fn by_default_a_few_variables_are_recorded_and_compared() {
    let rules = rules(json!({}));
    let some = [("LANG", "C"), ("LC_ALL", "C"), ("TERM", "x"), ("TZ", "UTC")];
    let others = [("HOME", "/home/ann"), ("LANGUAGE", "en")];
    let (some, all) = (env(&some), env(&[&some[..], &others].concat()));
    assert_eq!(rules.record_env(&all), some);
    assert_eq!(rules.context("p", &[], &all, "/").env, some);
}

#[test]
fn variables_are_allowed_and_ignored_by_name_or_its_begin() {
    let rules = rules(json!({"allow_env": ["APP_*", "PWD"], "ignore_env": ["PWD", "APP_RUN*"]}));
    let all = [
        ("APP_A", "1"),
        ("APP_RUN_ID", "2"),
        ("PWD", "/x"),
        ("LANG", "C"),
    ];
    assert_eq!(rules.record_env(&env(&all)), env(&all[..3]));
    let compared = rules.context("p", &[], &env(&all), "/").env;
    assert_eq!(compared, env(&all[..1]));
}

#[test]
fn the_folder_of_a_program_and_by_default_the_working_directory_do_not_count() {
    let rules_without = rules(json!({}));
    let context = |rules: &ContextRules, program: &str, cwd: &str| {
        rules.context(program, &[], &env(&[]), cwd)
    };
    let [with_folder, without] = [("/usr/bin/bc", "/a"), ("bc", "/b")]
        .map(|(program, cwd)| context(&rules_without, program, cwd));
    assert_eq!(with_folder, without);
    let rules_with = rules(json!({"match_cwd": true}));
    let here = context(&rules_with, "bc", "/a");
    let there = context(&rules_with, "bc", "/b");
    assert!(!here.fits(&there));
    assert_eq!(here.differences(&there)[0].part, "cwd");
    let [ann, bob] = ["/home/ann/x", "/home/bob/x"].map(|cwd| context(&rules_with, "bc", cwd));
    assert_eq!(ann, bob);
}

#[test]
fn arguments_are_ignored_by_place_text_or_expression() {
    let rules = rules(json!({"ignore_args": [1, "-v", "/^--seed=/"]}));
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
    let rules = rules(json!({"allow_env": ["API_TOKEN", "LANG", "PYTHONPATH"]}));
    let started = |home: &str| {
        let (db, script) = (format!("--db={home}/x.db"), format!("{home}/a.sh"));
        let (token, lib) = ("hunter2hunter2", format!("{home}/lib"));
        let args = words(&["--password=hunter2hunter2", &db, &script]);
        let env = env(&[("API_TOKEN", token), ("LANG", "C"), ("PYTHONPATH", &lib)]);
        rules.context("p", &args, &env, "/")
    };
    let context = started("/home/ann");
    assert_eq!(context.args, ["--password=***", "--db=~/x.db", "~/a.sh"]);
    let masked = [("API_TOKEN", "***"), ("LANG", "C"), ("PYTHONPATH", "~/lib")];
    assert_eq!(context.env, env(&masked));
    assert!(context.fits(&started("/Users/bob")));
    let again = rules.context("p", &context.args, &context.env, "/");
    assert_eq!(again, context);
}

#[test]
fn another_argument_is_another_start_also_where_it_looks_volatile() {
    let with_rules = rules(json!({}));
    #[rustfmt::skip]
    let rows = [
        ("/tmp/w/d1/a.sh", "/tmp/w/d1/b.sh"),
        ("0x1234", "0x9999"),
        ("12:30:45", "18:15:00"),
        ("123e4567-e89b-12d3-a456-426614174000", "00000000-e89b-12d3-a456-426614174000"),
        ("pid 1", "pid 2"),
        ("/home/ann", "/home/bob"),
        ("a ", "a"),
    ];
    for (one, other) in rows {
        let [one_context, other_context] = [one, other].map(|arg| with_args(&with_rules, &[arg]));
        assert!(!one_context.fits(&other_context), "{one}");
        assert_eq!(one_context.differences(&other_context)[0].part, "args[0]");
        let with_env = |value: &str| with_rules.context("p", &[], &env(&[("TZ", value)]), "/");
        assert!(!with_env(one).fits(&with_env(other)), "{one}");
    }
    let ignoring = rules(json!({"ignore_args": ["/^\\/tmp\\//"]}));
    let context = with_args(&ignoring, &["/tmp/w/d1/a.sh"]);
    assert!(context.fits(&with_args(&ignoring, &["/tmp/w/d2/a.sh"])));
}

#[test]
fn a_tape_that_says_nothing_of_the_environment_plays_in_any() {
    let rules = rules(json!({"match_cwd": true}));
    let session = rules.context("p", &[], &env(&[("LANG", "C")]), "/x");
    let tape = rules.context("p", &[], &env(&[]), "");
    assert!(tape.fits(&session));
    assert!(tape.differences(&session).is_empty());
    let tape = rules.context("p", &[], &env(&[("TZ", "UTC")]), "/x");
    assert!(!tape.fits(&session));
    let differences = tape.differences(&session).into_iter();
    assert!(
        differences
            .map(|found| found.part)
            .eq(["env LANG", "env TZ"])
    );
}

#[test]
fn a_terminal_is_not_pipes_and_a_tape_that_does_not_say_plays_with_both() {
    let rules = rules(json!({}));
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
    let rules = rules(json!({}));
    let context = rules.context("/bin/p", &words(&["a b"]), &env(&[("TZ", "UTC")]), "/x");
    let components = context.components();
    assert_eq!(components["program"], "p");
    assert_eq!(components["args"], "[\"a b\"]");
    assert_eq!(components["env"], "{\"TZ\":\"UTC\"}");
    assert!(!components.contains_key("cwd"));
}

#[test]
fn rules_that_cannot_be_used_are_refused_by_name() {
    let no_name = "match.allow_env[1] is not the name of a variable: \"A*B\" (give a name, or a prefix followed by *)";
    let no_regex = "match.ignore_args[0] is not a regular expression: unclosed group";
    #[rustfmt::skip]
    let rows = [
        (json!({"allow_env": ["LANG", "A*B"]}), no_name),
        (json!({"ignore_args": ["/(/"]}), no_regex),
        (json!({"ignore_args": ["/(\\w{1000}){1000}/"]}), "size limit"),
        (json!({"ignore_env": vec!["A"; 257]}), "257 entries"),
        (json!({"ignore_env": ["A".repeat(5000)]}), "longer than"),
    ];
    for (options, expected) in rows {
        let error = ContextRules::new(&serde_json::from_value(options).unwrap()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}
