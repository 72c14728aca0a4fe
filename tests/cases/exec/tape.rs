//! Tapes in place of Claude Code: a run is recorded once, and replayed where there is no Claude Code.

use crate::support::client::Ran;
use crate::support::exec::{Claude, Executor, Repository};
use crate::support::{Ccctl, kind};
use ccd_protocol::exec::ExecStarted;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// A daemon, a repository, and a clone of it in which runs are replayed.
pub(super) struct Fleet {
    pub(super) executor: Executor,
    pub(super) project: Repository,
    pub(super) clone: Repository,
}

impl Fleet {
    pub(super) fn new(claude: Claude) -> Self {
        let project = Repository::new();
        let clone = project.beside("clone");
        project.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
        let fleet = Self {
            executor: Executor::new(claude),
            clone: Repository::at(clone),
            project,
        };
        for (name, value) in [("user.name", "Test"), ("user.email", "test@example.org")] {
            fleet.clone.git(&["config", name, value]);
        }
        fleet
    }

    fn script(body: &str) -> Self {
        Self::new(Claude::script(&format!("init; {body}")))
    }

    fn tapes(&self) -> PathBuf {
        self.project.beside("tapes")
    }

    pub(super) fn remove_claude(&self) {
        fs::remove_file(self.executor.claude.program()).unwrap();
    }

    /// Starts a run with tapes.
    fn start(&self, at: &Repository, tape: Value, mut more: Value) -> Result<ExecStarted, Value> {
        more["tape"] = tape;
        more["tape"]["root"] = json!(self.tapes());
        self.executor.try_start(at, &more)
    }

    /// Runs to the end. Returns the result and the lines that its job got.
    fn run(&self, at: &Repository, tape: Value, more: Value) -> (Value, Value) {
        let started = self.start(at, tape, more).unwrap();
        let result = self.executor.result(&started);
        let job = self.executor.job(&started, 0);
        let result = serde_json::to_value(result).unwrap();
        (result, job["result"]["lines"].clone())
    }

    pub(super) fn record(&self, more: Value) -> Value {
        self.run(&self.project, json!({"record": "new"}), more).0
    }

    pub(super) fn replay(&self, more: Value) -> Value {
        self.run(&self.clone, json!({"latency": 0}), more).0
    }

    fn call(&self, method: &str, params: &Value) -> Value {
        self.executor.daemon.ok(method, params)
    }

    fn file(&self, tape: &Value) -> PathBuf {
        self.tapes()
            .join(format!("{}.json5", tape.as_str().unwrap()))
    }

    fn text(&self, tape: &Value) -> String {
        fs::read_to_string(self.file(tape)).unwrap()
    }

    /// Runs `ccctl tape VERB`.
    fn run_ccctl(&self, args: &[&str]) -> Ran {
        let tapes = self.tapes();
        let args = [&["tape"], args, &["--tapes", tapes.to_str().unwrap()]].concat();
        Ccctl::new(&self.executor.daemon).run(&args)
    }

    /// Returns what it prints; it must succeed.
    fn ccctl(&self, args: &[&str]) -> String {
        let ran = self.run_ccctl(args);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout
    }
}

#[track_caller]
pub(super) fn assert_same(recorded: &Value, replayed: &Value) {
    for field in SAME.split(' ') {
        assert_eq!(recorded[field], replayed[field], "{field}");
    }
}

/// What a replay has from its recording.
const SAME: &str =
    "status diff diff_info files_changed stdout stderr error_message policy_violations";

#[test]
fn a_run_is_replayed_without_claude_code_and_changes_the_same() {
    let fleet = Fleet::script(
        r#"say 'Working'; printf 'a warning\n' >&2
        sed -i 's/line 7$/line seven/' kept.txt; mkdir d; mv old.txt 'd/new name.txt'; chmod +x kept.txt
        printf '\000\001\377\012' > binary; printf 'latin \344 \n' > latin.txt; printf 'no end' > "quote\"d"
        result"#,
    );
    let new = json!({"record": "new", "tag": "t"});
    let (recorded, lines) = fleet.run(&fleet.project, new, json!({}));
    assert_eq!(recorded["status"], "success", "{recorded}");
    let tape = &recorded["tape"]["new"][0];
    assert!(tape.as_str().unwrap().starts_with("claude/t-"), "{tape}");
    let warnings = recorded["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let warning = warnings[0].as_str().unwrap();
    assert!(warning.contains("not UTF-8"), "{warning}");
    fleet.remove_claude();
    let index = fs::read(fleet.clone.root().join(".git/index")).unwrap();
    let (replayed, again) = fleet.run(&fleet.clone, json!({"latency": 0}), json!({}));
    assert_same(&recorded, &replayed);
    assert_eq!(lines, again);
    assert_eq!(recorded["files_changed"].as_array().unwrap().len(), 5);
    assert!(fs::read(fleet.clone.root().join(".git/index")).unwrap() == index);
    for file in [
        "kept.txt",
        "d/new name.txt",
        "binary",
        "latin.txt",
        "quote\"d",
    ] {
        let read = |at: &Repository| fs::read(at.root().join(file)).unwrap();
        assert_eq!(read(&fleet.project), read(&fleet.clone), "{file}");
    }
    assert_eq!(replayed["tape"]["used"], json!([tape]));
    assert_ne!(recorded["session_id"], replayed["session_id"]);
    let sessions = fleet.call("exec.sessions", &json!({}));
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 2);
}

#[test]
fn the_tools_for_tapes_accept_the_tape_of_a_run() {
    let fleet = Fleet::script("say 'Working'; echo x > x.txt; result 'All done.'");
    for instruction in ["do it", "do it again"] {
        let recorded = fleet.record(json!({"instruction": instruction, "dirty_worktree": "allow"}));
        assert_eq!(recorded["warnings"], json!([]), "{recorded}");
    }
    let tapes = json!({"root": fleet.tapes(), "strict": true});
    let checked = fleet.call("tape.validate", &tapes);
    assert_eq!(checked["problems"], json!([]));
    assert_eq!(checked["valid"], true);
    fleet.ccctl(&["validate", "--strict"]);
    let list = fleet.call("tape.list", &tapes);
    let [one, two] = [0, 1].map(|at| list["tapes"][at]["tape_id"].as_str().unwrap().to_owned());
    assert_eq!(list["tapes"][0]["begins_in_middle"], Value::Null);
    assert!(one.starts_with("claude/exec-"), "{one}");
    let shown = fleet.ccctl(&["show", &one]);
    assert!(shown.contains("All done."), "{shown}");
    let transcript = fleet.ccctl(&["export", &one, "--transcript"]);
    assert!(transcript.contains("All done."), "{transcript}");
    // It would run Claude Code without any of the run's limits.
    let refused = fleet.run_ccctl(&["verify", &one]).stderr;
    let why = "tape of a run of Claude Code";
    assert!(refused.contains(why), "{refused}");
    fleet.ccctl(&["redact", "--inplace"]);
    assert_ne!(fleet.run_ccctl(&["diff", &one, &two]).stdout, "");
    fleet.remove_claude();
    assert_eq!(fleet.replay(json!({}))["files_changed"], json!(["x.txt"]));
    let used = json!({"root": fleet.tapes(), "used": true});
    let used = fleet.call("tape.list", &used);
    assert_eq!(used["tapes"].as_array().unwrap().len(), 1);
}

#[test]
fn a_run_that_is_on_no_tape_is_an_error_that_names_it() {
    let fleet = Fleet::script("result");
    fleet.record(json!({}));
    let miss = |more: Value| fleet.start(&fleet.clone, json!({}), more).unwrap_err();
    let other = miss(json!({"instruction": "something else"}));
    assert_eq!(kind(&other), "tape_miss");
    let message = other["message"].as_str().unwrap();
    assert!(message.contains("\"something else\""), "{message}");
    assert!(message.contains("--record new"), "{message}");
    let model = miss(json!({"model": "opus", "max_turns": 3}));
    let part = &model["data"]["nearest"]["differs"][0];
    assert_eq!(part["part"], "args[1]");
    assert_eq!(part["asked"], "--model");
    let runs = fleet.call("exec.list", &json!({}));
    assert_eq!(runs["executions"].as_array().unwrap().len(), 1);
    let wrong = fleet
        .start(&fleet.clone, json!({"tag": ""}), json!({}))
        .unwrap_err();
    assert_eq!(kind(&wrong), "invalid_request");
}

#[test]
fn the_mode_decides_what_answers_and_what_is_written() {
    let fleet = Fleet::script("result one");
    let run = |tape: Value| {
        let (result, _) = fleet.run(&fleet.project, tape, json!({"output_format": "text"}));
        let names = ["hits", "proxied", "recorded", "known"];
        let counts = names.map(|name| result["tape"][name].as_u64().unwrap());
        let stdout = result["stdout"].as_str().unwrap().trim().to_owned();
        (stdout, counts, result["warnings"].to_string())
    };
    let check = |answer: &str, rows: &[(Value, [u64; 4])]| {
        for (tape, counts) in rows {
            let ran = run(tape.clone());
            assert_eq!((&*ran.0, ran.1), (answer, *counts), "{tape}");
        }
    };
    let (new, overwrite) = (json!({"record": "new"}), json!({"record": "overwrite"}));
    let new_if_missing = json!({"record": "new", "fallback": "proxy"});
    let none = run(overwrite.clone());
    assert_eq!((&*none.0, none.1), ("one", [0, 0, 0, 0]));
    assert!(none.2.contains("no tape has it"), "{}", none.2);
    check(
        "one",
        &[
            (json!({"fallback": "proxy"}), [0, 1, 0, 0]),
            (new_if_missing.clone(), [0, 1, 1, 0]),
        ],
    );
    fleet.executor.claude.stand_in("init; result two");
    check("one", &[(new_if_missing, [1, 0, 0, 0])]);
    check("two", &[(new, [0, 0, 0, 1])]);
    check("one", &[(json!({}), [1, 0, 0, 0])]);
    check(
        "two",
        &[(overwrite, [0, 0, 1, 0]), (json!({}), [1, 0, 0, 0])],
    );
}

#[test]
fn changes_that_do_not_fit_fail_the_run_and_nothing_is_changed() {
    let fleet = Fleet::script("echo x > x.txt; sed -i 's/line 7$/line seven/' kept.txt; result");
    let tape = fleet.record(json!({}))["tape"]["new"][0].clone();
    let clone = &fleet.clone;
    clone.write("kept.txt", "another\n");
    clone.commit("Other lines");
    clone.write("mine.txt", "mine\n");
    let status = clone.git(&["status", "--porcelain"]);
    let failed = fleet.replay(json!({"dirty_worktree": "stash"}));
    assert_eq!(failed["error_kind"], "repository_error");
    assert_eq!(failed["status"], "failed");
    let message = failed["error_message"].as_str().unwrap();
    let names = [tape.as_str().unwrap(), "kept.txt: patch does not apply"];
    assert!(names.iter().all(|name| message.contains(name)), "{message}");
    assert_eq!(failed["tape"]["used"], json!([tape]));
    assert_eq!(clone.git(&["status", "--porcelain"]), status);
    assert_eq!(clone.git(&["stash", "list"]), "");
    let blocked = fleet.replay(json!({}));
    assert_eq!(blocked["error_kind"], "dirty_worktree");
}

#[test]
fn a_failed_run_is_replayed_as_failed_and_one_that_was_ended_is_not_recorded() {
    let fleet = Fleet::script("echo half > half.txt; echo 'it broke' >&2; exit 3");
    let recorded = fleet.record(json!({}));
    assert_eq!(recorded["error_message"], "it broke");
    assert_eq!(recorded["status"], "failed");
    let replayed = fleet.replay(json!({}));
    assert_same(&recorded, &replayed);
    assert_eq!(replayed["usage"]["exit_code"], 3);
    fleet.executor.claude.stand_in("init; say late; sleep 60");
    let hang = json!({"instruction": "hang", "timeout": 1, "dirty_worktree": "allow"});
    let ended = fleet.record(hang);
    assert_eq!(ended["status"], "timeout");
    assert!(ended["tape"]["new"].is_null(), "{ended}");
    let warning = ended["warnings"][0].as_str().unwrap();
    assert!(warning.contains("was not recorded"), "{warning}");
}

#[test]
fn the_same_instruction_later_in_a_conversation_has_an_answer_of_its_own() {
    let fleet = Fleet::script("echo more >> steps.txt; result \"step $(grep -c more steps.txt)\"");
    let steps = |at: &Repository, tape: Value| {
        let mut answers = Vec::new();
        for step in 0..3 {
            let more = json!({"instruction": "go on", "continue_last": step > 0, "output_format": "text", "dirty_worktree": "allow"});
            let (result, _) = fleet.run(at, tape.clone(), more);
            answers.push((result["stdout"].clone(), result["diff"].clone()));
        }
        answers
    };
    let recorded = steps(&fleet.project, json!({"record": "new"}));
    assert_eq!(recorded[2].0.as_str().unwrap().trim(), "step 3");
    fleet.remove_claude();
    assert_eq!(steps(&fleet.clone, json!({"latency": 0})), recorded);
}

#[test]
fn commits_are_not_replayed_but_their_changes_are() {
    let fleet = Fleet::script("echo x > x.txt; git add .; git commit -qm X; result");
    let recorded = fleet.record(json!({}));
    assert_eq!(recorded["commits"].as_array().unwrap().len(), 1);
    let replayed = fleet.replay(json!({}));
    assert_same(&recorded, &replayed);
    assert_eq!(replayed["commits"], json!([]));
    assert!(replayed["commit_hash"].is_null());
    let warning = replayed["warnings"][0].as_str().unwrap();
    assert!(warning.contains("made 1 commit"), "{warning}");
    assert_eq!(fleet.clone.git(&["status", "--porcelain"]), "?? x.txt");
}

#[test]
fn secrets_are_not_on_the_tape_except_in_the_exact_changes() {
    let key = format!("sk-ant-api03-{}", "aB3dE5gH7j".repeat(9));
    let fleet = Fleet::script(&format!("say 'password={key}'; echo '{key}' >&2; result"));
    let recorded = fleet.record(json!({"instruction": format!("use {key}")}));
    let tape = fleet.text(&recorded["tape"]["new"][0]);
    assert!(!tape.contains(&key) && tape.contains("***"), "{tape}");
    let replayed = fleet.replay(json!({"instruction": format!("use {key}")}));
    assert_same(&recorded, &replayed);
    fleet
        .executor
        .claude
        .stand_in(&format!("init; echo 'key={key}' > .env; result"));
    let recorded = fleet.record(json!({"instruction": "write it"}));
    let warning = recorded["warnings"][0].as_str().unwrap();
    assert!(warning.contains("look like secrets"), "{warning}");
    assert!(fleet.text(&recorded["tape"]["new"][0]).contains(&key));
    fleet.ccctl(&["redact", "--inplace"]);
    let replayed = fleet.replay(json!({"instruction": "write it"}));
    assert_eq!(replayed["diff"], recorded["diff"]);
}

#[test]
fn a_tape_without_an_exit_waits_until_the_run_is_ended() {
    let fleet = Fleet::script("result");
    let recorded = fleet.record(json!({}));
    let path = fleet.file(&recorded["tape"]["new"][0]);
    let tape = fs::read_to_string(&path).unwrap();
    assert!(tape.contains("exit: { code: 0, signal: null }"), "{tape}");
    let waits = tape.replace("exit: { code: 0, signal: null }", "exit: null");
    fs::write(&path, waits).unwrap();
    let timed_out = fleet.replay(json!({"timeout": 1}));
    assert_eq!(timed_out["status"], "timeout");
    let started = fleet.start(&fleet.clone, json!({}), json!({})).unwrap();
    fleet
        .executor
        .wait_for_progress(&started, |progress| progress["phase"] == "running");
    fleet.call("exec.cancel", &json!({"request_id": started.request_id}));
    let message = fleet.executor.result(&started).error_message;
    assert_eq!(message.as_deref(), Some("the run was cancelled"));
}

#[test]
fn the_client_has_the_options_of_other_commands_with_tapes() {
    let fleet = Fleet::script("echo x > x.txt; result 'All done.'");
    let program = fleet.executor.claude.program();
    let beside = fleet.tapes().parent().unwrap().to_owned();
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let exec = |at: &Repository, more: &[&str]| {
        let tapes = ["--tapes", "tapes"]; // relative to the caller's directory
        let at = at.path();
        let args = [&["exec", "do it", "--repo-path", &at], &tapes[..], more].concat();
        let mut ccctl = Ccctl::new(&fleet.executor.daemon).command(&args);
        ccctl.env("PATH", &path).current_dir(&beside);
        Ran::of(ccctl.output().unwrap())
    };
    let missed = exec(&fleet.clone, &["--fallback", "not_found"]);
    assert_eq!(missed.code, Some(1), "{missed:?}");
    assert!(missed.stderr.contains("answers \"do it\""), "{missed:?}");
    let recorded = exec(&fleet.project, &["--record", "new"]);
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    fleet.remove_claude();
    let replayed = exec(&fleet.clone, &["--latency", "0"]);
    assert_eq!(replayed.stdout, recorded.stdout);
    assert_eq!(replayed.code, Some(0));
    assert_eq!(fleet.clone.read("x.txt"), "x\n");
}
