//! `ccctl screen`.

use crate::args::Given;
use crate::call::garbled;
use crate::fields::Fields as _;
use crate::output::decode;
use crate::{Context, Exit, Failure, render};
use ccd_protocol::session::{
    Cursor, ScreenFormat, SessionScreen, SessionScreenParams, SessionScreenReply,
};
use std::path::Path;

/// Prints the screen row by row, or saves it as an image.
pub(crate) fn screen(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let file = args.path("svg").or(args.path("png"));
    if file.is_some() && context.global.json {
        let text = "an image and --json cannot be combined; leave one out";
        return Failure::usage(text);
    }
    if args.word("png") == Some("-") && context.style.is_terminal {
        let text =
            "a PNG cannot be printed on a terminal; redirect standard output, or name a file";
        return Failure::usage(text);
    }
    if args.has("plain") {
        context.style.has_colour = false;
    }
    let has_styles = args.has("cells") || context.global.json || context.style.has_colour;
    let params = SessionScreenParams {
        session: args.text("session").to_owned(),
        first_row: args.typed("first_row"),
        max_rows: args.typed("max_rows"),
        format: match file {
            Some(_) if args.is_given("png") => ScreenFormat::Png,
            Some(_) => ScreenFormat::Svg,
            None if has_styles => ScreenFormat::Cells,
            None => ScreenFormat::Text,
        },
    };
    let answer = context.call::<SessionScreen>(&params)?;
    match file {
        Some(file) => write_image(file, &answer.value, context)?,
        None if args.has("cells") => drop(context.print(&answer, render::runs)?),
        None => drop(context.print(&answer, render::screen)?),
    }
    if answer.value.behind {
        context.remark(&format!(
            "not all output has been drawn: this is the screen at offset {}; run the command again to continue",
            answer.value.offset
        ));
    }
    if args.has("cursor") {
        context.note(&cursor_line(answer.value.cursor));
    }
    Ok(Exit::Done)
}

fn write_image(
    file: &Path,
    reply: &SessionScreenReply,
    context: &mut Context,
) -> Result<(), Failure> {
    let image = match (&reply.svg, &reply.png_b64) {
        (Some(svg), _) => svg.clone().into_bytes(),
        (None, Some(png)) => decode(png)?,
        (None, None) => return Err(garbled("session.screen", &"the reply contains no image")),
    };
    context.write_to(file, &image)
}

fn cursor_line(cursor: Cursor) -> String {
    let hidden = if cursor.visible { "" } else { ", hidden" };
    format!("cursor: row {}, column {}{hidden}", cursor.row, cursor.col)
}
