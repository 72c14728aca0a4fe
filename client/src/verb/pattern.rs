//! `ccctl pattern`.

use crate::args::{PatternText, PatternVerb, TestArgs};
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure, named_file};
use ccd_protocol::Method as _;
use ccd_protocol::pattern::{
    PatternClassify, PatternClassifyParams, PatternList, PatternListParams, PatternSet,
    PatternSetParams, PatternTest, PatternTestParams, PatternUnset, PatternUnsetParams,
};
use serde_json::Value;
use std::io::Read;

/// More than the daemon accepts; the daemon reports its limit.
const MAX_READ_BYTES: u64 = 2 << 20;

pub(crate) fn dispatch(verb: &PatternVerb, context: &mut Context) -> Result<Exit, Failure> {
    match verb {
        PatternVerb::List {
            pattern_type,
            category,
        } => {
            let params = PatternListParams {
                pattern_type: *pattern_type,
                category: category.clone(),
            };
            let answer = context.fetch::<PatternList>(&params)?;
            context.warn_of(&answer.value);
            if let Some(category) = category
                && !answer.value.has("patterns")
            {
                return Err(Failure::NotFound(format!(
                    "there is no category {category:?}; ccctl pattern list shows all categories"
                )));
            }
            context.print(&answer, |reply, out| match category {
                Some(_) => out.reply("pattern.list of a category", reply),
                None => out.reply(PatternList::NAME, reply),
            })
        }
        PatternVerb::Set {
            pattern_type,
            category,
            patterns,
            description,
        } => {
            let params = PatternSetParams {
                pattern_type: *pattern_type,
                category: category.clone(),
                patterns: patterns.clone(),
                description: description.clone(),
            };
            context.show::<PatternSet>(&params)
        }
        PatternVerb::Unset {
            pattern_type,
            category,
        } => {
            let params = PatternUnsetParams {
                pattern_type: *pattern_type,
                category: category.clone(),
            };
            context.show::<PatternUnset>(&params)
        }
        PatternVerb::Test(args) => test(args, context),
        PatternVerb::Classify(text) => {
            let params = PatternClassifyParams {
                text: read(text, context)?,
            };
            let answer = context.fetch::<PatternClassify>(&params)?;
            warn_if_cut(&answer.value, context);
            context.print_as(PatternClassify::NAME, &answer)
        }
    }
}

/// Fails if nothing matches, as grep does.
fn test(args: &TestArgs, context: &mut Context) -> Result<Exit, Failure> {
    let params = PatternTestParams {
        text: read(&args.text, context)?,
        pattern_type: args.pattern_type,
    };
    let answer = context.fetch::<PatternTest>(&params)?;
    warn_if_cut(&answer.value, context);
    context.print_as(PatternTest::NAME, &answer)?;
    Ok(Exit::of_success(answer.value.has("matches")))
}

fn warn_if_cut(reply: &Value, context: &Context) {
    if reply.has("truncated") {
        context
            .note("part of the text was not examined: it has too many matches or too long lines");
    }
}

fn read(text: &PatternText, context: &Context) -> Result<String, Failure> {
    let (what, source): (String, Box<dyn Read>) = match (&text.text, &text.file) {
        (Some(text), _) if text != "-" => return Ok(text.clone()),
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
