use super::super::place;
use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

const MAX_DEPTH: usize = 64;

#[derive(Debug, Clone)]
pub(in super::super) enum Text {}

impl Format for Text {
    const WHOLE: &'static str = "the text's object";
    const MAX_DEPTH: u32 = MAX_DEPTH as u32;
    const MAX_VALUES: u32 = 1000;
    type Fault = Fault;

    fn path(fault: &mut Fault) -> Option<&mut String> {
        match fault {
            Fault::Kind { path, .. } => Some(path),
            _ => None,
        }
    }
}

type Scanner<'a> = super::Scanner<'a, Text>;
type Scanned<T> = super::Scanned<T, Text>;

pub(in super::super) fn read(text: &str) -> Scanned<Value> {
    let mut scanner = Scanner::new(text);
    let value = scanner.value()?;
    scanner.end()?;
    Ok(value)
}

fn skip(text: &str) -> Scanned<Range<usize>> {
    let mut scanner = Scanner::new(text);
    let span = scanner.span()?;
    scanner.end()?;
    Ok(span)
}

fn fault(text: &str) -> (usize, String) {
    let stop = read(text).unwrap_err();
    let offset = stop.offset();
    let other = skip(text).unwrap_err();
    assert_eq!(
        offset,
        other.offset(),
        "stepping over says the same of {text:?}"
    );
    (offset, stop.fault().to_string())
}

/// Parses a text with the json5 crate, which treats a byte order mark as a blank.
fn oracle(text: &str) -> Option<Value> {
    json5::from_str(text).ok()
}

#[test]
fn all_forms_of_json5_are_read() {
    let text = "\u{feff}// begins\n{ a: 1, 'b': [0x10, -0xF, +.5, 5., 1e3,], \"c\": 'it\\'s \\\n\\x41\\u00e9\\ud83d\\ude00\\0',
        /* a * / b **/ $d_é: {}, e\\u0041: null, f: [true, false], g: -Infinity, h: NaN, i: 'a\u{2028}b' }\u{a0}// ends";
    let expected = json!({
        "a": 1, "b": [16, -15, 0.5, 5.0, 1000.0], "c": "it's Aé😀\0", "$d_é": {}, "eA": null,
        "f": [true, false], "g": null, "h": null, "i": "a\u{2028}b",
    });
    assert_eq!(read(text).unwrap(), expected);
    assert_eq!(oracle(text).unwrap(), expected);
}

#[test]
fn a_value_is_stepped_over_to_its_end() {
    for inner in [
        "[1, [2, {a: '}'}], /* ] */ 3]",
        "{a: {b: []}, }",
        "'x\\'y'",
        "true",
        "-0x1f",
        "null",
    ] {
        let text = format!(" // first\n {inner} // last ]");
        let span = skip(&text).unwrap();
        assert_eq!(&text[span], inner);
    }
}

#[test]
fn faults_name_what_is_wrong_and_where() {
    let cases = [
        ("", 0, "the file ends inside the text's object"),
        ("{", 1, "the file ends inside the text's object"),
        ("[1", 2, "the file ends inside the text's object"),
        ("[1 2]", 3, "expected `,` or `]`, found `2`"),
        ("{a 1}", 3, "expected `:` after the key, found `1`"),
        ("{a: 1 b: 2}", 6, "expected `,` or `}`, found `b`"),
        ("[,]", 1, "expected a value, found ','"),
        ("{,}", 1, "expected a key, found ','"),
        ("{1: 2}", 1, "expected a key, found `1`"),
        ("'a", 0, "the file ends inside a string"),
        ("'a\nb'", 0, "a string must end on its line"),
        ("'a\rb'", 0, "a string must end on its line"),
        ("/* a", 0, "the file ends inside a comment"),
        ("/ a", 0, "expected a value or a comment, found '/'"),
        ("01", 0, "\"`01`\" is not a number"),
        ("'\\ud800'", 1, "no character has this \\u"),
        ("'\\1'", 1, "octal escapes are not allowed"),
        ("{} {}", 3, "expected the end of the file, found an object"),
        ("nul", 0, "expected a value, found `nul`"),
    ];
    for (text, offset, message) in cases {
        let (at, said) = fault(text);
        assert!(said.starts_with(message), "{text:?}: {said}");
        assert_eq!(at, offset, "{text:?}");
        assert_eq!(oracle(text), None, "{text:?}");
    }
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&nested(MAX_DEPTH)).is_ok());
    assert!(skip(&nested(MAX_DEPTH)).is_ok());
    assert!(
        fault(&nested(MAX_DEPTH + 1))
            .1
            .starts_with("objects and lists are nested more than 64 ")
    );
    assert!(
        fault(&"[".repeat(1_000_000))
            .1
            .starts_with("objects and lists are nested more than 64 ")
    );
    assert!(
        fault(&"{a:".repeat(1_000_000))
            .1
            .starts_with("objects and lists are nested more than 64 ")
    );
}

#[test]
fn names_are_made_of_the_same_characters_as_in_the_oracle() {
    // The json5 crate uses a newer version of Unicode.
    let unassigned = literal::class(r"\p{Cn}");
    let is_new = |char| {
        unassigned
            .ranges()
            .iter()
            .any(|range| (range.start()..=range.end()).contains(&char))
    };
    for char in ('\u{80}'..='\u{ffff}').filter(|char| !is_new(*char)) {
        for text in [format!("{{{char}:1}}"), format!("{{a{char}:1}}")] {
            assert_eq!(read(&text).is_ok(), oracle(&text).is_some(), "{text:?}");
        }
    }
}

#[test]
fn a_fault_of_a_kind_has_the_path() {
    let text = "{ a: [ 0, { 'b c': 'x' } ] }";
    let mut scanner = Scanner::new(text);
    let stop = scanner.object(|scanner, _| {
        scanner.list(|scanner, index| {
            if index == 0 {
                return scanner.skip();
            }
            scanner.object(|scanner, _| scanner.number("a number").map(drop))
        })
    });
    let stop = stop.unwrap_err();
    assert_eq!(place(text.as_bytes(), stop.offset()), (1, 20));
    assert_eq!(
        stop.fault().to_string(),
        "`a[1].b c` must be a number, not a string"
    );
}

fn blank() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        6 => Just(""),
        3 => Just(" "),
        1 => proptest::sample::select(vec![
            "\n", "\r\n", "\t\u{b}\u{c}", "\u{feff}", "\u{a0}", "\u{2028}", "\u{3000}",
            "// x\n", "// '\"{[\r", "//\u{2029}", "/**/", "/* * / \n*/", "// \u{2500} é\n",
        ]),
    ]
}

fn scalar() -> impl Strategy<Value = String> {
    let numbers = vec![
        "0",
        "-0",
        "+0",
        "-0.0",
        "1",
        "12345678901234567890",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "0xfF",
        "-0X10",
        "0xffffffffffffffffffffff",
        ".5",
        "5.",
        "-.5e-3",
        "1E400",
        "Infinity",
        "-Infinity",
        "+NaN",
        "null",
        "true",
        "false",
        "340282366920938463463374607431768211456",
    ];
    let text = proptest::collection::vec(
        prop_oneof![
            4 => "[a-z é😀\u{2028}/*{}:,\u{200d}]".prop_map(String::from),
            1 => proptest::sample::select(vec![
                "\\n", "\\\"", "\\'", "\\\\", "\\\n", "\\\r\n", "\\\u{2029}", "\\x7f", "\\u00e9", "\\ud83d\\ude00", "\\0",
                "\\q", "\\é", "\\v",
            ])
            .prop_map(String::from),
        ],
        0..8,
    );
    prop_oneof![
        proptest::sample::select(numbers).prop_map(String::from),
        (text, any::<bool>()).prop_map(|(parts, is_double)| {
            let quote = if is_double { '"' } else { '\'' };
            format!("{quote}{}{quote}", parts.concat())
        }),
    ]
}

fn document() -> impl Strategy<Value = String> {
    let key = proptest::sample::select(vec![
        "a", "'b'", "\"c d\"", "$_1", "é", "\\u0061b", "null", "a\u{301}",
    ]);
    let padded = (blank(), scalar(), blank()).prop_map(|(a, b, c)| format!("{a}{b}{c}"));
    padded.prop_recursive(5, 40, 5, move |inner| {
        let item = (blank(), inner, blank())
            .prop_map(|(a, b, c)| format!("{a}{b}{c}"))
            .boxed();
        let member = (blank(), key.clone(), blank(), item.clone())
            .prop_map(|(a, key, b, value)| format!("{a}{key}{b}:{value}"));
        let ends = |mut text: String, is_trailing: bool, blank: &str| {
            if is_trailing && !text.is_empty() {
                text.push(',');
            }
            text + blank
        };
        prop_oneof![
            (
                proptest::collection::vec(item, 0..5),
                any::<bool>(),
                blank()
            )
                .prop_map(move |(items, comma, blank)| format!(
                    "[{}]",
                    ends(items.join(","), comma, blank)
                )),
            (
                proptest::collection::vec(member, 0..5),
                any::<bool>(),
                blank()
            )
                .prop_map(move |(items, comma, blank)| format!(
                    "{{{}}}",
                    ends(items.join(","), comma, blank)
                )),
        ]
    })
}

/// Mutations that leave a text almost valid.
fn mutated() -> impl Strategy<Value = String> {
    let change = (
        any::<proptest::sample::Index>(),
        0..3_u8,
        "[\\[\\]{}:,'\"\\\\/*\n\r0-9xeEuINn.+ -]",
    );
    (document(), proptest::collection::vec(change, 1..4)).prop_map(|(text, changes)| {
        let mut chars: Vec<char> = text.chars().collect();
        for (at, how, with) in changes {
            let at = at.index(chars.len() + 1);
            let with = with.chars().next().unwrap_or(' ');
            match how {
                0 => chars.insert(at, with),
                1 if at < chars.len() => drop(chars.remove(at)),
                _ if at < chars.len() => chars[at] = with,
                _ => {}
            }
        }
        chars.into_iter().collect()
    })
}

fn same_as_the_oracle(text: &str) -> Result<(), TestCaseError> {
    let ours = read(text);
    prop_assert_eq!(ours.is_ok(), skip(text).is_ok(), "stepping over {:?}", text);
    match (ours, json5::from_str::<Value>(text)) {
        (Ok(ours), Ok(oracle)) => prop_assert_eq!(ours, oracle, "{:?}", text),
        (Err(_), Err(_)) => {}
        (ours, oracle) => prop_assert!(false, "{:?}: {:?}, oracle {:?}", text, ours, oracle),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn documents_are_read_as_the_oracle_reads_them(text in document()) {
        prop_assert!(read(&text).is_ok(), "{:?}", text);
        same_as_the_oracle(&text)?;
    }

    #[test]
    fn damaged_documents_are_refused_as_the_oracle_refuses_them(text in mutated()) {
        same_as_the_oracle(&text)?;
    }

    #[test]
    fn any_text_is_taken_or_refused_as_by_the_oracle(
        text in "[\\[\\]{}:,'\"\\\\/*\n\r0-9xeEuINanultrfs.+ \u{feff}é\u{2028}-]{0,30}"
    ) {
        same_as_the_oracle(&text)?;
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = read(&text);
        let _ = skip(&text);
    }
}
