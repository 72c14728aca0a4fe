//! What a run changes.

use crate::support::exec::{COMMITTED, Executor, Repository, bash, tool};
use ccd_protocol::exec::FileStatus;
use serde_json::{Value, json};

#[test]
fn a_plain_answer_changes_nothing() {
    let Some(executor) = Executor::with_answers(&json!(["Hello."])) else {
        return;
    };
    let ran = executor.run(&Repository::new(), &json!({"output_format": "json"}));
    let result = ran.succeeded_and_changed(&[]);
    assert_eq!(result.diff, "");
    assert_eq!((&result.commit_hash, &*result.mode), (&None, "all"));
    assert_eq!(result.usage.exit_code, Some(0));
    let document: Value = serde_json::from_str(&result.stdout).unwrap();
    assert_eq!(document["type"], "result");
    assert_eq!(document["result"], "Hello.");
    assert_eq!(document["session_id"], json!(result.session_id));
}

#[test]
fn an_instruction_of_a_megabyte_arrives_with_quotes_line_ends_emoji_and_a_leading_dash() {
    let instruction = "-p \"it's\" `$(x)`\\n\nnext line 👍\u{2028}ä --help";
    let long = format!(
        "{instruction}{}",
        "ä long instruction, 👍\u{2028}\n".repeat(50_000)
    );
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
    let ran = executor.run(&repository, &params(instruction));
    let result = ran.succeeded_and_changed(&[]);
    assert_eq!(result.stdout.trim_end(), instruction);
    assert_eq!(result.instruction, instruction);
    let ran = executor.run(&repository, &params(&long));
    assert_eq!(ran.succeeded_and_changed(&[]).stdout, "It is here.\n");
}

#[test]
fn commits_renames_binary_and_untracked_files_of_one_run_are_all_in_its_diff() {
    let repository = Repository::new();
    let file = repository.root().join("a.txt");
    let write = tool("Write", json!({"file_path": file, "content": "a\n"}));
    let commands = "git mv old.txt new.txt && git commit -qm 'Rename'\n\
        printf 'a\\000b\\377' > binary && git add binary && git commit -qm 'Add binary'\n\
        printf 'more\\n' >> kept.txt; git add kept.txt; printf 'x\\n' > ünträcked; printf 'y\\n' > secret.ignored";
    let Some(executor) = Executor::with_answers(&json!([write, bash(commands), "Done."])) else {
        return;
    };
    let first = repository.git(&["rev-parse", "HEAD"]);
    let ran = executor.run(&repository, &json!({}));
    let changed = r"\xc3\xbcntr\xc3\xa4cked a.txt binary kept.txt new.txt old.txt secret.ignored";
    let changed = COMMITTED.into_iter().chain(changed.split(' '));
    let result = ran.succeeded_and_changed(&changed.collect::<Vec<_>>());
    assert_eq!(result.usage.calls, 2);
    assert!(result.usage.version.is_some());
    let log = repository.git(&["rev-list", "--reverse", &format!("{first}..HEAD")]);
    assert_eq!(result.commits, log.lines().collect::<Vec<_>>());
    assert_eq!(result.commits.len(), 2);
    assert_eq!(result.commit_hash.as_ref(), result.commits.last());
    let files = "a.txt binary kept.txt new.txt ünträcked";
    assert_eq!(result.files_changed.join(" "), files);
    assert_eq!(result.diff, repository.diff_since(&first));
    let files = result.diff_info.iter();
    let files = files.map(|file| {
        (
            &*file.file_path,
            file.status,
            file.additions,
            file.deletions,
        )
    });
    let expected = [
        ("a.txt", FileStatus::Added, 1, 0),
        ("binary", FileStatus::Added, 0, 0),
        ("kept.txt", FileStatus::Modified, 1, 0),
        ("new.txt", FileStatus::Renamed, 0, 0),
        ("ünträcked", FileStatus::Added, 1, 0),
    ];
    let mut files: Vec<_> = files.collect();
    files.sort_by_key(|file| file.0);
    assert_eq!(files, expected);
    let mut renamed = result
        .diff_info
        .iter()
        .filter_map(|file| file.old_path.as_deref());
    assert_eq!(renamed.next(), Some("old.txt"));
}
