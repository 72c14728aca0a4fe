//! Man pages.

use crate::args::Ccctl;
use crate::failure::Failure;
use clap::CommandFactory as _;
use std::path::Path;

/// Returns the page of `ccctl` itself.
///
/// # Errors
///
/// [`Failure::Output`], which does not happen in memory.
pub(crate) fn page() -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Ccctl::command())
        .render(&mut page)
        .map_err(Failure::Output)?;
    Ok(page)
}

/// Writes one page a command into `folder`, which is made if it is missing.
///
/// # Errors
///
/// [`Failure::Io`] names the folder.
pub(crate) fn write_pages(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Ccctl::command(), folder))
        .map_err(|source| Failure::Io {
            what: folder.display().to_string(),
            source,
        })
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
            assert!(text.contains("Examples"), "{page}");
        }
        assert!(
            String::from_utf8(page().unwrap())
                .unwrap()
                .contains("ccctl")
        );
    }
}
