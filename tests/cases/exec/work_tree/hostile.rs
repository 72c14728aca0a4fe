//! A repository in which everything that can name a program names one that leaves a mark.

use crate::coach::candidate;
use crate::support::Ccctl;
use crate::support::exec::{Claude, Executor, Repository};
use crate::support::executable::write_script;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

/// The keys of git-config(1), githooks(5) and gitattributes(5) that name a program, with what is before its path.
const PROGRAMS: &str = "
    core.fsmonitor core.gitProxy core.sshCommand core.alternateRefsCommand core.askPass core.editor core.pager
    alias.status=! alias.worktree=! alias.diff-tree=! alias.apply=! browser.evil.cmd browser.evil.path web.browser=
    credential.helper credential.https://example.org.helper=! diff.external diff.evil.command diff.evil.textconv
    difftool.evil.cmd difftool.evil.path filter.evil.clean filter.evil.smudge filter.evil.process gpg.program
    gpg.openpgp.program gpg.x509.program gpg.ssh.program gpg.ssh.defaultKeyCommand guitool.evil.cmd gc.recentObjectsHook
    hook.evil.command imap.tunnel instaweb.httpd instaweb.browser interactive.diffFilter man.evil.cmd man.evil.path
    merge.evil.driver mergetool.evil.cmd mergetool.evil.path pager.status pager.diff-tree pager.worktree
    remote.origin.url=ext:: remote.origin.uploadpack remote.origin.receivepack remote.origin.pushurl=ext::
    sendemail.sendmailCmd sendemail.smtpServer sendemail.toCmd sendemail.ccCmd sendemail.headerCmd sequence.editor
    submodule.evil.update=! tar.evil.command trailer.evil.command trailer.evil.cmd uploadpack.packObjectsHook";

/// What makes git use them.
const SWITCHES: &str = "
    browser.tool=evil commit.gpgSign=true core.fsmonitorHookVersion=2 diff.guitool=evil diff.tool=evil extensions.partialClone=origin
    filter.evil.required=false hook.evil.event=post-checkout log.showSignature=true man.viewer=evil merge.tool=evil
    merge.verifySignatures=true pager.apply=true protocol.allow=always protocol.ext.allow=always push.gpgSign=true
    remote.origin.promisor=true remote.origin.vcs=evil submodule.recurse=true tag.gpgSign=true";

const HOOKS: &str = "applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change post-merge
    post-receive post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive
    prepare-commit-msg proc-receive push-to-checkout reference-transaction sendemail-validate update";

const ATTRIBUTES: &str = "* filter=evil diff=evil merge=evil text=auto\n";

struct Hostile {
    repository: Repository,
    marks: PathBuf,
}

impl Hostile {
    /// `by_include` says whether the configuration is in another file, and the hooks in their usual place.
    fn new(by_include: bool) -> Self {
        let repository = Repository::new();
        let hostile = Self {
            marks: repository.beside("marks"),
            repository,
        };
        fs::create_dir(&hostile.marks).unwrap();
        fs::create_dir(hostile.repository.beside("bin")).unwrap();
        hostile.repository.write(".gitattributes", ATTRIBUTES);
        hostile.repository.commit("Attributes");
        let git = hostile.repository.root().join(".git");
        fs::create_dir_all(git.join("info")).unwrap();
        fs::write(git.join("info/attributes"), ATTRIBUTES).unwrap();
        let hooks = if by_include {
            git.join("hooks")
        } else {
            hostile.repository.beside("hooks")
        };
        fs::create_dir_all(&hooks).unwrap();
        for name in HOOKS.split_whitespace() {
            let hook = hooks.join(name);
            let _ = fs::remove_file(&hook);
            fs::rename(hostile.program(&format!("hooks {name}")), hook).unwrap();
        }
        let config = if by_include {
            hostile.repository.beside("included")
        } else {
            git.join("config")
        };
        let set = |key: &str, value: &str| {
            let file = config.to_str().unwrap();
            hostile
                .repository
                .git(&["config", "--file", file, key, value]);
        };
        for key in PROGRAMS.split_whitespace() {
            let (key, before) = key.split_once('=').unwrap_or((key, ""));
            let program = hostile.program(key);
            set(key, &format!("{before}{}", program.display()));
        }
        for switch in SWITCHES.split_whitespace() {
            let (key, value) = switch.split_once('=').unwrap();
            set(key, value);
        }
        if by_include {
            let include = format!("[include]\npath = {}\n", config.display());
            let own = fs::read_to_string(git.join("config")).unwrap();
            fs::write(git.join("config"), own + &include).unwrap();
        } else {
            set("core.hooksPath", hooks.to_str().unwrap());
        }
        hostile
    }

    /// Makes a program that leaves a mark of this name.
    fn program(&self, name: &str) -> PathBuf {
        let file = name.replace(['/', ':', ' '], "_");
        let program = self.repository.beside("bin").join(&file);
        let mark = self.marks.join(&file);
        write_script(
            &program,
            &format!("#!/bin/sh\necho \"$@\" >> {}\nexit 1\n", mark.display()),
        );
        program
    }

    /// Returns which programs have run, and forgets it.
    fn marks(&self) -> Vec<String> {
        let mut marks: Vec<String> = Vec::new();
        for mark in fs::read_dir(&self.marks).unwrap().flatten() {
            marks.push(mark.file_name().into_string().unwrap());
            fs::remove_file(mark.path()).unwrap();
        }
        marks.sort();
        marks
    }

    #[track_caller]
    fn assert_unmarked(&self, what: &str) {
        assert_eq!(self.marks(), [""; 0], "{what}");
    }
}

#[test]
fn nothing_of_ccd_runs_a_program_that_a_repository_names() {
    for by_include in [false, true] {
        let hostile = Hostile::new(by_include);
        let root = hostile.repository.root().to_owned();
        // The marks work: git itself runs such programs. It filters what is newer than its index, to the second.
        let old = root.join("old.txt");
        let later = SystemTime::now() + Duration::from_secs(60);
        let old = File::options().write(true).open(old).unwrap();
        old.set_modified(later).unwrap();
        for args in [
            &["status"][..],
            &["add", "."],
            &["hook", "run", "pre-commit"],
        ] {
            let mut git = Command::new("git");
            git.args(args).current_dir(&root).output().unwrap();
        }
        let marks = hostile.marks();
        for expected in ["core.fsmonitor", "filter.evil.process", "hooks_pre-commit"] {
            assert!(marks.iter().any(|mark| mark == expected), "{marks:?}");
        }
        let executor = Executor::new(Claude::script(
            "init; echo x > new.txt; echo x >> kept.txt; result",
        ));
        runs(&hostile, &executor);
        memory_and_doctor(&hostile, &executor);
        coach(&hostile, &executor);
    }
}

fn runs(hostile: &Hostile, executor: &Executor) {
    let repository = &hostile.repository;
    let root = repository.root();
    let tapes = repository.beside("tapes");
    let run = |what: &str, more: Value| {
        let kept = fs::read(root.join("kept.txt")).unwrap();
        let started = executor.start(repository, &more);
        let result = executor.result(&started);
        assert_eq!(result.error_message, None, "{what}");
        assert_eq!(result.files_changed, ["kept.txt", "new.txt"], "{what}");
        hostile.assert_unmarked(what);
        if more["worktree"] != true {
            fs::write(root.join("kept.txt"), kept).unwrap();
            fs::remove_file(root.join("new.txt")).unwrap();
        }
    };
    run("exec", json!({"dirty_worktree": "allow"}));
    run("exec --worktree", json!({"worktree": true}));
    let tape = |tape: Value, worktree: bool| json!({"tape": tape, "dirty_worktree": "allow", "worktree": worktree});
    run(
        "record",
        tape(json!({"root": tapes, "record": "new"}), false),
    );
    fs::remove_file(executor.claude.program()).unwrap();
    for worktree in [false, true] {
        run(
            "replay",
            tape(json!({"root": tapes, "latency": 0}), worktree),
        );
    }
    executor
        .claude
        .stand_in("init; echo x > new.txt; echo x >> kept.txt; result");
    fs::write(root.join("old.txt"), "changed before the run\n").unwrap();
    run("stash", json!({"dirty_worktree": "stash"}));
    assert_eq!(repository.read("old.txt"), "changed before the run\n");
}

fn memory_and_doctor(hostile: &Hostile, executor: &Executor) {
    let at = hostile.repository.path();
    let client = Ccctl::new(&executor.daemon);
    for verb in ["save", "show", "status", "load"] {
        client.ok(&["memory", verb, "--project", &at]);
        hostile.assert_unmarked(verb);
    }
    let mut doctor = client.command(&["doctor"]);
    doctor
        .current_dir(hostile.repository.root())
        .output()
        .unwrap();
    hostile.assert_unmarked("doctor");
}

fn coach(hostile: &Hostile, executor: &Executor) {
    let (daemon, root) = (&executor.daemon, hostile.repository.root());
    let id = candidate(daemon, &hostile.repository)["id"].clone();
    let call = |method: &str, more: Value| {
        let mut params = json!({"id": id});
        params
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        daemon.ok(method, &params);
        hostile.assert_unmarked(method);
    };
    let cwd = json!({"cwd": root});
    call("coach.approve", json!({"cwd": root, "diff": true}));
    call("coach.approve", cwd);
    call("coach.undo", json!({}));
    daemon.ok("coach.review", &json!({}));
    // The author of the commit is whom the configuration names.
    call(
        "coach.approve",
        json!({"cwd": root, "branch": "coach/rule"}),
    );
}
