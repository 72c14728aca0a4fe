//! The keys of a tape: how they are written, and their other spellings.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TapeObject {
    Tape,
    Meta,
    Pty,
    Session,
    Exchange,
    Pre,
    Input,
    Output,
    Chunk,
    Exit,
}

impl TapeObject {
    /// All keys in the order in which they are written. Each list starts with the written form, followed by other
    /// spellings.
    pub(super) fn keys(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Tape => &[&["meta"], &["session"], &["exchanges"]],
            Self::Meta => &[
                &["createdAt", "created_at"],
                &["program"],
                &["args"],
                &["env"],
                &["cwd"],
                &["pty"],
                &["tag"],
                &["latency"],
                &["errorRate", "error_rate"],
                &["seed"],
                &["redact"],
                &["plain"],
            ],
            Self::Pty => &[&["rows"], &["cols", "columns"]],
            Self::Session => &[
                &["platform"],
                &["version"],
                &["flags"],
                &["format", "format_version", "formatVersion"],
            ],
            Self::Exchange => &[
                &["pre"],
                &["input"],
                &["output"],
                &["exit"],
                &["dur_ms", "duration_ms", "durMs", "durationMs"],
                &["annotations"],
            ],
            Self::Pre => &[
                &["prompt"],
                &["stateHash", "state_hash"],
                &["hidden"],
                &["keys"],
            ],
            Self::Input => &[
                &["type", "kind"],
                &["dataText", "data_text"],
                &["dataBytesB64", "data_bytes_b64", "dataB64", "data_b64"],
                &["unfinished"],
            ],
            Self::Output => &[&["chunks"]],
            Self::Chunk => &[
                &["delay_ms", "delayMs"],
                &["dataB64", "data_b64"],
                &["dataText", "data_text"],
                &["isUtf8", "is_utf8"],
                &["stream"],
            ],
            Self::Exit => &[&["code"], &["signal"]],
        }
    }

    /// Returns the written form of a key; an unknown key is returned unchanged.
    pub(super) fn canonical(self, key: &str) -> &str {
        self.known(key).unwrap_or(key)
    }

    pub(super) fn known(self, key: &str) -> Option<&'static str> {
        let mut all = self.keys().iter();
        let spellings = all.find(|spellings| spellings.contains(&key))?;
        spellings.first().copied()
    }

    /// Returns the kind of object that is the value of a key, if it has a fixed shape.
    pub(super) fn part_at(self, key: &str) -> Option<Self> {
        Some(match (self, self.known(key)?) {
            (Self::Tape, "meta") => Self::Meta,
            (Self::Tape, "session") => Self::Session,
            (Self::Tape, "exchanges") => Self::Exchange,
            (Self::Meta, "pty") => Self::Pty,
            (Self::Exchange, "pre") => Self::Pre,
            (Self::Exchange, "input") => Self::Input,
            (Self::Exchange, "output") => Self::Output,
            (Self::Exchange, "exit") => Self::Exit,
            (Self::Output, "chunks") => Self::Chunk,
            _ => return None,
        })
    }
}
