//! Replies, and what people see of them. `CCD_UPDATE_DOCS=1 cargo test -p ccctl examples` writes the latter.

use super::printer::printed_in;
use super::*;
use serde_json::Value;
use std::cell::RefCell;
use std::io;

const EXAMPLES: &str = include_str!("examples.txt");

thread_local! {
    static NOTES: RefCell<String> = const { RefCell::new(String::new()) };
}

fn show(name: &str, reply: &Value, out: &mut Printer<'_>) -> io::Result<()> {
    let failure = reply["failure"].as_str();
    match name {
        "coach.detect" => detected(reply, out),
        "daemon.status" => status(reply, out),
        "data.forget" => data_selected(reply, false, out),
        "data.list" => data_kept(reply, out),
        "exec.get" | "exec notes" | "exec summary" => out.reply(name, &execution(reply, failure)),
        "investigate.get" => investigation(reply, Some("/r.json"), out),
        name => match name.strip_prefix('&') {
            Some(name) => writeln!(out, "{}", text(name, reply)),
            None => out.reply(name, reply),
        },
    }
}

#[test]
fn replies_look_as_the_examples_say() {
    let mut examples = EXAMPLES.split("\n# ");
    let mut written = examples.next().unwrap().to_owned();
    for example in examples {
        let (reply, expected) = example.split_once("\n--\n").unwrap();
        let (heading, json) = reply.split_once('\n').unwrap();
        let (name, columns) = heading.rsplit_once(' ').unwrap_or_default();
        let (name, columns) = match columns.parse().ok() {
            None => (heading, None),
            columns => (name, columns),
        };
        let style = match columns {
            None => Style::default(),
            Some(_) => Style::TERMINAL,
        };
        let json = serde_json::from_str(json).expect(heading);
        let mut shown = printed_in(style, columns, |out| {
            out.notes = Some(|text| NOTES.with_borrow_mut(|notes| *notes += &format!("{text}\n")));
            show(name, &json, out)
        });
        shown += &NOTES.take();
        if std::env::var_os("CCD_UPDATE_DOCS").is_none() {
            assert_eq!(shown, expected, "{reply}");
        }
        written += &format!("\n# {reply}\n--\n{shown}");
    }
    if written != EXAMPLES {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/render/examples.txt");
        std::fs::write(file, written).unwrap();
    }
}
