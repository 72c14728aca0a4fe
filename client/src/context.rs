//! What every command needs: the global options, the daemon and the output.

use crate::args::{Given, Global};
use crate::call::{
    Answer, ConnectError, Connection, DaemonAddress, fetch_within, host_asked_for, set_elsewhere,
};
use crate::caller::working_directory;
use crate::fields::Fields as _;
use crate::output::decode;
use crate::render::{Printer, Style, on_one_line};
use crate::terminal::output_columns;
use crate::writer::{self, Stream, Writer};
use crate::{Exit, Failure, whole_file};
use ccd_protocol::{NoParams, Timeout};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::cell::OnceCell;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, BufRead as _, BufWriter, IsTerminal as _, Write as _};
use std::path::Path;
use std::time::Duration;

/// How much later than a timeout the reply may come before the daemon is asked whether it still replies.
const REPLY_MARGIN: Duration = Duration::from_secs(1);

/// The global options, and where results are written.
pub(crate) struct Context {
    pub(crate) global: Global,
    pub(crate) style: Style,
    out: Writer<BufWriter<Stream>>,
    /// Where the daemon is, once that is known: connections to another host are shared.
    place: OnceCell<DaemonAddress>,
}

impl Context {
    /// Writes results to standard output, in colour if that is wanted.
    pub(crate) fn new(global: Global) -> Self {
        let place = OnceCell::new();
        if host_asked_for(&global, env).is_some() {
            set_elsewhere();
            // A host that is not a URL is reported once it is needed.
            if let Ok(found) = DaemonAddress::find(&global, env) {
                found.clone().make_known();
                place.get_or_init(|| found);
            }
        }
        Self {
            style: Style::of_stdout(),
            out: writer::stdout(global.json),
            global,
            place,
        }
    }

    pub(crate) fn place(&self) -> Result<DaemonAddress, Failure> {
        if let Some(place) = self.place.get() {
            return Ok(place.clone());
        }
        let place = DaemonAddress::find(&self.global, env)?;
        Ok(self.place.get_or_init(|| place).clone())
    }

    pub(crate) fn connect(&self) -> Result<Connection, Failure> {
        Ok(Connection::over(self.place()?.connect()?))
    }

    /// Calls one method on a connection of its own.
    pub(crate) fn fetch(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<Answer<Value>, Failure> {
        fetch_within(&self.place()?, method, params, None)
    }

    /// Calls a method that waits up to `timeout`. If that is a time, a daemon that does not reply ends the call soon
    /// after it.
    pub(crate) fn fetch_waiting(
        &self,
        method: &str,
        params: &impl Serialize,
        timeout: Timeout,
    ) -> Result<Answer<Value>, Failure> {
        fetch_within(&self.place()?, method, params, reply_limit(timeout))
    }

    /// Returns the status of a running daemon; `None` if none is running. Never starts one.
    pub(crate) fn status_if_running(&self) -> Result<Option<Value>, Failure> {
        let place = self.place()?.without_start();
        match fetch_within(&place, "daemon.status", &NoParams {}, None) {
            Err(Failure::Connect(ConnectError::NoDaemon { .. })) => Ok(None),
            answer => Ok(Some(answer?.value)),
        }
    }

    /// Calls one method and prints its reply: as received with `--json`, otherwise as its page describes it.
    pub(crate) fn show(&mut self, method: &str, params: &Value) -> Result<Exit, Failure> {
        let mut answer = self.fetch(method, params)?;
        self.print_given(method, &mut answer, params)
    }

    /// Prints a reply, which its page sees together with the parameters of the call.
    pub(crate) fn print_given(
        &mut self,
        page: &str,
        answer: &mut Answer<Value>,
        params: &Value,
    ) -> Result<Exit, Failure> {
        if let Value::Object(reply) = &mut answer.value {
            reply.insert("given".to_owned(), params.clone());
            reply.insert("at_terminal".to_owned(), self.style.is_terminal.into());
        }
        self.print_as(page, answer)
    }

    /// Calls the method that the definition of a command names, with its arguments, and prints the reply.
    pub(crate) fn carry_out(&mut self, args: &Given) -> Result<Exit, Failure> {
        let mut words = args.method.unwrap_or_default().split(' ');
        let method = words.next().unwrap_or_default();
        let mut params = args.params();
        while let Some(word) = words.next() {
            match word {
                "here" => params["cwd"] = working_directory(None)?.into(),
                // A parameter with this value, unless an argument says something else.
                name => {
                    let value = words.next().and_then(|value| value.parse().ok());
                    if params[name].is_null() {
                        params[name] = value.unwrap_or_default();
                    }
                }
            }
        }
        self.show(method, &params)
    }

    /// Prints a reply, its warnings, and the notes of its page, which also says whether the command has failed.
    pub(crate) fn print_as(&mut self, page: &str, answer: &Answer<Value>) -> Result<Exit, Failure> {
        self.warn_of(&answer.value);
        self.print_page(page, &answer.value, Some(&answer.json))
    }

    /// Prints a record as a page describes it; with `--json`, the JSON, if any.
    pub(crate) fn print_page(
        &mut self,
        page: &str,
        record: &Value,
        json: Option<&RawValue>,
    ) -> Result<Exit, Failure> {
        let (style, is_for_people) = (self.style, !self.global.json);
        let mut nowhere = io::sink();
        let out: &mut dyn io::Write = if is_for_people {
            &mut self.out
        } else {
            &mut nowhere
        };
        let mut out = Printer::new(out, style, output_columns());
        out.notes = Some(note);
        out.is_for_people = is_for_people;
        let written = out.reply(page, record).and_then(|()| out.flush());
        let exit = Exit::of_success(!out.has_failed);
        written.map_err(Failure::Output)?;
        if let Some(json) = json.filter(|_| !is_for_people) {
            self.write_line(json.get())?;
        }
        Ok(exit)
    }

    /// Prints a reply: as received with `--json`, otherwise by `render`.
    pub(crate) fn print<T>(
        &mut self,
        answer: &Answer<T>,
        render: impl FnOnce(&T, &mut Printer<'_>) -> io::Result<()>,
    ) -> Result<Exit, Failure> {
        if self.global.json {
            self.write_line(answer.json.get())?;
        } else {
            self.render(|out| render(&answer.value, out))?;
        }
        Ok(Exit::Done)
    }

    /// Prints a document with `--json`, otherwise what `render` writes.
    pub(crate) fn print_either(
        &mut self,
        document: &impl Serialize,
        render: impl FnOnce(&mut Printer<'_>) -> io::Result<()>,
    ) -> Result<Exit, Failure> {
        if self.global.json {
            self.write_json(document)?;
        } else {
            self.render(render)?;
        }
        Ok(Exit::Done)
    }

    /// Prints output in a reply: with `--json` the reply as received, otherwise the bytes or, without them, the text;
    /// unchanged if `is_raw`.
    pub(crate) fn print_output(
        &mut self,
        answer: &Answer<Value>,
        is_raw: bool,
    ) -> Result<Exit, Failure> {
        if self.global.json {
            self.write_line(answer.json.get())?;
            return Ok(Exit::Done);
        }
        let reply = &answer.value;
        let first = |names: &[&str]| names.iter().find_map(|name| reply[*name].as_str());
        match first(&["data_b64", "text_b64", "output_b64"]) {
            Some(data) => self.write_output(&decode(data)?, is_raw)?,
            None => {
                let text = first(&["text", "output"]).unwrap_or_default();
                self.write_output(text.as_bytes(), is_raw)?;
            }
        }
        Ok(Exit::Done)
    }

    pub(crate) fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.render(|out| out.write_all(bytes))
    }

    /// Writes to a file, or to standard output for `-`.
    pub(crate) fn write_to(&mut self, file: &Path, bytes: &[u8]) -> Result<(), Failure> {
        if file == Path::new("-") {
            return self.write_bytes(bytes);
        }
        whole_file::write(file, bytes).map_err(Failure::io(file.display()))
    }

    /// Prints output of a program; unchanged, even on a terminal, if somebody asked for just that.
    pub(crate) fn write_output(&mut self, bytes: &[u8], is_raw: bool) -> Result<(), Failure> {
        if !is_raw {
            return self.write_bytes(bytes);
        }
        let written = self.out.write_raw(bytes);
        written
            .and_then(|()| self.out.flush())
            .map_err(Failure::Output)
    }

    /// What is printed from now on is JSON, whether or not `--json` was given.
    pub(crate) fn print_json(&mut self) {
        self.out.set_json();
    }

    pub(crate) fn write_line(&mut self, line: &str) -> Result<(), Failure> {
        self.render(|out| writeln!(out, "{line}"))
    }

    /// Prints a line for a person, who reads no JSON.
    pub(crate) fn tell(&mut self, line: &str) -> Result<(), Failure> {
        if self.global.json {
            return Ok(());
        }
        self.write_line(line)
    }

    pub(crate) fn write_json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let line = serde_json::to_string(value).map_err(|error| Failure::Output(error.into()))?;
        self.write_line(&line)
    }

    pub(crate) fn render(
        &mut self,
        render: impl FnOnce(&mut Printer<'_>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut out = Printer::new(&mut self.out, self.style, output_columns());
        render(&mut out)
            .and_then(|()| out.flush())
            .map_err(Failure::Output)
    }

    /// Renders into memory, for what must be written in one piece or elsewhere.
    pub(crate) fn rendered(
        &self,
        render: impl FnOnce(&mut Printer<'_>) -> io::Result<()>,
    ) -> Result<Vec<u8>, Failure> {
        let mut text = Vec::new();
        render(&mut Printer::new(&mut text, self.style, output_columns()))
            .map_err(Failure::Output)?;
        Ok(text)
    }

    /// Reports why the command failed: in one line, with details with `-v`, as JSON with `--json`.
    pub(crate) fn report(&self, failure: &Failure) {
        if failure.exit() == Exit::BrokenPipe {
            return;
        }
        if self.global.verbose && !self.global.json {
            let line = failure.line();
            // What -v shows follows.
            say(line
                .split_once("; -v shows")
                .map_or(&*line, |halves| halves.0));
        } else {
            report(failure, self.global.json);
        }
        let more = match (self.global.json, self.global.verbose) {
            (true, _) => Vec::new(),
            (false, true) => failure.details(),
            (false, false) => failure.last_lines(),
        };
        more.iter().for_each(|line| say(line));
    }

    /// Prints the daemon's warnings, for example about values that it corrected.
    pub(crate) fn warn(&self, warnings: &[String]) {
        // Names of files in them are whatever somebody has chosen.
        let warnings = warnings.iter().map(|warning| on_one_line(warning));
        warnings.for_each(|warning| note(&warning));
    }

    /// Prints the daemon's warnings in a reply.
    pub(crate) fn warn_of(&self, reply: &Value) {
        let warnings = reply.list("warnings").iter().filter_map(Value::as_str);
        warnings.for_each(|warning| note(&on_one_line(warning)));
    }

    /// Prints a note on standard error.
    pub(crate) fn note(&self, text: &str) {
        note(text);
    }

    /// Tells a person that there is nothing to print, and perhaps what would be there.
    pub(crate) fn note_if_empty<T>(&self, list: &[T], text: &str) {
        if list.is_empty() {
            self.remark(text);
        }
    }

    /// Prints a note to a person, who reads no JSON.
    pub(crate) fn remark(&self, text: &str) {
        if !self.global.json {
            note(text);
        }
    }
}

fn reply_limit(timeout: Timeout) -> Option<Duration> {
    match timeout {
        Timeout::After(ms) => Duration::try_from_secs_f64(ms / 1000.0)
            .ok()
            .map(|time| time.saturating_add(REPLY_MARGIN)),
        _ => None,
    }
}

fn env(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Reports why the command failed, in one line. Does nothing if standard error is closed.
pub(crate) fn report(failure: &Failure, as_json: bool) {
    let line = if as_json {
        failure.json()
    } else {
        failure.line()
    };
    write_error(&format!("{line}\n"), as_json);
}

/// Prints a note on standard error. Does nothing if that is closed.
pub(crate) fn note(text: &str) {
    say(&format!("ccctl: {text}"));
}

/// Prints help. Does nothing if standard output is closed.
pub(crate) fn print_help(help: impl Display) {
    let mut out = writer::stdout(false);
    let text = help.to_string();
    let _ = writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush());
}

/// Writes one or more lines to standard error at once, so that output of other programs is not mixed in.
pub(crate) fn say(text: &str) {
    write_error(&format!("{text}\n"), false);
}

/// Writes to standard error at once. Does nothing if that is closed.
pub(crate) fn write_error(text: &str, is_json: bool) {
    let _ = writer::stderr(is_json).write_all(text.as_bytes());
}

/// True if there is a person to ask.
pub(crate) fn is_at_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question on standard error; true for an answer that starts with y.
pub(crate) fn confirm(question: &str) -> bool {
    write_error(&format!("{question} [y/N] "), false);
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    read.is_ok() && answer.trim_start().starts_with(['y', 'Y'])
}
