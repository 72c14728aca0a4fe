//! What a terminal in canonical mode does with what is typed: it keeps lines of a limited length, and acts on some bytes.

/// Longest line the kernel keeps for a program that reads lines.
pub const LINE_LEN: usize = 4095;

/// Longest piece of a line that is handed over at once: below what Linux keeps, and the 1,024 bytes of other systems.
pub const PIECE_LEN: usize = if cfg!(target_os = "linux") {
    4000
} else {
    1000
};

/// `^D` ends the input at the begin of a line; inside a line it hands over what is there.
pub const END_OF_INPUT: u8 = 0x04;

/// `^V` makes the terminal take the next byte as it is.
pub const QUOTE: u8 = 0x16;

/// Types a byte so that the program reads it: a terminal may act on any control character but these two.
pub fn type_byte(typed: &mut Vec<u8>, byte: u8) {
    if byte.is_ascii_control() && !matches!(byte, b'\n' | b'\t') {
        typed.push(QUOTE);
    }
    typed.push(byte);
}
