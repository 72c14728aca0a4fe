//! The colours of the themes, from their specifications.

use ccd_protocol::image::ImageTheme;

#[derive(Debug)]
pub(super) struct Theme {
    pub(super) foreground: u32,
    pub(super) background: u32,
    pub(super) named: [u32; 16],
    /// Bold text in one of the first eight colours is drawn in the bright one, as in xterm.
    pub(super) is_bold_bright: bool,
}

pub(super) fn theme(name: ImageTheme) -> &'static Theme {
    match name {
        ImageTheme::Xterm => &XTERM,
        ImageTheme::Dark => &DARK,
        ImageTheme::Light => &LIGHT,
        ImageTheme::SolarizedDark => &SOLARIZED_DARK,
        ImageTheme::SolarizedLight => &SOLARIZED_LIGHT,
        ImageTheme::Dracula => &DRACULA,
    }
}

pub(super) const XTERM: Theme = Theme {
    foreground: 0xffffff,
    background: 0x000000,
    named: [
        0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, //
        0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
    ],
    is_bold_bright: true,
};

/// GitHub's dark colours (Primer).
const DARK: Theme = Theme {
    foreground: 0xe6edf3,
    background: 0x0d1117,
    named: [
        0x484f58, 0xff7b72, 0x3fb950, 0xd29922, 0x58a6ff, 0xbc8cff, 0x39c5cf, 0xb1bac4, //
        0x6e7681, 0xffa198, 0x56d364, 0xe3b341, 0x79c0ff, 0xd2a8ff, 0x56d4dd, 0xffffff,
    ],
    is_bold_bright: false,
};

/// GitHub's light colours (Primer).
const LIGHT: Theme = Theme {
    foreground: 0x1f2328,
    background: 0xffffff,
    named: [
        0x24292f, 0xcf222e, 0x116329, 0x4d2d00, 0x0969da, 0x8250df, 0x1b7c83, 0x6e7781, //
        0x57606a, 0xa40e26, 0x1a7f37, 0x633c01, 0x218bff, 0xa475f9, 0x3192aa, 0x8c959f,
    ],
    is_bold_bright: false,
};

/// Both Solarized themes have these, <https://ethanschoonover.com/solarized/>.
const SOLARIZED: [u32; 16] = [
    0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5, //
    0x002b36, 0xcb4b16, 0x586e75, 0x657b83, 0x839496, 0x6c71c4, 0x93a1a1, 0xfdf6e3,
];

const SOLARIZED_DARK: Theme = Theme {
    foreground: 0x839496,
    background: 0x002b36,
    named: SOLARIZED,
    is_bold_bright: false,
};

const SOLARIZED_LIGHT: Theme = Theme {
    foreground: 0x657b83,
    background: 0xfdf6e3,
    named: SOLARIZED,
    is_bold_bright: false,
};

/// <https://draculatheme.com/spec>
const DRACULA: Theme = Theme {
    foreground: 0xf8f8f2,
    background: 0x282a36,
    named: [
        0x21222c, 0xff5555, 0x50fa7b, 0xf1fa8c, 0xbd93f9, 0xff79c6, 0x8be9fd, 0xf8f8f2, //
        0x6272a4, 0xff6e6e, 0x69ff94, 0xffffa5, 0xd6acff, 0xff92df, 0xa4ffff, 0xffffff,
    ],
    is_bold_bright: false,
};
