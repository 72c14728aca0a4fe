//! `session_screen`.

use super::call::{Call, Mistake, Tool, ToolOutput};
use crate::output::{MAX_BYTES, cut};
use ccd_protocol::session::{ScreenFormat, SessionScreen, SessionScreenParams, SessionScreenReply};
use serde::Deserialize;

#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Screen {
    /// Id or name. For an ended session, returns its last screen.
    session: String,
    /// Also return an image (PNG), for colours and layout.
    #[serde(default)]
    image: bool,
}

impl Tool for Screen {
    const NAME: &'static str = "session_screen";
    const TITLE: &'static str = "Look at the screen of a session";
    const DESCRIPTION: &'static str = "Returns what the terminal shows now, with the cursor. Use it for full-screen programs \
        such as editors, pagers and menus, whose raw output is not readable as text.";
    const READS: bool = true;

    async fn run(self, call: &Call<'_>) -> Result<ToolOutput, Mistake> {
        let params = SessionScreenParams {
            session: call.session(&self.session).await?,
            format: if self.image {
                ScreenFormat::Png
            } else {
                ScreenFormat::Text
            },
            ..SessionScreenParams::default()
        };
        let screen = call.calls.call::<SessionScreen>(&params).await?;
        Ok(ToolOutput {
            text: cut(&text_of(&screen), MAX_BYTES as usize),
            image: screen.png_b64,
        })
    }
}

/// The lines, and one about the cursor.
pub(crate) fn text_of(screen: &SessionScreenReply) -> String {
    let mut lines = screen.lines.clone();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let cursor = screen.cursor;
    let shown = if cursor.visible { "" } else { ", hidden" };
    let mut about = format!(
        "[{} rows, {} columns; cursor at row {}, column {}{shown}",
        screen.rows,
        screen.cols,
        cursor.row + 1,
        cursor.col + 1
    );
    if screen.alternate {
        about.push_str("; full-screen program");
    }
    if !screen.title.is_empty() {
        about.push_str(&format!("; title {:?}", screen.title));
    }
    if screen.behind {
        about.push_str("; output is still being drawn: call session_screen again");
    }
    about.push_str(&format!("; drawn up to offset {}]", screen.offset));
    lines.push(about);
    lines.join("\n")
}
