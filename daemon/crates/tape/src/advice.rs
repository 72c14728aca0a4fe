//! Command lines that error messages suggest.

use super::format::Meta;
use super::key::program_name;
use ccd_base::shell;
use ccd_text::redact::{Values, redact_values};
use std::path::Path;

/// Maximum length of a command line in an error message.
const MAX_COMMAND_BYTES: usize = 2_000;

/// Returns the shell command line that records a program; `root` is set if it is not the default root.
pub fn record_with(meta: &Meta, root: Option<&Path>) -> String {
    let program = &meta.program;
    let mut words = vec!["ccctl".to_owned(), "rec".to_owned()];
    if let Some(root) = root {
        words.extend(["--tapes".to_owned(), root.display().to_string()]);
    }
    if root.is_some() || program.starts_with('-') {
        words.push("--".to_owned());
    }
    words.push(program.clone());
    let mut args = meta.args.clone();
    redact_values(Values::Args {
        program: program_name(program),
        args: &mut args,
    });
    words.extend(args);
    let line = shell::line(&words);
    if line.len() <= MAX_COMMAND_BYTES {
        line
    } else {
        format!("ccctl rec {} …", shell::quoted(program_name(program)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta(program: &str, args: &[&str]) -> Meta {
        Meta {
            program: program.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            ..Meta::default()
        }
    }

    #[test]
    fn the_advice_is_a_command_line_that_a_shell_takes() {
        let root = Path::new("/my tapes");
        for (meta, root, line) in [
            (meta("bc", &["-q"]), None, "ccctl rec bc -q"),
            (
                meta("sqlite3", &["shop.db"]),
                Some(root),
                "ccctl rec --tapes '/my tapes' -- sqlite3 shop.db",
            ),
            (
                meta("sh", &["-c", "echo 'a $b'", ""]),
                None,
                r"ccctl rec sh -c 'echo '\''a $b'\''' ''",
            ),
            (
                meta("p", &["--password=hunter2hunter2"]),
                None,
                "ccctl rec p '--password=***'",
            ),
        ] {
            assert_eq!(record_with(&meta, root), line);
        }
        let long = meta("sh", &["-c", &"x".repeat(5_000)]);
        assert_eq!(record_with(&long, None), "ccctl rec sh …");
    }
}
