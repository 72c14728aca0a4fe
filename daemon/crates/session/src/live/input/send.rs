//! Typing into a session.

use super::end_of_input::LastLine;
use super::write::{InputError, Stopped, TerminalInput, Written};
use crate::interaction::{Inexact, InputForm, TypedText};
use crate::keys;
use crate::live::attach::TakenInput;
use crate::live::error::SessionError;
use crate::live::session::Session;
use crate::live::wait::{last_line, recent_text};
use crate::peer::Peer;
use base64::Engine;
use ccd_protocol::session::{SessionSendParams, SessionSendReply};
use ccd_text::canonical::LINE_LEN;
use ccd_text::hidden::{asks_for_secret, ends_with_secret_name};
use encoding_rs::{Encoding, UTF_8};
use futures_util::future::{BoxFuture, FutureExt};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

const MAX_SEND_BYTES: usize = 16 << 20;

const END_SHOWN: &str = "<C-d>";

const END_KEY: &str = "C-d";

#[derive(Default)]
struct RequestedInput {
    bytes: Vec<u8>,
    /// The bytes that the client sent, if they were in another encoding.
    as_typed: Option<Vec<u8>>,
    /// The text for the interaction log; `None` if it is `bytes` without the Enter key, which may be 16 MiB.
    text: Option<String>,
    /// The characters that the named keys typed, with longer key names as line ends; `None` without named keys.
    letters: Option<String>,
    /// Only named keys: they can be shown even if they were not echoed.
    named_keys: bool,
    /// The key names, if the request has named keys.
    keys: Option<Vec<String>>,
    /// The text does not represent the input completely.
    inexact: Option<Inexact>,
    /// The Enter key follows, which is not part of the text.
    has_enter: bool,
}

impl RequestedInput {
    /// Converts input of a viewer, which is UTF-8, to the program's encoding; bytes that are not valid UTF-8 are kept.
    fn encoded(mut self, encoding: &'static Encoding) -> Self {
        if let Ok(text) = std::str::from_utf8(&self.bytes) {
            let bytes = encoding.encode(text).0.into_owned();
            self.as_typed = Some(std::mem::replace(&mut self.bytes, bytes));
        }
        self
    }

    fn as_typed(&self) -> &[u8] {
        self.as_typed.as_deref().unwrap_or(&self.bytes)
    }

    /// Returns what must be kept out of the interaction log if the input is hidden.
    fn secret(&self) -> Cow<'_, str> {
        self.letters
            .as_deref()
            .map_or_else(|| self.text(), Cow::Borrowed)
    }

    fn text(&self) -> Cow<'_, str> {
        let typed = self.bytes.strip_suffix(b"\r").filter(|_| self.has_enter);
        let typed = || String::from_utf8_lossy(typed.unwrap_or(&self.bytes));
        self.text.as_deref().map_or_else(typed, Cow::Borrowed)
    }

    fn form(&self) -> InputForm {
        if let Some(names) = &self.keys {
            return InputForm::Keys(names.clone());
        }
        match self.inexact {
            Some(how) => InputForm::Inexact {
                how,
                has_enter: self.has_enter,
            },
            None if self.has_enter => InputForm::Line,
            None => InputForm::Text,
        }
    }
}

impl Session {
    /// Types, and waits for a pattern if the request has one.
    pub fn send<'a>(
        self: &'a Arc<Self>,
        peer: &'a Peer,
        params: SessionSendParams,
    ) -> BoxFuture<'a, Result<SessionSendReply, SessionError>> {
        async move {
            let began = Instant::now();
            let sent = self.type_and_search(peer, params).await;
            match &sent {
                // The search has noted its own failure.
                Ok(_) | Err(SessionError::ExpectTimeout(_) | SessionError::ProcessEnded(_)) => {}
                // The client of a run sends its input, or the end of it, whether the program has ended or not.
                Err(SessionError::NotAlive { .. }) if self.facts.transient => {}
                // The row has no text: whether the terminal would have hidden it is not known.
                Err(error) => self.note_failure(peer, error, began, None, None),
            }
            sent
        }
        .boxed()
    }

    async fn type_and_search(
        self: &Arc<Self>,
        peer: &Peer,
        mut params: SessionSendParams,
    ) -> Result<SessionSendReply, SessionError> {
        self.require_alive()?;
        self.follow_viewer(peer)?;
        // Text is converted to the session's encoding; bytes are in it, but an attached terminal's are UTF-8.
        let is_from_terminal =
            params.data_b64.is_some() && self.facts.encoding != UTF_8 && self.viewers.has(peer);
        let mut input = if is_from_terminal {
            input_of(self, &mut params, UTF_8)?.encoded(self.facts.encoding)
        } else {
            input_of(self, &mut params, self.facts.encoding)?
        };
        let search = match &params.expect {
            Some(expect) => Some(
                self.search(&expect.patterns, expect.raw, expect.timeout_ms)
                    .await?,
            ),
            None => None,
        };
        let mut last_line = LastLine::after(&input.bytes);
        if self.facts.pipes && params.eof && last_line == LastLine::HandedOver {
            // On a tape, the handed-over part and the end of the input are one key, whenever the program answers the
            // part.
            input.text = Some(input.text().into_owned());
            input.bytes.pop();
            last_line = LastLine::Begun;
        }
        self.reopen_input();
        let reads = search.as_ref().and_then(|_| self.reads_so_far());
        let reply = self.type_into(peer, &input, params.secret);
        let mut reply = reply.await?;
        let watched = reads.map(|reads| self.watch_input(reads));
        if params.eof && self.is_played() {
            self.end_played_input(last_line).await?;
        } else if params.eof {
            self.end_input(last_line);
        }
        let Some(search) = search else {
            return Ok(reply);
        };
        let found = self.search_from(peer, search, reply.offset).await;
        let discarded = watched.is_some_and(|watched| watched.was_discarded(&input.bytes));
        let found = found.map_err(|mut error| {
            if let SessionError::ExpectTimeout(report) = &mut error {
                report.discarded = discarded;
                report.offset = Some(reply.offset);
            }
            error
        });
        reply.expect = Some(found?);
        reply.discarded = discarded.then_some(true);
        Ok(reply)
    }

    /// Keeps a part of a line out of the interaction log from now on.
    fn remember_part(&self, input: &RequestedInput) {
        let is_last = matches!(input.bytes.last(), Some(b'\r' | b'\n'));
        if self.hidden.remember_part(&input.secret(), is_last) {
            self.keep_hidden();
        }
    }

    /// Keeps a text out of the interaction log from now on.
    pub(crate) fn remember_hidden(&self, text: &str) {
        if self.hidden.remember(text) {
            self.keep_hidden();
        }
    }

    /// Types, and has the next process know of it where it must. The error says what it means for the session.
    pub(crate) async fn type_input(
        &self,
        terminal_input: TerminalInput<'_>,
    ) -> Result<Written, SessionError> {
        let written = self.write_input(terminal_input).await;
        let written = written.map_err(|error| input_error(self, error))?;
        self.half_line.typed(terminal_input.bytes, written.offset);
        if written.must_keep {
            self.keep();
        }
        Ok(written)
    }

    /// Returns whether the program has asked for a secret and the line of the answer has not ended, whatever the echo
    /// does: some programs switch it off half a second after their prompt, and some never do.
    fn is_at_secret_prompt(&self) -> bool {
        let line = last_line(self);
        // An answered prompt may still be above the mark of the next one.
        let unanswered = || recent_text(self, self.half_line.start_offset());
        let is_mark = line.trim().chars().count() == 1;
        let is_asked = asks_for_secret(&line)
            || is_mark && asks_for_secret(&unanswered())
            || !self.half_line.is_begun() && ends_with_secret_name(&line);
        let is_secret = is_asked || self.half_line.is_secret(&line);
        if is_asked {
            self.half_line.begin_secret(line);
        }
        is_secret
    }

    async fn type_into(
        self: &Arc<Self>,
        peer: &Peer,
        input: &RequestedInput,
        secret: bool,
    ) -> Result<SessionSendReply, SessionError> {
        self.note_write(&input.bytes);
        let secret = secret || !input.named_keys && self.is_at_secret_prompt();
        if secret {
            // Must happen before the secret can be echoed.
            self.remember_part(input);
        }
        let written = self
            .type_input(TerminalInput::new(&input.bytes, secret))
            .await?;
        self.touch();
        let hidden = secret || written.hidden;
        // Almost always this connection has no attached terminal: then these values are not computed.
        let taken = || TakenInput {
            offset: written.offset,
            hidden,
            canonical: written.canonical,
            alternate: self.modes().alternate_screen,
        };
        match self.viewers.typed(peer, input.as_typed(), taken) {
            Some(lines) => {
                for typed in lines {
                    self.note_typed(peer, typed);
                }
            }
            None => {
                let reads_keys = !written.canonical && !input.named_keys;
                let typed = TypedText {
                    text: input.text().into_owned(),
                    offset: written.offset,
                    hidden,
                    echo: reads_keys.then(|| input.text().into_owned()),
                    form: input.form(),
                };
                if !hidden {
                    self.hidden.end_line();
                } else if !secret {
                    self.remember_part(input);
                }
                self.note_send(peer, typed);
            }
        }
        Ok(SessionSendReply {
            offset: written.offset,
            written_bytes: input.bytes.len() as u64,
            hidden,
            shown: secret && written.canonical && !written.hidden,
            discarded: None,
            expect: None,
        })
    }
}

/// Converts a request, without keeping what it holds; `encoding` is that of its bytes.
fn input_of(
    session: &Session,
    params: &mut SessionSendParams,
    encoding: &'static Encoding,
) -> Result<RequestedInput, SessionError> {
    let given = [
        params.text.is_some(),
        params.data_b64.is_some(),
        params.keys.is_some(),
    ];
    let given_count = given.iter().filter(|given| **given).count();
    if given_count > 1 || (given_count == 0 && !params.eof) {
        return Err(SessionError::InvalidArgument(
            "give exactly one of text, data_b64 and keys, or eof alone".into(),
        ));
    }
    if params.paste && params.text.is_none() {
        return Err(SessionError::InvalidArgument("paste needs text".into()));
    }
    let mut input = if let Some(names) = &params.keys {
        typed_keys(session, names)?
    } else if let Some(data) = params.data_b64.take() {
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(data)
            .map_err(|error| {
                SessionError::InvalidArgument(format!("data_b64 is not base64: {error}"))
            })?;
        let (text, is_lossy) = encoding.decode_without_bom_handling(&bytes);
        let text = text.into_owned();
        RequestedInput {
            inexact: is_lossy.then_some(Inexact::Bytes),
            text: Some(text),
            bytes,
            ..RequestedInput::default()
        }
    } else if given_count == 0 {
        RequestedInput {
            text: Some(String::from(END_SHOWN)),
            named_keys: true,
            keys: Some(vec![String::from(END_KEY)]),
            ..RequestedInput::default()
        }
    } else {
        let text = params.text.take().unwrap_or_default();
        let session_encoding = session.facts.encoding;
        let (bytes, text) = if params.paste {
            let encoded = session_encoding.encode(&text).0;
            (keys::paste(&encoded, &session.modes()), Some(text))
        } else if session_encoding == UTF_8 {
            (text.into_bytes(), None)
        } else {
            (session_encoding.encode(&text).0.into_owned(), Some(text))
        };
        RequestedInput {
            bytes,
            text,
            inexact: params.paste.then_some(Inexact::Paste),
            ..RequestedInput::default()
        }
    };
    if params.newline {
        // A single return would be mistaken for the Enter key.
        let has_return = input.text().ends_with('\r');
        input.bytes.push(b'\r');
        if has_return {
            input.text.iter_mut().for_each(|text| text.push('\r'));
        } else {
            input.has_enter = true;
        }
    }
    if input.bytes.len() > MAX_SEND_BYTES {
        return Err(SessionError::InvalidArgument(format!(
            "{} bytes in one send: at most {MAX_SEND_BYTES} are allowed",
            input.bytes.len()
        )));
    }
    Ok(input)
}

fn typed_keys(session: &Session, names: &[String]) -> Result<RequestedInput, SessionError> {
    let modes = session.modes();
    let mut bytes = Vec::new();
    let (mut text, mut letters) = (String::new(), String::new());
    let mut named_keys = true;
    for name in names {
        let key = keys::encode(name, &modes)?;
        bytes.extend_from_slice(&key);
        if name.chars().count() == 1 {
            named_keys = false;
            text.push_str(name);
            letters.push_str(name);
        } else {
            letters.push('\n');
            text.push_str(&format!("<{name}>"));
        }
    }
    Ok(RequestedInput {
        bytes,
        text: Some(text),
        letters: Some(letters),
        named_keys,
        keys: Some(names.to_vec()),
        ..RequestedInput::default()
    })
}

fn input_error(session: &Session, error: InputError) -> SessionError {
    match error {
        InputError::Partial(why, written_bytes) => match why {
            Stopped::Closed if session.is_alive() && !session.has_injected_end() => {
                SessionError::NotAlive {
                    session: session.id().to_string(),
                    how: String::from("its terminal is closed"),
                    is_injected: false,
                    written_bytes: Some(written_bytes),
                }
            }
            Stopped::Closed => session.not_alive(Some(written_bytes)),
            Stopped::Full => SessionError::InputFull { written_bytes },
            Stopped::HandedOver => SessionError::HandedOver { written_bytes },
        },
        InputError::Busy => SessionError::Busy(session.id().clone()),
        InputError::LineTooLong { len } => SessionError::InvalidArgument(format!(
            "a line of {len} bytes would be cut: the program reads whole lines, and the terminal keeps only {LINE_LEN} bytes of each; \
             send shorter lines, or use a program that reads single keys"
        )),
        InputError::Tape(error) => error.into(),
        InputError::Io(error) => SessionError::Terminal(error),
    }
}
