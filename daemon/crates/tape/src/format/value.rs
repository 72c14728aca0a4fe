//! What a scanner keeps whole, and how much of it.

use super::fault::{Fault, Stop};
use super::scan::{Kind, Scanned, Scanner};

/// Most chunks of a tape. What ccd writes is larger than `MAX_BYTES` before it has so many.
pub(super) const MAX_CHUNKS: u32 = 1_300_000;

/// Most values in annotations and in keys that nobody knows.
pub(super) const MAX_VALUES: u32 = 1_000_000;

impl Scanner<'_> {
    /// Takes any value as it is; `NaN` and `Infinity` become null, as in the json5 crate.
    pub(super) fn value(&mut self) -> Scanned<serde_json::Value> {
        let kind = self.kind()?;
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(self.too_many("values in annotations", MAX_VALUES));
        }
        Ok(match kind {
            Kind::Object => {
                let mut members = serde_json::Map::new();
                self.object(|scanner, key| {
                    members.insert(key.name.into_owned(), scanner.value()?);
                    Ok(())
                })?;
                members.into()
            }
            Kind::List => {
                let mut items = Vec::new();
                self.list(|scanner, _| {
                    items.push(scanner.value()?);
                    Ok(())
                })?;
                items.into()
            }
            Kind::Text => self.text()?.into(),
            Kind::Number => self.number_token()?.to_json(),
            Kind::Bool => self.bool()?.into(),
            Kind::Null => {
                self.word("null")?;
                serde_json::Value::Null
            }
        })
    }

    /// Counts a chunk.
    pub(super) fn count_chunk(&mut self) -> Scanned<()> {
        self.chunks += 1;
        if self.chunks > MAX_CHUNKS {
            return Err(self.too_many("chunks", MAX_CHUNKS));
        }
        Ok(())
    }

    pub(super) fn too_many(&self, what: &'static str, most: u32) -> Stop {
        Stop::at(self.offset(), Fault::TooMany { what, most })
    }
}
