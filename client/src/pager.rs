//! A long text at a terminal, in the user's pager, as git shows it.

use crate::{Context, Failure};
use signal_hook::consts::SIGINT;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// The pager without `$PAGER`.
const DEFAULT: &str = "less";

/// What git sets for its pagers, unless the user has set it: exit if the text fits on the screen, show colours, and
/// leave the screen as it is.
const SETTINGS: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];

/// The status of a shell that has not found its command.
const NOT_FOUND: i32 = 127;

/// Writes a text in the pager; without a terminal or a usable pager, to standard output.
///
/// # Errors
///
/// [`Failure::Output`].
pub(crate) fn page(
    context: &mut Context,
    text: impl Fn(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let pager = pager(std::env::var_os("PAGER")).filter(|_| context.style.is_terminal);
    let is_shown = match pager.and_then(start) {
        Some(child) => show(child, &text)?,
        None => false,
    };
    match is_shown {
        true => Ok(()),
        false => context.render(text),
    }
}

/// Writes a text to a pager and waits until the user leaves it; false if there is no such program.
fn show(
    mut pager: Child,
    text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<bool, Failure> {
    // An interrupt is for the pager.
    let _ = signal_hook::flag::register(SIGINT, Arc::default());
    let written = match pager.stdin.take() {
        Some(stdin) => {
            let mut out = io::BufWriter::new(stdin);
            text(&mut out).and_then(|()| out.flush())
        }
        None => Ok(()),
    };
    let status = pager.wait().map_err(Failure::io("the pager"))?;
    match written {
        _ if status.code() == Some(NOT_FOUND) => Ok(false),
        // The user has left the pager before the end of the text.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(true),
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
    fn the_users_pager_is_less_unless_another_is_set() {
        assert_eq!(pager(None).unwrap(), DEFAULT);
        assert_eq!(pager(Some("more -d".into())).unwrap(), "more -d");
        for none in ["", "cat"] {
            assert_eq!(pager(Some(none.into())), None);
        }
    }
}
