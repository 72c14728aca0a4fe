//! Rows of tables as structs.

use crate::Connection;
use sqlx::query_builder::Separated;
use sqlx::{QueryBuilder, Sqlite};

/// Rows of one statement: each statement is a round trip to the database's thread, whatever it inserts.
const ROWS_PER_INSERT: usize = 32;

pub type Values<'a> = Separated<'a, Sqlite, &'static str>;

/// A row that can be inserted by [`insert`]; [`row!`](crate::row!) implements it.
pub trait Row {
    /// The inserted columns, separated by commas, in the order of [`Self::bind`].
    const COLUMNS: &'static str;

    fn bind(&self, values: Values<'_>);
}

/// Inserts rows with `statement`, in which `{columns}` is replaced by their columns and `{values}` by a `VALUES`
/// clause: `INSERT INTO table ({columns}) {values}`.
pub async fn insert<R: Row + Sync>(
    connection: &mut Connection,
    statement: &str,
    rows: &[R],
) -> sqlx::Result<()> {
    let statement = statement.replace("{columns}", R::COLUMNS);
    let (start, end) = statement.split_once("{values}").unwrap_or((&statement, ""));
    for rows in rows.chunks(ROWS_PER_INSERT) {
        let mut query = QueryBuilder::new(start);
        query.push_values(rows, |values, row| row.bind(values));
        query.push(end).build().execute(&mut *connection).await?;
    }
    Ok(())
}

/// Defines the struct of a table's row: each field is the column of the same name.
/// Implements [`Row`], and what `query_as` needs. Fields in a `reads` block are read and never inserted, such as an id
/// that the database assigns.
#[macro_export]
macro_rules! row {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty,)*
        }
        $(reads {
            $($(#[$read_meta:meta])* $read_vis:vis $read:ident: $read_type:ty,)*
        })?
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$field_meta])* $field_vis $field: $type,)*
            $($($(#[$read_meta])* $read_vis $read: $read_type,)*)?
        }

        impl $crate::Row for $name {
            const COLUMNS: &'static str = $crate::row!(@list $($field)*);

            fn bind(&self, mut values: $crate::Values<'_>) {
                $(values.push_bind(&self.$field);)*
            }
        }

        impl<'row> $crate::hidden::FromRow<'row, $crate::hidden::SqliteRow> for $name {
            fn from_row(row: &'row $crate::hidden::SqliteRow) -> $crate::SqlResult<Self> {
                use $crate::hidden::Row as _;
                Ok(Self {
                    $($field: row.try_get(stringify!($field))?,)*
                    $($($read: row.try_get(stringify!($read))?,)*)?
                })
            }
        }
    };
    (@list $first:ident $($other:ident)*) => {
        concat!(stringify!($first) $(, ", ", stringify!($other))*)
    };
}
