//! What a program inherits from the caller that has it started.

use crate::named::named;
use serde::{Deserialize, Serialize};
use serde_with::apply;
use std::collections::BTreeMap;

/// What a program inherits from its caller: members of the parameters of each method that starts one.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Inherited {
    /// The caller's whole environment. Absent: a minimal one (HOME, USER, LOGNAME, SHELL, PATH, LANG); for `exec.run`, the
    /// daemon's.
    pub caller_env: Option<BTreeMap<String, String>>,
    /// The caller's file mode mask, in octal digits. Default: `022`.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub umask: Option<Umask>,
    /// The caller's soft limits, in the units of `getrlimit(2)`, by resource: `as`, `core`, `cpu`, `data`, `fsize`, `memlock`,
    /// `nofile`, `nproc`, `stack`; null: unlimited. Default of each: the daemon's.
    pub limits: Limits,
}

/// Soft limits by resource, in the units of `getrlimit(2)`: bytes, seconds (`cpu`), or a number. `None`: unlimited.
pub type Limits = BTreeMap<Resource, Option<u64>>;

named! {
    /// A resource of a process that has a limit.
    Resource {
        As = "as",
        Core = "core",
        Cpu = "cpu",
        Data = "data",
        Fsize = "fsize",
        Memlock = "memlock",
        Nofile = "nofile",
        Nproc = "nproc",
        Stack = "stack",
    }
}

/// A file mode mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Umask(u32);

impl Umask {
    /// That of a program whose caller names none.
    pub const DEFAULT: Self = Self(0o022);

    /// Returns the mask of these bits; others than those of permissions count for nothing.
    #[must_use]
    pub fn of_bits(bits: u32) -> Self {
        Self(bits & 0o777)
    }

    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }
}

impl TryFrom<String> for Umask {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let is_octal = !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
        let bits = u32::from_str_radix(&text, 8).ok();
        match bits.filter(|bits| is_octal && *bits <= 0o777) {
            Some(bits) => Ok(Self(bits)),
            None => Err(format!("umask {text:?} is not 000 to 777 in octal digits")),
        }
    }
}

impl From<Umask> for String {
    fn from(mask: Umask) -> Self {
        format!("{:03o}", mask.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_mask_is_octal_digits_and_a_limit_is_a_number_or_null() {
        let read = |value: serde_json::Value| serde_json::from_value::<Inherited>(value);
        for (text, bits) in [("022", 0o22), ("0077", 0o77), ("7", 7), ("000", 0)] {
            let read = read(json!({"umask": text})).unwrap();
            assert_eq!(read.umask.unwrap().bits(), bits);
        }
        for bad in [
            json!("8"),
            json!(""),
            json!("1000"),
            json!("+22"),
            json!(22),
        ] {
            assert!(read(json!({"umask": bad})).is_err(), "{bad}");
        }
        let limits = json!({"limits": {"nofile": 64, "core": null}});
        let inherited = read(limits.clone()).unwrap();
        let expected = [(Resource::Core, None), (Resource::Nofile, Some(64))];
        assert_eq!(inherited.limits, expected.into());
        assert_eq!(serde_json::to_value(&inherited).unwrap(), limits);
        for bad in [json!({"nofile": -1}), json!({"no": 1}), json!([])] {
            assert!(read(json!({"limits": bad})).is_err(), "{bad}");
        }
    }

    #[test]
    fn each_resource_has_its_name() {
        for resource in Resource::ALL {
            assert_eq!(json!(resource), resource.name());
        }
    }
}
