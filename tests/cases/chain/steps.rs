//! Steps of chains: what is typed into them, and what is kept of their output.

use crate::chain::commands::{job_of, outputs, refused};
use crate::support::files::files_with;
use crate::support::{Daemon, assert_has, eventually};
use ccd_protocol::ErrorCode;
use serde_json::json;

#[test]
fn what_was_typed_at_a_hidden_prompt_is_not_kept() {
    let daemon = Daemon::start();
    let ask =
        |options: &str| format!("bash -c 'read {options} -p \"PIN: \" p; echo; echo it is $p ok'");
    let chain = json!({"commands": [
        {"command": ask("-s"), "expect_pattern": "PIN: ", "send_text": "Gorilla177"},
        {"command": "echo next", "condition": {"output_matches": "it is Gorilla177 ok"}},
        {"command": ask(""), "expect_pattern": "PIN: ", "send_text": "visible"},
    ]});
    for shared in [false, true] {
        let job = job_of(&daemon, &json!({"chain": chain, "shared": shared}));
        let steps = job["result"]["steps"].as_array().unwrap();
        assert_eq!(steps[0]["output"], "PIN: \nit is <hidden> ok\n", "{job}");
        assert!(steps[0].get("omitted_bytes").is_none(), "{job}");
        assert_eq!(steps[1]["output"], "next\n", "{job}");
        assert_eq!(steps[2]["output"], "PIN: \nit is visible ok\n", "{job}");
    }
    // The program printed it, so it was in the log of the step's session, which is removed after the job.
    eventually("the log is removed", || {
        files_with(daemon.home(), b"Gorilla177")
            .is_empty()
            .then_some(())
    });
}

#[test]
fn each_step_keeps_the_end_of_its_output_however_much_there_was_before() {
    let daemon = Daemon::start();
    // Conditions see all of it.
    let seen = json!({"command": "seq 60000", "condition": {"output_matches": "^5$"}});
    let mut commands = vec![seen; 20];
    commands[0] = json!({"command": "seq 60000"});
    commands.push(json!({"command": "seq 2000; echo BOOM important; exit 1"}));
    let params = json!({"chain": {"commands": commands}, "shell": true});
    let job = job_of(&daemon, &params);
    let steps = job["result"]["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 21);
    let printed: usize = (1..=60_000).map(|n: u32| n.to_string().len() + 1).sum();
    for step in &steps[..20] {
        let output = step["output"].as_str().unwrap();
        assert!(output.ends_with("\n60000\n"), "{output}");
        let omitted = step["omitted_bytes"].as_u64().unwrap();
        assert_eq!(output.len() as u64 + omitted, printed as u64);
    }
    let last = steps[20]["output"].as_str().unwrap();
    assert!(last.ends_with("2000\nBOOM important\n"), "{last}");
    assert!((2400..=3072).contains(&last.len()), "{}", last.len());
    let all: usize = outputs(steps).into_iter().map(str::len).sum();
    assert!(all < 5 << 20, "{all}");
}

#[test]
fn a_condition_on_output_that_is_not_all_there_says_so() {
    let daemon = Daemon::start();
    let chain = json!({"commands": [
        {"command": "echo first; head -c 17000000 /dev/zero | tr '\\0' x; echo; echo last"},
        {"command": "echo a", "condition": {"output_matches": "^first$"}},
        {"command": "echo b", "condition": {"step": 1, "output_matches": "^last$"}},
    ]});
    for mode in ["shell", "shared"] {
        let mut params = json!({ "chain": chain });
        params[mode] = json!(true);
        let job = job_of(&daemon, &params);
        let steps = job["result"]["steps"].as_array().unwrap();
        let told = "the condition cannot be evaluated: step 1 printed more than 16 MiB, and part of it is lost";
        for step in &steps[1..] {
            assert_eq!(step["skipped_reason"], told);
        }
    }
}

#[test]
fn nothing_but_the_answer_is_typed_into_a_step() {
    let daemon = Daemon::start();
    for pattern in ["", "^", "$", "(?s)", "x*"] {
        let chain =
            json!({"commands": [{"command": "cat", "expect_pattern": pattern, "send_text": "a"}]});
        let params = json!({ "chain": chain });
        let told = refused(&daemon, "chain.run", &params, ErrorCode::InvalidArgument);
        assert_has(&told, ["matches empty text"]);
    }
    // Steps that wait at what looks like a shell's prompt, two of which do not end when they are interrupted.
    let seen = daemon.home().join("seen");
    let file = seen.display();
    let read = format!("while read line; do echo \"$line\" >> {file}; done");
    for command in [
        format!("sh -c 'printf \"begun\\n$ \"; {read}'"),
        format!("sh -c 'trap \"\" INT; printf \"begun\\n$ \"; {read}'"),
        format!("trap '' INT; printf 'begun\\n$ '; {read}"),
    ] {
        let chain = json!({"timeout": 1.5, "commands": [
            {"command": command, "expect_pattern": "begun", "send_text": "answer"}, {"command": "echo after"},
        ]});
        let job = job_of(&daemon, &json!({"chain": chain, "shared": true}));
        assert_eq!(job["result"]["steps"][0]["timed_out"], true, "{job}");
        let typed = std::fs::read_to_string(&seen).unwrap();
        assert_eq!(typed, "answer\n", "{command}");
        std::fs::remove_file(&seen).unwrap();
    }
}

#[test]
fn what_looks_like_a_question_in_an_output_is_not_answered_into_a_step() {
    let daemon = Daemon::start();
    let command = "sh -c 'printf \"go\\n\\033[c\"; read line; echo \"<$line>\"'";
    let step = json!({"command": command, "expect_pattern": "go", "send_text": "a"});
    let chain = json!({ "commands": [step] });
    for shared in [false, true] {
        let job = job_of(&daemon, &json!({"chain": chain, "shared": shared}));
        let output = &job["result"]["steps"][0]["output"];
        assert_eq!(*output, "go\n\u{1b}[c<a>\n", "{job}");
    }
}
