//! Secrets in arguments and environment variables, where the limits of each word are known.

use super::engine::MASK;
use super::rules::{is_placeholder, secret_key, takes_password};
use super::text::{Secrets, redact};
use std::ops::Range;

/// Returns the arguments of a program without their secrets, including the argument after `--password` and secrets that
/// only the program's name reveals (`mysql -p…`).
pub(super) fn redact_args(program: &str, args: &[String]) -> Vec<String> {
    let mut line = program.to_owned();
    let mut words: Vec<Range<usize>> = Vec::with_capacity(args.len());
    let mut may_have_value = takes_password(program);
    let mut before = "";
    for arg in args {
        may_have_value |= takes_password(arg);
        let is_value = may_have_value || before.starts_with('-');
        let [open, close] = limits_of(arg, is_value);
        line.push_str(open);
        let start = line.len();
        line.push_str(arg);
        words.push(start..line.len());
        line.push_str(close);
        before = arg;
    }
    let secrets = Secrets::new(&line);
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
                // Alone, an argument starts a line, which makes `token: …` a member as in YAML.
                redact(&secrets.masked_part(word)).text.into_owned()
            }
        })
        .collect()
}

/// Returns what separates an argument from the others. One with blanks or operators is quoted if it may be the value of an
/// option; otherwise one with blanks is a line, so that a command in it does not seem to continue in the next argument.
fn limits_of(arg: &str, is_value: bool) -> [&'static str; 2] {
    let has_blank = arg.contains(char::is_whitespace);
    if !(has_blank || is_value && arg.contains([';', '&', '|', '<', '>'])) {
        [" ", ""]
    } else if !is_value {
        ["\n", "\n"]
    } else if !arg.contains('\'') {
        [" '", "'"]
    } else if !arg.contains('"') {
        [" \"", "\""]
    } else {
        [" ", ""]
    }
}

/// Returns the value of an environment variable without its secrets. If the name is one for a secret, the whole value
/// is masked.
pub(super) fn redact_variable(name: &str, value: &str) -> String {
    let is_secret = secret_key(name).is_some_and(|key| !key.may_be_path);
    if is_secret && !is_placeholder(value.as_bytes()) {
        return MASK.to_owned();
    }
    let start = name.len() + 1;
    let both = format!("{name}={value}");
    let clean = Secrets::new(&both).masked_part(start..both.len());
    redact(&clean).text.into_owned()
}

/// Returns whether the next argument is the value of this option, and a secret: `--password`.
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
    fn the_argument_after_a_secret_name_is_masked_as_a_whole() {
        #[rustfmt::skip]
        let rows = [
            ("x", &["--password", "a b", "c"][..], &["--password", "***", "c"][..]),
            ("x", &["--token=abc", "-v"], &["--token=***", "-v"]),
            ("x", &["--token", "--verbose"], &["--token", "--verbose"]),
            ("mysql", &["-u", "me", "-phunter2"], &["-u", "me", "-p***"]),
            ("curl", &["-u", "me:pw", "https://h"], &["-u", "me:***", "https://h"]),
            ("sh", &["-c", "zip -r x.zip a", "-P", "x"], &["-c", "zip -r x.zip a", "-P", "x"]),
            ("curl", &["-u", "me:a b", "h"], &["-u", "me:***", "h"]),
            ("zip", &["-P", "a b", "out.zip"], &["-P", "***", "out.zip"]),
            ("mysql", &["-phunt;er2", "db"], &["-p***", "db"]),
            ("redis-cli", &["-a", "<hunter2", "ping"], &["-a", "***", "ping"]),
            ("sshpass", &["-p", "-hunter2", "ssh"], &["-p", "***", "ssh"]),
            ("ssh", &["h", "mysql -p'hunter2' db"], &["h", "mysql -p'***' db"]),
            ("sh", &["-c", "echo token bucket"], &["-c", "echo token bucket"]),
            ("x", &["a", "token: abc # mine"], &["a", "token: *** # mine"]),
            ("x", &[], &[]),
        ];
        for (program, given, expected) in rows {
            assert_eq!(args(program, given), expected);
        }
    }

    #[test]
    fn a_variable_is_a_secret_by_its_name_or_by_its_value() {
        for (name, value, clean) in [
            ("API_TOKEN", "1 2 3", "***"),
            ("PASS", "hunter2", "***"),
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
