//! The size of a terminal.

use crate::live::attach::Size;
use crate::live::error::SessionError;
use crate::live::session::Session;
use crate::live::start::checked_size;
use crate::peer::Peer;
use ccd_protocol::session::SessionResizeParams;
use rustix::termios::{Winsize, tcsetwinsize};
use std::sync::Arc;

impl Session {
    /// Changes the terminal's size; the program gets SIGWINCH. For a read-only viewer, only the viewer's size changes.
    pub fn resize(
        self: &Arc<Self>,
        peer: &Peer,
        params: &SessionResizeParams,
    ) -> Result<(), SessionError> {
        let settings = self.services.settings();
        let size = checked_size(Some(params.rows), Some(params.cols), &settings)?;
        self.require_alive()?;
        if self.resize_viewer(peer, size) {
            return Ok(());
        }
        self.set_size(size)?;
        self.keep_size();
        Ok(())
    }

    /// Saves a new size for the next process, and for the screen after the session's end.
    pub(crate) fn keep_size(self: &Arc<Self>) {
        self.keep();
        let is_written = !self.facts.transient && self.screen.must_write_sizes();
        if !is_written || self.forgotten.is_cancelled() {
            return;
        }
        let session = Arc::clone(self);
        self.services.tracker.spawn(async move {
            session.screen.write_sizes(session.output.dir()).await;
        });
    }

    pub fn set_size(&self, (rows, cols): Size) -> Result<(), SessionError> {
        let Some(master) = self.input.master() else {
            return self.require_alive();
        };
        let offset = self.output.end();
        let size = Winsize {
            ws_row: rows,
            ws_col: cols,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&*master, size).map_err(|error| SessionError::Terminal(error.into()))?;
        if let Some(taken_over) = self.taken_over() {
            taken_over.set_size((rows, cols))?;
        }
        self.screen.resize(offset, rows, cols);
        self.with_recording(|recording| recording.resized(rows, cols));
        self.state().size = (rows, cols);
        self.viewers.announce_size();
        Ok(())
    }
}
