//! `ccctl pattern`.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, named_file};
use serde_json::json;
use std::io::Read;

/// More than the daemon accepts; the daemon reports its limit.
const MAX_READ_BYTES: u64 = 2 << 20;

pub(crate) fn dispatch(verb: &str, args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        "list" => list(args, context),
        // Fails if nothing matches, as grep does.
        "test" => {
            let params =
                json!({"text": read(args, context)?, "pattern_type": args.at("pattern_type")});
            context.show("pattern.test", &params)
        }
        "classify" => context.show("pattern.classify", &json!({"text": read(args, context)?})),
        _ => context.carry_out(args),
    }
}

fn list(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let answer = context.fetch("pattern.list", &args.params())?;
    let Some(category) = args.word("category") else {
        return context.print_as("pattern.list", &answer);
    };
    if !answer.value.has("patterns") {
        context.warn_of(&answer.value);
        return Err(Failure::NotFound(format!(
            "there is no category {category:?}; ccctl pattern list shows all categories"
        )));
    }
    context.print_as("pattern.list of a category", &answer)
}

fn read(args: &Given, context: &Context) -> Result<String, Failure> {
    let (what, source): (String, Box<dyn Read>) = match (args.word("text"), args.path("file")) {
        (Some(text), _) if text != "-" => return Ok(text.to_owned()),
        (_, Some(path)) => {
            let what = path.display().to_string();
            let file = named_file::open(path).map_err(Failure::io(&what))?;
            (what, Box::new(file))
        }
        _ => (
            "standard input".to_owned(),
            Box::new(std::io::stdin().lock()),
        ),
    };
    let mut bytes = Vec::new();
    let read = source.take(MAX_READ_BYTES).read_to_end(&mut bytes);
    read.map_err(Failure::io(&what))?;
    strip_newline_of_line(&mut bytes);
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| {
        context.note(&format!(
            "{what} contains bytes that are not UTF-8; each is treated as U+FFFD, which is 3 bytes long"
        ));
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    }))
}

/// Removes the newline of a single line: a tool adds it, and with it the line could not be a prompt.
fn strip_newline_of_line(bytes: &mut Vec<u8>) {
    let newline = bytes.iter().position(|&byte| byte == b'\n');
    if newline.is_some_and(|at| at + 1 == bytes.len()) {
        bytes.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_single_line_loses_its_newline() {
        for (given, kept) in [
            ("", ""),
            (">>> ", ">>> "),
            (">>> \n", ">>> "),
            ("\n", ""),
            ("a\nb\n", "a\nb\n"),
            ("a\n\n", "a\n\n"),
        ] {
            let mut bytes = given.as_bytes().to_vec();
            strip_newline_of_line(&mut bytes);
            assert_eq!(bytes, kept.as_bytes(), "{given:?}");
        }
    }
}
