//! Rows of tables as JSON objects, whose members are the columns.

use ccd_base::surrogate::mended_text;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Returns a value as the parameter of a statement.
pub(crate) fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Returns a statement that inserts each object of the JSON array `?1`. `insert` is its start, such as `INSERT INTO table`.
pub(crate) fn insert_json(insert: &str, columns: &str) -> String {
    let values = columns.split(", ").map(|name| format!("value->>'{name}'"));
    let values = values.collect::<Vec<_>>().join(", ");
    format!("{insert} ({columns}) SELECT {values} FROM json_each(?1)")
}

/// Returns what rows say. One that another program or version has written in another form is left out.
pub(crate) fn readable<T: DeserializeOwned>(rows: Vec<String>) -> Vec<T> {
    let read = |json: String| serde_json::from_str(&mended_text(json.as_bytes())).ok();
    rows.into_iter().filter_map(read).collect()
}
