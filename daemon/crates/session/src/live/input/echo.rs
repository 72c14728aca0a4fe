//! The terminal's echo.

use crate::live::error::SessionError;
use crate::live::session::Session;
use ccd_protocol::session::{SessionEchoParams, SessionEchoReply};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::io;

impl Session {
    /// Turns the terminal's echo on or off, if the request says so, and returns whether it is on.
    pub fn echo(&self, params: &SessionEchoParams) -> Result<SessionEchoReply, SessionError> {
        self.require_alive()?;
        if self.facts.pipes {
            return Err(SessionError::InvalidArgument(format!(
                "the program of session {} has pipes, which do not echo",
                self.id()
            )));
        }
        let taken_over = self.taken_over();
        let acting = taken_over.as_deref().unwrap_or(self);
        let Some(master) = acting.input.master() else {
            return Err(self.not_alive(None));
        };
        let failed = |error| SessionError::Terminal(io::Error::from(error));
        let mut modes = tcgetattr(&*master).map_err(failed)?;
        let is_on = modes.local_modes.contains(LocalModes::ECHO);
        let Some(on) = params.on.filter(|on| *on != is_on) else {
            return Ok(SessionEchoReply { on: is_on });
        };
        modes.local_modes.set(LocalModes::ECHO, on);
        tcsetattr(&*master, OptionalActions::Now, &modes).map_err(failed)?;
        Ok(SessionEchoReply { on })
    }
}
