//! `ccctl screen`.

use crate::args::Given;
use crate::call::garbled;
use crate::fields::Fields as _;
use crate::output::decode;
use crate::{Context, Exit, Failure, render};
use serde_json::json;

/// Prints the screen row by row, or saves it as an image.
pub(crate) fn screen(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let file = args.path("svg").or(args.path("png"));
    if file.is_some() && context.global.json {
        let text = "an image and --json cannot be combined; leave one out";
        return Failure::usage(text);
    }
    let style = args.pick("theme padding window crop");
    if file.is_none() && style != json!({}) {
        let text =
            "--theme, --padding, --window and --crop are for images; add --svg FILE or --png FILE";
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
    let mut params = args.params();
    params["format"] = match () {
        () if args.is_given("png") => "png".into(),
        () if args.is_given("svg") => "svg".into(),
        () if has_styles => "cells".into(),
        () => "text".into(),
    };
    let answer = context.fetch("session.screen", &params)?;
    let mut about = answer.value.clone();
    about["given"] = args.pick("cursor");
    match file {
        Some(file) => {
            let image = match (about["svg"].as_str(), about["png_b64"].as_str()) {
                (Some(svg), _) => svg.as_bytes().to_vec(),
                (None, Some(png)) => decode(png)?,
                (None, None) => {
                    return Err(garbled("session.screen", &"the reply contains no image"));
                }
            };
            context.write_to(file, &image)?;
        }
        None if args.has("cells") => drop(context.print(&answer, render::runs)?),
        None => drop(context.print(&answer, render::screen)?),
    }
    context.print_page("session.screen", &about, None)
}
