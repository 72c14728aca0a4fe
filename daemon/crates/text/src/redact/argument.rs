//! Secrets in command lines and environments, whose words are known one by one.

use super::engine::{MASK, part_without, redact, redact_part, secrets_in};
use super::rules::is_placeholder;
use super::rules::secret_key;
use std::ops::Range;

/// Returns the arguments of a program without their secrets: also the one behind `--password`, and what is a secret
/// only because of the program (`mysql -p…`).
pub fn redact_args(program: &str, args: &[String]) -> Vec<String> {
    let mut line = program.to_owned();
    let words: Vec<Range<usize>> = args
        .iter()
        .map(|arg| {
            line.push(' ');
            let start = line.len();
            line.push_str(arg);
            start..line.len()
        })
        .collect();
    let secrets = secrets_in(&line);
    let mut option = None;
    args.iter()
        .zip(words)
        .map(|(arg, word)| {
            let is_value = option
                .replace(arg)
                .is_some_and(|option| names_secret(option));
            if is_value && !arg.starts_with('-') && !is_placeholder(arg.as_bytes()) {
                MASK.to_owned()
            } else {
                // By itself it may begin a line, as what is a secret in YAML does.
                redact(&part_without(&secrets, &line, word))
                    .text
                    .into_owned()
            }
        })
        .collect()
}

/// Returns the value of an environment variable without its secrets; a variable with the name of a secret is one.
pub fn redact_variable(name: &str, value: &str) -> String {
    let is_secret = secret_key(name).is_some_and(|key| !key.may_be_path);
    if is_secret && !is_placeholder(value.as_bytes()) {
        return MASK.to_owned();
    }
    let start = name.len() + 1;
    let both = format!("{name}={value}");
    let clean = redact_part(&both, start..both.len());
    redact(&clean).text.into_owned()
}

/// `--password`, whose value is the next argument.
fn names_secret(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    name.len() < option.len() && !name.contains(['=', ' ']) && secret_key(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(program: &str, args: &[&str]) -> Vec<String> {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
        let clean = redact_args(program, &args);
        assert_eq!(redact_args(program, &clean), clean, "not stable");
        clean
    }

    #[test]
    fn the_argument_behind_a_secret_name_goes_as_a_whole() {
        assert_eq!(
            args("x", &["--password", "a b", "c"]),
            ["--password", "***", "c"]
        );
        assert_eq!(args("x", &["--token=abc", "-v"]), ["--token=***", "-v"]);
        assert_eq!(
            args("x", &["--token", "--verbose"]),
            ["--token", "--verbose"]
        );
        assert_eq!(
            args("mysql", &["-u", "me", "-phunter2"]),
            ["-u", "me", "-p***"]
        );
        assert_eq!(
            args("curl", &["-u", "me:pw", "https://h"]),
            ["-u", "me:***", "https://h"]
        );
        assert_eq!(
            args("sh", &["-c", "echo token bucket"]),
            ["-c", "echo token bucket"]
        );
        assert_eq!(
            args("x", &["a", "token: abc # mine"]),
            ["a", "token: *** # mine"]
        );
        assert_eq!(args("x", &[]), [""; 0]);
    }

    #[test]
    fn a_variable_is_a_secret_by_its_name_or_by_its_value() {
        for (name, value, clean) in [
            ("API_TOKEN", "1 2 3", "***"),
            ("API_TOKEN", "", ""),
            ("URL", "https://me:abc@h", "https://me:***@h"),
            ("X", "ghp_aaaaaaaaaaaaaaaaaaaaaaaa1", "***"),
            ("PWD", "/home/me", "/home/me"),
            ("LANG", "C.UTF-8", "C.UTF-8"),
            ("TERM", "xterm-256color", "xterm-256color"),
        ] {
            assert_eq!(redact_variable(name, value), clean, "{name}");
            assert_eq!(redact_variable(name, clean), clean, "{name}");
        }
    }
}
