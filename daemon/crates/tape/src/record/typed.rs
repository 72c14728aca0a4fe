//! The messages between a session and its recording about an input.

#[derive(Debug, Clone, Copy)]
pub struct Typed<'a> {
    pub bytes: &'a [u8],
    /// Offset of the output when they were typed.
    pub offset: u64,
    /// The terminal did not echo them.
    pub unseen: bool,
    /// The client that typed them declared them a secret.
    pub is_secret: bool,
    /// The program reads keys, not lines.
    pub keys: bool,
    pub command: Option<CommandLine<'a>>,
}

/// A line that the daemon made of a command for a shell; it is not a secret, whether shown or not.
#[derive(Debug, Clone, Copy)]
pub struct CommandLine<'a> {
    /// The shell's echo contains secrets, until it prints this text.
    pub cut_echo: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Noted {
    /// The file does not contain the input yet, or only its mask, so [`super::Recording::kept`] must be handed over.
    pub must_keep: bool,
    /// It continues a secret, although the terminal shows it.
    pub is_secret: bool,
}
