use super::latency::{latency_of, latency_text};
use ccd_agents::ProgramEntry;
use ccd_mcp::Reach;
use ccd_protocol::tape::{Decorator, FallbackMode, IgnoredArg, Latency, RecordMode};
use ccd_tape::name::NameTemplate;
use ccd_tape::settings::{OptionalPath, OptionalTag, is_tag};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The types of configuration keys, and their form in the file.
pub(super) trait Setting: Sized {
    fn to_json(&self) -> Value;

    /// Returns the value, or `None` if `json` has another type or is out of range.
    fn from_json(json: &Value) -> Option<Self>;
}

/// Types that the file spells as serde does, after `$spelled` was applied.
macro_rules! as_in_serde {
    ($spelled:expr; $($type:ty),+) => {$(
        impl Setting for $type {
            fn to_json(&self) -> Value {
                serde_json::to_value(self).unwrap_or_default()
            }

            fn from_json(json: &Value) -> Option<Self> {
                serde_json::from_value($spelled(json)).ok()
            }
        }
    )+};
}

as_in_serde!(Value::clone; bool, String, Vec<String>, Vec<PathBuf>, Vec<Decorator>, Vec<IgnoredArg>, Vec<ProgramEntry>, Option<bool>);

// The file may spell these in upper case too.
as_in_serde!(lower_case; TerminalNotice, RecordMode, FallbackMode, Reach, LogLevel, LogFormat, LogDestination);

fn lower_case(word: &Value) -> Value {
    let word = word.as_str().map(str::to_ascii_lowercase);
    word.map_or(Value::Null, Value::String)
}

/// The escape sequence that shows a notification in terminals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TerminalNotice {
    #[default]
    None,
    /// iTerm2, Windows Terminal, ConEmu.
    Osc9,
    /// kitty.
    Osc99,
    /// urxvt, foot, Ghostty, WezTerm.
    Osc777,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogDestination {
    File,
    Journal,
    Stderr,
}

impl LogLevel {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::from_json(&name.into())
    }
}

/// Returns a non-negative whole number, even if it is written as 1e6 or 2.0.
pub(super) fn whole(json: &Value) -> Option<u64> {
    /// Above this, f64 skips whole numbers.
    const MAX_EXACT: f64 = (1_u64 << 53) as f64;
    json.as_u64().or_else(|| {
        json.as_f64()
            .filter(|number| number.fract() == 0.0 && (0.0..=MAX_EXACT).contains(number))
            .map(|number| number as u64)
    })
}

macro_rules! whole_numbers {
    ($($type:ty),+) => {$(
        impl Setting for $type {
            fn to_json(&self) -> Value {
                (*self).into()
            }

            fn from_json(json: &Value) -> Option<Self> {
                whole(json)?.try_into().ok()
            }
        }
    )+};
}

whole_numbers!(u16, u32, u64, usize);

/// Seconds, with a fraction down to a millisecond.
impl Setting for Duration {
    fn to_json(&self) -> Value {
        if self.subsec_millis() == 0 {
            return self.as_secs().into();
        }
        Number::from_f64(self.as_secs_f64()).map_or(Value::Null, Value::Number)
    }

    fn from_json(json: &Value) -> Option<Self> {
        let seconds = Duration::try_from_secs_f64(json.as_f64()?).ok()?;
        // A value above 0 must not become 0, because 0 often means "no limit".
        let millis = seconds.as_micros().div_ceil(1000);
        Some(Duration::from_millis(millis.try_into().ok()?))
    }
}

/// An absolute path.
impl Setting for PathBuf {
    fn to_json(&self) -> Value {
        self.to_string_lossy().into_owned().into()
    }

    fn from_json(json: &Value) -> Option<Self> {
        let path = Path::new(json.as_str()?);
        let is_usable = path.is_absolute() && !path.as_os_str().as_encoded_bytes().contains(&0);
        is_usable.then(|| path.to_owned())
    }
}

impl Setting for OptionalPath {
    fn to_json(&self) -> Value {
        let path = self.0.as_ref();
        path.map_or_else(|| "".into(), Setting::to_json)
    }

    fn from_json(json: &Value) -> Option<Self> {
        match json.as_str()? {
            "" => Some(Self(None)),
            _ => PathBuf::from_json(json).map(|path| Self(Some(path))),
        }
    }
}

/// A path, or null.
impl Setting for Option<PathBuf> {
    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, Setting::to_json)
    }

    fn from_json(json: &Value) -> Option<Self> {
        match json {
            Value::Null => Some(None),
            path => PathBuf::from_json(path).map(Some),
        }
    }
}

impl Setting for f64 {
    fn to_json(&self) -> Value {
        match whole(&Value::from(*self)) {
            Some(number) => number.into(),
            None => (*self).into(),
        }
    }

    fn from_json(json: &Value) -> Option<Self> {
        json.as_f64().filter(|number| number.is_finite())
    }
}

/// Replay delays; `None` means: as the tape says.
impl Setting for Option<Latency> {
    fn to_json(&self) -> Value {
        latency_text(self.as_ref()).into()
    }

    fn from_json(json: &Value) -> Option<Self> {
        latency_of(json.as_str()?)
    }
}

impl Setting for NameTemplate {
    fn to_json(&self) -> Value {
        self.to_string().into()
    }

    fn from_json(json: &Value) -> Option<Self> {
        NameTemplate::new(json.as_str()?).ok()
    }
}

impl Setting for OptionalTag {
    fn to_json(&self) -> Value {
        self.0.as_deref().unwrap_or_default().into()
    }

    fn from_json(json: &Value) -> Option<Self> {
        match json.as_str()? {
            "" => Some(Self(None)),
            tag => is_tag(tag).then(|| Self(Some(tag.to_owned()))),
        }
    }
}

macro_rules! limits {
    ($($type:ty),+) => {$(
        /// A limit; 0 in the file means no limit.
        impl Setting for Option<$type> {
            fn to_json(&self) -> Value {
                self.unwrap_or_default().to_json()
            }

            fn from_json(json: &Value) -> Option<Self> {
                let limit = <$type>::from_json(json)?;
                Some((limit != <$type>::default()).then_some(limit))
            }
        }
    )+};
}

limits!(u64, usize, Duration);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_read_in_every_spelling_that_is_exact() {
        assert_eq!(u32::from_json(&json!(7)), Some(7));
        assert_eq!(u32::from_json(&json!(7.0)), Some(7));
        assert_eq!(u64::from_json(&json!(1e6)), Some(1_000_000));
        for refused in [json!(-1), json!(1.5), json!("7"), json!(true), json!(null)] {
            assert_eq!(u64::from_json(&refused), None, "{refused}");
        }
        assert_eq!(u16::from_json(&json!(65_536)), None);
    }

    #[test]
    fn seconds_keep_their_fraction_and_never_shrink_to_no_limit() {
        assert_eq!(
            Duration::from_json(&json!(0.25)),
            Some(Duration::from_millis(250))
        );
        assert_eq!(
            Duration::from_json(&json!(1e-6)),
            Some(Duration::from_millis(1))
        );
        assert_eq!(Duration::from_millis(250).to_json(), json!(0.25));
        assert_eq!(Duration::from_secs(300).to_json(), json!(300));
        for refused in [json!(-1), json!(1e300), json!("5s")] {
            assert_eq!(Duration::from_json(&refused), None, "{refused}");
        }
    }

    #[test]
    fn zero_is_no_limit_both_ways() {
        assert_eq!(Option::<usize>::from_json(&json!(0)), Some(None));
        assert_eq!(Option::<usize>::from_json(&json!(3)), Some(Some(3)));
        assert_eq!(Option::<usize>::from_json(&json!("none")), None);
        assert_eq!(None::<Duration>.to_json(), json!(0));
    }

    #[test]
    fn words_are_read_in_any_case_and_written_in_lower_case() {
        assert_eq!(LogLevel::from_json(&json!("INFO")), Some(LogLevel::Info));
        assert_eq!(LogLevel::Warn.to_json(), json!("warn"));
        assert_eq!(LogLevel::from_json(&json!("loud")), None);
    }
}
