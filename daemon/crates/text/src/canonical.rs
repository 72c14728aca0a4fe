//! How a terminal in canonical mode treats input: it limits the length of lines, and acts on some bytes.

/// Maximum length of a line that the kernel passes to a program that reads lines.
pub const LINE_LEN: usize = 4095;

/// Maximum part of a line that is passed on at once: less than the limit of Linux and the 1,024 bytes of other systems.
pub const PIECE_LEN: usize = if cfg!(target_os = "linux") {
    4000
} else {
    1000
};

/// `^D` ends the input at the start of a line; within a line, it passes on the part typed so far.
pub const END_OF_INPUT: u8 = 0x04;

/// `^V` makes the terminal take the next byte as it is.
pub const QUOTE: u8 = 0x16;

/// Types a byte so that the program reads it: a terminal may act on any control character except these two.
pub fn type_byte(typed: &mut Vec<u8>, byte: u8) {
    if byte.is_ascii_control() && !matches!(byte, b'\n' | b'\t') {
        typed.push(QUOTE);
    }
    typed.push(byte);
}
