//! A stock jsonrpsee client over the line transport.

use super::harness::{Server, within};
use jsonrpsee::core::client::{
    Client, ClientBuilder, ClientT, Error, ReceivedMessage, Subscription, SubscriptionClientT,
    TransportReceiverT, TransportSenderT,
};
use jsonrpsee::core::params::{BatchRequestBuilder, ObjectParams};
use serde_json::{Value, json};
use std::io;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

struct Sender(OwnedWriteHalf);

impl TransportSenderT for Sender {
    type Error = io::Error;

    async fn send(&mut self, message: String) -> io::Result<()> {
        self.0.write_all(format!("{message}\n").as_bytes()).await
    }
}

struct Receiver(BufReader<OwnedReadHalf>);

impl TransportReceiverT for Receiver {
    type Error = io::Error;

    async fn receive(&mut self) -> io::Result<ReceivedMessage> {
        let mut line = String::new();
        match self.0.read_line(&mut line).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(ReceivedMessage::Text(line)),
        }
    }
}

async fn connect(server: &Server) -> Client {
    let stream = UnixStream::connect(&server.path).await.unwrap();
    let (reader, writer) = stream.into_split();
    ClientBuilder::new().build_with_tokio(Sender(writer), Receiver(BufReader::new(reader)))
}

fn params(name: &str, value: Value) -> ObjectParams {
    let mut params = ObjectParams::new();
    params.insert(name, value).unwrap();
    params
}

#[tokio::test]
async fn a_stock_client_calls_batches_and_subscribes() {
    let server = Server::start();
    let client = connect(&server).await;
    let echo: Value = within(client.request("test.echo", params("a", json!(1))))
        .await
        .unwrap();
    assert_eq!(echo, json!({"a": 1}));
    let refused = within(client.request::<Value, _>("no.such", ObjectParams::new())).await;
    assert!(matches!(refused, Err(Error::Call(error)) if error.code() == -32601));

    let mut batch = BatchRequestBuilder::new();
    for value in 0..3 {
        batch
            .insert("test.echo", params("a", json!(value)))
            .unwrap();
    }
    let replies = within(client.batch_request::<Value>(batch)).await.unwrap();
    assert_eq!(replies.num_successful_calls(), 3);

    let mut ticks: Subscription<u64> =
        within(client.subscribe("test.tick", ObjectParams::new(), "test.untick"))
            .await
            .unwrap();
    for seq in 0..3 {
        assert_eq!(within(ticks.next()).await.unwrap().unwrap(), seq);
    }
    within(ticks.unsubscribe()).await.unwrap();
}
