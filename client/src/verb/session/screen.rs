//! `ccctl session screen`.

use crate::args::ScreenArgs;
use crate::context::Context;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::{render, whole_file};
use ccd_protocol::session::{Cursor, ScreenFormat, SessionScreen, SessionScreenParams};
use std::path::Path;

/// Prints the screen, row by row, or draws it into a file.
///
/// # Errors
///
/// Those of the call, and of the file.
pub(crate) fn screen(args: &ScreenArgs, context: &mut Context) -> Result<Exit, Failure> {
    if args.svg.is_some() && context.global.json {
        let text = "--svg draws a picture and --json prints data: leave one out";
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
        Some(file) => write_picture(file, answer.value.svg.as_deref(), context)?,
        None if args.cells => context.print(&answer, render::runs)?,
        None => context.print(&answer, render::screen)?,
    }
    if args.cursor {
        context.note(&cursor_line(answer.value.cursor));
    }
    Ok(Exit::Done)
}

fn write_picture(file: &Path, picture: Option<&str>, context: &mut Context) -> Result<(), Failure> {
    let picture = picture.ok_or_else(|| Failure::Garbled {
        method: "session.screen".to_owned(),
        why: "it has no picture".to_owned(),
    })?;
    if file == Path::new("-") {
        return context.write_bytes(picture.as_bytes());
    }
    whole_file::write(file, picture.as_bytes()).map_err(|source| Failure::Io {
        what: format!("could not write the picture to {}", file.display()),
        source,
    })
}

fn cursor_line(cursor: Cursor) -> String {
    let hidden = if cursor.visible { "" } else { ", hidden" };
    format!("cursor: row {}, column {}{hidden}", cursor.row, cursor.col)
}
