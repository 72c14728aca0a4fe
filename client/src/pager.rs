//! A long text at a terminal, in the user's pager, as git shows it.

use crate::render::Printer;
use crate::terminal::output_columns;
use crate::writer::Writer;
use crate::{Context, Failure};
use signal_hook::consts::SIGINT;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

const DEFAULT: &str = "less";

/// What git sets for its pagers, unless the user has set it: exit if the text fits on the screen, show colours, and
/// leave the screen as it is.
const SETTINGS: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];

/// The status of a shell that has not found its command.
const NOT_FOUND: i32 = 127;

/// Writes a text in the pager while it is made; without a terminal or a usable pager, to standard output.
/// If the user leaves the pager, the next write of `text` fails, so that it makes no more.
pub(crate) fn page(
    context: &mut Context,
    text: impl Fn(&mut Printer<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let style = context.style;
    let text = |out: &mut dyn Write| text(&mut Printer::new(out, style, output_columns()));
    let pager = pager(std::env::var_os("PAGER")).filter(|_| context.style.is_terminal);
    let is_shown = match pager.and_then(start) {
        Some(child) => show(child, text)?,
        None => false,
    };
    if is_shown {
        return Ok(());
    }
    let mut written = Ok(());
    context.render(|out| {
        written = text(out);
        Ok(())
    })?;
    written
}

/// True if texts are shown in a pager on a terminal. Whether `$PAGER` exists is known only when it is started.
pub(crate) fn is_used() -> bool {
    let configured = std::env::var_os("PAGER");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has_default = || std::env::split_paths(&path).any(|folder| folder.join(DEFAULT).is_file());
    match configured {
        None => has_default(),
        configured => pager(configured).is_some(),
    }
}

/// Writes a text to a pager and waits until the user leaves it; false if there is no such program.
fn show(
    mut pager: Child,
    text: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<bool, Failure> {
    // An interrupt is for the pager.
    let _ = signal_hook::flag::register(SIGINT, Arc::default());
    let written = match pager.stdin.take() {
        Some(stdin) => {
            let mut out = Writer::to_terminal(io::BufWriter::new(stdin));
            text(&mut out).and_then(|()| out.flush().map_err(Failure::Output))
        }
        None => Ok(()),
    };
    let status = pager.wait().map_err(Failure::io("the pager"))?;
    match written {
        _ if status.code() == Some(NOT_FOUND) => Ok(false),
        // The user has left the pager before the end of the text.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(true),
        written => written.map(|()| true),
    }
}

/// The command of the pager; `None` if there is to be none.
fn pager(configured: Option<OsString>) -> Option<OsString> {
    let pager = configured.unwrap_or_else(|| DEFAULT.into());
    let is_none = pager.is_empty() || pager == "cat";
    (!is_none).then_some(pager)
}

fn start(pager: OsString) -> Option<Child> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(pager).stdin(Stdio::piped());
    for (name, value) in SETTINGS {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    command.spawn().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_end_ends_with_the_pager() {
        let child = start("read -r line".into()).unwrap();
        let shown = show(child, |out| {
            loop {
                writeln!(out, "line").map_err(Failure::Output)?;
            }
        });
        assert!(shown.unwrap());
        assert!(!show(start("no-such-pager".into()).unwrap(), |_| Ok(())).unwrap());
        let failed = show(start("cat".into()).unwrap(), |_| {
            Err(Failure::Failed("no more pages".to_owned()))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more pages");
    }

    #[test]
    fn the_users_pager_is_less_unless_another_is_set() {
        assert_eq!(pager(None).unwrap(), DEFAULT);
        assert_eq!(pager(Some("more -d".into())).unwrap(), "more -d");
        for none in ["", "cat"] {
            assert_eq!(pager(Some(none.into())), None);
        }
    }
}
