//! The table of prices in force: the built-in one, or a file of the user's.

use super::Prices;
use crate::ConversationError;
use crate::error::Result;
use crate::source::hash;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::{Arc, LazyLock};

const MAX_BYTES: u64 = 4 << 20;

/// A table, and what distinguishes it from others: equal tables have the same number in every process.
#[derive(Debug, Clone)]
pub(crate) struct Priced {
    pub(crate) prices: Arc<Prices>,
    pub(crate) number: u64,
}

static BUILT_IN: LazyLock<Priced> =
    LazyLock::new(|| Priced::new(Prices::built_in(), Prices::BUILT_IN));

impl Priced {
    fn new(prices: Prices, text: &str) -> Self {
        Self {
            prices: Arc::new(prices),
            number: hash(text.as_bytes()),
        }
    }

    /// Returns the built-in table, or that of a file as it is now. Blocks.
    pub(crate) fn read(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else {
            return Ok(BUILT_IN.clone());
        };
        let wrong = |why| ConversationError::Prices {
            path: path.to_owned(),
            why,
        };
        let text = text_of(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => wrong("no such file".to_owned()),
            _ => wrong(error.to_string()),
        })?;
        let prices = Prices::parse(&text).map_err(|error| wrong(error.to_string()))?;
        Ok(Self::new(prices, &text))
    }
}

fn text_of(path: &Path) -> io::Result<String> {
    // Opening a named pipe would wait for its writer.
    let found = fs::metadata(path)?;
    if !found.is_file() || found.len() > MAX_BYTES {
        let limit = MAX_BYTES >> 20;
        let text = format!("not a file of at most {limit} MiB");
        return Err(io::Error::other(text));
    }
    let mut text = String::new();
    File::open(path)?
        .take(MAX_BYTES)
        .read_to_string(&mut text)?;
    Ok(text)
}
