//! Assertions about parts of a text or a reply; each prints the whole of it.

use serde_json::Value;
use std::borrow::Cow;

/// A text, or a reply that is searched as one.
pub(crate) trait Text {
    fn text(&self) -> Cow<'_, str>;
}

impl Text for str {
    fn text(&self) -> Cow<'_, str> {
        self.into()
    }
}

impl Text for String {
    fn text(&self) -> Cow<'_, str> {
        self.into()
    }
}

impl<T: Text + ?Sized> Text for &T {
    fn text(&self) -> Cow<'_, str> {
        (**self).text()
    }
}

impl Text for Value {
    fn text(&self) -> Cow<'_, str> {
        self.as_str()
            .map_or_else(|| self.to_string().into(), Cow::from)
    }
}

/// Asserts that a text contains each of these parts.
#[track_caller]
pub(crate) fn assert_has<P: AsRef<str>>(
    text: &(impl Text + ?Sized),
    parts: impl IntoIterator<Item = P>,
) {
    let text = text.text();
    for part in parts {
        let part = part.as_ref();
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

/// Asserts that a text contains none of these parts.
#[track_caller]
pub(crate) fn assert_lacks<P: AsRef<str>>(
    text: &(impl Text + ?Sized),
    parts: impl IntoIterator<Item = P>,
) {
    let text = text.text();
    for part in parts {
        let part = part.as_ref();
        assert!(!text.contains(part), "{part:?} is in {text}");
    }
}

/// Asserts that an object has these fields with these values, at any depth; `null` is also a field that is absent.
#[track_caller]
pub(crate) fn assert_fields(whole: &Value, fields: Value) {
    assert_part(whole, whole, &fields, "");
}

#[track_caller]
fn assert_part(whole: &Value, found: &Value, expected: &Value, place: &str) {
    match expected {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, expected) in fields {
                assert_part(whole, &found[name], expected, &format!("{place}/{name}"));
            }
        }
        _ => assert_eq!(found, expected, "{place} of {whole}"),
    }
}
