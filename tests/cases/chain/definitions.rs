//! Saved chains, and mistakes in them.

use crate::chain::commands::refused;
use crate::support::client::Ran;
use crate::support::{Ccctl, Daemon, assert_fields, assert_has};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};

#[test]
fn a_chain_is_saved_shown_replaced_run_and_deleted() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let saved = ccctl.ok(&["chain", "save", "two", "echo one", "pwd"]);
    assert_eq!(saved, "two saved, 2 steps\n");
    let file = daemon.home().join("chains/two.json");
    let saved: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_fields(&saved, json!({"id": "two", "name": "two"}));
    let second = json!({"chain_id": "two", "sequence_order": 2, "command": "pwd"});
    assert_eq!(saved["commands"][1], second);
    let mut run = ccctl.command(&["chain", "run", "two"]);
    let text = Ran::of(run.current_dir("/usr").output().unwrap()).stdout;
    assert_has(&text, ["ok 1 echo one", "\n  /usr\n"]);
    assert!(text.ends_with("2 ran, 0 failed, 0 skipped\n"), "{text}");
    let save = [
        "chain",
        "save",
        "two",
        "--cwd",
        "/",
        "--timeout",
        "5",
        "pwd",
    ];
    assert_eq!(ccctl.ok(&save), "two replaced, 1 step\n");
    assert_has(&ccctl.ok(&["chain", "run", "two"]), ["\n  /\n"]);
    let elsewhere = ["chain", "run", "two", "--cwd", "/usr"];
    assert_has(&ccctl.ok(&elsewhere), ["\n  /usr\n"]);
    let listed: Value = serde_json::from_str(&ccctl.ok(&["chain", "list", "--json"])).unwrap();
    let two = json!({"name": "two", "step_count": 1});
    assert_fields(&listed["chains"][0], two);
    assert_has(&ccctl.ok(&["chain", "show", "two"]), ["pwd"]);
    ccctl.ok(&["chain", "delete", "two"]);
    assert!(!file.exists());
    for verb in ["get", "delete", "run"] {
        let gone = ccctl.run(&["chain", verb, "two"]);
        assert_eq!(gone.code, Some(4), "{verb}");
        assert_has(&gone.stderr, ["no chain has the name \"two\""]);
    }
    let two = json!({"name": "two"});
    let gone = refused(&daemon, "chain.run", &two, ErrorCode::ChainNotFound);
    assert_has(&gone, ["two"]);
}

#[test]
fn what_is_wrong_with_a_chain_is_told_with_its_place() {
    use ErrorCode::{InvalidArgument, InvalidParams, InvalidPattern};
    let daemon = Daemon::start();
    let with = |field: &str, value: Value| {
        let mut command = json!({"command": "a"});
        command[field] = value;
        json!({"commands": [{"command": "a"}, command]})
    };
    let chain = |more: Value| {
        let mut chain = json!({"commands": [{"command": "a"}]});
        chain
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        chain
    };
    let any = json!({"any": [{"output_matches": "[a-"}]});
    let later = json!({"step": 7, "success": true});
    for (chain, code, told) in [
        (json!({"commands": []}), InvalidArgument, "no commands"),
        (json!({}), InvalidParams, "missing field `commands`"),
        (
            with("on_success", json!("yes")),
            InvalidParams,
            "commands[1].on_success",
        ),
        (
            with("command", json!(" ")),
            InvalidArgument,
            "step 2: the command is empty",
        ),
        (
            with("sequence_order", json!(1)),
            InvalidArgument,
            "commands[1].sequence_order is 1",
        ),
        (
            with("expect_pattern", json!("a(b")),
            InvalidPattern,
            "step 2: expect_pattern: wrong at byte 1",
        ),
        (
            with("condition", any),
            InvalidPattern,
            "step 2: condition.any[0].output_matches: wrong at byte 0",
        ),
        (
            with("condition", json!({"sucess": true})),
            InvalidArgument,
            "did you mean success?",
        ),
        (
            with("condition", later),
            InvalidArgument,
            "step 7, which does not exist",
        ),
        (
            chain(json!({"timeout": 0})),
            InvalidArgument,
            "timeout is 0",
        ),
        (
            chain(json!({"cwd": "here"})),
            InvalidArgument,
            "not an absolute path",
        ),
        (
            chain(json!({"shared": true, "shell": true})),
            InvalidArgument,
            "not both",
        ),
    ] {
        let params = json!({"name": "x", "chain": chain});
        assert_has(&refused(&daemon, "chain.save", &params, code), [told]);
        let params = json!({ "chain": chain });
        assert_has(&refused(&daemon, "chain.run", &params, code), [told]);
    }
    let shell = json!({"chain": {"commands": [{"command": "make && make install"}]}});
    let message = refused(&daemon, "chain.run", &shell, InvalidArgument);
    assert_has(&message, ["step 1: && needs a shell"]);
    for name in ["", "..", "a/b", "../x", &"x".repeat(65)] {
        for method in ["chain.get", "chain.delete", "chain.save", "chain.run"] {
            let mut params = json!({"name": name, "chain": chain(json!({}))});
            if method == "chain.run" {
                params["chain"].take();
            }
            refused(&daemon, method, &params, InvalidArgument);
        }
    }
    assert!(!daemon.home().join("chains").exists());
    refused(&daemon, "chain.run", &json!({}), InvalidArgument);
    let chain = chain(json!({}));
    let both = json!({"name": "a", "chain": chain});
    refused(&daemon, "chain.run", &both, InvalidArgument);
    let patterns = json!([{"exact": "a"}]);
    for (method, params) in [
        ("chain.run", json!({"chain": chain, "cwd": "rel"})),
        ("chain.run", json!({"chain": chain, "caller_cwd": "rel"})),
        ("chain.parallel", json!({"commands": ["a"], "cwd": "rel"})),
        (
            "chain.watch",
            json!({"program": "a", "patterns": patterns, "cwd": "rel"}),
        ),
    ] {
        let told = refused(&daemon, method, &params, InvalidArgument);
        assert_eq!(told, "cwd \"rel\" is not an absolute path", "{method}");
    }
}

#[test]
fn what_may_surprise_is_a_warning() {
    let daemon = Daemon::start();
    let chain = json!({"comands": 1, "commands": [{"command": "echo $HOME"}, {"command": "a | b", "on_sucess": true}]});
    let save =
        |name: &str, chain: Value| daemon.ok("chain.save", &json!({"name": name, "chain": chain}));
    let saved = save("x", chain);
    let told = [
        "comands is not a known field: did you mean commands?",
        "commands[1].on_sucess is not a known field: did you mean on_success?",
        "step 1: $ is passed on unchanged",
        "step 2: | needs a shell",
    ];
    assert_eq!(saved["warnings"].as_array().unwrap().len(), told.len());
    for (at, told) in told.iter().enumerate() {
        assert_has(&saved["warnings"][at], [told]);
    }
    assert_eq!(saved["replaced"], false);
    let run = daemon.ok("chain.run", &json!({"name": "x", "shell": true}));
    assert!(run.get("warnings").is_none(), "{run}");
    let login = json!({"command": "login", "expect_pattern": "PIN: ", "send_text": "0000"});
    let saved = save("y", json!({"commands": [login]}));
    let told = "step 1: send_text is stored as plain text";
    assert_has(&saved["warnings"][0], [told]);
}

#[test]
fn a_file_that_is_no_chain_is_named_and_hides_no_other() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    ccctl.ok(&["chain", "save", "good", "true"]);
    std::fs::write(daemon.home().join("chains/bad.json"), "{\"commands\": 5}").unwrap();
    std::fs::write(daemon.home().join("chains/worse.json"), "{\n\"commands").unwrap();
    let listed = daemon.ok("chain.list", &json!({}));
    let listed = listed["chains"].as_array().unwrap();
    let names: Vec<&Value> = listed.iter().map(|chain| &chain["name"]).collect();
    assert_eq!(names, ["bad", "good", "worse"]);
    assert_has(&listed[0]["problem"], ["commands: invalid type"]);
    assert_has(&listed[2]["problem"], ["line 2"]);
    assert!(listed[1].get("problem").is_none());
    let ran = ccctl.run(&["chain", "run", "bad"]);
    assert_has(&ran.stderr, ["the file of the chain bad: commands"]);
}
