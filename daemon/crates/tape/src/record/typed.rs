//! What a recording is told of an input, and what it says to it.

/// Something that was typed.
#[derive(Debug, Clone, Copy)]
pub struct Typed<'a> {
    pub bytes: &'a [u8],
    /// Of the output when it was typed.
    pub offset: u64,
    /// The terminal did not show it.
    pub unseen: bool,
    /// Whoever typed it says that it is a secret.
    pub is_secret: bool,
    /// The program reads keys, not lines.
    pub keys: bool,
    pub command: Option<CommandLine<'a>>,
}

/// A line that the daemon makes of a command for a shell: no secret, shown or not.
#[derive(Debug, Clone, Copy)]
pub struct CommandLine<'a> {
    /// The shell shows secrets in it, until it prints this.
    pub cut_echo: Option<&'a str>,
}

/// What became of something that was typed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Noted {
    /// Only [`super::Recording::kept`] has it, or what was learned from it: the file has nothing of it yet, or a mask.
    pub must_keep: bool,
    /// It goes on with a secret, although the terminal shows it.
    pub is_secret: bool,
}
