//! What a recording is told of an input, and what it says to it.

/// Something that was typed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Typed<'a> {
    pub(crate) bytes: &'a [u8],
    /// Of the output when it was typed.
    pub(crate) offset: u64,
    /// The terminal did not show it.
    pub(crate) unseen: bool,
    /// Whoever typed it says that it is a secret.
    pub(crate) is_secret: bool,
    /// The program reads keys, not lines.
    pub(crate) keys: bool,
    pub(crate) command: Option<CommandLine<'a>>,
}

/// A line that the daemon makes of a command for a shell: no secret, shown or not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandLine<'a> {
    /// The shell shows secrets in it, until it prints this.
    pub(crate) cut_echo: Option<&'a str>,
}

/// What became of something that was typed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Noted {
    /// Only [`super::Recording::kept`] has it, or what was learned from it: the file has nothing of it yet, or a mask.
    pub(crate) must_keep: bool,
    /// It goes on with a secret, although the terminal shows it.
    pub(crate) is_secret: bool,
}
