//! Man pages.

use crate::Failure;
use crate::args::whole_definition;
use clap::Command;
use clap_mangen::Man;
use std::io::{self, Write};
use std::path::Path;

/// The sections after the options on the page of `ccctl` itself, with a blank line between them: a title, and lines of a term,
/// a tab and its meaning.
const SECTIONS: &str = include_str!("man.txt");

pub(crate) fn page() -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    write_page(whole_definition(), &mut page).map_err(Failure::Output)?;
    Ok(page)
}

/// Writes one page per command to the directory `folder`, which is created if it is missing.
pub(crate) fn write_pages(folder: &Path) -> Result<(), Failure> {
    let mut command = whole_definition();
    command.build();
    std::fs::create_dir_all(folder)
        .and_then(|()| write_with_verbs(&command, folder))
        .map_err(Failure::io(folder.display()))
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
    let is_whole = command.get_name() == "ccctl";
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
    let (examples, notes) = parts(help.as_deref().unwrap_or_default());
    if !examples.is_empty() {
        writeln!(out, ".SH EXAMPLES\n.nf\n{}\n.fi", roff(examples))?;
    }
    if !is_whole {
        write_notes(notes, out)?;
        return writeln!(out, ".SH \"SEE ALSO\"\n\\fBccctl\\fR(1)");
    }
    for section in SECTIONS.split("\n\n") {
        let (title, entries) = section.split_once('\n').unwrap_or_default();
        writeln!(out, ".SH \"{title}\"")?;
        for (term, meaning) in entries.lines().filter_map(|entry| entry.split_once('\t')) {
            writeln!(out, ".TP\n\\fB{}\\fR\n{}", roff(term), roff(meaning))?;
        }
    }
    writeln!(
        out,
        ".SH \"SEE ALSO\"\n{}",
        roff("ccctl help VERB, ccd --help, and docs/protocol/README.md in the sources.")
    )?;
    man.render_version_section(out)
}

/// Writes the paragraphs after the examples, with those on the exit status in a section of their own.
fn write_notes(notes: &str, out: &mut dyn Write) -> io::Result<()> {
    let paragraphs = || notes.split("\n\n").filter(|text| !text.is_empty());
    let is_status =
        |text: &str| text.starts_with("Exit status: ") || text.starts_with("The exit status is ");
    for (section, wanted) in [("NOTES", false), ("EXIT STATUS", true)] {
        let chosen: Vec<String> = paragraphs()
            .filter(|text| is_status(text) == wanted)
            .map(roff)
            .collect();
        if !chosen.is_empty() {
            writeln!(out, ".SH \"{section}\"\n{}", chosen.join("\n.PP\n"))?;
        }
    }
    Ok(())
}

/// Splits the text after the options of `--help` into its examples and the paragraphs that follow.
fn parts(help: &str) -> (&str, &str) {
    let text = help.strip_prefix("Examples:\n").unwrap_or(help);
    text.split_once("\n\n").unwrap_or((text, ""))
}

/// Escapes a text for `man`, to which a backslash, a dash, and a dot at the start of a line are special.
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
        let page_of = |page: &str| std::fs::read_to_string(folder.path().join(page)).unwrap();
        for page in ["ccctl.1", "ccctl-send.1", "ccctl-run.1"] {
            let text = page_of(page);
            assert!(text.contains(".SH EXAMPLES"), "{page}");
            assert!(text.contains(".SH \"SEE ALSO\""), "{page}");
            assert!(!text.contains("EXTRA"), "{page}");
        }
        let run = page_of("ccctl-run.1");
        assert!(run.contains(".SH \"EXIT STATUS\"\nThe exit status is the program's"));
        let list = page_of("ccctl-ls.1");
        assert!(list.contains(".SH \"NOTES\"\nWAITS is") && !list.contains("EXIT STATUS"));
    }

    #[test]
    fn the_page_of_all_has_the_usual_sections() {
        let page = String::from_utf8(page().unwrap()).unwrap();
        for section in "EXAMPLES,EXIT STATUS,ENVIRONMENT,FILES,SEE ALSO".split(',') {
            assert!(page.contains(section), "{section}");
        }
        assert!(page.contains("\\fBCCD_NO_START\\fR"));
    }

    #[test]
    fn characters_special_to_man_are_escaped() {
        assert_eq!(roff("a-b\n.x \\n"), "a\\-b\n\\&.x \\en");
    }
}
