//! Every kind of command in every kind of shell, on real terminals.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use super::case_tests::{Case, cases};
use super::driver_tests::{Given, LiveShell, find};
use super::{CommandOutcome, integrated};

/// A shell and how it is set up.
pub(super) struct Setup {
    program: &'static str,
    args: &'static [&'static str],
    rc: Option<(&'static str, &'static str)>,
    is_integrated: bool,
    /// Names of cases that do not work in this shell.
    lacks: &'static [&'static str],
}

const PROMPT_ON_STDERR: &str = "a prompt on standard error";
const BASH_RC: &str = r#"
PROMPT_COMMAND='printf "\033]0;%s\007" title; # a comment'
PS1='\n\[\e[32m\]\u@\h \w [$?]\[\e[0m\]\n\[\e[1m\]\$\[\e[0m\] '
"#;
const ZSH_RC: &str = r"
precmd() { print -n '\e]0;title\a' }
PS1=$'\n%F{green}%n@%m %~ [%?]%f\n%B%#%b '
RPROMPT='%T'
";

impl Setup {
    pub(super) const fn plain(program: &'static str, args: &'static [&'static str]) -> Self {
        Self {
            program,
            args,
            rc: None,
            is_integrated: false,
            lacks: &[],
        }
    }

    const fn user(program: &'static str, rc_name: &'static str, rc: &'static str) -> Self {
        Self {
            rc: Some((rc_name, rc)),
            ..Self::plain(program, &[])
        }
    }

    pub(super) const fn integrated(self) -> Self {
        Self {
            is_integrated: true,
            ..self
        }
    }

    const fn lacking(self, lacks: &'static [&'static str]) -> Self {
        Self { lacks, ..self }
    }

    /// Starts the shell in the folder `home`, or prints that it is not installed.
    fn start(&self, home: &Path) -> Option<LiveShell> {
        let Some(program) = find(self.program) else {
            let is_needed = ["bash", "dash"].contains(&self.program);
            assert!(!is_needed, "{} is needed", self.program);
            eprintln!("skipped: {} is not installed", self.program);
            return None;
        };
        if self.program == "ksh" && program.canonicalize().unwrap().ends_with("mksh") {
            eprintln!("skipped: this ksh is mksh, which has tests of its own");
            return None;
        }
        if let Some((name, text)) = self.rc {
            std::fs::write(home.join(name), text).unwrap();
        } else if self.program == "zsh" {
            std::fs::write(home.join(".zshrc"), "").unwrap(); // without the file, zsh asks whether to create one
        }
        let mut args: Vec<OsString> = self.args.iter().map(OsString::from).collect();
        let mut env = Vec::new();
        if self.is_integrated {
            let rc = home.join("rc dir");
            let integration = integrated(&program, &args, |_| None, &rc, home).unwrap();
            (args, env) = (integration.args, integration.env);
        }
        Some(LiveShell::start(&program, &args, &env, home))
    }

    /// Passes a new shell to `test`, unless it is not installed.
    pub(super) fn with_shell(&self, test: impl FnOnce(&mut LiveShell)) {
        let home = tempfile::tempdir().unwrap();
        if let Some(mut shell) = self.start(home.path()) {
            test(&mut shell);
        }
    }

    /// Returns how the daemon passes commands to this shell.
    fn usual(&self) -> Given {
        match self.program {
            "bash" | "zsh" | "fish" if self.is_integrated => Given::Editor,
            _ => Given::File,
        }
    }

    /// Returns all ways in which commands can be passed to this shell.
    fn ways(&self) -> Vec<Given> {
        let mut ways = vec![Given::File, Given::Inline, Given::Isolated];
        if self.usual() == Given::Editor {
            ways.push(Given::Editor);
        }
        ways
    }

    /// Returns this shell's status for a signal; it is 128+`signal` in most others.
    fn signalled(&self, signal: i32) -> i32 {
        let base = match self.program {
            "ksh" => 256,
            "yash" => 384,
            _ => 128,
        };
        base + signal
    }
}

fn check(case: &Case, outcome: &CommandOutcome, given: Given) {
    let text = String::from_utf8_lossy(&outcome.output);
    let is_right = match &case.expected {
        Some((output, status)) => outcome.output == *output && outcome.exit_code == Some(*status),
        None => outcome.exit_code != Some(0),
    };
    let (name, status) = (case.name, outcome.exit_code);
    assert!(
        is_right,
        "{name}, {given:?}: status {status:?}, wrote {}",
        text.escape_debug()
    );
    assert!(!outcome.session_ended && !outcome.truncated, "{name}");
}

fn every_command_is_exact(setup: &Setup) {
    for given in setup.ways() {
        setup.with_shell(|shell| {
            let lacks = |case: &Case| setup.lacks.contains(&case.name);
            for case in cases().into_iter().filter(|case| !lacks(case)) {
                let outcome = shell.run(&case.command, given);
                check(&case, &outcome, given);
            }
        });
    }
}

/// Runs `command` and types `key` once the `sleep` that it starts is in the terminal's foreground.
/// After a shell has made its child the foreground process and before the child becomes `sleep`, the child ignores or
/// swallows the key, as the shell that it is a copy of does. Any shell loses a key in this interval.
pub(super) fn with_key(
    shell: &mut LiveShell,
    given: Given,
    command: &[u8],
    key: &[u8],
) -> CommandOutcome {
    let mut is_typed = false;
    shell.run_with(command, given, |shell, _| {
        if !is_typed && shell.foreground_program().as_deref() == Some("sleep") {
            shell.send(key);
            is_typed = true;
        }
    })
}

fn an_interrupt_ends_the_command(setup: &Setup) {
    setup.with_shell(|shell| {
        let command = b"echo before; env sleep 100; echo after";
        let outcome = with_key(shell, setup.usual(), command, b"\x03");
        let text = String::from_utf8_lossy(&outcome.output);
        assert!(text.starts_with("before\n^C"), "{text:?}");
        assert!(text.len() <= "before\n^C\n\n".len(), "{text:?}");
        assert_eq!(outcome.exit_code, Some(setup.signalled(2)), "{text:?}");
        assert_eq!(shell.run(b"echo next", setup.usual()).output, b"next\n");
    });
}

fn a_stop_key_ends_the_run(setup: &Setup) {
    setup.with_shell(|shell| {
        let outcome = with_key(shell, setup.usual(), b"env sleep 100", b"\x1a");
        let text = String::from_utf8_lossy(&outcome.output);
        assert!(text.starts_with("^Z"), "{text:?}");
        let expected = match setup.program {
            "mksh" | "ksh" => 0, // they count a stopped program as a success
            _ => setup.signalled(20),
        };
        assert_eq!(outcome.exit_code, Some(expected), "{text:?}");
        assert_eq!(shell.run(b"echo next", setup.usual()).output, b"next\n");
    });
}

fn no_program_has_the_terminal_but_the_commands(setup: &Setup) {
    setup.with_shell(|shell| {
        // Without PATH, programs that print the marks would not be found either.
        shell.run(b"PATH=/nowhere", setup.usual());
        for given in setup.ways() {
            let outcome = shell.run(b"echo -here; (exit 3)", given);
            let found = (outcome.output.as_slice(), outcome.exit_code);
            assert_eq!(found, (&b"-here\n"[..], Some(3)), "{given:?}");
        }
    });
}

fn a_command_reads_what_is_typed(setup: &Setup) {
    setup.with_shell(|shell| {
        let mut is_typed = false;
        let command = b"read line; echo \"<$line>\"";
        let outcome = shell.run_with(command, setup.usual(), |shell, facts| {
            let is_reading = facts.shell_waits && facts.shell_is_foreground;
            // Long enough for a rescue line to be typed, if the run mistook this for the prompt.
            if is_reading && facts.quiet > Duration::from_millis(500) && !is_typed {
                shell.send(b"some text\r");
                is_typed = true;
            }
        });
        let is_read = outcome.output.ends_with(b"<some text>\n");
        assert!(is_read, "{}", shell.shown());
        assert!(!shell.shown().contains("; 1"), "nothing else was typed");
        assert_eq!(outcome.exit_code, Some(0));
    });
}

fn an_exit_ends_the_session(setup: &Setup) {
    for (command, status) in [("echo bye; exit 5", 5), ("echo bye; set -e; false", 1)] {
        for given in [setup.usual(), Given::Inline] {
            setup.with_shell(|shell| {
                let outcome = shell.run(command.as_bytes(), given);
                assert!(outcome.session_ended, "{command}");
                assert_eq!(outcome.exit_code, Some(status), "{command}");
                assert!(outcome.output.starts_with(b"bye\n"), "{}", shell.shown());
            });
        }
    }
}

fn a_replaced_shell_is_found_at_its_prompt(setup: &Setup) {
    setup.with_shell(|shell| {
        let command = format!("exec {} {}", setup.program, setup.args.join(" "));
        let outcome = shell.run(command.as_bytes(), setup.usual());
        let found = (outcome.exit_code, outcome.session_ended);
        assert_eq!(found, (Some(0), false), "{}", shell.shown());
        assert_eq!(shell.run(b"echo next", Given::Inline).output, b"next\n");
    });
}

fn a_status_comes_although_output_goes_elsewhere(setup: &Setup) {
    if setup.lacks.contains(&PROMPT_ON_STDERR) {
        return; // its prompt cannot be seen either
    }
    setup.with_shell(|shell| {
        let command = b"echo here; exec 5>&1 >/dev/null; echo there";
        let outcome = shell.run(command, setup.usual());
        let found = (outcome.output.as_slice(), outcome.exit_code);
        assert_eq!(found, (&b"here\n"[..], Some(0)));
        shell.run(b"exec >&5 5>&-", setup.usual());
        assert_eq!(shell.run(b"echo back", setup.usual()).output, b"back\n");
    });
}

fn an_isolated_command_is_free_of_others(setup: &Setup) {
    setup.with_shell(|shell| {
        shell.run(b"while :; do echo noise; sleep 0.2; done &", setup.usual());
        let outcome = shell.run(b"echo a; sleep 0.5; echo b; (exit 3)", Given::Isolated);
        let found = (outcome.output.as_slice(), outcome.exit_code);
        assert_eq!(found, (&b"a\nb\n"[..], Some(3)));
    });
}

macro_rules! tests {
    ($($test:ident)*) => {$(
        #[test]
        fn $test() {
            super::$test(&SETUP);
        }
    )*};
}

macro_rules! matrix {
    ($($shell:ident: $setup:expr;)*) => {$(
        mod $shell {
            use super::*;

            const SETUP: Setup = $setup;

            tests! {
                every_command_is_exact
                an_interrupt_ends_the_command
                a_stop_key_ends_the_run
                no_program_has_the_terminal_but_the_commands
                a_command_reads_what_is_typed
                an_exit_ends_the_session
                a_replaced_shell_is_found_at_its_prompt
                a_status_comes_although_output_goes_elsewhere
                an_isolated_command_is_free_of_others
            }
        }
    )*};
}

matrix! {
    bash: Setup::plain("bash", &["--norc"]);
    bash_posix: Setup::plain("bash", &["--posix", "--norc"]);
    bash_of_a_user: Setup::user("bash", ".bashrc", BASH_RC);
    bash_integrated: Setup::user("bash", ".bashrc", BASH_RC).integrated();
    zsh: Setup::plain("zsh", &["-f"]);
    zsh_of_a_user: Setup::user("zsh", ".zshrc", ZSH_RC);
    zsh_integrated: Setup::user("zsh", ".zshrc", ZSH_RC).integrated();
    dash: Setup::plain("dash", &[]);
    dash_integrated: Setup::plain("dash", &[]).integrated();
    mksh: Setup::plain("mksh", &[]);
    mksh_integrated: Setup::plain("mksh", &[]).integrated();
    ksh: Setup::plain("ksh", &[]);
    ksh_integrated: Setup::plain("ksh", &[]).integrated();
    yash: Setup::plain("yash", &[]).lacking(&["odd bytes typed"]);
    busybox: Setup::plain("busybox", &["sh"]).lacking(&[PROMPT_ON_STDERR]);
}
