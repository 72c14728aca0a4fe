//! Appearance of images of screens and tapes.

use crate::named::named;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

named! {
    /// Colours of an image. A program's own RGB colours, and those that it has changed, stay as they are.
    #[derive(Default)]
    ImageTheme {
        /// xterm's colours, white on black.
        #[default]
        Xterm = "xterm",
        Dark = "dark",
        Light = "light",
        SolarizedDark = "solarized-dark",
        SolarizedLight = "solarized-light",
        Dracula = "dracula",
    }
}

/// Appearance of an image of a screen, SVG or PNG.
#[skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ImageStyle {
    /// Default `xterm`.
    pub theme: Option<ImageTheme>,
    /// Space around the text, in pixels. Default 8.
    pub padding: Option<u16>,
    /// Draw a window with a title bar around the screen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub window: bool,
    /// Leave out empty rows at the bottom and empty columns on the right; of an animation, those empty in every frame.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub crop: bool,
}
