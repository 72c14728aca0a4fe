//! Saved chains, and mistakes in them.

use crate::chain::commands::refused;
use crate::support::{Ccctl, Daemon};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};

#[test]
fn a_chain_is_saved_shown_replaced_run_and_deleted() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    assert_eq!(
        ccctl.ok(&["chain", "save", "two", "echo one", "pwd"]),
        "two saved, 2 steps\n"
    );
    let file = daemon.home().join("chains/two.json");
    let saved: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(
        (&saved["id"], &saved["name"]),
        (&json!("two"), &json!("two"))
    );
    assert_eq!(
        saved["commands"][1],
        json!({"chain_id": "two", "sequence_order": 2, "command": "pwd"})
    );
    let ran = ccctl
        .command(&["chain", "run", "two"])
        .current_dir("/usr")
        .output()
        .unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    assert!(
        text.contains("ok 1 echo one") && text.contains("\n  /usr\n"),
        "{text}"
    );
    assert!(text.ends_with("2 ran, 0 failed, 0 skipped\n"), "{text}");
    assert_eq!(
        ccctl.ok(&[
            "chain",
            "save",
            "two",
            "--cwd",
            "/",
            "--timeout",
            "5",
            "pwd"
        ]),
        "two replaced, 1 step\n"
    );
    assert!(ccctl.ok(&["chain", "run", "two"]).contains("\n  /\n"));
    assert!(
        ccctl
            .ok(&["chain", "run", "two", "--cwd", "/usr"])
            .contains("\n  /usr\n")
    );
    let listed: Value = serde_json::from_str(&ccctl.ok(&["chain", "list", "--json"])).unwrap();
    assert_eq!(
        (
            &listed["chains"][0]["name"],
            &listed["chains"][0]["step_count"]
        ),
        (&json!("two"), &json!(1))
    );
    assert!(ccctl.ok(&["chain", "show", "two"]).contains("pwd"));
    ccctl.ok(&["chain", "delete", "two"]);
    assert!(!file.exists());
    for verb in ["get", "delete", "run"] {
        let gone = ccctl.run(&["chain", verb, "two"]);
        assert_eq!(gone.code, Some(4), "{verb}");
        assert!(
            gone.stderr.contains("no chain has the name \"two\""),
            "{}",
            gone.stderr
        );
    }
    let gone = refused(
        &daemon,
        "chain.run",
        &json!({"name": "two"}),
        ErrorCode::ChainNotFound,
    );
    assert!(gone.contains("two"));
}

#[test]
fn what_is_wrong_with_a_chain_is_told_with_its_place() {
    let daemon = Daemon::start();
    let wrong = |chain: Value, code: ErrorCode, told: &str| {
        let params = json!({"name": "x", "chain": chain});
        let message = refused(&daemon, "chain.save", &params, code);
        assert!(message.contains(told), "{chain}: {message}");
        let message = refused(&daemon, "chain.run", &json!({ "chain": chain }), code);
        assert!(message.contains(told), "{chain}: {message}");
    };
    let with = |field: &str, value: Value| {
        let mut command = json!({"command": "a"});
        command[field] = value;
        json!({"commands": [{"command": "a"}, command]})
    };
    use ErrorCode::{InvalidArgument, InvalidParams, InvalidPattern};
    wrong(json!({"commands": []}), InvalidArgument, "no commands");
    wrong(json!({}), InvalidParams, "missing field `commands`");
    wrong(
        with("on_success", json!("yes")),
        InvalidParams,
        "commands[1].on_success",
    );
    wrong(
        with("command", json!(" ")),
        InvalidArgument,
        "step 2: the command is empty",
    );
    wrong(
        with("sequence_order", json!(1)),
        InvalidArgument,
        "commands[1].sequence_order is 1",
    );
    wrong(
        with("expect_pattern", json!("a(b")),
        InvalidPattern,
        "step 2: expect_pattern: wrong at byte 1",
    );
    wrong(
        with("condition", json!({"any": [{"output_matches": "[a-"}]})),
        InvalidPattern,
        "step 2: condition.any[0].output_matches: wrong at byte 0",
    );
    wrong(
        with("condition", json!({"sucess": true})),
        InvalidArgument,
        "did you mean success?",
    );
    wrong(
        with("condition", json!({"step": 7, "success": true})),
        InvalidArgument,
        "step 7, which does not exist",
    );
    wrong(
        json!({"commands": [{"command": "a"}], "timeout": 0}),
        InvalidArgument,
        "timeout is 0",
    );
    wrong(
        json!({"commands": [{"command": "a"}], "cwd": "here"}),
        InvalidArgument,
        "not absolute",
    );
    wrong(
        json!({"commands": [{"command": "a"}], "shared": true, "shell": true}),
        InvalidArgument,
        "not both",
    );
    let shell = json!({"commands": [{"command": "make && make install"}]});
    let message = refused(
        &daemon,
        "chain.run",
        &json!({ "chain": shell }),
        InvalidArgument,
    );
    assert!(message.contains("step 1: && needs a shell"), "{message}");
    for name in ["", "..", "a/b", "../x", &"x".repeat(65)] {
        for method in ["chain.get", "chain.delete", "chain.save", "chain.run"] {
            let params = json!({"name": name, "chain": {"commands": [{"command": "a"}]}});
            let params = if method == "chain.run" {
                json!({ "name": name })
            } else {
                params
            };
            refused(&daemon, method, &params, InvalidArgument);
        }
    }
    assert!(!daemon.home().join("chains").exists());
    refused(&daemon, "chain.run", &json!({}), InvalidArgument);
    let both = json!({"name": "a", "chain": {"commands": [{"command": "a"}]}});
    refused(&daemon, "chain.run", &both, InvalidArgument);
    let chain = json!({"commands": [{"command": "a"}]});
    for (method, params) in [
        ("chain.run", json!({"chain": chain, "cwd": "rel"})),
        ("chain.run", json!({"chain": chain, "caller_cwd": "rel"})),
        ("chain.parallel", json!({"commands": ["a"], "cwd": "rel"})),
        (
            "chain.watch",
            json!({"program": "a", "patterns": [{"exact": "a"}], "cwd": "rel"}),
        ),
    ] {
        let told = refused(&daemon, method, &params, InvalidArgument);
        assert_eq!(told, "cwd \"rel\" is not absolute", "{method}");
    }
}

#[test]
fn what_may_surprise_is_a_warning() {
    let daemon = Daemon::start();
    let chain = json!({"comands": 1, "commands": [{"command": "echo $HOME"}, {"command": "a | b", "on_sucess": true}]});
    let saved = daemon
        .call_value("chain.save", &json!({"name": "x", "chain": chain}))
        .unwrap();
    let warnings: Vec<&str> = saved["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect();
    for (warning, told) in warnings.iter().zip([
        "comands is not a known field: did you mean commands?",
        "commands[1].on_sucess is not a known field: did you mean on_success?",
        "step 1: $ is passed on unchanged",
        "step 2: | needs a shell",
    ]) {
        assert!(warning.starts_with(told), "{warnings:?}");
    }
    assert_eq!((warnings.len(), &saved["replaced"]), (4, &json!(false)));
    let run = daemon
        .call_value("chain.run", &json!({"name": "x", "shell": true}))
        .unwrap();
    assert!(run.get("warnings").is_none(), "{run}");
    let chain =
        json!({"commands": [{"command": "login", "expect_pattern": "PIN: ", "send_text": "0000"}]});
    let saved = daemon.call_value("chain.save", &json!({"name": "y", "chain": chain}));
    let saved = saved.unwrap();
    let warning = saved["warnings"][0].as_str().unwrap();
    let told = "step 1: send_text is stored as plain text";
    assert!(warning.starts_with(told), "{saved}");
}

#[test]
fn a_file_that_is_no_chain_is_named_and_hides_no_other() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    ccctl.ok(&["chain", "save", "good", "true"]);
    std::fs::write(daemon.home().join("chains/bad.json"), "{\"commands\": 5}").unwrap();
    std::fs::write(daemon.home().join("chains/worse.json"), "{\n\"commands").unwrap();
    let listed = daemon.call_value("chain.list", &json!({})).unwrap();
    let listed = listed["chains"].as_array().unwrap();
    let names: Vec<&str> = listed
        .iter()
        .map(|chain| chain["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["bad", "good", "worse"]);
    assert!(
        listed[0]["problem"]
            .as_str()
            .unwrap()
            .contains("commands: invalid type"),
        "{listed:?}"
    );
    assert!(
        listed[2]["problem"].as_str().unwrap().contains("line 2"),
        "{listed:?}"
    );
    assert!(listed[1].get("problem").is_none());
    assert!(
        ccctl
            .run(&["chain", "run", "bad"])
            .stderr
            .contains("the file of the chain bad: commands")
    );
}
