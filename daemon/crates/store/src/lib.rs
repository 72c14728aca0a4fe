//! SQLite databases, each with one writer that commits in groups and a few readers; and directories of JSON documents.
//! A database is defined by its [`Schema`] (migrations, durability) and its writes ([`Write`]). No other crate needs
//! sqlx.
//!
//! Layers, top first; none uses one before it: `folder` → `open` → `database` → `documents`, `row`, `writer`, `error` →
//! `write`, `tidy`, `forget`, `own_file`, `memory`, `limits`.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

mod database;
#[cfg(test)]
mod database_tests;
pub mod documents;
mod error;
pub mod folder;
mod forget;
mod limits;
mod memory;
mod open;
pub mod own_file;
mod row;
mod tidy;
mod write;
mod writer;

pub use database::{Database, Store, delete};
pub use documents::{blocking, blocking_io};
pub use error::StoreError;
pub use forget::forget_files;
pub use memory::give_back_memory_soon;
pub use open::{Column, Opened, Opening, Schema, set_aside_replaced};
pub use row::{Row, Values, insert};
pub use sqlx::sqlite::{
    SqliteConnection as Connection, SqlitePool as ReadPool, SqliteSynchronous as Synchronous,
};
pub use sqlx::{
    AssertSqlSafe, Error as SqlError, Result as SqlResult, query, query_as, query_scalar,
};
pub use write::{AnyWrite, Write};

/// Used by the expansion of [`row!`].
#[doc(hidden)]
pub mod hidden {
    pub use sqlx::sqlite::SqliteRow;
    pub use sqlx::{FromRow, Row};
}
