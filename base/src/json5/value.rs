//! Values that a scanner keeps whole, up to a limit.

use super::fault::{Fault, Stop};
use super::scan::{Format, Kind, Scanned, Scanner};
use serde_json::{Map, Value};

impl<F: Format> Scanner<'_, F> {
    /// Takes any value as it is; `NaN` and `Infinity` become null, as in the json5 crate.
    pub fn value(&mut self) -> Scanned<Value, F> {
        let kind = self.kind()?;
        self.values += 1;
        if self.values > F::MAX_VALUES {
            let most = F::MAX_VALUES;
            return Err(Stop::at(self.offset(), Fault::TooMany { most }));
        }
        Ok(match kind {
            Kind::Object => self.map()?.into(),
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
                Value::Null
            }
        })
    }

    /// Takes an object with any values; if a key occurs twice, the last value counts.
    pub fn map(&mut self) -> Scanned<Map<String, Value>, F> {
        let mut members = Map::new();
        self.object(|scanner, key| {
            members.insert(key.name.into_owned(), scanner.value()?);
            Ok(())
        })?;
        Ok(members)
    }
}
