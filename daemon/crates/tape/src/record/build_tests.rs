use super::*;
use crate::key::StateHash;

fn begin(at_us: u64) -> JournalEntry {
    let options = serde_json::json!({});
    JournalEntry::Begin(Box::new(Begin {
        session: "s".into(),
        options: serde_json::from_value(options).unwrap(),
        meta: crate::format::Meta::default(),
        at_us,
        offset: 0,
        state: StateHash::start(),
        removed: 0,
        flags: Vec::new(),
        is_start: true,
    }))
}

fn input(number: u64, at_us: u64, offset: u64, bytes: &[u8]) -> JournalEntry {
    JournalEntry::Input(InputEntry {
        number,
        at_us,
        offset,
        bytes: bytes.to_vec(),
        hidden: false,
        keys: false,
        private_key: false,
        removed: 0,
        cut_echo: None,
        unfinished: false,
    })
}

fn exchanges(entries: Vec<JournalEntry>, bytes: &[u8]) -> Vec<Exchange> {
    let printed = PrintedOutput {
        bytes: bytes.to_vec(),
        ..PrintedOutput::default()
    };
    Journalled::from_entries(entries)
        .unwrap()
        .tape(&printed)
        .exchanges
}

/// Returns the delays and the bytes of each exchange.
fn made(entries: Vec<JournalEntry>, bytes: &[u8]) -> Vec<Vec<(u64, String)>> {
    let exchanges = exchanges(entries, bytes);
    let exchanges = exchanges.iter().map(|exchange| {
        let chunks = exchange.chunks.iter();
        let chunks = chunks.map(|chunk| {
            let text = String::from_utf8(chunk.data.clone()).unwrap();
            (chunk.delay_ms, text)
        });
        chunks.collect()
    });
    exchanges.collect()
}

fn chunks(chunks: &[(u64, &str)]) -> Vec<(u64, String)> {
    let chunks = chunks.iter();
    chunks.map(|&(delay, text)| (delay, text.into())).collect()
}

#[test]
fn times_that_do_not_grow_cost_no_output_and_make_no_long_delay() {
    let entries = vec![
        begin(9_000_000),
        JournalEntry::Output(5_000_000, 0, 2),
        input(1, 3_000_000, 2, b"x\r"),
        JournalEntry::Output(2_000_000, 2, 3),
        key(8_000_000, 1),
        JournalEntry::Output(2_500_000, 5, 1),
        JournalEntry::Output(0, 6, 2),
    ];
    let made = made(entries, b"> x\r\n> ");
    let delays = |exchange: &[(u64, String)]| -> u64 { exchange.iter().map(|chunk| chunk.0).sum() };
    let text = |exchange: &Vec<(u64, String)>| -> String {
        exchange.iter().map(|chunk| &*chunk.1).collect()
    };
    assert!(made.iter().map(text).eq(["> ", "x\r\n> "]));
    let is_short = |exchange: &Vec<(u64, String)>| delays(exchange) <= 2_000;
    assert!(made.iter().all(is_short), "{made:?}");
}

#[test]
fn output_that_was_noted_twice_is_there_once_and_at_its_first_time() {
    let entries = vec![
        begin(0),
        JournalEntry::Output(10_000, 0, 4),
        JournalEntry::Output(30_000, 4, 4),
        // After a kill: the same output in different parts, and then output that was not noted before.
        JournalEntry::Output(90_000, 0, 2),
        JournalEntry::Output(90_000, 2, 4),
        JournalEntry::Output(95_000, 6, 4),
        input(1, 100_000, 10, b"y\r"),
        JournalEntry::Output(110_000, 12, 2),
    ];
    let made = made(entries, b"aaaabbbbccddee");
    assert_eq!(made[0], chunks(&[(10, "aaaa"), (20, "bbbb"), (65, "cc")]));
    assert_eq!(made[1], chunks(&[(10, "ddee")]));
}

#[test]
fn an_echo_with_secrets_goes_wherever_chunks_are_cut() {
    let whole = b"echo hunter2\r\n\x1b]133;C;ab\x07out";
    for cut in 0..=whole.len() {
        let (a, b) = whole.split_at(cut);
        let chunk = |data: &[u8]| Chunk {
            data: data.to_vec(),
            ..Chunk::default()
        };
        let mut chunks = vec![chunk(a), chunk(b)];
        cut_echo(&mut chunks, b"\x1b]133;C;ab\x07");
        let left: Vec<u8> = chunks.into_iter().flat_map(|chunk| chunk.data).collect();
        assert_eq!(left, b"***\r\n\x1b]133;C;ab\x07out", "{cut}");
        let mut unended = vec![chunk(a), chunk(b)];
        cut_echo(&mut unended, b"never");
        assert_eq!(unended, []);
    }
}

/// Returns the annotations of each exchange.
fn noted(entries: Vec<JournalEntry>, bytes: &[u8]) -> Vec<serde_json::Value> {
    let notes = exchanges(entries, bytes).into_iter();
    notes.map(|exchange| exchange.annotations.into()).collect()
}

fn key(at_us: u64, len_bytes: u64) -> JournalEntry {
    JournalEntry::Key {
        number: 1,
        at_us,
        len_bytes,
    }
}

#[test]
fn keys_and_sizes_are_on_the_tape_with_their_times() {
    let resize = |at_us, rows, cols| JournalEntry::Resize { at_us, rows, cols };
    let entries = |len_bytes, hidden| {
        let JournalEntry::Input(mut typed) = input(1, 1_000_000, 2, b"ls\r") else {
            unreachable!()
        };
        typed.hidden = hidden;
        vec![
            begin(0),
            resize(400_000, 20, 70),
            resize(500_000, 20, 70),
            JournalEntry::Output(600_000, 0, 2),
            JournalEntry::Output(1_010_000, 2, 1),
            key(1_200_000, len_bytes),
            resize(1_250_000, 30, 90),
            key(1_500_000, 1),
            JournalEntry::Output(1_510_000, 3, 3),
            JournalEntry::Input(typed),
        ]
    };
    let [start, line] = &noted(entries(1, false), b"$ ls\r\n")[..] else {
        panic!("two exchanges")
    };
    let sizes = serde_json::json!([{"at_ms": 400, "rows": 20, "cols": 70}]);
    assert_eq!(start["resizes"], sizes);
    let sizes = serde_json::json!([{"at_ms": 250, "rows": 30, "cols": 90}]);
    assert_eq!(line["resizes"], sizes);
    let keys = serde_json::json!([[0, 1, 0], [200, 1, 1], [500, 1, 1]]);
    assert_eq!(line["keys"], keys);
    // Neither hidden keys nor those of an earlier version's journal.
    for entries in [entries(1, true), entries(0, false)] {
        let notes = noted(entries, b"$ ls\r\n");
        assert!(notes[1]["keys"].is_null());
    }
}
