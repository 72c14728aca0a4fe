//! Commands, and what they do in any POSIX shell.

/// The output that a command must have written.
#[derive(Clone, Debug)]
pub(super) enum Wrote {
    Exactly(Vec<u8>),
    /// Any output: shells word their messages differently.
    Something,
}

/// The required exit status.
#[derive(Clone, Copy, Debug)]
pub(super) enum Status {
    Is(i32),
    NotZero,
}

/// A command and its effect in any POSIX shell.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) command: Vec<u8>,
    pub(super) wrote: Wrote,
    pub(super) status: Status,
}

fn case(name: &'static str, command: &[u8], output: &[u8], status: i32) -> Case {
    let wrote = Wrote::Exactly(output.to_vec());
    Case {
        name,
        command: command.to_vec(),
        wrote,
        status: Status::Is(status),
    }
}

fn failing(name: &'static str, command: &[u8]) -> Case {
    let (wrote, status) = (Wrote::Something, Status::NotZero);
    Case {
        name,
        command: command.to_vec(),
        wrote,
        status,
    }
}

/// Returns the commands, in the order in which they run in one shell.
pub(super) fn cases() -> Vec<Case> {
    let long = [b"echo ".as_slice(), &[b'x'; 18_000]].concat();
    let long_output = [[b'x'; 18_000].as_slice(), b"\n"].concat();
    vec![
        case("no final newline", b"printf abc", b"abc", 0),
        case("a status", b"(exit 7)", b"", 7),
        case("nothing", b"", b"", 0),
        case("a comment", b"# nothing", b"", 0),
        case(
            "several lines",
            b"for i in 1 2\ndo\n  echo $i\ndone\n",
            b"1\n2\n",
            0,
        ),
        case(
            "a here-document",
            b"cat <<'E'\na 'b' \"c\" $d `e` \\f\nE",
            b"a 'b' \"c\" $d `e` \\f\n",
            0,
        ),
        case("a long line", &long, &long_output, 0),
        case(
            "history characters",
            b"echo 'hi!' !x '^a^b'",
            b"hi! !x ^a^b\n",
            0,
        ),
        case("a tab", b"printf '%s' 'a\tb'", b"a\tb", 0),
        case(
            "odd bytes written",
            b"printf '\\000\\377\\001'",
            b"\0\xff\x01",
            0,
        ),
        case(
            "odd bytes typed",
            b"printf '%s' '\xff\xc3\xa9\x01'",
            b"\xff\xc3\xa9\x01",
            0,
        ),
        case(
            "its own returns",
            b"printf 'a\\r\\nb\\r\\r\\n\\r'",
            b"a\r\nb\r\r\n\r",
            0,
        ),
        case(
            "false marks",
            b"printf '\\033]133;D;0;fake\\007\\033]133;C\\007x\\033]133;D;1\\033\\\\'",
            b"\x1b]133;D;0;fake\x07\x1b]133;C\x07x\x1b]133;D;1\x1b\\",
            0,
        ),
        case(
            "both outputs",
            b"echo out; echo err >&2; echo out",
            b"out\nerr\nout\n",
            0,
        ),
        case("state is made", b"kept='a b'; cd /; umask 027", b"", 0),
        case(
            "state is kept",
            b"echo \"$kept $PWD $(umask | tail -c 4)\"",
            b"a b / 027\n",
            0,
        ),
        case(
            "the terminal",
            b"test -t 0 && test -t 1 && test -t 2",
            b"",
            0,
        ),
        case(
            "much output",
            b"head -c 300000 /dev/zero | tr '\\000' x",
            &[b'x'; 300_000],
            0,
        ),
        failing("a killed child", b"sh -c 'kill -9 $$'"),
        failing("a syntax error", b"echo a; fi"),
        failing("unbalanced quotes", b"echo 'abc"),
        failing("a program that is not there", b"/no/such/program"),
        failing("a variable that is not set", b": ${no_such_variable?}"),
        case("after all that", b"echo end", b"end\n", 0),
    ]
}
