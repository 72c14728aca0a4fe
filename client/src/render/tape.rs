//! Tapes.

use super::diff::diff;
use super::short;
use super::style::Colour;
use super::table::{Cell, Column, columns};
use super::words::program_line;
use super::{Printer, counted, printable};
use ccd_base::shell;
use ccd_protocol::tape::{
    ExchangeRecord, TapeDrift, TapeProblem, TapeRecord, TapeSummary, TapeVerdict,
};
use serde_json::Value;
use std::io;

pub(crate) const TAPES: &[Column<TapeSummary>] = &columns! { |tape|
    "TAPE" => &tape.tape_id,
    "EXCHANGES" => tape.exchanges,
    "SIZE" => short::size(tape.bytes),
    "USED" => Cell::coloured(tape.used, (tape.used == 0).then_some(Colour::Dim)),
    "ENDED" => tape.ended.as_deref().unwrap_or_default().replace(' ', "-"),
    "RECORDED" => &tape.created_at,
    "BEGINS" => match (tape.begin.begins_in_middle, &tape.begin.begins_behind) {
        (false, _) => Cell::from("start"),
        (true, Some(_)) => Cell::from("middle"),
        (true, None) => Cell::coloured("middle!", Colour::Bad),
    },
    "PROGRAM" => program_line(&tape.program, &tape.args),
};

/// Returns a problem in the format of compilers.
pub(crate) fn tape_problem(problem: &TapeProblem) -> String {
    let mut line = problem.path.clone();
    for place in [problem.line, problem.column]
        .into_iter()
        .map_while(|place| place)
    {
        line.push_str(&format!(":{place}"));
    }
    let kind = if problem.is_warning { "warning: " } else { "" };
    printable(&format!("{line}: {kind}{}", problem.message))
}

/// Writes a tape: its metadata, one field per line, then its exchanges as text.
pub(crate) fn tape(tape: &TapeRecord, out: &mut Printer<'_>) -> io::Result<()> {
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut words = vec![text(&tape.meta["program"])];
    words.extend(tape.meta["args"].as_array().into_iter().flatten().map(text));
    let fields = [
        ("tape", tape.tape_id.clone()),
        ("file", tape.path.clone()),
        ("command", shell::line(&words)),
        ("recorded", text(&tape.meta["createdAt"])),
        ("tag", text(&tape.meta["tag"])),
        ("directory", text(&tape.meta["cwd"])),
        ("environment", text(&tape.meta["env"])),
        ("by", text(&tape.session["version"])),
    ];
    out.fields(12, &fields)?;
    if tape.begin.begins_in_middle {
        let after = match &tape.begin.begins_behind {
            Some(place) => format!("after exchange {} of {}", place.exchange, place.tape_id),
            None => "no tape leads up to it".to_owned(),
        };
        out.field(12, "starts", &format!("mid-conversation, {after}"))?;
    }
    if tape.meta["redact"] == Value::Bool(false) {
        out.field(12, "secrets", "not removed")?;
    }
    let mut exchanges = tape.exchanges.iter();
    exchanges.try_for_each(|one| exchange(one, out))
}

fn exchange(exchange: &ExchangeRecord, out: &mut Printer<'_>) -> io::Result<()> {
    let mut head = format!(
        "exchange {}, line {}: {} in {}, {} ms",
        exchange.index,
        exchange.line,
        counted(exchange.output_bytes, "byte"),
        counted(exchange.chunks, "chunk"),
        exchange.dur_ms,
    );
    if exchange.unfinished {
        head.push_str(", input unfinished");
    }
    if let Some(exit) = exchange.exit {
        head.push_str(", ");
        head.push_str(&super::end(exit.code, exit.signal, None));
    }
    writeln!(out, "\n{}", out.paint(Colour::Heading, &head))?;
    for (name, value) in exchange.key.iter().flatten() {
        out.field(12, &format!("  {name}"), value)?;
    }
    let annotations = exchange.annotations.as_object();
    if let Some(annotations) = annotations.filter(|annotations| !annotations.is_empty()) {
        let annotations = serde_json::to_string(annotations)?;
        out.field(12, "  notes", &annotations)?;
    }
    if exchange.index > 0 || !exchange.input.is_empty() {
        let prompt = out.paint(Colour::Dim, &printable(&exchange.prompt));
        let input = printable(exchange.input.trim_end_matches(['\r', '\n']));
        writeln!(out, "{prompt}{}", out.paint(Colour::Notice, &input))?;
    }
    for line in exchange.output.lines() {
        writeln!(out, "{}", printable(line))?;
    }
    Ok(())
}

/// Writes whether a program answers as on its tape, and each exchange that differs.
pub(crate) fn verdict(verdict: &TapeVerdict, out: &mut Printer<'_>) -> io::Result<()> {
    for drift in &verdict.drifts {
        let input = printable(drift.input.trim_end());
        let what = match drift.what.as_str() {
            "hidden" => "not compared".to_owned(),
            "timeout" => "no complete answer before the timeout".to_owned(),
            what => format!("{what} differs"),
        };
        let head = format!("exchange {} ({input}): {what}", drift.index);
        out.line(Colour::Heading, &head)?;
        diff(&drift.diff, out)?;
    }
    let is_hidden = |drift: &&TapeDrift| drift.what == "hidden";
    let different = verdict.drifts.iter();
    let different = different.filter(|drift| !is_hidden(drift)).count();
    let (word, colour) = match (verdict.same, different) {
        (true, _) => ("same", Colour::Good),
        (false, 0) => ("incomplete", Colour::Bad),
        (false, _) => ("drift", Colour::Bad),
    };
    let mut counts = counted(verdict.exchanges, "exchange");
    if different > 0 {
        counts += &format!(", {different} with a different answer");
    }
    if verdict.not_compared > 0 {
        counts += &format!(", {} not compared", verdict.not_compared);
    }
    let word = out.paint(colour, word);
    writeln!(out, "{word} {}: {counts}", verdict.tape_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::printer::printed;
    use ccd_protocol::tape::{TapeBegin, TapeExit, TapePlace};
    use serde_json::json;

    #[test]
    fn a_list_has_one_word_a_column_but_for_the_last() {
        let tape = TapeSummary {
            tape_id: "bc/rec-1".into(),
            program: "bc".into(),
            args: vec!["-q".into(), "a b".into()],
            created_at: "2026-01-02T03:04:05Z".into(),
            exchanges: 3,
            bytes: 2_048,
            ended: Some("exit 0".into()),
            ..TapeSummary::default()
        };
        let text = printed(|out| out.table(&[tape], TAPES));
        let line = "bc/rec-1  3  2.0K  0  exit-0  2026-01-02T03:04:05Z  start  bc -q 'a b'\n";
        assert_eq!(text, line);
    }

    #[test]
    fn a_problem_has_its_place_as_far_as_it_is_known() {
        let mut problem = TapeProblem {
            path: "/t/a.json5".into(),
            line: Some(3),
            column: Some(7),
            message: "no base64".into(),
            is_warning: false,
        };
        assert_eq!(tape_problem(&problem), "/t/a.json5:3:7: no base64");
        (problem.line, problem.is_warning) = (None, true);
        assert_eq!(tape_problem(&problem), "/t/a.json5: warning: no base64");
    }

    #[test]
    fn a_tape_is_shown_as_it_was_seen() {
        let record = TapeRecord {
            tape_id: "bc/rec-1".into(),
            path: "/t/bc/rec-1.json5".into(),
            meta: json!({"program": "bc", "args": ["-q"], "redact": false}),
            session: json!({"version": "0.1.0"}),
            begin: TapeBegin {
                begins_in_middle: true,
                begins_behind: Some(TapePlace {
                    tape_id: "bc/rec-0".into(),
                    exchange: 2,
                }),
            },
            exchanges: vec![ExchangeRecord {
                index: 1,
                prompt: "> ".into(),
                input: "1+1\r".into(),
                output: "1+1\n2\n\u{1b}".into(),
                output_bytes: 9,
                chunks: 1,
                exit: Some(TapeExit {
                    code: Some(0),
                    signal: None,
                }),
                dur_ms: 4,
                line: 12,
                key: Some([("input".to_owned(), "1+1\n".to_owned())].into()),
                ..ExchangeRecord::default()
            }],
        };
        let text = printed(|out| tape(&record, out));
        let expected = "tape        bc/rec-1
file        /t/bc/rec-1.json5
command     bc -q
by          0.1.0
starts      mid-conversation, after exchange 2 of bc/rec-0
secrets     not removed

exchange 1, line 12: 9 bytes in 1 chunk, 4 ms, exited 0
  input     1+1\\n
> 1+1
1+1
2
\\u{1b}
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_verdict_shows_each_drift_and_an_exchange_that_was_not_compared_is_none() {
        for (what, input, diff, not_compared, expected) in [
            (
                "output",
                "1+1\n",
                "-2\n+3\n",
                0,
                "exchange 1 (1+1): output differs\n-2\n+3\ndrift bc/rec-1: 2 exchanges, 1 with a different answer\n",
            ),
            (
                "hidden",
                "***\n",
                "give it",
                2,
                "exchange 1 (***): not compared\ngive it\nincomplete bc/rec-1: 2 exchanges, 2 not compared\n",
            ),
        ] {
            let verdict = TapeVerdict {
                tape_id: "bc/rec-1".into(),
                same: false,
                exchanges: 2,
                not_compared,
                drifts: vec![TapeDrift {
                    index: 1,
                    input: input.into(),
                    what: what.into(),
                    diff: diff.into(),
                }],
            };
            assert_eq!(printed(|out| super::verdict(&verdict, out)), expected);
        }
    }
}
