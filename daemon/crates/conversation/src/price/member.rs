//! Values of a table, each with the key that leads to it.

use super::PriceError;
use serde_json::{Map, Value};
use time::macros::format_description;
use time::{Date, OffsetDateTime, Time};

/// The largest price or factor. With it, no cost is infinite.
const MAX_NUMBER: f64 = 1_000_000.0;
const MAX_SHOWN_CHARS: usize = 60;

/// A member of an object, or the whole table. `null` is as good as absent.
#[derive(Debug)]
pub(super) struct Member<'a> {
    key: String,
    value: Option<&'a Value>,
}

impl<'a> Member<'a> {
    pub(super) fn table(value: &'a Value) -> Self {
        let key = String::new();
        let value = Some(value);
        Self { key, value }
    }

    pub(super) fn member(&self, name: &str) -> Result<Self, PriceError> {
        let value = self.object()?.get(name);
        let key = match self.key.as_str() {
            "" => name.to_owned(),
            key => format!("{key}.{name}"),
        };
        let value = value.filter(|value| !value.is_null());
        Ok(Self { key, value })
    }

    pub(super) fn members(&self) -> Result<Vec<(&'a str, Self)>, PriceError> {
        let names = self.object()?.keys();
        names
            .map(|name| Ok((name.as_str(), self.member(name)?)))
            .collect()
    }

    pub(super) fn optional<T>(
        &self,
        read: impl Fn(&Self) -> Result<T, PriceError>,
    ) -> Result<Option<T>, PriceError> {
        self.value.map(|_| read(self)).transpose()
    }

    pub(super) fn text(&self) -> Result<&'a str, PriceError> {
        let text = self.value.and_then(Value::as_str);
        text.ok_or_else(|| self.wrong("a text"))
    }

    pub(super) fn number(&self) -> Result<f64, PriceError> {
        let number = self.value.and_then(Value::as_f64);
        number
            .filter(|number| (0.0..=MAX_NUMBER).contains(number))
            .ok_or_else(|| self.wrong("a number from 0 to 1000000"))
    }

    pub(super) fn count(&self) -> Result<u64, PriceError> {
        let count = self.value.and_then(Value::as_u64);
        count.ok_or_else(|| self.wrong("a whole number of tokens"))
    }

    /// Reads a date; returns its first moment in UTC.
    pub(super) fn date(&self) -> Result<OffsetDateTime, PriceError> {
        let format = format_description!("[year]-[month]-[day]");
        let date = self.value.and_then(Value::as_str);
        let date = date.and_then(|text| Date::parse(text, format).ok());
        let date = date.ok_or_else(|| self.wrong("a date such as \"2026-11-23\""))?;
        Ok(date.with_time(Time::MIDNIGHT).assume_utc())
    }

    pub(super) fn list(&self) -> Result<Vec<Self>, PriceError> {
        let list = self.value.and_then(Value::as_array);
        let list = list.ok_or_else(|| self.wrong("a list"))?;
        let numbered = list.iter().enumerate();
        Ok(numbered
            .map(|(index, value)| Self {
                key: format!("{}[{index}]", self.key),
                value: Some(value),
            })
            .collect())
    }

    fn object(&self) -> Result<&'a Map<String, Value>, PriceError> {
        let object = self.value.and_then(Value::as_object);
        object.ok_or_else(|| self.wrong("an object"))
    }

    /// Returns the error of a value that is not what it must be.
    pub(super) fn wrong(&self, expected: &'static str) -> PriceError {
        let found = match self.value {
            None => "nothing".to_owned(),
            Some(Value::Array(_)) => "a list".to_owned(),
            Some(Value::Object(_)) => "an object".to_owned(),
            Some(value) => value.to_string().chars().take(MAX_SHOWN_CHARS).collect(),
        };
        let key = match self.key.as_str() {
            "" => "the table".to_owned(),
            key => key.to_owned(),
        };
        PriceError::Value {
            key,
            expected,
            found,
        }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }
}
