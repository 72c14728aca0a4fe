//! `ccctl session screen`.

use crate::args::ScreenArgs;
use crate::call::garbled;
use crate::{Context, Exit, Failure, render, whole_file};
use ccd_protocol::session::{Cursor, ScreenFormat, SessionScreen, SessionScreenParams};
use std::path::Path;

/// Prints the screen row by row, or saves it as an image.
///
/// # Errors
///
/// Errors of the call, and of the file.
pub(crate) fn screen(args: &ScreenArgs, context: &mut Context) -> Result<Exit, Failure> {
    if args.svg.is_some() && context.global.json {
        let text = "--svg and --json cannot be combined; leave one out";
        return Err(Failure::Usage(text.into()));
    }
    if args.plain {
        context.style.has_colour = false;
    }
    let has_styles = args.cells || context.global.json || context.style.has_colour;
    let params = SessionScreenParams {
        session: args.session.clone(),
        format: match &args.svg {
            Some(_) => ScreenFormat::Svg,
            None if has_styles => ScreenFormat::Cells,
            None => ScreenFormat::Text,
        },
        first_row: args.first_row,
        max_rows: args.max_rows,
    };
    let answer = context.call::<SessionScreen>(&params)?;
    match &args.svg {
        Some(file) => write_image(file, answer.value.svg.as_deref(), context)?,
        None if args.cells => drop(context.print(&answer, render::runs)?),
        None => drop(context.print(&answer, render::screen)?),
    }
    if answer.value.behind && !context.global.json {
        context.note(&format!(
            "not all output has been drawn: this is the screen at offset {}; run the command again to continue",
            answer.value.offset
        ));
    }
    if args.cursor {
        context.note(&cursor_line(answer.value.cursor));
    }
    Ok(Exit::Done)
}

fn write_image(file: &Path, image: Option<&str>, context: &mut Context) -> Result<(), Failure> {
    let image = image.ok_or_else(|| garbled("session.screen", &"the reply contains no image"))?;
    if file == Path::new("-") {
        return context.write_bytes(image.as_bytes());
    }
    let what = format!("could not write the image to {}", file.display());
    whole_file::write(file, image.as_bytes()).map_err(Failure::io(what))
}

fn cursor_line(cursor: Cursor) -> String {
    let hidden = if cursor.visible { "" } else { ", hidden" };
    format!("cursor: row {}, column {}{hidden}", cursor.row, cursor.col)
}
