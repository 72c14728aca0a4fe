//! Processes that leave the terminal of a copy do not outlive the work, however it ends, and there is a report of it.

use super::super::investigated::{ended, script, started};
use super::runs::{failed, start};
use crate::support::processes::with_command_line;
use crate::support::{Daemon, eventually};
use serde_json::{Value, json};

/// Each copy starts two processes that leave its terminal, one of them by a second fork.
const SCRIPT: &str = "#!/bin/sh
setsid sleep 4711.MARK >/dev/null 2>&1 </dev/null &
(setsid sh -c 'sleep 4712.MARK &' >/dev/null 2>&1 </dev/null &)
printf '> '
while read -r word; do
  case $word in quit) exit 0 ;; e*) exit 1 ;; esac
  printf '> '
done
";

struct Leaver {
    daemon: Daemon,
    mark: String,
    program: String,
}

impl Leaver {
    fn new(mark: u32) -> Self {
        let daemon = Daemon::start();
        let mark = format!("{}{mark:02}", std::process::id());
        let program = script(&daemon, "leaver", &SCRIPT.replace("MARK", &mark));
        Self {
            daemon,
            mark,
            program,
        }
    }

    fn left(&self) -> Vec<i32> {
        with_command_line(&format!(".{}", self.mark))
    }

    fn test(&self, types: &[&str], limits: &Value) -> String {
        let params = json!({"program": self.program, "types": types, "limits": limits});
        start(&self.daemon, params)
    }

    fn investigate(&self, extra: &Value) -> String {
        started(&self.daemon, &[&self.program], extra)
    }

    /// Waits for the end of a job, after which nothing may run any more; returns its record.
    #[track_caller]
    fn ends(&self, job: &str, state: &str) -> Value {
        let job = ended(&self.daemon, job);
        let left = self.left();
        assert!(left.is_empty(), "{left:?} {job}");
        assert_eq!(job["state"], state, "{job}");
        job
    }

    /// Waits for the end of a run of tests, whose report says why it was not finished.
    #[track_caller]
    fn ends_because(&self, job: &str, state: &str, why: &str) {
        let job = self.ends(job, state);
        let report = &job["result"]["report"];
        // Random inputs end by themselves shortly before the limit, unless one of them is being examined then.
        let is_cut = |result: &Value| {
            let note = result["details"]["note"].as_str();
            note.is_some_and(|note| note.contains("(testing.timeout)"))
        };
        let is_told = failed(report).iter().any(|failed| failed.contains(why))
            || report["results"].as_array().unwrap().iter().any(is_cut);
        assert!(is_told, "{report}");
        let get = json!({"report": report["id"]});
        assert_eq!(self.daemon.ok("test.get", &get), *report);
    }

    fn listed(&self) -> Value {
        let list = self.daemon.ok("test.list", &json!({}));
        list["reports"][0]["program"].clone()
    }

    fn cancel_soon(&self, job: &str) {
        eventually("a copy runs", || (self.left().len() > 1).then_some(()));
        let cancel = json!({"job": job});
        self.daemon.ok("job.cancel", &cancel);
    }
}

#[test]
fn none_outlives_a_run_of_tests_and_its_report_says_why_it_ended() {
    let leaver = Leaver::new(0);
    let job = leaver.test(&["startup", "exit", "concurrent"], &json!({}));
    leaver.ends(&job, "done");
    // Random inputs are typed into several copies at once, for long.
    let many = json!(1_000_000);
    for (types, timeout_s) in [(&[][..], 0.7), (&["fuzz"], 1.3)] {
        let limits = json!({"timeout_s": timeout_s, "fuzz_inputs": many});
        let job = leaver.test(types, &limits);
        let why = format!("the time limit of {timeout_s} s was reached");
        leaver.ends_because(&job, "done", &why);
    }
    let job = leaver.test(&["fuzz"], &json!({"fuzz_inputs": many}));
    leaver.cancel_soon(&job);
    leaver.ends_because(&job, "cancelled", "the run was cancelled");
}

#[test]
fn none_outlives_an_investigation() {
    let leaver = Leaver::new(10);
    let job = leaver.investigate(&json!({}));
    leaver.ends(&job, "done");
    for timeout_s in [0.2, 0.5, 0.8] {
        let job = leaver.investigate(&json!({"timeout_s": timeout_s}));
        leaver.ends(&job, "done");
    }
    let job = leaver.investigate(&json!({}));
    leaver.cancel_soon(&job);
    leaver.ends(&job, "cancelled");
}

#[test]
fn none_outlives_a_daemon_that_is_killed_and_starts_again_and_a_report_does() {
    let mut killed = Leaver::new(20);
    killed.test(&[], &json!({}));
    eventually("a report of the first test", || {
        killed.listed().is_string().then_some(())
    });
    killed.investigate(&json!({}));
    eventually("copies run", || (killed.left().len() > 4).then_some(()));
    killed.daemon.kill();
    killed.daemon.restart();
    eventually("no process is left", || {
        killed.left().is_empty().then_some(())
    });
    assert_eq!(killed.listed(), json!(killed.program));
    let folder = killed.daemon.home().join("run/discover");
    eventually("no folder is left", || {
        let left = std::fs::read_dir(&folder).map_or(0, Iterator::count);
        (left == 0).then_some(())
    });
}
