//! The order and the pieces in which lines come change nothing.

use super::{LineLocation, Model, Records};
use crate::lines::{Counts, Lines};
use proptest::prelude::*;

/// Few names, so that records repeat and refer to each other.
fn line() -> impl Strategy<Value = String> {
    let id = |prefix: &'static str| (0..6_u8).prop_map(move |n| format!("{prefix}{n}"));
    let record = (
        prop_oneof!["assistant", "user", "system"],
        id("u"),
        id("m"),
        proptest::option::of(id("t")),
        id("t"),
        id("t"),
        0..50_u32,
        ".{0,12}",
    );
    record.prop_map(|(kind, uuid, message, parent, call, result, output, text)| {
        serde_json::json!({"type": kind, "uuid": uuid, "session_id": "s", "parent_tool_use_id": parent, "message": {"id": message,
            "usage": {"input_tokens": 1, "output_tokens": output}, "content": [{"type": "text", "text": text},
            {"type": "tool_use", "id": call, "name": "Task"}, {"type": "tool_result", "tool_use_id": result}]}})
        .to_string()
    })
}

fn all(bytes: &[u8], pieces: &[usize]) -> (Vec<(u64, u64, String)>, Counts) {
    let (mut lines, mut reader, mut rest) = (Vec::new(), Lines::default(), bytes);
    let mut each = |offset, len, line: crate::line::Line<'_>| {
        lines.push((offset, len, format!("{line:?}")));
    };
    for piece in pieces {
        let (now, later) = rest.split_at((*piece).min(rest.len()));
        reader.feed(now, &mut each);
        rest = later;
    }
    reader.feed(rest, &mut each);
    reader.finish(&mut each);
    (lines, reader.counts().clone())
}

fn records(lines: &[(LineLocation, String)]) -> Records {
    let mut records = Records::default();
    for (place, line) in lines {
        records.insert(*place, &crate::line::read(line.as_bytes()).unwrap());
    }
    records
}

proptest! {
    #[test]
    fn lines_in_any_order_give_the_same_model(lines in proptest::collection::vec(line(), 0..40), seed in any::<u64>()) {
        let mut offset = 0;
        let mut placed = Vec::new();
        for line in lines {
            let len = line.len() as u64;
            placed.push((LineLocation { file: 0, offset, len }, line));
            offset += len + 1;
        }
        let in_order = records(&placed);
        let mut state = seed;
        placed.sort_by_cached_key(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        });
        let shuffled = records(&placed);
        prop_assert_eq!(format!("{:?}", Model::new(&in_order)), format!("{:?}", Model::new(&shuffled)));
        prop_assert_eq!(in_order.duplicates(), shuffled.duplicates());
    }

    #[test]
    fn bytes_in_any_pieces_give_the_same_lines(
        lines in proptest::collection::vec(prop_oneof![line(), ".{0,30}", Just("{\"type\":\"x\"}".to_owned())], 0..20),
        noise in proptest::collection::vec(any::<u8>(), 0..40),
        pieces in proptest::collection::vec(0..200_usize, 0..20),
    ) {
        let mut bytes = lines.join("\n").into_bytes();
        bytes.extend(noise);
        prop_assert_eq!(all(&bytes, &[]), all(&bytes, &pieces));
    }
}
