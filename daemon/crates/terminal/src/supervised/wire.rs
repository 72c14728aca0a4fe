//! What the worker and the supervisor say to each other.

use crate::process_settings::ProcessSettings;
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use std::time::Duration;

/// The first argument of a supervisor.
pub(super) const ARGUMENT: &str = "--supervise";

/// Maximum length of what describes a program: the kernel accepts no longer arguments and environment.
const MAX_PROGRAM_BYTES: u32 = 8 << 20;

/// A program to be started. Its standard output and error are those of the supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Absolute.
    pub path: String,
    pub arguments: Vec<String>,
    pub cwd: std::path::PathBuf,
    /// The whole environment.
    pub env: Vec<(String, String)>,
    pub settings: ProcessSettings,
}

/// How a program is asked to end: INT at once, TERM and KILL later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// TERM after 5 s, KILL after 7 s: it can finish what it writes.
    Patient,
    /// TERM after 1 s, KILL after 2 s.
    Quick,
}

impl Pace {
    pub(super) const ALL: [Self; 2] = [Self::Patient, Self::Quick];

    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Patient => b'p',
            Self::Quick => b'q',
        }
    }

    pub(super) fn until_term(self) -> Duration {
        match self {
            Self::Patient => Duration::from_secs(5),
            Self::Quick => Duration::from_secs(1),
        }
    }

    pub(super) fn until_kill(self) -> Duration {
        match self {
            Self::Patient => Duration::from_secs(7),
            Self::Quick => Duration::from_secs(2),
        }
    }
}

/// What the supervisor reports, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    Started {
        pid: i32,
    },
    /// The kernel's error number. Nothing follows.
    NotStarted {
        errno: i32,
    },
    Exited(ProgramEnd),
    /// Everything that the program has started has ended; `left` processes could not be killed within a few seconds.
    Gone {
        left: u32,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgramEnd {
    Code(i32),
    Signal(i32),
}

pub(super) fn bytes_of<T: Serialize>(value: &T) -> io::Result<Vec<u8>> {
    let body = postcard::to_stdvec(value).map_err(io::Error::other)?;
    let len = u32::try_from(body.len()).map_err(io::Error::other)?;
    let mut bytes = len.to_le_bytes().to_vec();
    bytes.extend(body);
    Ok(bytes)
}

pub(super) fn read_program(start: &[u8], mut source: impl Read) -> io::Result<Program> {
    let mut source = start.chain(&mut source);
    let mut len = [0; 4];
    source.read_exact(&mut len)?;
    let len = u32::from_le_bytes(len);
    if len > MAX_PROGRAM_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; len as usize];
    source.read_exact(&mut body)?;
    postcard::from_bytes(&body).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_read_as_it_was_written() {
        let program = Program {
            path: "/bin/x".into(),
            arguments: vec!["-p".into(), "a\nb".into()],
            cwd: "/tmp".into(),
            env: vec![("A".into(), "ä".into())],
            settings: ProcessSettings::from_word("77,core=0").unwrap(),
        };
        let bytes = bytes_of(&program).unwrap();
        for cut in [0, 1, 4, 9, bytes.len()] {
            assert_eq!(read_program(&bytes[..cut], &bytes[cut..]).unwrap(), program);
        }
        assert!(read_program(&bytes[..9], &[][..]).is_err());
        assert!(read_program(&u32::MAX.to_le_bytes(), &[][..]).is_err());
    }
}
