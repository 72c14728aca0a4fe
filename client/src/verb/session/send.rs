//! `ccctl send`.

use super::expect::print_match;
use crate::args::Given;
use crate::fields::Fields as _;
use crate::output::encode;
use crate::{Context, Exit, Failure, named_file};
use ccd_protocol::session::{SendExpect, SessionSend, SessionSendParams};
use std::io::Read as _;

/// Types into a session; with `--expect`, waits for the answer and prints it.
pub(crate) fn send(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let mut params = typed(args)?;
    params.session = args.text("session").to_owned();
    params.newline = params.keys.is_none() && args.is_given("text") && !args.has("no_newline");
    params.paste = args.has("paste");
    params.secret = args.has("secret");
    params.expect = args.has("expect").then(|| SendExpect {
        patterns: args.patterns("expect"),
        timeout_ms: args.timeout("timeout"),
        raw: args.has("raw"),
    });
    let answer = context.call_waiting::<SessionSend>(&params, args.timeout("timeout"))?;
    let reply = &answer.value;
    if reply.discarded == Some(true) {
        context
            .note("the program discarded the input unread; send it again when the program waits for input");
    }
    if context.global.verbose {
        let hidden = if reply.hidden { ", hidden" } else { "" };
        context.note(&format!(
            "typed {} bytes at {}{hidden}",
            reply.written_bytes, reply.offset
        ));
    }
    if context.global.json {
        context.write_line(answer.json.get())?;
    } else if let Some(found) = &reply.expect {
        print_match(found, args.has("raw"), context)?;
    }
    Ok(Exit::Done)
}

fn typed(args: &Given) -> Result<SessionSendParams, Failure> {
    let mut params = SessionSendParams {
        text: args.word("text").map(str::to_owned),
        keys: args.has("keys").then(|| args.words("keys")),
        eof: args.has("eof"),
        ..SessionSendParams::default()
    };
    if let Some(keys) = &mut params.keys
        && let Some(text) = params.text.take()
    {
        // A character is the key that types it.
        keys.splice(..0, text.chars().map(String::from));
    }
    if params.text.is_some() || params.keys.is_some() || params.eof {
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
    Ok(from_bytes(bytes.map_err(Failure::io(what))?))
}

fn from_bytes(bytes: Vec<u8>) -> SessionSendParams {
    let mut params = SessionSendParams::default();
    match String::from_utf8(bytes) {
        Ok(text) => params.text = Some(text),
        Err(error) => params.data_b64 = Some(encode(error.as_bytes())),
    }
    params
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parsed;

    #[test]
    fn text_before_keys_is_typed_as_keys() {
        let args = parsed("send vi 'iä b' --keys Escape,Up").unwrap();
        let params = typed(&args).unwrap();
        assert_eq!(params.keys.unwrap(), ["i", "ä", " ", "b", "Escape", "Up"]);
        assert_eq!(params.text, None);
    }

    #[test]
    fn bytes_that_are_no_text_go_as_base64() {
        assert_eq!(from_bytes(b"a\n".to_vec()).text.as_deref(), Some("a\n"));
        let params = from_bytes(vec![0xff, 0]);
        assert_eq!(
            (params.text, params.data_b64.as_deref()),
            (None, Some("/wA="))
        );
    }
}
