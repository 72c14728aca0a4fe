use super::*;
use proptest::prelude::*;

fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn words(line: &str, pairs: &[(&str, &str)]) -> Vec<String> {
    let (program, args) = CommandTemplate::parse(line).unwrap().fill(&values(pairs));
    std::iter::once(program).chain(args).collect()
}

#[test]
fn words_and_quotes_are_those_of_a_shell() {
    for (line, expected) in [
        ("a  b\tc\n", &["a", "b", "c"][..]),
        (r#"a 'b c' "d e""#, &["a", "b c", "d e"]),
        (r#"a'b c'"d"e"#, &["ab cde"]),
        (r#"'' """#, &["", ""]),
        (r"a\ b \'c \\", &["a b", "'c", "\\"]),
        (r#""a \"b\" \$c \d""#, &[r#"a "b" $c \d"#]),
        (r"'a\b'", &[r"a\b"]),
        ("sh -c 'echo $X | wc'", &["sh", "-c", "echo $X | wc"]),
        ("größe 'ü ö'", &["größe", "ü ö"]),
        ("a {{b}} '{{'", &["a", "{b}", "{"]),
    ] {
        assert_eq!(words(line, &[]), expected, "{line}");
    }
}

#[test]
fn a_value_stays_in_its_word_whatever_it_holds() {
    for value in [
        "a b",
        "it's",
        "\"",
        "-o ProxyCommand=x",
        "$(touch /tmp/x)",
        "",
        "{user}",
        "\\",
        "a\nb",
    ] {
        let line = "-p {port} '{user}@{host}' \"{user}\" {user}";
        let filled = words(line, &[("port", "22"), ("host", "h"), ("user", value)]);
        assert_eq!(filled, ["-p", "22", &format!("{value}@h"), value, value]);
    }
}

#[test]
fn names_are_found_in_every_kind_of_quotes() {
    let template = CommandTemplate::parse("{a} '{b_1}' \"{_c}\" x{a}y").unwrap();
    let mut names = BTreeSet::new();
    template.add_names(&mut names);
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["_c", "a", "b_1"]);
}

#[test]
fn a_mistake_is_told_with_its_place() {
    for (line, mistake) in [
        ("a 'b", "the quote ' is not closed, at byte 2"),
        ("ü \"b", "the quote \" is not closed, at byte 3"),
        ("a \\", "nothing follows the backslash at byte 2"),
        ("", "there is no program at byte 0"),
        ("  ", "there is no program at byte 0"),
        ("a {", "(write {{ for a brace) at byte 2"),
        ("a {1}", "(write {{ for a brace) at byte 2"),
        ("a }", "a '}' alone (write }} for a brace) at byte 2"),
        ("awk '{print $1}'", "(write {{ for a brace) at byte 5"),
    ] {
        let told = CommandTemplate::parse(line).unwrap_err().to_string();
        assert!(told.ends_with(mistake), "{line}: {told}");
    }
}

#[test]
fn what_only_a_shell_would_act_on_is_noticed() {
    let noticed = |line: &str| CommandTemplate::parse(line).unwrap().shell_character;
    assert_eq!(noticed("a | b > c"), Some((2, '|')));
    assert_eq!(noticed("sh -c 'a | b'"), None);
    assert_eq!(noticed(r"a \| b"), None);
    assert_eq!(noticed("a {b}"), None);
}

proptest! {
    #[test]
    fn any_line_is_read_or_refused(line in ".{0,60}") {
        let _ = CommandTemplate::parse(&line);
        let _ = TemplateText::parse(&line);
    }

    #[test]
    fn any_words_come_back_from_their_line(expected in proptest::collection::vec(".{0,12}", 1..5)) {
        use ccd_base::shell::quoted;
        let line: Vec<String> = expected.iter().map(|word| quoted(&escaped(word))).collect();
        prop_assert_eq!(words(&line.join(" "), &[]), expected);
    }

    #[test]
    fn any_text_comes_back_from_its_template(text in ".{0,60}") {
        let template = TemplateText::parse(&escaped(&text)).unwrap();
        prop_assert_eq!(template.fill(&BTreeMap::new()), text);
    }
}
