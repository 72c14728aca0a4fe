//! The colours of the terminal: xterm's 256, on a dark background.

/// Red, green and blue of text without a colour of its own.
pub(crate) const FOREGROUND: (u8, u8, u8) = (0xff, 0xff, 0xff);
/// Red, green and blue behind text.
pub(crate) const BACKGROUND: (u8, u8, u8) = (0, 0, 0);

const NAMED: [(u8, u8, u8); 16] = [
    (0x00, 0x00, 0x00),
    (0xcd, 0x00, 0x00),
    (0x00, 0xcd, 0x00),
    (0xcd, 0xcd, 0x00),
    (0x00, 0x00, 0xee),
    (0xcd, 0x00, 0xcd),
    (0x00, 0xcd, 0xcd),
    (0xe5, 0xe5, 0xe5),
    (0x7f, 0x7f, 0x7f),
    (0xff, 0x00, 0x00),
    (0x00, 0xff, 0x00),
    (0xff, 0xff, 0x00),
    (0x5c, 0x5c, 0xff),
    (0xff, 0x00, 0xff),
    (0x00, 0xff, 0xff),
    (0xff, 0xff, 0xff),
];

/// Returns red, green and blue of colour `index`: 16 named ones, a cube of 216, 24 greys.
pub(crate) fn color(index: u8) -> (u8, u8, u8) {
    match index {
        0..16 => NAMED[usize::from(index)],
        16..232 => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let place = index - 16;
            (level(place / 36), level(place / 6 % 6), level(place % 6))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_and_the_greys_are_those_of_xterm() {
        assert_eq!(
            [16, 21, 67, 231].map(color),
            [(0, 0, 0), (0, 0, 255), (95, 135, 175), (255, 255, 255)]
        );
        assert_eq!([232, 255].map(color), [(8, 8, 8), (238, 238, 238)]);
        assert_eq!(color(9), (255, 0, 0));
    }
}
