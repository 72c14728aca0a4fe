//! File mode mask and limits: a program has those of its caller.

use crate::support::exec::{Claude, Executor, Repository};
use crate::support::{Ccctl, Daemon, kind};
use rustix::process::{Resource, getrlimit};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// What a program prints of itself.
const SHOW: &str = "echo $(umask) $(ulimit -Sn) $(ulimit -Sc) $(ulimit -Ss)";

/// How a caller is told apart from the daemon, and what its programs print then.
const CALLER: &str = "umask 027; ulimit -Sn 77; ulimit -Sc 0; ulimit -Ss 2048; exec \"$@\"";
const SHOWN: &str = "0027 77 0 2048";

/// Runs a command as a child of a shell that has set its own mask and limits.
fn called(command: &Command) -> String {
    let mut caller = Command::new("sh");
    caller.args(["-c", CALLER, "sh"]).arg(command.get_program());
    caller.args(command.get_args()).env_clear();
    let variables = command.get_envs();
    caller.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    caller.current_dir(command.get_current_dir().unwrap_or(Path::new("/")));
    let output = caller.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    assert!(output.status.success(), "{output:?}");
    text
}

#[test]
fn each_way_to_start_a_program_gives_it_the_mask_and_the_limits_of_ccctl() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let tapes = daemon.home().join("tapes");
    let tapes = tapes.to_str().unwrap();
    for way in [
        &["run", "--", "sh", "-c", SHOW][..],
        &["run", "--clean-env", "--", "sh", "-c", SHOW],
        &["run", "--contains", "0027", "--", "sh", "-c", SHOW],
        &["--json", "parallel", "--shell", SHOW],
        // Through pipes.
        &["rec", "--tapes", tapes, "--", "sh", "-c", SHOW],
    ] {
        let printed = called(&ccctl.command(way));
        assert!(printed.contains(SHOWN), "{way:?}: {printed}");
    }
    called(&ccctl.command(&["session", "create", "--name", "a", "--", "sh", "-c", SHOW]));
    ccctl.ok(&["session", "wait", "a", "--exit"]);
    let printed = ccctl.ok(&["session", "read", "a"]);
    assert!(printed.contains(SHOWN), "{printed}");
}

#[test]
fn a_run_of_claude_code_has_the_mask_and_the_limits_of_its_caller_as_has_what_git_writes_for_it() {
    let script = format!("init; ({SHOW}) > \"$HOME/shown\"; result");
    let executor = Executor::new(Claude::script(&script));
    let repository = Repository::new();
    repository.write("kept.txt", "dirty\n");
    let more = json!({
        "umask": "027", "limits": {"nofile": 77, "core": 0, "stack": 2048 * 1024}, "dirty_worktree": "stash",
    });
    let started = executor.start(&repository, &more);
    assert_eq!(executor.result(&started).error_message, None);
    assert_eq!(executor.wait_for_file("shown").trim(), SHOWN);
    let restored = std::fs::metadata(repository.root().join("kept.txt")).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::mode(&restored.permissions());
    assert!(mode & 0o007 == 0 || mode & 0o777 == 0o644, "{mode:o}");
}

#[test]
fn a_request_over_the_socket_has_what_it_says_or_the_defaults() {
    let daemon = Daemon::start();
    let own = getrlimit(Resource::Nofile).current.unwrap();
    let script = "echo $(umask) $(ulimit -Sn)";
    for (more, expected) in [
        (json!({}), format!("0022 {own}")),
        (json!({"umask": "077"}), format!("0077 {own}")),
        (json!({"umask": "0"}), format!("0000 {own}")),
        (json!({"limits": {"nofile": 99}}), "0022 99".into()),
        (
            json!({"umask": "007", "limits": {"nofile": 99, "cpu": null}}),
            "0007 99".into(),
        ),
    ] {
        let mut params = json!({"program": "sh", "args": ["-c", script]});
        merge(&mut params, &more);
        let reply = daemon.ok("run.once", &params);
        assert_eq!(reply["output"].as_str().unwrap().trim(), expected, "{more}");
        assert!(reply.get("warnings").is_none(), "{reply}");
    }
    for bad in [
        json!({"umask": "088"}),
        json!({"umask": 22}),
        json!({"limits": {"nofiles": 1}}),
        json!({"limits": {"nofile": -1}}),
    ] {
        let mut params = json!({"program": "true"});
        merge(&mut params, &bad);
        for method in ["run.once", "session.create"] {
            let error = daemon.error(method, &params);
            assert_eq!(kind(&error), "invalid_params", "{bad}: {error}");
        }
    }
}

#[test]
fn a_limit_above_what_the_daemon_may_have_is_lowered_and_the_reply_says_so() {
    let Some(hard) = getrlimit(Resource::Nofile).maximum else {
        return; // everything is allowed
    };
    let daemon = Daemon::start();
    for wanted in [json!(null), json!(hard + 1)] {
        let limits = json!({ "nofile": wanted });
        let params = json!({"program": "sh", "args": ["-c", "ulimit -Sn"], "limits": limits});
        let reply = daemon.ok("run.once", &params);
        assert_eq!(reply["output"].as_str().unwrap().trim(), hard.to_string());
        let warning = reply["warnings"][0].as_str().unwrap();
        assert!(
            warning.starts_with("the limit nofile of the program is"),
            "{reply}"
        );
        let params = json!({"commands": ["true"], "limits": limits});
        let reply = daemon.ok("chain.parallel", &params);
        assert_eq!(reply["warnings"][0], warning);
    }
}

#[test]
fn files_that_a_program_makes_are_as_private_as_the_caller_wants_and_the_daemons_own_stay_private()
{
    let daemon = Daemon::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key.pem");
    let command = format!("echo s > {}", file.display());
    called(&Ccctl::new(&daemon).command(&["run", "--", "sh", "-c", &command]));
    let mode = |path: &Path| {
        let metadata = std::fs::metadata(path).unwrap();
        std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777
    };
    assert_eq!(mode(&file), 0o640);
    let mut folders = vec![daemon.home().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else if entry.file_type().unwrap().is_file() && entry.file_name() != "daemon-output" {
                let mode = mode(&entry.path());
                assert_eq!(mode & 0o077, 0, "{}: {mode:o}", entry.path().display());
            }
        }
    }
}

fn merge(into: &mut Value, more: &Value) {
    let into = into.as_object_mut().unwrap();
    into.extend(more.as_object().unwrap().clone());
}
