//! The promise of `session.run`: the bytes that are executed are the bytes that were given.
//!
//! The oracle is what the same shell prints and returns for the same text as a script.

use super::shells::open;
use crate::support::session::lacks;
use crate::support::{Daemon, rounds_or};
use std::path::Path;
use std::process::{Command, Stdio};

/// A shell, its start-up file, and words that stand for its special characters outside quotes.
struct Kind {
    program: &'static str,
    rc: &'static str,
    bare: &'static [&'static str],
    templates: &'static [&'static str],
}

/// Aliases, functions and traps that a person may have, each of which a careless wrapper would run into.
const POSIX_RC: &str = r#"
alias printf='echo alias' eval='echo alias' command='echo alias' builtin='echo alias' .='echo alias'
alias grep='grep --color=auto' ll='ls -l'
cd() { command cd "$@"; }
trap 'true' USR1
"#;
const BASH_RC: &str = r#"
alias printf='echo alias' eval='echo alias' command='echo alias' builtin='echo alias' .='echo alias'
printf() { echo function; }
trap 'last=$BASH_COMMAND' DEBUG
trap 'true' EXIT
PROMPT_COMMAND='true'
PS1='\u@\h \w ! $ '
HISTCONTROL=
history -s 'touch ran'
"#;
const ZSH_RC: &str = r#"
alias printf='echo alias' eval='echo alias' command='echo alias' builtin='echo alias' .='echo alias'
alias -g G='| grep'
setopt correct 2>/dev/null; unsetopt correct
preexec() { true }
precmd() { true }
PS1='%n %# '
print -s 'touch ran'
"#;
const FISH_RC: &str = "
function ll; ls -l; end
abbr -a g git
function on_exec --on-event fish_preexec; true; end
";

const POSIX_TEMPLATES: &[&str] = &[
    "echo W W W",
    ": W; echo W",
    "! echo W",
    "{ echo W; }",
    "(echo W; exit 3)",
    "'echo' W",
    "\\echo W",
    "\"echo\" W W",
    "A=Q; echo \"$A\" W",
    "# W !! `x`\necho W",
    "echo W # !! W",
    "echo W &&\ntrue",
    "echo W |cat",
    "echo W;",
    "for i in W W; do\necho \"$i\"\ndone",
    "case W in *) echo W;; esac",
    "cat <<'!!'\nW `x` $y\n!!",
    "cat <<E\n\\$x W\nE",
    "  echo W",
    "\techo W\t",
    "echo W; false",
    "if true; then echo W; fi; (exit 7)",
    "echo \"!! !$ `echo W`\"",
    "test W = W",
];
const FISH_TEMPLATES: &[&str] = &[
    "echo Q Q Q",
    ": Q; echo Q",
    "not echo Q",
    "begin; echo Q; end",
    "'echo' Q",
    "set A Q; echo \"$A\" Q",
    "# Q !! x\necho Q",
    "echo Q # !! Q",
    "echo Q |cat",
    "echo Q;",
    "for i in Q Q\necho \"$i\"\nend",
    "  echo Q",
    "echo Q; false",
    "if true; echo Q; end; sh -c 'exit 7'",
    "test Q = Q",
];

const KINDS: [Kind; 4] = [
    Kind {
        program: "bash",
        rc: BASH_RC,
        bare: &[
            "!!", "!$", "!1", "!echo", "^a^b", "^a^b^", "~", "a~", "=", "=a", "%1", "@", "+-_.,:/",
            "a\\ b", "\\!", "a!", "!", "a^b", "{a,b}", "$x", "${x-!!}", "$((1+1))", "*.none",
            "\\\\", "é", "𝄞", "C:\\\\x",
        ],
        templates: POSIX_TEMPLATES,
    },
    Kind {
        program: "zsh",
        rc: ZSH_RC,
        bare: &[
            "!!", "!$", "!1", "!echo", "^a^b", "^a^b^", "a~", "a=", "%1", "@", "+-_.,:/", "a\\ b",
            "\\!", "a!", "!", "a^b", "{a,b}", "$x", "${x-!!}", "$((1+1))", "\\\\", "é", "𝄞", "!\"",
            "!{x}",
        ],
        templates: POSIX_TEMPLATES,
    },
    Kind {
        program: "dash",
        rc: POSIX_RC,
        bare: &[
            "!!", "!$", "^a^b", "~", "=a", "%1", "@", "+-_.,:/", "a\\ b", "\\!", "{a,b}", "$x",
            "${x-!!}", "$((1+1))", "*.none", "\\\\", "é",
        ],
        templates: POSIX_TEMPLATES,
    },
    Kind {
        program: "fish",
        rc: FISH_RC,
        bare: &[],
        templates: FISH_TEMPLATES,
    },
];

/// All characters that are special to some shell, some that are not, and two that take several bytes.
const SPECIAL: &str = " !\"#$%&()*+,-./:;<=>?@[]^_`{|}~\tax09é😀";

/// A generator of the same commands in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Returns special characters in quotes.
    fn quoted(&mut self) -> String {
        let letters: Vec<char> = SPECIAL.chars().collect();
        let len = 1 + self.below(8);
        let text: String = (0..len).map(|_| self.one(&letters)).collect();
        format!("'{text}'")
    }

    fn word(&mut self, kind: &Kind) -> String {
        match kind.bare {
            [] => self.quoted(),
            _ if self.below(2) == 0 => self.quoted(),
            bare => self.one(bare).to_owned(),
        }
    }

    fn command(&mut self, kind: &Kind) -> String {
        let template = self.one(kind.templates);
        let mut command = String::new();
        for letter in template.chars() {
            match letter {
                'W' => command.push_str(&self.word(kind)),
                'Q' => command.push_str(&self.quoted()),
                other => command.push(other),
            }
        }
        command
    }
}

/// Returns what the shell prints and returns for a script; nothing if it reports a mistake in it.
fn of_script(kind: &Kind, home: &Path, text: &str) -> Option<(String, Option<i32>)> {
    let script = home.join("script");
    std::fs::write(&script, text).unwrap();
    let output = Command::new(kind.program)
        .arg(&script)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home)
        .env("LC_ALL", "C.UTF-8")
        .current_dir(home)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    output
        .stderr
        .is_empty()
        .then(|| (printed, output.status.code()))
}

fn executes_what_it_is_given(kind: &Kind, is_integrated: bool) {
    if lacks(&[kind.program]) {
        return;
    }
    let daemon = Daemon::start();
    let session = open(&daemon, kind.program, &[], kind.rc, is_integrated);
    let shell = format!("{}, integrated {is_integrated}", kind.program);
    let mut random = Random(rounds_or(10) as u64);
    for _ in 0..4 * rounds_or(10) {
        let command = random.command(kind);
        let Some(expected) = of_script(kind, daemon.home(), &command) else {
            continue;
        };
        let reply = session.run(&command);
        let found = (&*reply.output, reply.exit_code);
        let expected = (&*expected.0, expected.1);
        assert_eq!(found, expected, "{shell}: {command:?}: {reply:?}");
    }
    // The line editor took each of them: none was typed again.
    let is_typed = session.output().contains("133;C;%s");
    assert_eq!(is_typed, !is_integrated || kind.program == "dash");
    assert!(
        !daemon.home().join("ran").exists(),
        "a command of the history was run"
    );
}

#[test]
fn bash_executes_what_it_is_given() {
    executes_what_it_is_given(&KINDS[0], true);
    executes_what_it_is_given(&KINDS[0], false);
}

#[test]
fn zsh_executes_what_it_is_given() {
    executes_what_it_is_given(&KINDS[1], true);
    executes_what_it_is_given(&KINDS[1], false);
}

#[test]
fn dash_executes_what_it_is_given() {
    executes_what_it_is_given(&KINDS[2], true);
    executes_what_it_is_given(&KINDS[2], false);
}

#[test]
fn fish_executes_what_it_is_given() {
    executes_what_it_is_given(&KINDS[3], true);
    executes_what_it_is_given(&KINDS[3], false);
}
