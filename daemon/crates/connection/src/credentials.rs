//! Who has connected, and who is served.

use ccd_session::peer::Peer;
use std::io;
use tokio::net::UnixStream;

/// Returns the user and the process of the client, as reported by the kernel.
pub(super) fn peer_of(stream: &UnixStream, connection: u64) -> io::Result<Peer> {
    let credentials = stream.peer_cred()?;
    Ok(Peer::new(credentials.uid(), credentials.pid(), connection))
}

/// Returns whether a daemon of `own_uid` serves a client of `uid`.
pub(super) fn is_admitted(uid: u32, own_uid: u32, allow_root_peer: bool) -> bool {
    uid == own_uid || (uid == 0 && allow_root_peer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_user_and_by_choice_root_are_admitted() {
        assert!(is_admitted(1000, 1000, false));
        assert!(!is_admitted(1001, 1000, true));
        assert!(!is_admitted(0, 1000, false));
        assert!(is_admitted(0, 1000, true));
        assert!(is_admitted(0, 0, false));
        assert!(!is_admitted(1000, 0, true));
    }
}
