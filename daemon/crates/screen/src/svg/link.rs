//! Hyperlinks: an area over their text that can be clicked.

use super::super::image::{CELL_HEIGHT, CELL_WIDTH};
use super::super::snapshot::Glyph;
use super::text::push_escaped;
use ccd_protocol::session::is_safe_link;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

/// What an area needs besides its address, which is written twice.
const AREA_BYTES: usize = 160;

/// The links of a picture whose addresses are safe to open.
#[derive(Debug, Default)]
pub(super) struct Links {
    areas: Vec<Area>,
    len_bytes: usize,
}

#[derive(Debug)]
struct Area {
    y: u32,
    cols: Range<u16>,
    link: Arc<str>,
}

impl Links {
    /// Adds the cell of row `y`, if it is part of a link.
    pub(super) fn push(&mut self, glyph: &Glyph<'_>, y: u32) {
        let Some(link) = glyph.cell.link() else {
            return;
        };
        match self.areas.last_mut() {
            Some(last) if last.y == y && last.cols.end == glyph.col && last.link == *link => {
                last.cols.end = glyph.cols().end;
            }
            _ if !is_safe_link(link) => {}
            _ => {
                self.len_bytes += 2 * link.len() + AREA_BYTES;
                self.areas.push(Area {
                    y,
                    cols: glyph.cols(),
                    link: Arc::clone(link),
                });
            }
        }
    }

    pub(super) fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    pub(super) fn write(&self, out: &mut String) {
        for Area { y, cols, link } in &self.areas {
            let (x, width) = (
                u32::from(cols.start) * CELL_WIDTH,
                cols.len() as u32 * CELL_WIDTH,
            );
            out.push_str("<a target=\"_blank\" rel=\"noreferrer\" href=\"");
            push_escaped(out, link);
            out.push_str("\"><title>");
            push_escaped(out, link);
            // Writing to a String cannot fail.
            let _ = writeln!(
                out,
                "</title><rect x=\"{x}\" y=\"{}\" width=\"{width}\" height=\"{CELL_HEIGHT}\" fill-opacity=\"0\"/></a>",
                y * CELL_HEIGHT
            );
        }
    }
}
