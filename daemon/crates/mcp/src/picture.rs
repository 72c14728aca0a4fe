//! The screen as an image: `resvg` draws the SVG that the daemon makes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use epaint_default_fonts::HACK_REGULAR;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::sync::{Arc, OnceLock};

/// Families that the SVG names and the system may have, the best first. They have bold and italic letters; the font that
/// is part of the daemon has not.
const FAMILIES: [&str; 3] = ["DejaVu Sans Mono", "Noto Sans Mono", "Liberation Mono"];

/// Most pixels of an image: that of a terminal of 1000 x 1000 characters would need gigabytes.
const MAX_PIXELS: f32 = 16e6;

/// Draws an SVG and returns a PNG in base64.
///
/// # Errors
///
/// It is too large, or cannot be drawn.
pub(crate) async fn png_base64(svg: String) -> Result<String, String> {
    let drawn = tokio::task::spawn_blocking(move || draw(&svg)).await;
    drawn.unwrap_or_else(|_| Err("the image could not be drawn".to_owned()))
}

fn draw(svg: &str) -> Result<String, String> {
    let failed = |why: &dyn std::fmt::Display| format!("the image cannot be drawn: {why}");
    let options = Options {
        fontdb: fonts(),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(&error))?;
    let size = tree.size();
    if size.width() * size.height() > MAX_PIXELS {
        let text =
            "the screen is too large for an image; leave out image, or make the terminal smaller";
        return Err(text.to_owned());
    }
    let size = size.to_int_size();
    let pixmap = Pixmap::new(size.width(), size.height());
    let mut pixmap = pixmap.ok_or_else(|| failed(&"it has no size"))?;
    resvg::render(&tree, Transform::identity(), &mut pixmap.as_mut());
    let png = pixmap.encode_png().map_err(|error| failed(&error))?;
    Ok(STANDARD.encode(png))
}

/// The fonts of the system, and one of our own; looked for once, by the first image.
fn fonts() -> Arc<fontdb::Database> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let fonts = FONTS.get_or_init(|| {
        let mut fonts = fontdb::Database::new();
        fonts.load_system_fonts();
        fonts.load_font_data(HACK_REGULAR.to_vec());
        let has = |family: &&&str| {
            let query = fontdb::Query {
                families: &[fontdb::Family::Name(family)],
                ..fontdb::Query::default()
            };
            fonts.query(&query).is_some()
        };
        let family = FAMILIES.iter().find(has).copied().unwrap_or("Hack");
        fonts.set_monospace_family(family);
        Arc::new(fonts)
    });
    Arc::clone(fonts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_drawn_with_the_font_that_is_always_there() {
        let svg = |text: &str| {
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"20\">\
                 <text x=\"0\" y=\"15\" font-family=\"no such font,monospace\">{text}</text></svg>"
            )
        };
        let drawn = |text: &str| draw(&svg(text)).unwrap_or_else(|why| panic!("{why}"));
        assert!(drawn("x").starts_with("iVBORw0KGgo"), "a PNG");
        assert_ne!(drawn("x"), drawn(" "));
    }

    #[test]
    fn what_is_too_large_or_no_svg_is_refused() {
        let large = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20000\" height=\"20000\"/>";
        for wrong in [large, "", "<p/>"] {
            assert!(draw(wrong).is_err(), "{wrong}");
        }
    }
}
