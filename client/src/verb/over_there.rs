//! Commands about the daemon's process and files, which run on the daemon's host.

use crate::args::{DaemonVerb, Global};
use crate::call::{ConnectError, Host, SshError};
use crate::{Exit, Failure};

/// The words of a command that has to run on the daemon's host; `None` for one that asks the daemon.
pub(super) fn words(verb: &DaemonVerb, global: &Global) -> Option<Vec<String>> {
    let lines;
    let mut words = match verb {
        DaemonVerb::Start => vec!["start"],
        // The question was asked here.
        DaemonVerb::Stop(_) => vec!["stop", "--force"],
        DaemonVerb::Restart => vec!["restart"],
        DaemonVerb::Upgrade(args) => match args.binary.as_deref() {
            Some(binary) => vec!["upgrade", "--", binary.to_str()?],
            None => vec!["upgrade"],
        },
        DaemonVerb::Logs(args) => {
            lines = args.lines.to_string();
            let follow = args.follow.then_some("--follow");
            ["logs", "-n", &lines].into_iter().chain(follow).collect()
        }
        DaemonVerb::Status
        | DaemonVerb::Reload
        | DaemonVerb::LogLevel(_)
        | DaemonVerb::Check
        | DaemonVerb::Ping => return None,
    };
    words.insert(0, "daemon");
    for (is_given, option) in [(global.json, "--json"), (global.verbose, "--verbose")] {
        if is_given {
            words.insert(0, option);
        }
    }
    Some(words.into_iter().map(str::to_owned).collect())
}

/// Runs `ccctl` with these words over there, with the standard streams of this process.
pub(super) fn run(host: &Host, words: &[String]) -> Result<Exit, Failure> {
    let status = host
        .ccctl(words, true)
        .status()
        .map_err(Failure::io("ssh"))?;
    Ok(match status.code() {
        Some(127) => {
            return Err(ConnectError::from(SshError::NoCcctl { host: host.clone() }).into());
        }
        // ssh has said why there is no connection.
        None | Some(126 | 255) => Exit::NoDaemon,
        Some(code) => Exit::of_program(Some(code), None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Noun, parsed_line};

    fn line(words_here: &str) -> Option<String> {
        let parsed = parsed_line(&format!("daemon {words_here}")).unwrap();
        match parsed.noun {
            Noun::Daemon(verb) => words(&verb, &parsed.global).map(|words| words.join(" ")),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_concerns_a_process_or_a_file_runs_over_there() {
        for (here, there) in [
            ("stop", Some("daemon stop --force")),
            ("start --json", Some("--json daemon start")),
            ("upgrade /b/ccd", Some("daemon upgrade -- /b/ccd")),
            ("logs -f", Some("daemon logs -n 20 --follow")),
            ("status", None),
        ] {
            assert_eq!(line(here).as_deref(), there, "{here}");
        }
    }
}
