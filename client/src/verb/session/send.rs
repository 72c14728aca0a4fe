//! `ccctl send`.

use super::expect::print_match;
use crate::args::Given;
use crate::ask::ask;
use crate::fields::Fields as _;
use crate::output::encode;
use crate::{Context, Exit, Failure, named_file};
use ccd_protocol::Timeout;
use serde_json::{Value, json};
use std::io::Read as _;

/// Types into a session; with `--expect`, waits for the answer and prints it.
pub(crate) fn send(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = typed(args)?;
    let timeout = args.timeout("timeout");
    if args.has("expect") {
        params["expect"] = json!({"patterns": args.patterns("expect"), "raw": args.has("raw")});
        if timeout != Timeout::Default {
            params["expect"]["timeout_ms"] = json!(timeout);
        }
    }
    let answer = context.fetch_waiting("session.send", &params, timeout)?;
    let page = if context.global.verbose {
        "session.send in detail"
    } else {
        "session.send"
    };
    context.print_page(page, &answer.value, Some(&answer.json))?;
    if !context.global.json && answer.value.has("expect") {
        print_match(answer.value.at("expect"), args.has("raw"), context)?;
    }
    Ok(Exit::Done)
}

fn typed(args: &Given) -> Result<Value, Failure> {
    let mut params = args.params();
    if args.has("keys") {
        // A character is the key that types it.
        let text = args
            .text("text")
            .chars()
            .map(|c| Value::from(c.to_string()));
        params["keys"] = text.chain(args.list("keys").iter().cloned()).collect();
        params["text"] = Value::Null;
        return Ok(params);
    }
    if args.is_given("text") || args.has("eof") {
        params["newline"] = (args.is_given("text") && !args.has("no_newline")).into();
        return Ok(params);
    }
    if args.has("secret") && !args.has("stdin") && !args.is_given("file") {
        let asked = ask(&format!("text for {}: ", args.text("session")))?;
        params["text"] = asked.ok_or_else(no_terminal)?.into();
        params["newline"] = (!args.has("no_newline")).into();
        return Ok(params);
    }
    let (what, bytes) = match args.path("file") {
        Some(path) => (path.display().to_string(), named_file::read(path)),
        None => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            ("standard input".to_owned(), read.map(|_| bytes))
        }
    };
    match String::from_utf8(bytes.map_err(Failure::io(what))?) {
        Ok(text) => params["text"] = text.into(),
        Err(error) => params["data_b64"] = encode(error.as_bytes()).into(),
    }
    Ok(params)
}

fn no_terminal() -> Failure {
    Failure::Usage("there is no terminal to ask at; give the text with --stdin or --file".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parsed;

    #[test]
    fn text_before_keys_is_typed_as_keys() {
        let args = parsed("send vi 'iä b' --keys Escape,Up").unwrap();
        let params = typed(&args).unwrap();
        let keys = json!(["i", "ä", " ", "b", "Escape", "Up"]);
        assert_eq!(params, json!({"session": "vi", "keys": keys, "text": null}));
    }

    #[test]
    fn bytes_of_a_file_go_as_they_are() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let args = parsed(&format!("send sh --file {}", file.path().display())).unwrap();
        for (bytes, name, value) in [
            (&b"a\n"[..], "text", "a\n"),
            (&[0xff, 0], "data_b64", "/wA="),
        ] {
            std::fs::write(file.path(), bytes).unwrap();
            let mut expected = json!({"session": "sh"});
            expected[name] = value.into();
            assert_eq!(typed(&args).unwrap(), expected);
        }
    }
}
