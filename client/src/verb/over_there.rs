//! Commands about the daemon's process and files, which run on the daemon's host.

use crate::args::{Given, Global};
use crate::call::{Host, no_ccctl};
use crate::fields::Fields as _;
use crate::{Exit, Failure};

/// The words of a command that has to run on the daemon's host; `None` for one that asks the daemon.
pub(super) fn words(verb: &str, args: &Given, global: &Global) -> Option<Vec<String>> {
    let mut words = vec!["daemon", verb];
    let lines;
    match verb {
        "start" | "restart" => {}
        // The question was asked here.
        "stop" => words.push("--force"),
        "upgrade" => words.extend(
            args.word("binary")
                .into_iter()
                .flat_map(|path| ["--", path]),
        ),
        "logs" => {
            lines = args.number("lines").to_string();
            words.extend(["-n", &lines]);
            words.extend(args.has("follow").then_some("--follow"));
        }
        _ => return None,
    }
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
        Some(127) => return Err(no_ccctl(host).into()),
        // ssh has said why there is no connection.
        None | Some(126 | 255) => Exit::NoDaemon,
        Some(code) => Exit::of_program(Some(code), None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parsed_line;

    fn line(words_here: &str) -> Option<String> {
        let parsed = parsed_line(&format!("daemon {words_here}")).unwrap();
        let args = &parsed.given;
        let verb = args.command.split(' ').nth(1).unwrap();
        words(verb, args, &parsed.global).map(|words| words.join(" "))
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
