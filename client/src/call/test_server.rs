//! A daemon that does with each connection what a test says.

use super::DaemonAddress;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

/// What the server does next with a connection. After the last turn, it closes the connection.
pub(crate) enum Turn {
    /// It reads a request and answers with this result.
    Answer(Value),
    /// It reads a request and starts a subscription that pushes these items of a session's output.
    Push(Vec<Value>),
    /// It reads a request and writes this.
    Raw(String),
    /// It reads a request.
    Lose,
    /// It waits until a request has arrived, and does not read it.
    Unread,
    /// It keeps the connection open until [`TestServer::requests`] returns.
    KeepOpen,
}

pub(crate) struct TestServer {
    pub(crate) place: DaemonAddress,
    pub(crate) socket: PathBuf,
    /// Receives a value each time a connection was closed.
    pub(crate) closed: Receiver<()>,
    thread: JoinHandle<(Vec<Value>, Vec<UnixStream>)>,
    _folder: tempfile::TempDir,
}

impl TestServer {
    /// Serves as many connections as there are lists of turns, one after the other.
    pub(crate) fn start(connections: Vec<Vec<Turn>>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let listener = UnixListener::bind(&socket).unwrap();
        let (say, closed) = sync_channel(64);
        let thread = std::thread::spawn(move || {
            let (mut requests, mut open) = (Vec::new(), Vec::new());
            for turns in connections {
                let (stream, _) = listener.accept().unwrap();
                serve(turns, stream, &mut requests, &mut open);
                let _ = say.send(());
            }
            (requests, open)
        });
        Self {
            place: DaemonAddress::of_socket(socket.clone()),
            socket,
            closed,
            thread,
            _folder: folder,
        }
    }

    /// Waits until all connections are served, and returns the requests.
    pub(crate) fn requests(self) -> Vec<Value> {
        self.thread.join().unwrap().0
    }
}

fn serve(
    turns: Vec<Turn>,
    stream: UnixStream,
    requests: &mut Vec<Value>,
    open: &mut Vec<UnixStream>,
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    for turn in turns {
        match turn {
            Turn::Unread => {
                let flags = rustix::event::PollFlags::IN;
                let mut arrived = [rustix::event::PollFd::new(&stream, flags)];
                rustix::event::poll(&mut arrived, None).unwrap();
                continue;
            }
            Turn::KeepOpen => {
                open.push(stream.try_clone().unwrap());
                continue;
            }
            _ => {}
        }
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let request: Value = serde_json::from_str(&line).unwrap();
        let answer = |result: Value| {
            let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
            format!("{reply}\n")
        };
        let text = match turn {
            Turn::Answer(result) => answer(result),
            Turn::Push(items) => {
                let items = items.into_iter().map(|item| {
                    let params = json!({"subscription": "s1", "result": item});
                    let item =
                        json!({"jsonrpc": "2.0", "method": "session.output", "params": params});
                    format!("{item}\n")
                });
                answer(json!("s1")) + &items.collect::<String>()
            }
            Turn::Raw(text) => text,
            Turn::Lose | Turn::Unread | Turn::KeepOpen => String::new(),
        };
        // The client may have left at its deadline.
        let _ = (&stream).write_all(text.as_bytes());
        requests.push(request);
    }
}
