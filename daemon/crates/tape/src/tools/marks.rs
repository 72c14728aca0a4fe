//! What the annotations of an exchange say about times: keys, changes of the terminal's size, and markers.
//! All times are milliseconds since the start of the exchange.

use crate::format::{Annotations, Exchange, PtySize};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The keys of an input that was not typed at once, as lists of three numbers: time, bytes, and how many chunks were
/// printed before. Chunks that follow keys have their delay from the last of them.
pub(crate) const KEYS: &str = "keys";

/// Changes of the terminal's size: `{ at_ms, rows, cols }`.
pub(crate) const RESIZES: &str = "resizes";

/// Markers: `{ at_ms, label }`.
pub(super) const MARKERS: &str = "markers";

/// The annotation of an exchange with the time from its last output to the next input, or to the end.
pub const IDLE: &str = "idle_ms";

/// Maximum number of keys on a tape that have times: an annotation may have a limited number of values.
pub(crate) const MAX_KEYS: usize = 200_000;

/// A part of an input that was typed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyPress {
    pub(crate) at_ms: u64,
    pub(crate) len_bytes: u64,
    /// How many chunks were printed before.
    pub(crate) chunks: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ResizeMark {
    pub(crate) at_ms: u64,
    #[serde(flatten)]
    pub(crate) size: PtySize,
}

/// A marker; its label is a part of the annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marker<'a> {
    pub(super) at_ms: u64,
    pub(super) label: &'a str,
}

/// Returns the keys of the input, in order; none if it was typed at once, or if the annotation does not fit the input:
/// people edit tapes.
pub(super) fn keys(exchange: &Exchange) -> Vec<KeyPress> {
    let keys: Option<Vec<KeyPress>> = list(exchange, KEYS).map(key_press).collect();
    let len_bytes = exchange.input.bytes.len() as u64;
    let fits = |keys: &Vec<KeyPress>| {
        let lens = keys.iter().map(|key| key.len_bytes);
        lens.fold(0, u64::saturating_add) == len_bytes && !exchange.pre.hidden
    };
    keys.filter(fits).unwrap_or_default()
}

fn key_press(value: &Value) -> Option<KeyPress> {
    let [at_ms, len_bytes, chunks] = Deserialize::deserialize(value).ok()?;
    (len_bytes > 0).then_some(KeyPress {
        at_ms,
        len_bytes,
        chunks,
    })
}

/// Notes when the keys of an input were typed, if it was not typed at once.
pub(crate) fn set_keys(annotations: &mut Annotations, keys: &[KeyPress]) {
    if keys.len() > 1 {
        let values = keys
            .iter()
            .map(|key| vec![key.at_ms, key.len_bytes, key.chunks]);
        annotations.insert(KEYS.to_owned(), values.collect());
    }
}

/// Forgets the times of keys, because the input is now a mask: they would give away its length.
pub(super) fn forget_keys(exchange: &mut Exchange) {
    exchange.annotations.remove(KEYS);
}

pub(super) fn resizes(exchange: &Exchange) -> Vec<ResizeMark> {
    let parsed = list(exchange, RESIZES).filter_map(|value| ResizeMark::deserialize(value).ok());
    let is_size = |ResizeMark { size, .. }: &ResizeMark| size.rows > 0 && size.cols > 0;
    parsed.filter(is_size).collect()
}

pub(crate) fn add_resize(annotations: &mut Annotations, resize: ResizeMark) {
    push(annotations, RESIZES, &resize);
}

/// Returns the markers; what is not a marker is ignored.
pub(super) fn markers(exchange: &Exchange) -> Vec<Marker<'_>> {
    let parsed = list(exchange, MARKERS).filter_map(|value| Marker::deserialize(value).ok());
    parsed.collect()
}

pub(super) fn add_marker(annotations: &mut Annotations, marker: &Marker<'_>) {
    push(annotations, MARKERS, marker);
}

/// Returns the time from the last output or key to the next input; `None` if it is not on the tape.
pub(super) fn idle_ms(exchange: &Exchange) -> Option<u64> {
    exchange.annotations.get(IDLE).and_then(Value::as_u64)
}

fn list<'a>(exchange: &'a Exchange, name: &str) -> impl Iterator<Item = &'a Value> {
    let values = exchange.annotations.get(name).and_then(Value::as_array);
    values.into_iter().flatten()
}

fn push(annotations: &mut Annotations, name: &str, value: &impl Serialize) {
    let values = annotations
        .entry(name)
        .or_insert_with(|| Value::Array(Vec::new()));
    if let (Value::Array(values), Ok(value)) = (values, serde_json::to_value(value)) {
        values.push(value);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::exchange;
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_count_only_where_they_are_those_of_the_input() {
        let mut exchange = exchange("ls\r", &[]);
        assert_eq!(keys(&exchange), []);
        let noted = |value: Value| {
            let mut exchange = exchange.clone();
            exchange.annotations.insert(KEYS.into(), value);
            keys(&exchange).len()
        };
        assert_eq!(noted(json!([[0, 1, 0], [90, 2, 1]])), 2);
        for wrong in [
            json!([[0, 1, 0], [90, 1, 1]]),
            json!([[0, 3, 0], [90, 0, 1]]),
            json!([[0, 1, 0], [90, 2]]),
            json!([[0, 1, 0], [-90, 2, 1]]),
            json!([[0, u64::MAX, 0], [1, 4, 1]]),
            json!("often"),
        ] {
            assert_eq!(noted(wrong.clone()), 0, "{wrong}");
        }
        let pressed = [(0, 1, 0), (90, 2, 1)].map(|(at_ms, len_bytes, chunks)| KeyPress {
            at_ms,
            len_bytes,
            chunks,
        });
        set_keys(&mut exchange.annotations, &pressed);
        assert_eq!(keys(&exchange), pressed);
        exchange.pre.hidden = true;
        assert_eq!(keys(&exchange), []);
    }

    #[test]
    fn what_people_write_in_place_of_sizes_and_markers_is_ignored() {
        let mut exchange = exchange("", &[]);
        let sizes = json!([{"at_ms": 9, "rows": 1, "cols": 2}, {"at_ms": 1, "rows": 0, "cols": 2}, {"rows": 1}, 5, {"at_ms": 3, "rows": 70_000, "cols": 1}]);
        exchange.annotations.insert(RESIZES.into(), sizes);
        assert_eq!(resizes(&exchange).len(), 1);
        let labels = json!([{"at_ms": 9, "label": "b"}, {"at_ms": 1, "label": "a"}, {"at_ms": 2, "label": 3}, null]);
        exchange.annotations.insert(MARKERS.into(), labels);
        let found: Vec<&str> = markers(&exchange)
            .iter()
            .map(|marker| marker.label)
            .collect();
        assert_eq!(found, ["b", "a"]);
    }
}
