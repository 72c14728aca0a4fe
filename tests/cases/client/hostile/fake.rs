//! A daemon that answers every call with hostile records.

use super::HOSTILE;
use super::made::Maker;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// How many items a subscription sends; the last ones say that it has ended.
const ITEMS: usize = 5;

/// What calls are answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answers {
    /// Records, in one of several forms.
    Records(usize),
    Errors,
}

/// A socket with a daemon of its own for one command.
pub(super) struct Fake {
    pub(super) socket: PathBuf,
    called: Arc<Mutex<BTreeMap<String, usize>>>,
    has_ended: Arc<AtomicBool>,
    accepting: JoinHandle<()>,
}

impl Fake {
    /// Listens on a socket.
    pub(super) fn start(socket: &Path, document: Arc<Value>, answers: Answers) -> Self {
        let listener = UnixListener::bind(socket).unwrap();
        let (called, has_ended) = (Arc::<Mutex<_>>::default(), Arc::<AtomicBool>::default());
        let (all_called, is_over) = (Arc::clone(&called), Arc::clone(&has_ended));
        let accepting = thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let (document, called) = (Arc::clone(&document), Arc::clone(&all_called));
                thread::spawn(move || serve(&stream, &document, answers, &called));
            }
        });
        Self {
            socket: socket.to_owned(),
            called,
            has_ended,
            accepting,
        }
    }

    /// Ends, and returns the methods that were called.
    pub(super) fn end(self) -> BTreeSet<String> {
        self.has_ended.store(true, Ordering::Relaxed);
        UnixStream::connect(&self.socket).unwrap();
        self.accepting.join().unwrap();
        std::fs::remove_file(&self.socket).unwrap();
        self.called.lock().unwrap().keys().cloned().collect()
    }
}

fn serve(
    mut stream: &UnixStream,
    document: &Value,
    answers: Answers,
    called: &Mutex<BTreeMap<String, usize>>,
) {
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let Ok(request) = serde_json::from_str::<Value>(&line) else {
            return;
        };
        let method = request["method"].as_str().unwrap_or_default();
        let times = {
            let mut called = called.lock().unwrap();
            let times = called.entry(method.to_owned()).or_default();
            *times += 1;
            *times - 1
        };
        for message in messages(document, method, &request["id"], answers, times) {
            if writeln!(stream, "{message}").is_err() {
                return;
            }
        }
    }
}

/// Returns the reply to a call, and the items if it is a subscription.
fn messages(
    document: &Value,
    method: &str,
    id: &Value,
    answers: Answers,
    times: usize,
) -> Vec<Value> {
    let mut methods = document["methods"].as_array().unwrap().iter();
    let known = methods.find(|known| known["name"] == method);
    let (Answers::Records(form), Some(known)) = (answers, known) else {
        return vec![json!({"jsonrpc": "2.0", "id": id, "error": error()})];
    };
    // The first page of a list is full, and the last one is empty.
    let is_least = times > 0;
    let maker = |form| Maker {
        document,
        form,
        is_least,
    };
    if let (Some(item), Some(notification)) = (known.get("x-item"), known.get("x-notification")) {
        let reply = json!({"jsonrpc": "2.0", "id": id, "result": "s"});
        let items = (0..ITEMS).map(|form| {
            let item = maker(form).value(item, "", 0);
            json!({"jsonrpc": "2.0", "method": notification, "params": {"subscription": "s", "result": item}})
        });
        return [reply].into_iter().chain(items).collect();
    }
    let result = maker(form).value(&known["result"]["schema"], "", 0);
    vec![json!({"jsonrpc": "2.0", "id": id, "result": result})]
}

fn error() -> Value {
    json!({"code": 1001, "message": HOSTILE, "data": {
        "kind": "not_found", "hint": HOSTILE, "output": HOSTILE, "recent_output": format!("{HOSTILE}\n{HOSTILE}"),
        "summary": HOSTILE, "prompt": HOSTILE, HOSTILE: [HOSTILE],
    }})
}
