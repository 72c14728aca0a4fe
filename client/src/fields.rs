//! Members of records that are read as JSON, because only few of them are needed or they are only shown.

use serde_json::Value;

const NOTHING: &Value = &Value::Null;

pub(crate) trait Fields {
    /// The value at a path of names and numbers, `usage.total` or `turns.0`; `.` is the record itself.
    fn at(&self, path: &str) -> &Value;

    /// A text; empty if there is none.
    fn text(&self, path: &str) -> &str {
        self.at(path).as_str().unwrap_or_default()
    }

    /// A number; 0 if there is none.
    fn number(&self, path: &str) -> u64 {
        self.at(path).as_u64().unwrap_or_default()
    }

    fn list(&self, path: &str) -> &[Value] {
        self.at(path).as_array().map_or(&[], Vec::as_slice)
    }

    /// False for what is missing, `false`, 0 or empty.
    fn has(&self, path: &str) -> bool {
        match self.at(path) {
            Value::Null => false,
            Value::Bool(is) => *is,
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Object(members) => !members.is_empty(),
        }
    }
}

impl Fields for Value {
    fn at(&self, path: &str) -> &Value {
        let names = path.split('.').filter(|name| !name.is_empty());
        let mut found = self;
        for name in names {
            let inner = match found {
                Value::Array(items) => name.parse().ok().and_then(|at: usize| items.get(at)),
                other => other.get(name),
            };
            found = inner.unwrap_or(NOTHING);
        }
        found
    }
}
