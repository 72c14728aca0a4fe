//! Commands, and what they do in any POSIX shell.

/// A command and its effect in any POSIX shell.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) command: Vec<u8>,
    /// What it must write, and its status; `None`: anything, and another status than 0, because shells word their messages
    /// differently.
    pub(super) expected: Option<(Vec<u8>, i32)>,
}

/// Returns the commands, in the order in which they run in one shell.
pub(super) fn cases() -> Vec<Case> {
    let case = |name, command: &[u8], expected: Option<(&[u8], i32)>| Case {
        name,
        command: command.to_vec(),
        expected: expected.map(|(output, status)| (output.to_vec(), status)),
    };
    let long = [b"echo ".as_slice(), &[b'x'; 18_000]].concat();
    let long_output = [[b'x'; 18_000].as_slice(), b"\n"].concat();
    let loop_command = b"for i in 1 2\ndo\n  echo $i\ndone\n";
    let document = b"cat <<'E'\na 'b' \"c\" $d `e` \\f\nE";
    let false_marks = b"printf '\\033]133;D;0;fake\\007\\033]133;C\\007x\\033]133;D;1\\033\\\\'";
    let shown_marks = b"\x1b]133;D;0;fake\x07\x1b]133;C\x07x\x1b]133;D;1\x1b\\";
    let state = b"echo \"$kept $PWD $(umask | tail -c 4)\"";
    let right: [(_, &[u8], &[u8]); 17] = [
        ("no final newline", b"printf abc", b"abc"),
        ("nothing", b"", b""),
        ("a comment", b"# nothing", b""),
        ("several lines", loop_command, b"1\n2\n"),
        ("a here-document", document, b"a 'b' \"c\" $d `e` \\f\n"),
        ("a long line", &long, &long_output),
        ("history", b"echo 'hi!' !x '^a^b'", b"hi! !x ^a^b\n"),
        ("a tab", b"printf '%s' 'a\tb'", b"a\tb"),
        ("odd bytes", b"printf '\\000\\377\\001'", b"\0\xff\x01"),
        (
            "odd bytes typed",
            b"printf '%s' '\xff\xc3\xa9\x01'",
            b"\xff\xc3\xa9\x01",
        ),
        (
            "its own returns",
            b"printf 'a\\r\\nb\\r\\r\\n\\r'",
            b"a\r\nb\r\r\n\r",
        ),
        ("false marks", false_marks, shown_marks),
        (
            "both outputs",
            b"echo out; echo err >&2; echo out",
            b"out\nerr\nout\n",
        ),
        ("state is made", b"kept='a b'; cd /; umask 027", b""),
        ("state is kept", state, b"a b / 027\n"),
        ("the terminal", b"test -t 0 && test -t 1 && test -t 2", b""),
        (
            "much output",
            b"head -c 300000 /dev/zero | tr '\\000' x",
            &[b'x'; 300_000],
        ),
    ];
    let wrong: [(_, &[u8]); 5] = [
        ("a killed child", b"sh -c 'kill -9 $$'"),
        ("a syntax error", b"echo a; fi"),
        ("unbalanced quotes", b"echo 'abc"),
        ("a program that is not there", b"/no/such/program"),
        ("a variable that is not set", b": ${no_such_variable?}"),
    ];
    let right = right.map(|(name, command, output)| case(name, command, Some((output, 0))));
    let wrong = wrong.map(|(name, command)| case(name, command, None));
    let status = case("a status", b"(exit 7)", Some((b"", 7)));
    let last = case("after all that", b"echo end", Some((b"end\n", 0)));
    let all = right.into_iter().chain(wrong);
    all.chain([status, last]).collect()
}
