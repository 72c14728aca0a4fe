//! A server with methods that show what the transport does to them, and a client for the line transport.

use super::super::accept::{Ends, Listeners, Served, serve_as};
use super::super::{Agents, Limits, Room, Settings};
use ccd_session::peer::Peer;
use jsonrpsee::core::to_json_raw_value;
use jsonrpsee::types::{ErrorObjectOwned, Params};
use jsonrpsee::{Methods, PendingSubscriptionSink, RpcModule, TrySendError};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// No test waits longer for anything.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the handlers did.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) started: AtomicUsize,
    pub(super) ended: AtomicUsize,
    pub(super) counted: AtomicUsize,
    pub(super) lagged: AtomicUsize,
}

impl Seen {
    pub(super) fn get(counter: &AtomicUsize) -> usize {
        counter.load(Ordering::SeqCst)
    }

    fn add(counter: &AtomicUsize) {
        counter.fetch_add(1, Ordering::SeqCst);
    }
}

/// Counts a call when it starts, and when it is dropped for any reason.
struct RunningCall(Arc<World>);

impl RunningCall {
    fn new(world: &Arc<World>) -> Self {
        Seen::add(&world.seen.started);
        Self(Arc::clone(world))
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        Seen::add(&self.0.seen.ended);
    }
}

struct World {
    seen: Arc<Seen>,
    /// `test.wait` and `test.count_later` continue once per permit.
    gate: Arc<Semaphore>,
}

pub(super) struct Server {
    pub(super) path: PathBuf,
    pub(super) seen: Arc<Seen>,
    pub(super) gate: Arc<Semaphore>,
    pub(super) settings: watch::Sender<Settings>,
    pub(super) stop: CancellationToken,
    pub(super) tracker: TaskTracker,
    _folder: tempfile::TempDir,
}

impl Server {
    pub(super) fn start() -> Self {
        Self::with(Limits::default())
    }

    pub(super) fn with(limits: Limits) -> Self {
        Self::start_as(rustix::process::geteuid().as_raw(), limits)
    }

    pub(super) fn start_as(own_uid: u32, limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ccd.sock");
        let listeners = Listeners {
            first: UnixListener::bind(&path).unwrap(),
            next: mpsc::channel(1).1,
        };
        let (seen, gate) = (Arc::default(), Arc::new(Semaphore::new(0)));
        let (settings, receiver) = watch::channel(Settings {
            limits,
            allow_root_peer: false,
        });
        let (stop, tracker) = (CancellationToken::new(), TaskTracker::new());
        let methods = methods(World {
            seen: Arc::clone(&seen),
            gate: Arc::clone(&gate),
        });
        tracker.spawn(serve_as(
            own_uid,
            listeners,
            Served {
                methods,
                settings: receiver,
                agents: Agents::none(),
            },
            Ends {
                stop: stop.clone(),
                ..Ends::default()
            },
            tracker.clone(),
            Arc::new(()),
        ));
        Self {
            path,
            seen,
            gate,
            settings,
            stop,
            tracker,
            _folder: folder,
        }
    }

    pub(super) async fn connect(&self) -> Client {
        Client::new(UnixStream::connect(&self.path).await.unwrap())
    }

    /// Stops the server and waits until none of its tasks is running.
    pub(super) async fn stopped(&self) {
        self.stop.cancel();
        self.tracker.close();
        within(self.tracker.wait()).await;
    }
}

pub(super) struct Client {
    pub(super) reader: BufReader<OwnedReadHalf>,
    pub(super) writer: OwnedWriteHalf,
}

impl Client {
    fn new(stream: UnixStream) -> Self {
        let (reader, writer) = stream.into_split();
        Self {
            reader: BufReader::new(reader),
            writer,
        }
    }

    pub(super) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        within(self.writer.write_all(bytes.as_ref())).await.unwrap();
    }

    pub(super) async fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n")).await;
    }

    /// Returns the next line as JSON; null at the end.
    pub(super) async fn receive(&mut self) -> Value {
        let mut line = String::new();
        within(self.reader.read_line(&mut line)).await.unwrap();
        match line.strip_suffix('\n') {
            Some(line) => serde_json::from_str(line).unwrap(),
            None => Value::Null,
        }
    }

    pub(super) async fn call(&mut self, method: &str, params: Value) -> Value {
        self.send(&request(1, method, params)).await;
        self.receive().await
    }

    /// Checks that the connection still works.
    pub(super) async fn assert_served(&mut self) {
        let reply = self.call("test.ping", json!({})).await;
        assert_eq!(reply["result"], "pong", "{reply}");
    }
}

pub(super) fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// Compares code, id and kind of an error reply, and that it has a hint.
#[track_caller]
pub(super) fn assert_error(reply: &Value, id: impl Into<Value>, code: i32, kind: &str) {
    assert_eq!(reply["id"], id.into(), "{reply}");
    assert_eq!(reply["error"]["code"], code, "{reply}");
    assert_eq!(reply["error"]["data"]["kind"], kind, "{reply}");
    assert!(reply["error"]["data"]["hint"].is_string(), "{reply}");
}

pub(super) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("it comes in time")
}

/// Waits until `probe` is true; the only place that sleeps.
pub(super) async fn eventually(what: &str, mut probe: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !probe() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn methods(world: World) -> Methods {
    let mut module = RpcModule::new(world);
    let registered = [
        module
            .register_method("test.ping", |_, _, _| "pong")
            .map(drop),
        module
            .register_method("test.raw", |_, _, _| raw("{\n\"a\":\n1}"))
            .map(drop),
        module
            .register_method("test.count", |_, world, _| {
                Seen::add(&world.seen.counted);
                true
            })
            .map(drop),
        module
            .register_method("test.panic", |_, _, _| -> bool { panic!("on purpose") })
            .map(drop),
        module
            .register_method("test.peer", |_, _, extensions| {
                let peer = extensions.get::<Peer>().unwrap();
                json!({"uid": peer.uid, "pid": peer.pid, "name": &**peer.name(),
                    "connection": peer.connection})
            })
            .map(drop),
        module
            .register_method("test.blob", |params, world, _| {
                Seen::add(&world.seen.counted);
                let params: Value = params.parse().unwrap();
                "x".repeat(params["bytes"].as_u64().unwrap() as usize)
            })
            .map(drop),
        register_waiting(&mut module),
        module
            .register_subscription(
                "test.tick",
                "test.ticked",
                "test.untick",
                |_, sink, _, _| tick(sink),
            )
            .map(drop),
        module
            .register_subscription("test.flood", "test.flooded", "test.unflood", flood)
            .map(drop),
        module
            .register_subscription("test.feed", "test.fed", "test.unfeed", feed)
            .map(drop),
    ];
    registered.into_iter().collect::<Result<(), _>>().unwrap();
    module.into()
}

fn register_waiting(
    module: &mut RpcModule<World>,
) -> Result<(), jsonrpsee::core::RegisterMethodError> {
    module.register_async_method("test.echo", |params, _, _| async move {
        tokio::task::yield_now().await;
        params.parse::<Value>()
    })?;
    module.register_async_method("test.panic_later", |_, _, _| async {
        tokio::task::yield_now().await;
        assert!(std::hint::black_box(false), "on purpose");
    })?;
    // The second one ends with its connection.
    for name in ["test.hang", "session.wait"] {
        module.register_async_method(name, |_, world, _| async move {
            let _running = RunningCall::new(&world);
            std::future::pending::<bool>().await
        })?;
    }
    module.register_async_method("test.wait", |_, world, _| async move {
        let _running = RunningCall::new(&world);
        world.gate.acquire().await.unwrap().forget();
        true
    })?;
    module.register_async_method("test.count_later", |_, world, _| async move {
        let _running = RunningCall::new(&world);
        world.gate.acquire().await.unwrap().forget();
        Seen::add(&world.seen.counted);
        true
    })?;
    Ok(())
}

fn raw(json: &str) -> Result<Box<RawValue>, ErrorObjectOwned> {
    Ok(RawValue::from_string(json.to_owned()).unwrap())
}

/// Sends 0, 1, 2 and waits until it is unsubscribed.
async fn tick(pending: PendingSubscriptionSink) {
    let sink = pending.accept().await.unwrap();
    for seq in 0..3 {
        sink.send(to_json_raw_value(&seq).unwrap()).await.unwrap();
    }
    sink.closed().await;
}

/// Sends as fast as the queue takes it, and counts how often it was full.
async fn flood(
    _: Params<'static>,
    pending: PendingSubscriptionSink,
    world: Arc<World>,
    _: jsonrpsee::Extensions,
) {
    let _running = RunningCall::new(&world);
    let mut sink = pending.accept().await.unwrap();
    let item = to_json_raw_value(&"x".repeat(1000)).unwrap();
    loop {
        match sink.try_send(item.clone()) {
            Ok(()) => tokio::task::yield_now().await,
            Err(TrySendError::Full(_)) => {
                Seen::add(&world.seen.lagged);
                tokio::task::yield_now().await;
            }
            Err(TrySendError::Closed(_)) => return,
        }
    }
}

/// Bytes of an item of [`feed`].
pub(super) const FED_BYTES: usize = 30_000;

/// Sends items in places of the connection's room, and counts the places it got. The items are numbers of this many bytes.
async fn feed(
    _: Params<'static>,
    pending: PendingSubscriptionSink,
    world: Arc<World>,
    extensions: jsonrpsee::Extensions,
) {
    let _running = RunningCall::new(&world);
    let room = extensions.get::<Room>().unwrap().clone();
    let _sink = pending.accept().await.unwrap();
    for number in 0.. {
        let Ok(place) = room.place(2 * FED_BYTES).await else {
            return;
        };
        Seen::add(&world.seen.counted);
        let item = RawValue::from_string(format!("\"{number:0FED_BYTES$}\"")).unwrap();
        if room.put(place, item).await.is_err() {
            return;
        }
    }
}
