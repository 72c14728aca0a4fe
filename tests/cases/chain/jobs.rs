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
    for job in [&first, &second] {
        let expected = (&json!("done"), &json!("daemon.check"));
        assert_eq!((&job["state"], &job["method"]), expected);
        assert_eq!(job["result"]["problems"], json!([]));
        let has_error = job.get("error").is_some_and(|error| !error.is_null());
        assert!(job["ended_at"].is_string() && !has_error, "{job}");
    }
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
fn the_begin_of_an_id_names_a_job_that_has_no_namesake_and_what_is_no_job_is_an_error() {
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
    for method in ["job.get", "job.cancel", "job.subscribe"] {
        let error = connection.call_value(method, &json!({"job": "job-none"}));
        let error = error.unwrap_err();
        let told = (kind(&error), &error["code"]);
        assert_eq!(told, ("not_found", &json!(1002)), "{method}");
    }
    let wait = json!({"job": id, "wait_ms": -1});
    connection.refused("job.get", &wait, "invalid_argument");
    // Cancelling a job that has ended changes nothing.
    let job = json!({"job": id});
    assert_eq!(connection.call_value("job.cancel", &job), Ok(json!({})));
    let after = connection.call_value("job.get", &job).unwrap();
    assert_eq!(after["state"], "done");
    eventually("no job is counted as running", || {
        let status = connection.call_value("daemon.status", &json!({})).unwrap();
        (status["jobs"] == json!({"queued": 0, "running": 0})).then_some(())
    });
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
