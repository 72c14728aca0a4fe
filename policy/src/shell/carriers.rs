//! Commands that execute other commands.

/// A command that executes its arguments after its options, and nothing else.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    /// Options with a value in the next word.
    pub(super) with_value: &'static [&'static str],
    /// Options without, or with a value in the same word.
    pub(super) alone: &'static [&'static str],
    /// Number of words between the options and the command.
    pub(super) operands: usize,
    /// Whether it changes nothing that matters to a rule about the command.
    pub(super) is_transparent: bool,
}

const fn transparent(
    name: &'static str,
    with_value: &'static [&'static str],
    alone: &'static [&'static str],
) -> Wrapper {
    Wrapper {
        name,
        with_value,
        alone,
        operands: 0,
        is_transparent: true,
    }
}

/// All wrappers. An option that is not listed makes a command opaque.
pub(super) const WRAPPERS: &[Wrapper] = &[
    transparent(
        "env",
        &["-u", "--unset", "-C", "--chdir"],
        &[
            "-i",
            "-",
            "-0",
            "--null",
            "--ignore-environment",
            "--unset=",
            "--chdir=",
        ],
    ),
    transparent("nohup", &[], &[]),
    transparent(
        "nice",
        &["-n", "--adjustment"],
        &["--adjustment=", "-n*", "-#"],
    ),
    transparent(
        "ionice",
        &["-c", "-n", "--class", "--classdata"],
        &["-t", "-c*", "-n*"],
    ),
    Wrapper {
        operands: 1,
        ..transparent(
            "timeout",
            &["-s", "-k", "--signal", "--kill-after"],
            &[
                "--foreground",
                "--preserve-status",
                "-v",
                "--verbose",
                "--signal=",
                "--kill-after=",
                "-s*",
                "-k*",
            ],
        )
    },
    transparent(
        "stdbuf",
        &["-i", "-o", "-e", "--input", "--output", "--error"],
        &["-i*", "-o*", "-e*", "--input=", "--output=", "--error="],
    ),
    transparent(
        "setsid",
        &[],
        &["-w", "--wait", "-f", "--fork", "-c", "--ctty"],
    ),
    transparent("time", &["-f", "--format"], &["-p", "-v", "--verbose"]),
    transparent("command", &[], &["-p"]),
    transparent("builtin", &[], &[]),
    transparent("exec", &["-a"], &["-c", "-l"]),
    transparent("noglob", &[], &[]),
    transparent("nocorrect", &[], &[]),
    transparent("-", &[], &[]),
    transparent(
        "caffeinate",
        &["-t", "-w"],
        &["-d", "-i", "-m", "-s", "-u", "-di", "-dims"],
    ),
    Wrapper {
        is_transparent: false,
        ..transparent(
            "sudo",
            &[
                "-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "--user", "--group", "--chdir",
            ],
            &[
                "-n",
                "-E",
                "-H",
                "-S",
                "-k",
                "-b",
                "-A",
                "-P",
                "--preserve-env",
                "--non-interactive",
                "--user=",
                "--group=",
            ],
        )
    },
    Wrapper {
        is_transparent: false,
        ..transparent("doas", &["-u"], &["-n"])
    },
    transparent(
        "xargs",
        &[
            "-n",
            "-P",
            "-I",
            "-L",
            "-s",
            "-d",
            "-a",
            "-E",
            "--max-args",
            "--max-procs",
            "--delimiter",
            "--arg-file",
            "--max-lines",
        ],
        &[
            "-0",
            "--null",
            "-r",
            "--no-run-if-empty",
            "-t",
            "--verbose",
            "-x",
            "-n*",
            "-P*",
            "-I*",
            "-L*",
            "-d*",
            "--max-args=",
            "--max-procs=",
            "--delimiter=",
        ],
    ),
];

impl Wrapper {
    /// Returns how many words the option takes; `None` if it is not known.
    pub(super) fn option_len(&self, option: &str) -> Option<usize> {
        if self.with_value.contains(&option) {
            return Some(2);
        }
        let is_known = self
            .alone
            .iter()
            .any(|known| match known.strip_suffix(['=', '*', '#']) {
                None => *known == option,
                Some(prefix) if known.ends_with('=') => {
                    option.starts_with(prefix) && option[prefix.len()..].starts_with('=')
                }
                Some(prefix) if known.ends_with('#') => option
                    .strip_prefix(prefix)
                    .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())),
                Some(prefix) => option.starts_with(prefix) && option.len() > prefix.len(),
            });
        is_known.then_some(1)
    }
}

/// Shells whose language is the one that is understood here.
pub(super) const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ash", "ksh"];

/// Commands that execute others in ways that are not taken apart.
pub(super) const OPAQUE: &[&str] = &[
    "source",
    ".",
    "alias",
    "hash",
    "enable",
    "bind",
    "complete",
    "compgen",
    "fc",
    "autoload",
    "zmodload",
    "zle",
    "sched",
    "emulate",
    "parallel",
    "watch",
    "ssh",
    "su",
    "script",
    "flock",
    "chroot",
    "unshare",
    "nsenter",
    "strace",
    "ltrace",
    "gdb",
    "expect",
    "systemd-run",
    "at",
    "batch",
    "crontab",
    "screen",
    "tmux",
    "entr",
    "busybox",
    "toybox",
    "pkexec",
    "runuser",
    "setpriv",
    "capsh",
    "chronic",
    "unbuffer",
    "proot",
    "fakeroot",
    "firejail",
    "bwrap",
    "fish",
    "mksh",
    "rbash",
    "csh",
    "tcsh",
    "pwsh",
    "nu",
    "xonsh",
    "start-stop-daemon",
    "daemonize",
    "run-parts",
    "taskset",
    "chrt",
    "prlimit",
    "numactl",
    "setarch",
    "linux64",
    "linux32",
    "xvfb-run",
    "dbus-run-session",
    "dbus-launch",
    "ld.so",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
    "rlwrap",
    "faketime",
    "direnv",
    "setuidgid",
    "softlimit",
    "chpst",
    "gosu",
    "tini",
    "dumb-init",
    "catchsegv",
    "valgrind",
    "perf",
    "hyperfine",
    "exch",
    "ssh-agent",
    "sg",
    "newgrp",
    "rtkit",
    "torsocks",
    "proxychains",
    "proxychains4",
    "cgexec",
    "waypipe",
    "uxterm",
    "xterm",
];

/// Builtins that evaluate the names and subscripts among their arguments.
pub(super) const EVALUATING: &[&str] = &[
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "unset",
    "test",
    "[",
    "read",
    "printf",
    "getopts",
    "mapfile",
    "readarray",
    "set",
    "print",
    "integer",
    "float",
];
