//! Jobs: started by a method, followed by other clients, kept after their end.

use crate::support::{Connection, Daemon, eventually, kind};
use serde_json::{Value, json};

fn run_check(connection: &mut Connection) -> Value {
    let started = connection.call_value("daemon.check", &json!({})).unwrap();
    connection
        .call_value(
            "job.get",
            &json!({"job": started["job"], "wait_ms": 20_000}),
        )
        .unwrap()
}

#[test]
fn a_job_is_listed_newest_first_and_survives_a_restart() {
    let mut daemon = Daemon::start();
    let mut connection = daemon.connect();
    let first = run_check(&mut connection);
    let second = run_check(&mut connection);
    assert_eq!(
        (&first["state"], &second["state"]),
        (&json!("done"), &json!("done"))
    );
    let listed = |daemon: &Daemon, limit: u64| {
        let reply = daemon
            .call_value("job.list", &json!({"limit": limit}))
            .unwrap();
        reply["jobs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|job| job["job"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        listed(&daemon, 10),
        [second["job"].clone(), first["job"].clone()]
    );
    assert_eq!(listed(&daemon, 1), [second["job"].clone()]);
    daemon.stop();
    daemon.restart();
    let again = daemon
        .call_value("job.get", &json!({"job": first["job"]}))
        .unwrap();
    assert_eq!(again, first);
}

#[test]
fn a_subscriber_sees_the_job_to_its_end() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let started = connection.call_value("daemon.check", &json!({})).unwrap();
    connection
        .call_value("job.subscribe", &json!({"job": started["job"]}))
        .unwrap();
    for seq in 0.. {
        let item = connection.next_item().unwrap();
        assert_eq!((&item["seq"], &item["job"]), (&json!(seq), &started["job"]));
        let has_ended = item["state"] == "done";
        assert_eq!(item["ended"], has_ended, "{item}");
        if has_ended {
            break;
        }
        assert_eq!(item["state"], "running");
    }
}

#[test]
fn what_is_no_job_is_an_error() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let done = run_check(&mut connection);
    for method in ["job.get", "job.cancel", "job.subscribe"] {
        let error = connection
            .call_value(method, &json!({"job": "job-none"}))
            .unwrap_err();
        assert_eq!(
            (kind(&error), &error["code"]),
            ("not_found", &json!(1002)),
            "{method}"
        );
    }
    let error = connection
        .call_value("job.get", &json!({"job": done["job"], "wait_ms": -1}))
        .unwrap_err();
    assert_eq!(kind(&error), "invalid_argument");
    // Cancelling a job that has ended changes nothing.
    assert_eq!(
        connection.call_value("job.cancel", &json!({"job": done["job"]})),
        Ok(json!({}))
    );
    assert_eq!(
        connection
            .call_value("job.get", &json!({"job": done["job"]}))
            .unwrap()["state"],
        "done"
    );
    eventually("no job is counted as running", || {
        let status = connection.call_value("daemon.status", &json!({})).unwrap();
        (status["jobs"] == json!({"queued": 0, "running": 0})).then_some(())
    });
}

#[test]
fn the_begin_of_an_id_names_a_job_that_has_no_namesake() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let id = run_check(&mut connection)["job"]
        .as_str()
        .unwrap()
        .to_owned();
    for begin in [&id[..5], &id[..10], &id[4..8], &id[4..], &id] {
        let job = connection
            .call_value("job.get", &json!({ "job": begin }))
            .unwrap();
        assert_eq!(job["job"], id, "{begin}");
    }
    connection
        .call_value("job.subscribe", &json!({"job": id[4..9]}))
        .unwrap();
    for begin in ["", "job-", "%", "_", "JOB-", "x"] {
        let error = connection
            .call_value("job.get", &json!({ "job": begin }))
            .unwrap_err();
        assert_eq!(kind(&error), "not_found", "{begin}");
    }
    // Of seventeen ids, two start with the same digit.
    let mut ids = vec![id];
    while ids.len() < 17 {
        ids.push(
            run_check(&mut connection)["job"]
                .as_str()
                .unwrap()
                .to_owned(),
        );
    }
    let twice = ids
        .iter()
        .map(|id| &id[..5])
        .find(|begin| ids.iter().filter(|id| id.starts_with(begin)).count() > 1)
        .unwrap();
    let error = connection
        .call_value("job.cancel", &json!({ "job": twice }))
        .unwrap_err();
    let candidates = error["data"]["candidates"].as_array().unwrap();
    assert!(candidates.len() > 1, "{error}");
}
