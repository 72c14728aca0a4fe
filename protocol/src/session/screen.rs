//! The screen: text, styles, image.

use crate::image::ImageStyle;
use crate::named::named;
use serde::{Deserialize, Serialize};
use serde_with::{apply, skip_serializing_none};
use std::fmt;

named! {
    /// Output format of `session.screen`.
    #[derive(Default)]
    ScreenFormat {
        /// Lines of text.
        #[default]
        Text = "text",
        /// Lines of text, and runs of cells with the same style.
        Cells = "cells",
        /// Lines of text, and an image as one SVG document.
        Svg = "svg",
        /// Lines of text, and an image as a PNG.
        Png = "png",
    }
}

/// Parameters of `session.screen`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionScreenParams {
    pub session: String,
    #[serde(default)]
    pub format: ScreenFormat,
    /// First row to return, counted from 0.
    pub first_row: Option<u16>,
    /// Maximum number of rows. Default: all.
    pub max_rows: Option<u16>,
    #[serde(flatten)]
    pub image: ImageStyle,
}

/// Reply of `session.screen`.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionScreenReply {
    /// Height of the screen, even if fewer rows are returned.
    pub rows: u16,
    pub cols: u16,
    pub cursor: Cursor,
    /// Row number of the first line that is returned.
    #[serde(default)]
    pub first_row: u16,
    /// One string per row, without trailing blanks.
    pub lines: Vec<String>,
    pub title: String,
    /// The program uses the alternate screen.
    pub alternate: bool,
    /// The screen includes the output up to this offset.
    pub offset: u64,
    /// Not all output could be drawn within 1 s: the screen is as it was at `offset`. Repeat the request to continue.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub behind: bool,
    /// Foreground and background are swapped in cells that have no colours of their own (DECSCNM).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reverse: bool,
    /// The program has enabled mouse reports.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mouse: bool,
    /// Runs of cells with the same style, one list per row (format `cells`). Blank cells at the end of a row are left
    /// out.
    pub cells: Option<Vec<Vec<CellRun>>>,
    /// A complete SVG document (format `svg`).
    pub svg: Option<String>,
    /// A PNG (format `png`) with a built-in font; characters that the font lacks, such as Chinese ones and emoji, are boxes.
    pub png_b64: Option<String>,
}

/// Position of the cursor, counted from 0, and its appearance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cursor {
    pub row: u16,
    pub col: u16,
    pub visible: bool,
    #[serde(default)]
    pub shape: CursorShape,
    #[serde(default)]
    pub blink: bool,
}

/// Shape of the cursor (DECSCUSR).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum CursorShape {
    #[default]
    Block,
    Underline,
    Bar,
}

/// Adjacent cells with the same style.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CellRun {
    /// First column, from 0.
    pub col: u16,
    /// Number of columns; a wide character takes two.
    pub width: u16,
    pub text: String,
    #[serde(flatten)]
    pub style: CellStyle,
}

/// Style of cells; attributes that are off or default are left out.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CellStyle {
    pub fg: Option<Color>,
    pub bg: Option<Color>,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    /// Underlined, in any style.
    pub underline: bool,
    /// Absent: a single line.
    pub underline_style: Option<UnderlineStyle>,
    /// Absent: the colour of the text.
    pub underline_color: Option<Color>,
    pub blink: bool,
    pub inverse: bool,
    /// Text that a terminal does not show (SGR 8).
    pub hidden: bool,
    pub strikethrough: bool,
    /// The address of a hyperlink (OSC 8), as the program wrote it: any scheme, at most 2 KiB, no control characters.
    pub link: Option<String>,
}

impl CellStyle {
    /// Returns the address of the link if it is safe to open by a click: http, https or mailto.
    pub fn safe_link(&self) -> Option<&str> {
        self.link.as_deref().filter(|link| is_safe_link(link))
    }
}

/// Returns whether an address is safe to open by a click: http, https or mailto.
pub fn is_safe_link(address: &str) -> bool {
    let safe = ["http", "https", "mailto"];
    let scheme = address.split_once(':').map_or("", |(scheme, _)| scheme);
    safe.iter().any(|safe| scheme.eq_ignore_ascii_case(safe))
}

/// A style of underline other than a single line (SGR 4:2 to 4:5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum UnderlineStyle {
    Double = 2,
    Curly,
    Dotted,
    Dashed,
}

/// A colour: one of the 256 palette colours as a number, or any colour as `"#rrggbb"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "ColorText", try_from = "ColorText")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(with = "ColorText"))]
pub enum Color {
    Indexed(u8),
    Rgb(u8, u8, u8),
}

/// A colour: one of the 256 palette colours as a number, or any colour as `"#rrggbb"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
enum ColorText {
    Indexed(u8),
    Mixed(String),
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Indexed(index) => write!(f, "{index}"),
            Self::Rgb(red, green, blue) => write!(f, "#{red:02x}{green:02x}{blue:02x}"),
        }
    }
}

impl From<Color> for ColorText {
    fn from(color: Color) -> Self {
        match color {
            Color::Indexed(index) => Self::Indexed(index),
            Color::Rgb(..) => Self::Mixed(color.to_string()),
        }
    }
}

impl TryFrom<ColorText> for Color {
    type Error = String;

    fn try_from(text: ColorText) -> Result<Self, String> {
        let text = match text {
            ColorText::Indexed(index) => return Ok(Self::Indexed(index)),
            ColorText::Mixed(text) => text,
        };
        let hex = text.strip_prefix('#').filter(|hex| hex.len() == 6);
        let number = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok());
        let [_, red, green, blue] = number
            .ok_or_else(|| format!("{text:?} is not of the form #rrggbb"))?
            .to_be_bytes();
        Ok(Self::Rgb(red, green, blue))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn colours_are_numbers_or_six_hexadecimal_digits() {
        for (color, text) in [
            (Color::Indexed(9), json!(9)),
            (Color::Rgb(1, 2, 255), json!("#0102ff")),
        ] {
            assert_eq!(serde_json::to_value(color).unwrap(), text);
            assert_eq!(serde_json::from_value::<Color>(text).unwrap(), color);
        }
        for wrong in [json!("red"), json!("#12345"), json!("#12345é"), json!(256)] {
            assert!(serde_json::from_value::<Color>(wrong).is_err());
        }
    }
}
