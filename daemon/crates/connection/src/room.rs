//! The room that one connection has for the items of all its subscriptions together.
//! A subscription takes its place before it reads what the item will contain, and the place is free again once the item
//! has been written to the client. So subscriptions of a client that does not read hold no output, only an offset.

use super::outgoing::Message;
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

const ROOM_BYTES: usize = 256 << 10;

/// The room is counted in units of this size.
const UNIT_BYTES: usize = 1 << 10;

/// In the extensions of each request for a subscription.
#[derive(Debug, Clone)]
pub struct Room {
    free: Arc<Semaphore>,
    queue: mpsc::Sender<Message>,
}

/// A part of the room, which is free again when this is dropped.
#[derive(Debug)]
pub struct RoomPermit(OwnedSemaphorePermit);

#[derive(Debug)]
pub struct Disconnected;

impl Room {
    /// Returns the room of the connection that sends what is in `queue`.
    pub(super) fn new(queue: mpsc::Sender<Message>) -> Self {
        Self {
            free: Arc::new(Semaphore::new(ROOM_BYTES / UNIT_BYTES)),
            queue,
        }
    }

    /// Waits for a place for an item of `bytes`, at most the whole room.
    pub async fn place(&self, bytes: usize) -> Result<RoomPermit, Disconnected> {
        let place = Arc::clone(&self.free).acquire_many_owned(units(bytes));
        place.await.map(RoomPermit).map_err(|_| Disconnected)
    }

    /// Queues an item. It keeps as much of its place as it needs; a larger one than planned is sent nevertheless.
    pub async fn put(&self, place: RoomPermit, json: Box<RawValue>) -> Result<(), Disconnected> {
        let RoomPermit(mut place) = place;
        let planned = place.num_permits();
        let excess = planned.saturating_sub(units(json.get().len()) as usize);
        drop(place.split(excess));
        let message = Message::with_place(json, Arc::new(place));
        self.queue.send(message).await.map_err(|_| Disconnected)
    }
}

fn units(bytes: usize) -> u32 {
    bytes.min(ROOM_BYTES).div_ceil(UNIT_BYTES) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_item_keeps_what_it_needs_until_it_is_dropped() {
        let (queue, mut items) = mpsc::channel(4);
        let room = Room::new(queue);
        let free = Arc::clone(&room.free);
        let all = free.available_permits();
        let place = room.place(100 << 10).await.unwrap();
        assert_eq!(free.available_permits(), all - 100);
        let json = RawValue::from_string(format!("\"{}\"", "x".repeat(3000))).unwrap();
        room.put(place, json.clone()).await.unwrap();
        assert_eq!(free.available_permits(), all - 3);
        let place = room.place(usize::MAX >> 1);
        drop(items.recv().await);
        let place = place.await.unwrap();
        assert_eq!(free.available_permits(), 0);
        drop(items);
        assert!(room.put(place, json).await.is_err());
        assert_eq!(free.available_permits(), all);
    }
}
