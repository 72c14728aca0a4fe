//! Completion scripts.

use crate::args::Ccctl;
use clap::CommandFactory as _;
use clap_complete::Shell;

/// Returns the script for a shell.
pub(crate) fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Ccctl::command(), "ccctl", &mut script);
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum as _;

    #[test]
    fn every_shell_has_a_script_with_the_verbs() {
        for &shell in Shell::value_variants() {
            let script = String::from_utf8(script(shell)).unwrap();
            assert!(script.contains("expect"), "{shell}");
        }
    }
}
