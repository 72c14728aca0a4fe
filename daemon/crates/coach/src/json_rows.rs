//! Rows of tables as JSON objects, whose members are the columns.

use ccd_base::surrogate::mended_text;
use ccd_store::SqlResult;
use ccd_store::hidden::{FromRow, SqliteRow};
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

/// Returns what rows of a table say, as JSON. One that another program or version has written in another form is left out.
pub(crate) fn readable<T: DeserializeOwned>(rows: Vec<Vec<u8>>, table: &str) -> Vec<T> {
    let read = |json: &Vec<u8>| serde_json::from_str(&mended_text(json)).ok();
    said(rows.iter().map(read), table)
}

/// A row of columns, or `None` if it cannot be read.
#[derive(Debug)]
pub(crate) struct Lenient<T>(Option<T>);

impl<'row, T: FromRow<'row, SqliteRow>> FromRow<'row, SqliteRow> for Lenient<T> {
    fn from_row(row: &'row SqliteRow) -> SqlResult<Self> {
        Ok(Self(T::from_row(row).ok()))
    }
}

/// As [`readable`], of rows of columns.
pub(crate) fn legible<T>(rows: Vec<Lenient<T>>, table: &str) -> Vec<T> {
    said(rows.into_iter().map(|row| row.0), table)
}

fn said<T>(rows: impl ExactSizeIterator<Item = Option<T>>, table: &str) -> Vec<T> {
    let all = rows.len();
    let read: Vec<T> = rows.flatten().collect();
    let left_out = all - read.len();
    if left_out > 0 {
        tracing::warn!(left_out, table, "rows of the coach cannot be read");
    }
    read
}
