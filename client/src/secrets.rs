//! Secrets of program configurations: the client looks them up, sends them once, and stores none.

use crate::ask::ask;
use crate::context::note;
use crate::fields::Fields as _;
use crate::{Failure, named_file};
use ccd_protocol::session::{Secrets, SessionCreateParams};
use serde_json::Value;
use std::io::{self, Read as _};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

const MAX_SECRET_BYTES: u64 = 64 << 10;

/// After this time, a note says what a start waits for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Looks up the secrets of arguments `NAME=env:VARIABLE`, `NAME=file:PATH` and `NAME=prompt`. The secret itself is never on
/// the command line, which other users can read.
pub(crate) fn given(sources: &[String]) -> Result<Secrets, Failure> {
    let mut secrets = Secrets::default();
    for source in sources {
        // A word without `=` may be the secret.
        let (name, from) = source.split_once('=').unwrap_or_default();
        let secret = match from.split_once(':').unwrap_or((from, "")) {
            _ if name.is_empty() => return Err(no_secret_itself(name)),
            ("env", variable) if !variable.is_empty() => of_variable(variable)
                .ok_or_else(|| Failure::Usage(format!("the variable {variable} is not set")))?,
            ("file", path) if !path.is_empty() => of_file(path)?,
            ("prompt", "") => of_prompt(name, None, None)?,
            _ => return Err(no_secret_itself(name)),
        };
        secrets.0.insert(name.to_owned(), secret);
    }
    Ok(secrets)
}

/// The failure for a bad source. The text may be the secret itself, so it is not shown.
fn no_secret_itself(name: &str) -> Failure {
    let name = if name.is_empty() { "NAME" } else { name };
    Failure::Usage(format!(
        "--secret takes the source of a secret, not the secret itself; give {name}=env:VARIABLE, {name}=file:PATH or {name}=prompt"
    ))
}

/// Makes a request that starts a session; if the daemon asks for secrets, repeats it with them.
pub(crate) fn with_secrets<T>(
    params: &mut SessionCreateParams,
    mut create: impl FnMut(&SessionCreateParams) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let Some(config) = params.config.clone() else {
        return create(params);
    };
    let first = patiently(&config, || create(params));
    let Some(wanted) = first.as_ref().err().and_then(wanted) else {
        return first;
    };
    for secret in wanted {
        let name = secret.text("name").to_owned();
        params.secrets.0.insert(name, look_up(secret)?);
    }
    let created = patiently(&config, || create(params));
    params.secrets = Secrets::default();
    created
}

/// The secrets that the daemon asks for by this error; `None` for any other error.
fn wanted(failure: &Failure) -> Option<&Vec<Value>> {
    let data = failure.refusal()?.data.as_ref()?;
    data.get("secrets")?.as_array()
}

/// Looks for a secret in the variable and then in the file that the daemon names, and asks for it if it says so.
fn look_up(secret: &Value) -> Result<String, Failure> {
    let word = |name: &str| secret[name].as_str();
    let (name, variable, prompt) = (secret.text("name"), word("env"), word("prompt"));
    if let Some(value) = variable.and_then(of_variable) {
        return Ok(value);
    }
    match word("file").map(of_file) {
        Some(Err(failure)) if is_missing(&failure) && prompt.is_some() => {}
        Some(found) => return found,
        None => {}
    }
    if prompt.is_none() && variable.is_some() {
        return Err(no_source(name, variable, ""));
    }
    of_prompt(name, prompt, variable)
}

fn is_missing(failure: &Failure) -> bool {
    matches!(failure, Failure::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
}

fn of_variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn of_file(path: &str) -> Result<String, Failure> {
    let real = match (path.strip_prefix("~/"), std::env::var("HOME")) {
        (Some(rest), Ok(home)) => format!("{home}/{rest}"),
        _ => path.to_owned(),
    };
    let mut secret = String::new();
    named_file::open(real.as_ref())
        .and_then(|file| file.take(MAX_SECRET_BYTES + 1).read_to_string(&mut secret))
        .map_err(Failure::io(format!("the secret in {path}")))?;
    if secret.len() as u64 > MAX_SECRET_BYTES {
        let text = format!("the secret in {path} is longer than {MAX_SECRET_BYTES} bytes");
        return Failure::usage(text);
    }
    let line = secret.strip_suffix('\n').unwrap_or(&secret);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}

fn of_prompt(
    name: &str,
    question: Option<&str>,
    variable: Option<&str>,
) -> Result<String, Failure> {
    let question = question.map_or_else(|| format!("{name}:"), str::to_owned);
    let lacks = ", and there is no terminal to ask at";
    ask(&question)?.ok_or_else(|| no_source(name, variable, lacks))
}

fn no_source(name: &str, variable: Option<&str>, lacks: &str) -> Failure {
    let first = match variable {
        Some(variable) => format!("set the variable {variable}, or "),
        None => String::new(),
    };
    Failure::Usage(format!(
        "the secret {name} is needed{lacks}: {first}give --secret {name}=env:VARIABLE or --secret {name}=file:PATH"
    ))
}

/// Prints what the start waits for if it takes long.
fn patiently<T>(config: &str, work: impl FnOnce() -> T) -> T {
    let (done, waits) = mpsc::sync_channel::<()>(0);
    let text = format!("waiting until {config} is ready; Ctrl-C gives up and ends the program");
    // If there can be no thread, there is no note.
    let _ = std::thread::Builder::new().spawn(move || {
        if waits.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            note(&text);
        }
    });
    let result = work();
    drop(done);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_source_is_named_and_the_secret_never_given_or_shown() {
        for wrong in [
            "",
            "pw",
            "pw=hunter2",
            "pw=env:",
            "=env:PW",
            "pw=file",
            "pw=prompt:x",
        ] {
            let failure = given(&[wrong.to_owned()]).unwrap_err();
            assert!(failure.line().contains("not the secret itself"), "{wrong}");
            assert!(!failure.line().contains("hunter2"));
        }
    }

    #[test]
    fn a_file_gives_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pw");
        for (content, secret) in [("a b", "a b"), ("a\n", "a"), ("a\r\n", "a"), ("", "")] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(of_file(path.to_str().unwrap()).unwrap(), secret);
        }
        let missing = of_file("/no/such/file").unwrap_err();
        assert!(missing.line().contains("/no/such/file"));
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error_if_nobody_is_to_be_asked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pw").display().to_string();
        let mut wanted = json!({"name": "pw", "env": "CCD_NO_SUCH_VARIABLE", "file": path});
        assert!(look_up(&wanted).unwrap_err().line().contains(&path));
        std::fs::write(&path, "x").unwrap();
        wanted["prompt"] = json!("Password:");
        assert_eq!(look_up(&wanted).unwrap(), "x");
    }
}
