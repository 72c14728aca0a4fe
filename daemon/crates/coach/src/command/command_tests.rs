use super::{Connector, base, parse, primary};
use proptest::prelude::*;

fn programs(line: &str) -> Vec<String> {
    parse(line)
        .into_iter()
        .map(|command| command.program)
        .collect()
}

#[test]
fn a_line_is_split_at_operators_outside_quotation_marks() {
    assert_eq!(
        programs("cd a && make -j2 || echo 'x; y' | tee log; ls &\nwho"),
        ["cd", "make", "echo", "tee", "ls", "who"]
    );
    assert_eq!(
        programs(r#"git commit -m "fix && push; done" && git push"#),
        ["git", "git"]
    );
    let connectors: Vec<_> = parse("a && b || c | d; e")
        .into_iter()
        .map(|command| command.connector)
        .collect();
    assert_eq!(
        connectors,
        [
            Connector::Start,
            Connector::And,
            Connector::Or,
            Connector::Pipe,
            Connector::Sequence
        ]
    );
}

#[test]
fn comments_and_here_documents_are_no_commands() {
    assert_eq!(programs("ls # && rm -rf x\nwho"), ["ls", "who"]);
    assert_eq!(
        programs("cat <<'EOF' > f\ngit merge --squash x\nEOF\nwho"),
        ["cat", "who"]
    );
    assert_eq!(
        programs("cat <<-EOF | sort\n\trm x\n\tEOF\nwho"),
        ["cat", "sort", "who"]
    );
    assert_eq!(parse("curl a#b")[0].words, ["a#b"]);
}

#[test]
fn redirections_are_dropped() {
    assert_eq!(parse("make all > log 2>&1 < in")[0].words, ["all"]);
    assert_eq!(parse("make all &> log")[0].words, ["all"]);
    assert_eq!(parse("sort <<< text")[0].words, Vec::<String>::new());
    assert_eq!(programs("diff <(ls a) <(ls b) && who"), ["diff", "who"]);
}

#[test]
fn assignments_and_wrappers_are_stripped() {
    let command = &parse("CI=1 sudo -u dev env A=b timeout -k 5 30 /usr/bin/npm test")[0];
    assert_eq!(
        (command.program.as_str(), &command.words[..]),
        ("npm", &["test".to_owned()][..])
    );
    assert_eq!(command.assignments, ["CI=1", "A=b"]);
    assert_eq!(programs("command -v rg"), ["command"]);
    assert_eq!(programs("A=b"), Vec::<String>::new());
    assert_eq!(
        programs("if ! grep -q x f; then make; fi"),
        ["grep", "make", "fi"]
    );
    assert_eq!(programs("(cd a && make)"), ["cd", "make"]);
    assert_eq!(
        programs("bash -lc 'cd a && npm test' && who"),
        ["cd", "npm", "who"]
    );
    assert_eq!(
        programs(
            r"cargo \
  test"
        ),
        ["cargo"]
    );
}

#[test]
fn a_line_is_about_its_longest_part_by_its_sub_command_and_without_a_path() {
    for (line, expected) in [
        ("cd app && cargo test", Some("cargo test")),
        ("cd app && ls missing", Some("ls missing")),
        ("npm run build -- --try 0", Some("npm run")),
        ("cargo build 2>&1 | tail", Some("cargo build")),
        ("echo $PATH; exit 3", None),
        ("", None),
        ("cat notes.txt", Some("cat")),
        ("./gradlew test", Some("gradlew test")),
        ("git -C ../x push origin main", Some("git push")),
        ("cargo +nightly fmt --check", Some("cargo fmt")),
        ("python -m pytest -q", Some("python -m pytest")),
        ("git --version", Some("git")),
    ] {
        let found = primary(line).as_ref().map(base);
        assert_eq!(found.as_deref(), expected, "{line}");
    }
}

#[test]
fn quoted_text_is_not_part_of_the_bare_text() {
    let command = primary("git commit -m 'undo git merge --squash'").unwrap();
    assert_eq!(command.bare_text(), "git commit -m …");
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(line in "(?s).{0,200}") {
        let _ = primary(&line).as_ref().map(base);
    }

    #[test]
    fn no_shell_text_makes_the_parser_panic(line in r#"[ab/.$&|;<>()'"`#=\n\\ -]{0,80}"#) {
        for command in parse(&line) {
            let _ = (base(&command), command.bare_text());
        }
    }
}
