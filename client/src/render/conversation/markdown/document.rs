//! The document: facts about the conversation, then its turns.

use super::call::call;
use super::inline::{code, plain};
use super::sheet::Sheet;
use crate::render::conversation::numbers::grouped;
use crate::render::conversation::page::missing;
use crate::render::conversation::spoken::{
    Spoken, SpokenBlock, Turns, WRITTEN_BY_CLAUDE_CODE, model_and_time, next_of,
};
use crate::render::counted;
use crate::render::short::moment;
use ccd_protocol::conversation::{ConversationUsage, ExportAbout, TurnRole};
use std::io::{self, Write};

pub(crate) fn markdown(
    about: &ExportAbout,
    turns: &mut dyn Iterator<Item = Spoken>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut sheet = Sheet::new(out);
    let title = about.title.as_deref().map(plain).unwrap_or_default();
    let title = if title.is_empty() {
        format!("Conversation {}", plain(&about.session_id))
    } else {
        title
    };
    sheet.block(&[format!("# {title}")])?;
    sheet.block(&facts(about))?;
    let mut turns: Turns<'_> = turns.peekable();
    while let Some(turn) = turns.next() {
        match turn.turn.parent_tool_use_id.clone() {
            None => write_turn(turn, &mut turns, 0, &mut sheet)?,
            Some(parent) => {
                let title = "## Sub-agent of a call that is missing, or within the sub-agent";
                sheet.block(&[format!("{title}: {}", code(&parent))])?;
                write_turn(turn, &mut turns, 1, &mut sheet)?;
                sub_agent(&parent, &mut turns, 0, &mut sheet)?;
            }
        }
    }
    sheet.flush()
}

fn facts(about: &ExportAbout) -> Vec<String> {
    let branch = about.branch.as_deref().filter(|branch| !branch.is_empty());
    let branch = branch.map_or_else(String::new, |branch| format!(", branch {}", code(branch)));
    let directory = code(about.cwd.as_deref().unwrap_or_default());
    let directory = if directory.is_empty() {
        directory
    } else {
        format!("{directory}{branch}")
    };
    let models: Vec<String> = about.models.iter().map(|model| code(model)).collect();
    let times = [&about.started_at, &about.ended_at].map(|time| {
        let time = moment(time.as_deref().unwrap_or_default());
        plain(&time)
    });
    let times = match &times[0] {
        start if start.is_empty() => String::new(),
        start => format!("{start} to {} UTC", times[1]),
    };
    let skipped = match about.skipped_lines {
        0 => String::new(),
        count => format!("{} (not records)", counted(count, "line")),
    };
    let cost = match (about.cost_usd, about.cost_at_least_usd) {
        (Some(cost), _) => format!("${cost:.4} at list prices"),
        (None, Some(cost)) => format!("${cost:.4}+ at list prices"),
        (None, None) => "unknown: a model has no price".to_owned(),
    };
    let facts = [
        ("Session", code(&about.session_id)),
        ("Directory", directory),
        ("Models", models.join(", ")),
        ("Time", times),
        ("Tokens", tokens(&about.usage.total)),
        ("Of which sub-agents", tokens(&about.usage.subagents)),
        ("Cost", cost),
        ("Missing", missing(about.missing).to_owned()),
        ("Skipped", skipped),
    ];
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
    facts
        .map(|(name, value)| format!("- **{name}:** {value}"))
        .collect()
}

fn tokens(usage: &ConversationUsage) -> String {
    if *usage == ConversationUsage::default() {
        return String::new();
    }
    format!(
        "{} input, {} output, {} written to the cache, {} read from it",
        grouped(usage.input_tokens),
        grouped(usage.output_tokens),
        grouped(usage.cache_creation_input_tokens),
        grouped(usage.cache_read_input_tokens),
    )
}

fn write_turn(
    turn: Spoken,
    turns: &mut Turns<'_>,
    depth: usize,
    sheet: &mut Sheet<'_>,
) -> io::Result<()> {
    sheet.quote(depth)?;
    if !turn.is_empty() && turn.has_text() {
        sheet.block(&[heading(&turn, depth)])?;
    }
    for block in turn.blocks {
        match block {
            SpokenBlock::Text(text) => sheet.said(&text)?,
            SpokenBlock::Thinking(text) if text.trim().is_empty() => {}
            SpokenBlock::Thinking(text) => {
                sheet.block(&["*Thinking:*".to_owned()])?;
                sheet.said(&text)?;
            }
            SpokenBlock::Other(kind) => {
                sheet.block(&[format!("*{}*", plain(&format!("[{kind}]")))])?
            }
            SpokenBlock::Call(pair) => {
                call(&pair, sheet)?;
                sub_agent(&pair.tool_use.id, turns, depth, sheet)?;
            }
        }
    }
    Ok(())
}

fn sub_agent(
    call: &str,
    turns: &mut Turns<'_>,
    depth: usize,
    sheet: &mut Sheet<'_>,
) -> io::Result<()> {
    while let Some(turn) = next_of(turns, call, depth) {
        write_turn(turn, turns, depth + 1, sheet)?;
    }
    sheet.quote(depth)
}

fn heading(turn: &Spoken, depth: usize) -> String {
    let name = match turn.turn.role {
        TurnRole::User if turn.turn.is_meta => WRITTEN_BY_CLAUDE_CODE,
        TurnRole::User => "User",
        TurnRole::Assistant => "Assistant",
    };
    let rest: Vec<String> = model_and_time(&turn.turn)
        .iter()
        .map(|part| format!(" · {}", plain(part)))
        .collect();
    match depth {
        0 => format!("## {name}{}", rest.concat()),
        _ => format!("**Sub-agent, {}**{}", name.to_lowercase(), rest.concat()),
    }
}
