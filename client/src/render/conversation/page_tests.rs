//! The page, and its lines.

use super::*;
use proptest::prelude::*;

#[test]
fn lines_are_broken_at_spaces() {
    for (line, columns, parts) in [
        ("one two three", 8, &["one two", "three"][..]),
        ("a-very-long-word x", 6, &["a-very", "-long-", "word x"]),
        ("    indented text", 10, &["    indent", "ed text"]),
        ("", 5, &[""]),
    ] {
        assert_eq!(wrapped_at_spaces(line, columns), parts, "{line}");
    }
}

/// What was written and flushed.
#[derive(Clone, Default)]
struct Seen(std::rc::Rc<std::cell::RefCell<String>>);

impl io::Write for Seen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .borrow_mut()
            .push_str(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn spoken(id: &str, parent: Option<&str>, calls: &[&str]) -> Spoken {
    let pair = |id: &&str| {
        let tool = json!({"id": id, "name": "Agent", "input": {}});
        SpokenBlock::Call(json!({"toolUse": tool, "toolResult": null}))
    };
    let mut blocks = vec![SpokenBlock::Text(format!("text of {id}"))];
    blocks.extend(calls.iter().map(pair));
    Spoken {
        turn: json!({"messageId": id, "role": "user", "parentToolUseId": parent}),
        blocks,
    }
}

fn shown(turns: Vec<Spoken>, at: Option<&str>) -> String {
    let show = Show {
        at,
        ..Show::default()
    };
    let (about, turns) = (&json!({}), &mut turns.into_iter());
    crate::render::printer::printed(|out| conversation(about, turns, show, out))
}

#[test]
fn a_turn_is_seen_before_the_next_one_is_read() {
    let seen = Seen::default();
    let read = seen.clone();
    let mut turns = (0..3).map(move |number: usize| {
        // One more is read, to know whether a sub-agent follows.
        if let Some(before) = number.checked_sub(2) {
            assert!(read.0.borrow().contains(&format!("text of m{before}")));
        }
        spoken(&format!("m{number}"), None, &["t"])
    });
    let mut out = io::BufWriter::with_capacity(1 << 20, seen);
    let (about, show) = (json!({}), Show::default());
    let mut out = Printer::new(&mut out, Style::default(), None);
    conversation(&about, &mut turns, show, &mut out).unwrap();
}

#[test]
fn sub_agents_are_below_their_calls_and_a_reader_may_start_in_one() {
    let turns = || {
        vec![
            spoken("m1", None, &["a", "b"]),
            spoken("s1", Some("a"), &["c"]),
            spoken("d1", Some("c"), &[]),
            spoken("s2", Some("b"), &[]),
            spoken("m2", None, &[]),
            spoken("o1", Some("gone"), &[]),
        ]
    };
    let text = shown(turns(), None);
    let order = [
        "\ntext of m1\n• Agent",
        "\n  │ text of s1\n  │ • Agent",
        "\n  │   │ text of d1\n• Agent",
        "\n  │ text of s2\n",
        "\ntext of m2\n",
        "\nsub-agent whose call is missing, or was made inside a sub-agent: gone\n",
        "\n  │ text of o1\n",
    ];
    let places = order.map(|part| text.find(part).expect(part));
    assert!(places.is_sorted(), "{text}");
    let text = shown(turns(), Some("d1"));
    assert!(text.starts_with("\nsub-agent of the call: c\n"), "{text}");
    assert!(
        text.contains("text of m2") && !text.contains("text of s1"),
        "{text}"
    );
}

#[test]
fn sub_agents_without_end_do_not_use_up_the_stack() {
    let turns = (0..20_000).map(|number| {
        let parent = format!("t{number}");
        let call = format!("t{}", number + 1);
        spoken(&parent, (number > 0).then_some(&*parent), &[&*call])
    });
    let text = shown(turns.collect(), None);
    assert_eq!(text.matches("text of t").count(), 20_000);
}

proptest! {
    #[test]
    fn no_word_is_lost(line in "[a-z \u{4e16}]{0,60}", columns in 2..20_usize) {
        let joined: String = wrapped_at_spaces(&line, columns).concat();
        let bare = |text: &str| text.replace(' ', "");
        prop_assert_eq!(bare(&joined), bare(&line));
    }
}

#[test]
fn colours_and_directions_of_what_a_tool_printed_are_left_out() {
    let printed = "\u{1b}[1;31mFAILED\u{1b}[0m tests/\u{202e}a.rs\u{1b}(B";
    let pair = json!({"toolUse": {"id": "t", "name": "Bash", "input": {"command": printed}},
        "toolResult": {"content": printed, "isError": true}});
    let mut turn = spoken("m1", None, &[]);
    turn.blocks = vec![
        SpokenBlock::Text(printed.to_owned()),
        SpokenBlock::Call(pair),
    ];
    let text = shown(vec![turn], None);
    assert_eq!(text.matches("FAILED tests/a.rs\n").count(), 3, "{text}");
}
