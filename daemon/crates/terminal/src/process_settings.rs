//! What a program inherits besides its environment: file mode mask, limits of resources, no ignored signals.

use crate::own_process::reset_signals;
use ccd_protocol::{Inherited, Resource, Umask};
use rustix::fs::Mode;
use rustix::process::{Resource as Rlimited, Rlimit, getrlimit, setrlimit, umask};
use serde::{Deserialize, Serialize};

/// The file mode mask of a program, and those of its soft limits that its caller names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessSettings {
    pub umask: u32,
    /// `None`: unlimited.
    limits: Vec<(Resource, Option<u64>)>,
}

impl Default for ProcessSettings {
    fn default() -> Self {
        Self {
            umask: Umask::DEFAULT.bits(),
            limits: Vec::new(),
        }
    }
}

impl ProcessSettings {
    /// Returns the settings that a caller asks for, as far as they are allowed, and a warning for each limit that is not:
    /// nobody but root can exceed the hard limits of the daemon.
    #[must_use]
    pub fn allowed(inherited: &Inherited) -> (Self, Vec<String>) {
        let mut warnings = Vec::new();
        let mut allowed = |resource: Resource, wanted: Option<u64>| {
            let hard = getrlimit(rlimited(resource)).maximum;
            match hard {
                Some(hard) if wanted.is_none_or(|wanted| wanted > hard) => {
                    warnings.push(format!(
                        "the limit {} of the program is {hard} and not {}, because that of the daemon cannot be raised further",
                        resource.name(),
                        wanted.map_or("unlimited".to_owned(), |wanted| wanted.to_string())
                    ));
                    Some(hard)
                }
                _ => wanted,
            }
        };
        let limits = inherited.limits.iter();
        let limits = limits.map(|(resource, wanted)| (*resource, allowed(*resource, *wanted)));
        let settings = Self {
            umask: inherited.umask.unwrap_or(Umask::DEFAULT).bits(),
            limits: limits.collect(),
        };
        (settings, warnings)
    }

    /// Sets them in this process, which is about to become the program. Safe between fork and exec.
    pub(crate) fn apply(&self) {
        reset_signals();
        umask(Mode::from_bits_truncate(self.umask as _));
        for (resource, soft) in &self.limits {
            let resource = rlimited(*resource);
            let limit = Rlimit {
                current: *soft,
                maximum: getrlimit(resource).maximum,
            };
            // It is allowed, unless the hard limit was lowered meanwhile: then the program keeps what it has.
            let _ = setrlimit(resource, limit);
        }
    }

    /// Returns whether this process, or what `soft` returns in its place, has other limits.
    #[cfg(not(portable))]
    pub(crate) fn changes_limits(&self, soft: impl Fn(Resource) -> Option<Option<u64>>) -> bool {
        self.limits.iter().any(|(resource, wanted)| {
            let own = || getrlimit(rlimited(*resource)).current;
            soft(*resource).unwrap_or_else(own) != *wanted
        })
    }

    /// Returns them as a word for the arguments of a process.
    pub(crate) fn to_word(&self) -> String {
        let mut word = format!("{:o}", self.umask);
        for (resource, soft) in &self.limits {
            let soft = soft.map_or(String::new(), |soft| soft.to_string());
            word.push_str(&format!(",{}={soft}", resource.name()));
        }
        word
    }

    /// Reads a word of [`Self::to_word`].
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        let mut parts = word.split(',');
        let umask = u32::from_str_radix(parts.next()?, 8).ok()?;
        let limit = |part: &str| {
            let (name, soft) = part.split_once('=')?;
            let resource = Resource::ALL.into_iter().find(|one| one.name() == name)?;
            match soft {
                "" => Some((resource, None)),
                soft => Some((resource, Some(soft.parse().ok()?))),
            }
        };
        let limits = parts.map(limit).collect::<Option<_>>()?;
        Some(Self { umask, limits })
    }
}

fn rlimited(resource: Resource) -> Rlimited {
    match resource {
        Resource::As => Rlimited::As,
        Resource::Core => Rlimited::Core,
        Resource::Cpu => Rlimited::Cpu,
        Resource::Data => Rlimited::Data,
        Resource::Fsize => Rlimited::Fsize,
        Resource::Memlock => Rlimited::Memlock,
        Resource::Nofile => Rlimited::Nofile,
        Resource::Nproc => Rlimited::Nproc,
        Resource::Stack => Rlimited::Stack,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_above_the_hard_one_is_lowered_to_it_and_named() {
        let hard = getrlimit(Rlimited::Nofile).maximum;
        let of = |limits: &[(Resource, Option<u64>)]| {
            ProcessSettings::allowed(&Inherited {
                limits: limits.iter().copied().collect(),
                ..Inherited::default()
            })
        };
        let (settings, warnings) = of(&[(Resource::Nofile, Some(64)), (Resource::Core, Some(0))]);
        assert_eq!(settings.to_word(), "22,core=0,nofile=64");
        assert_eq!(warnings, [""; 0]);
        let Some(hard) = hard else {
            return;
        };
        for wanted in [None, Some(hard + 1)] {
            let (settings, warnings) = of(&[(Resource::Nofile, wanted)]);
            assert_eq!(settings.to_word(), format!("22,nofile={hard}"));
            assert!(
                warnings[0].starts_with(&format!("the limit nofile of the program is {hard} ")),
                "{warnings:?}"
            );
        }
    }

    #[test]
    fn settings_are_a_word_and_back() {
        for word in [
            "0",
            "22",
            "777,core=",
            "77,as=1,core=0,stack=18446744073709551615",
        ] {
            assert_eq!(ProcessSettings::from_word(word).unwrap().to_word(), word);
        }
        for word in ["", "9", "22,", "22,core", "22,x=1", "22,core=a"] {
            assert_eq!(ProcessSettings::from_word(word), None, "{word}");
        }
    }
}
