//! What a run changes.

use crate::support::exec::{COMMITTED, Executor, Repository, bash, tool};
use ccd_protocol::exec::FileStatus;
use serde_json::{Value, json};

#[test]
fn a_plain_answer_changes_nothing_in_any_format() {
    let Some(executor) = Executor::with_answers(&json!(["Hello.", "Hello.", "Hello."])) else {
        return;
    };
    let repository = Repository::new();
    let text = executor.run(&repository, &json!({"output_format": "text"}));
    let result = text.succeeded_and_changed(&[]);
    assert_eq!((&*result.stdout, &*result.diff), ("Hello.\n", ""));
    assert_eq!((&result.commit_hash, &*result.mode), (&None, "all"));
    assert_eq!(result.usage.exit_code, Some(0));
    let json = executor.run(&repository, &json!({"output_format": "json"}));
    let document: Value = serde_json::from_str(&json.succeeded_and_changed(&[]).stdout).unwrap();
    assert_eq!(
        (&document["type"], &document["result"]),
        (&json!("result"), &json!("Hello."))
    );
    assert_eq!(document["session_id"], json!(json.result.session_id));
    let stream = executor.run(&repository, &json!({"output_format": "stream-json"}));
    let types: Vec<Value> = stream
        .succeeded_and_changed(&[])
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].clone())
        .collect();
    assert_eq!(types, ["system", "assistant", "result"]);
}

#[test]
fn an_instruction_of_a_megabyte_arrives_with_quotes_line_ends_emoji_and_a_leading_dash() {
    let long = "ä long instruction, ".repeat(50_000);
    // The long one is not repeated: 2.1.197 may exit before it has printed so much.
    let answers = json!({"lanes": [
        {"name": "long", "match": {"first_user_contains": long.trim()}, "steps": ["It is here."]},
        {"name": "short", "steps": ["{{first_user_text}}"]},
    ]});
    let Some(executor) = Executor::with_answers(&answers) else {
        return;
    };
    let repository = Repository::new();
    let params = |instruction: &str| json!({"instruction": instruction, "output_format": "text"});
    let instruction = "-p \"it's\" `$(x)`\\n\nnext line 👍\u{2028}ä --help";
    let ran = executor.run(&repository, &params(instruction));
    let result = ran.succeeded_and_changed(&[]);
    assert_eq!(result.stdout.trim_end(), instruction);
    assert_eq!(result.instruction, instruction);
    let ran = executor.run(&repository, &params(&long));
    assert_eq!(ran.succeeded_and_changed(&[]).stdout, "It is here.\n");
}

#[test]
fn a_file_that_is_written_and_committed_is_in_the_result() {
    let repository = Repository::new();
    let file = repository.root().join("a.txt");
    let answers = json!([
        tool("Write", json!({"file_path": file, "content": "a\n"})),
        bash("git add a.txt && git commit -qm 'Add a'"),
        "Done."
    ]);
    let Some(executor) = Executor::with_answers(&answers) else {
        return;
    };
    let first = repository.git(&["rev-parse", "HEAD"]);
    let ran = executor.run(&repository, &json!({}));
    let result = ran.succeeded_and_changed(&[&COMMITTED[..], &["a.txt"]].concat());
    let head = repository.git(&["rev-parse", "HEAD"]);
    assert_eq!(
        (&result.commit_hash, &result.commits),
        (&Some(head.clone()), &vec![head])
    );
    assert_eq!(result.files_changed, ["a.txt"]);
    assert_eq!(result.diff, repository.diff_since(&first));
    assert_eq!(
        (
            result.usage.calls,
            result.usage.version.as_deref().is_some()
        ),
        (2, true)
    );
}

#[test]
fn commits_renames_binary_and_untracked_files_of_one_run_are_all_in_its_diff() {
    let commands = "git mv old.txt new.txt && git commit -qm 'Rename'\n\
        printf 'a\\000b\\377' > binary && git add binary && git commit -qm 'Add binary'\n\
        printf 'more\\n' >> kept.txt; git add kept.txt; printf 'x\\n' > ünträcked; printf 'y\\n' > secret.ignored";
    let Some(executor) = Executor::with_answers(&json!([bash(commands), "Done."])) else {
        return;
    };
    let repository = Repository::new();
    let first = repository.git(&["rev-parse", "HEAD"]);
    let result = executor.run(&repository, &json!({})).result;
    assert_eq!(result.error_message, None);
    let log = repository.git(&["rev-list", "--reverse", &format!("{first}..HEAD")]);
    assert_eq!(result.commits, log.lines().collect::<Vec<_>>());
    assert_eq!(result.commits.len(), 2);
    assert_eq!(result.commit_hash.as_ref(), result.commits.last());
    assert_eq!(
        result.files_changed,
        ["binary", "kept.txt", "new.txt", "ünträcked"]
    );
    assert_eq!(result.diff, repository.diff_since(&first));
    let files = result.diff_info.iter().map(|file| {
        (
            &*file.file_path,
            file.status,
            file.additions,
            file.deletions,
        )
    });
    let expected = [
        ("binary", FileStatus::Added, 0, 0),
        ("kept.txt", FileStatus::Modified, 1, 0),
        ("new.txt", FileStatus::Renamed, 0, 0),
        ("ünträcked", FileStatus::Added, 1, 0),
    ];
    let mut files: Vec<_> = files.collect();
    files.sort_by_key(|file| file.0);
    assert_eq!(files, expected);
    let renamed = result
        .diff_info
        .iter()
        .find(|file| file.status == FileStatus::Renamed);
    assert_eq!(renamed.unwrap().old_path.as_deref(), Some("old.txt"));
}

#[test]
fn ten_megabytes_in_a_hundred_files_are_in_the_diff_without_a_gap() {
    let command = "for i in $(seq 100); do seq -f \"$i line %g of a large file that is written by a run\" 2300 > big$i.txt; done";
    let Some(executor) = Executor::with_answers(&json!([bash(command), "Done."])) else {
        return;
    };
    let repository = Repository::new();
    let result = executor.run(&repository, &json!({})).result;
    assert_eq!(
        (result.error_message, result.files_changed.len()),
        (None, 100)
    );
    assert!(result.diff.len() > 10_000_000, "{}", result.diff.len());
    assert!(
        result.diff == repository.diff_since("HEAD"),
        "git prints another diff"
    );
    assert_eq!(
        result
            .diff_info
            .iter()
            .map(|file| file.additions)
            .sum::<u64>(),
        230_000
    );
}
