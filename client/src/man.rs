//! Man pages.

use crate::args::Ccctl;
use crate::failure::Failure;
use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use std::io::{self, Write};
use std::path::Path;

/// What stands behind the options on the page of `ccctl` itself, by section: terms and what they mean.
const SECTIONS: [(&str, &[(&str, &str)]); 3] = [
    (
        "EXIT STATUS",
        &[
            ("0", "Done."),
            (
                "1",
                "Failed: the program ended before the pattern came, could not be started, does not read its input; no tape has the input, tapes differ.",
            ),
            ("2", "Usage: wrong command line, argument or pattern."),
            (
                "3",
                "No daemon, none could be started, or it went away before it answered.",
            ),
            ("4", "Not found: no such session, tape, job or key."),
            (
                "5",
                "Refused: a limit, a conflict, the wrong kind of session.",
            ),
            ("124", "Timed out."),
            ("125", "Internal: a defect of the daemon or of the client."),
            (
                "other",
                "run, rec, play, proxy and session run pass the program's status on: 128 + N after signal N, 126 not executable, 127 not found.",
            ),
        ],
    ),
    (
        "ENVIRONMENT",
        &[
            ("CCD_HOME", "Base folder; default ~/.claude-control."),
            ("CCD_SOCKET", "The daemon's socket."),
            ("CCD_CONFIG", "The daemon's configuration file."),
            (
                "CCD_NO_START",
                "Never start a daemon, unless it is empty or 0.",
            ),
            (
                "CI",
                "Where it is set, tapes must match exactly, unless --no-strict is given.",
            ),
            (
                "CLAUDECONTROL_REDACT",
                "0, false or off: secrets are kept in tapes.",
            ),
            ("NO_COLOR", "No colours on a terminal."),
            (
                "XDG_RUNTIME_DIR",
                "Where the socket is, in ccd/, without CCD_SOCKET and CCD_HOME.",
            ),
        ],
    ),
    (
        "FILES",
        &[
            ("~/.config/ccd/config.json", "Configuration, JSON5."),
            (
                "~/.claude-control/sessions/ID/output.log",
                "Output of a session, with rotated files beside it.",
            ),
            (
                "~/.claude-control/tapes/PROGRAM/*.json5",
                "Tapes, which may be edited by hand.",
            ),
            (
                "~/.claude-control/ccd.sqlite",
                "Sessions, interactions, jobs.",
            ),
            (
                "~/.claude-control/logs/",
                "The daemon's own log, a file a day.",
            ),
        ],
    ),
];

/// Returns the page of `ccctl` itself.
///
/// # Errors
///
/// [`Failure::Output`], which does not happen in memory.
pub(crate) fn page() -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    write_page(Ccctl::command(), &mut page).map_err(Failure::Output)?;
    Ok(page)
}

/// Writes one page a command into `folder`, which is made if it is missing.
///
/// # Errors
///
/// [`Failure::Io`] names the folder.
pub(crate) fn write_pages(folder: &Path) -> Result<(), Failure> {
    let mut command = Ccctl::command();
    command.build();
    std::fs::create_dir_all(folder)
        .and_then(|()| write_with_verbs(&command, folder))
        .map_err(|source| Failure::Io {
            what: folder.display().to_string(),
            source,
        })
}

fn write_with_verbs(command: &Command, folder: &Path) -> io::Result<()> {
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        write_with_verbs(verb, folder)?;
    }
    let mut page = Vec::new();
    write_page(command.clone(), &mut page)?;
    std::fs::write(folder.join(Man::new(command.clone()).get_filename()), page)
}

fn write_page(command: Command, out: &mut dyn Write) -> io::Result<()> {
    let help = command.get_after_help().map(ToString::to_string);
    let is_whole = command.get_name() == Ccctl::command().get_name();
    let has_verbs = command.has_subcommands();
    let man = Man::new(command);
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if has_verbs {
        man.render_subcommands_section(out)?;
    }
    let (examples, rest) = parts(help.as_deref().unwrap_or_default());
    if !examples.is_empty() {
        writeln!(out, ".SH EXAMPLES\n.nf\n{}\n.fi", roff(examples))?;
    }
    if !is_whole {
        if !rest.is_empty() {
            writeln!(out, ".SH \"EXIT STATUS\"\n{}", roff(rest))?;
        }
        return writeln!(out, ".SH \"SEE ALSO\"\n\\fBccctl\\fR(1)");
    }
    for (section, entries) in SECTIONS {
        writeln!(out, ".SH \"{section}\"")?;
        for (term, meaning) in entries {
            writeln!(out, ".TP\n\\fB{}\\fR\n{}", roff(term), roff(meaning))?;
        }
    }
    writeln!(
        out,
        ".SH \"SEE ALSO\"\n{}",
        roff("ccctl help VERB, ccd --help, and docs/PROTOCOL.md in the sources.")
    )?;
    man.render_version_section(out)
}

/// Splits the text behind the options of `--help` into its examples and what follows them.
fn parts(help: &str) -> (&str, &str) {
    let text = help.strip_prefix("Examples:\n").unwrap_or(help);
    text.split_once("\n\n").unwrap_or((text, ""))
}

/// A text as `man` takes it: a backslash, a dash, and a dot at the start of a line mean something there.
fn roff(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            let line = line.replace('\\', r"\e").replace('-', r"\-");
            if line.starts_with(['.', '\'']) {
                format!(r"\&{line}")
            } else {
                line
            }
        })
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_gets_a_page() {
        let folder = tempfile::tempdir().unwrap();
        write_pages(folder.path()).unwrap();
        for page in ["ccctl.1", "ccctl-session-send.1", "ccctl-run.1"] {
            let text = std::fs::read_to_string(folder.path().join(page)).unwrap();
            assert!(text.contains(".SH EXAMPLES"), "{page}");
            assert!(text.contains(".SH \"SEE ALSO\""), "{page}");
            assert!(!text.contains("EXTRA"), "{page}");
        }
        let run = std::fs::read_to_string(folder.path().join("ccctl-run.1")).unwrap();
        assert!(run.contains(".SH \"EXIT STATUS\"\nThe exit status is the program's"));
    }

    #[test]
    fn the_page_of_all_has_the_usual_sections() {
        let page = String::from_utf8(page().unwrap()).unwrap();
        for section in [
            "EXAMPLES",
            "EXIT STATUS",
            "ENVIRONMENT",
            "FILES",
            "SEE ALSO",
        ] {
            assert!(page.contains(section), "{section}");
        }
        assert!(page.contains("\\fBCCD_NO_START\\fR"));
    }

    #[test]
    fn what_means_something_to_man_is_quoted() {
        assert_eq!(roff("a-b\n.x \\n"), "a\\-b\n\\&.x \\en");
    }
}
