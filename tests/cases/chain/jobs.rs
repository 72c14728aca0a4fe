//! Jobs: started by a method, followed by other clients, kept after their end.

use crate::support::session::assert_error;
use crate::support::{Daemon, assert_fields, eventually};
use ccd_protocol::ErrorCode;
use serde_json::json;

#[test]
fn a_job_is_listed_newest_first_and_survives_a_restart() {
    let mut daemon = Daemon::start();
    let [first, second] = [(); 2].map(|()| daemon.job("daemon.check", &json!({})));
    for job in [&first, &second] {
        let result = json!({"problems": []});
        assert_fields(
            job,
            json!({"state": "done", "method": "daemon.check", "result": result, "error": null}),
        );
        assert!(job["ended_at"].is_string(), "{job}");
    }
    let listed = |daemon: &Daemon, limit: u64| {
        let reply = daemon.ok("job.list", &json!({"limit": limit}));
        let jobs = reply["jobs"].as_array().unwrap().iter();
        jobs.map(|job| job["job"].clone()).collect::<Vec<_>>()
    };
    let ids = [second["job"].clone(), first["job"].clone()];
    assert_eq!(listed(&daemon, 10), ids);
    assert_eq!(listed(&daemon, 1), ids[..1]);
    daemon.stop();
    daemon.restart();
    let again = daemon.ok("job.get", &json!({"job": first["job"]}));
    assert_eq!(again, first);
}

#[test]
fn the_begin_of_an_id_names_a_job_that_has_no_namesake_and_what_is_no_job_is_an_error() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let check = || {
        let job = daemon.job("daemon.check", &json!({}));
        job["job"].as_str().unwrap().to_owned()
    };
    let id = check();
    for begin in [&id[..5], &id[..10], &id[4..8], &id[4..], &id] {
        let job = connection.ok("job.get", &json!({ "job": begin }));
        assert_eq!(job["job"], id, "{begin}");
    }
    connection.ok("job.subscribe", &json!({"job": id[4..9]}));
    for begin in ["", "job-", "%", "_", "JOB-", "x"] {
        let begin = json!({ "job": begin });
        connection.refused("job.get", &begin, "not_found");
    }
    for method in ["job.get", "job.cancel", "job.subscribe"] {
        let error = connection.call_value(method, &json!({"job": "job-none"}));
        assert_error(&error.unwrap_err(), ErrorCode::NotFound);
    }
    let wait = json!({"job": id, "wait_ms": -1});
    connection.refused("job.get", &wait, "invalid_argument");
    // Cancelling a job that has ended changes nothing.
    let job = json!({"job": id});
    assert_eq!(connection.call_value("job.cancel", &job), Ok(json!({})));
    let after = connection.ok("job.get", &job);
    assert_eq!(after["state"], "done");
    eventually("no job is counted as running", || {
        let status = connection.ok("daemon.status", &json!({}));
        (status["jobs"] == json!({"queued": 0, "running": 0})).then_some(())
    });
    // Of seventeen ids, two start with the same digit.
    let mut ids = vec![id];
    while ids.len() < 17 {
        ids.push(check());
    }
    let mut begins = ids.iter().map(|id| &id[..5]);
    let twice = begins.find(|begin| ids.iter().filter(|id| id.starts_with(begin)).count() > 1);
    let twice = json!({ "job": twice.unwrap() });
    let error = connection.error("job.cancel", &twice);
    let candidates = error["data"]["candidates"].as_array().unwrap();
    assert!(candidates.len() > 1, "{error}");
}
