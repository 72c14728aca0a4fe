//! The document: facts about the conversation, then its turns.

use super::call::call;
use super::sheet::Sheet;
use crate::fields::Fields as _;
use crate::render::conversation::spoken::{self, Form, Spoken, SpokenBlock, Turns};
use crate::render::inline::{code, plain};
use crate::render::{Printer, Style, text};
use serde_json::{Value, json};
use std::io::{self, Write};

pub(crate) fn markdown(
    about: &Value,
    turns: &mut dyn Iterator<Item = Spoken>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut sheet = Sheet::new(out);
    let title = match plain(about.text("title")) {
        title if title.is_empty() => format!("Conversation {}", plain(about.text("session_id"))),
        title => title,
    };
    sheet.block(&[format!("# {title}")])?;
    let mut facts = Vec::new();
    Printer::new(&mut facts, Style::default(), None).reply("conversation facts", about)?;
    sheet.block(&[String::from_utf8_lossy(&facts).trim_end().to_owned()])?;
    let mut turns: Turns<'_> = turns.peekable();
    spoken::write(&mut turns, &mut sheet)?;
    sheet.flush()
}

impl Form for Sheet<'_> {
    fn turn(&mut self, turn: &Spoken, depth: usize) -> io::Result<()> {
        self.quote(depth)?;
        if turn.has_text() {
            self.block(&[heading(&turn.turn, depth)])?;
        }
        Ok(())
    }

    fn block(&mut self, block: &SpokenBlock, _: usize) -> io::Result<()> {
        match block {
            SpokenBlock::Text(text) => self.said(text),
            SpokenBlock::Thinking(text) if text.trim().is_empty() => Ok(()),
            SpokenBlock::Thinking(text) => {
                self.block(&["*Thinking:*".to_owned()])?;
                self.said(text)
            }
            SpokenBlock::Other(kind) => self.block(&[format!("*{}*", plain(&format!("[{kind}]")))]),
            SpokenBlock::Call(pair) => call(pair, self),
        }
    }

    fn apart(&mut self, call: &str) -> io::Result<()> {
        let title = "## Sub-agent whose call is missing, or was made inside a sub-agent";
        self.block(&[format!("{title}: {}", code(call))])
    }

    fn back_to(&mut self, depth: usize) -> io::Result<()> {
        self.quote(depth)
    }
}

fn heading(turn: &Value, depth: usize) -> String {
    let about = json!({"turn": turn, "is_main": depth == 0});
    text("turn in Markdown", &about)
}
