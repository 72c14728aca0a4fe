//! `session.screen`: what a session shows, live or ended.

use super::drawn::INLINE_CELLS;
use crate::live::error::SessionError;
use crate::live::output::wait_for_published;
use crate::live::session::Session;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::image::ImageStyle;
use ccd_protocol::session::{ScreenFormat, SessionScreenParams, SessionScreenReply};
use ccd_screen::{PictureTooLarge, ScreenSnapshot, draw_png, draw_svg};
use std::ops::Range;

struct ScreenLook {
    snapshot: ScreenSnapshot,
    rows: Range<u16>,
    format: ScreenFormat,
    image: ImageStyle,
    offset: u64,
    is_behind: bool,
    /// The program's name is an image's title if the program has set none.
    program: String,
    has_ended: bool,
}

impl Session {
    /// Returns the screen after all output that was available at the call, or an earlier one if drawing takes too long.
    pub async fn screen(
        &self,
        params: &SessionScreenParams,
    ) -> Result<SessionScreenReply, SessionError> {
        let upto = wait_for_published(self).await;
        let look = self
            .screen
            .look(&self.output, upto, |screen| screen.snapshot());
        let looked = look.await.map_err(SessionError::Files)?;
        let snapshot = looked.seen;
        let (rows, cols) = snapshot.size();
        let look = ScreenLook {
            rows: wanted_rows(params, rows)?,
            snapshot,
            format: params.format,
            image: params.image,
            offset: looked.offset,
            is_behind: looked.is_behind,
            program: self.facts.program.clone(),
            has_ended: self.is_dead(),
        };
        if params.format == ScreenFormat::Text
            && usize::from(rows) * usize::from(cols) <= INLINE_CELLS
        {
            return look.reply();
        }
        let reply = tokio::task::spawn_blocking(|| look.reply()).await;
        reply.map_err(|error| SessionError::Files(error.into()))?
    }
}

impl ScreenLook {
    fn reply(self) -> Result<SessionScreenReply, SessionError> {
        let Self { snapshot, rows, .. } = self;
        let title = if snapshot.title.is_empty() {
            &self.program
        } else {
            &snapshot.title
        };
        let too_large = |PictureTooLarge(limit)| {
            SessionError::InvalidArgument(format!(
                "the image of {} rows would exceed {limit}; ask for fewer rows with max_rows",
                rows.len()
            ))
        };
        let (mut svg, mut png) = (None, None);
        match self.format {
            ScreenFormat::Svg => {
                svg = Some(draw_svg(
                    &snapshot,
                    &rows,
                    title,
                    self.has_ended,
                    &self.image,
                ))
            }
            ScreenFormat::Png => {
                png = Some(draw_png(
                    &snapshot,
                    &rows,
                    title,
                    self.has_ended,
                    &self.image,
                ))
            }
            ScreenFormat::Text | ScreenFormat::Cells => {}
        }
        let svg = svg.transpose().map_err(too_large)?;
        let png = png.transpose().map_err(too_large)?;
        let (height, cols) = snapshot.size();
        Ok(SessionScreenReply {
            rows: height,
            cols,
            cursor: snapshot.cursor(),
            first_row: rows.start,
            lines: snapshot.lines(&rows),
            alternate: snapshot.alternate(),
            offset: self.offset,
            behind: self.is_behind,
            reverse: snapshot.reverse(),
            mouse: snapshot.mouse(),
            cells: (self.format == ScreenFormat::Cells).then(|| snapshot.cells(&rows)),
            svg,
            png_b64: png.map(|png| STANDARD.encode(png)),
            title: snapshot.title,
        })
    }
}

fn wanted_rows(params: &SessionScreenParams, rows: u16) -> Result<Range<u16>, SessionError> {
    let first = params.first_row.unwrap_or(0);
    if first >= rows {
        return Err(SessionError::InvalidArgument(format!(
            "first_row is {first}, but the screen has {rows} rows, counted from 0"
        )));
    }
    let most = params.max_rows.unwrap_or(rows);
    if most == 0 {
        return Err(SessionError::InvalidArgument(
            "max_rows is 0: ask for at least one row".into(),
        ));
    }
    Ok(first..rows.min(first.saturating_add(most)))
}
