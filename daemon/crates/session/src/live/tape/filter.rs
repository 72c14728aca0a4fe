//! Filters of tapes: programs that read standard input and write standard output. The holder starts them.

use crate::live::error::SessionError;
use crate::live::registry::Sessions;
use crate::live::run::OneShot;
use crate::live::temporary_file::TemporaryFile;
use crate::peer::Peer;
use ccd_protocol::session::{EndReason, SessionCreateParams};
use ccd_store::own_file;
use ccd_tape::decorate::RunFilter;
use ccd_terminal::holder::Exit;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long a filter may take.
const LIMIT: Duration = Duration::from_secs(5);

/// Maximum bytes of output.
const MAX_BYTES: u64 = 16 << 20;

/// The filter's words are arguments of the script, so the shell does not interpret them; its files are standard input
/// and output. The file size is limited to 20 MB where the unit is 512 bytes, and to twice that where it is 1024.
const SCRIPT: &str =
    "in=$1 out=$2; shift 2; ulimit -f 40000; exec \"$@\" <\"$in\" >\"$out\" 2>/dev/null";

impl Sessions {
    /// Returns a function that runs filters, for work outside the runtime.
    pub fn filters(self: &Arc<Self>) -> Box<RunFilter<'static>> {
        let (sessions, runtime) = (Arc::clone(self), tokio::runtime::Handle::current());
        Box::new(move |words, input| runtime.block_on(sessions.filter(words, input)))
    }

    async fn filter(self: &Arc<Self>, words: &[String], input: &[u8]) -> Result<Vec<u8>, String> {
        let name = format!("filter-{:016x}", rand::random::<u64>());
        let file = |ending: &str, content: &[u8]| {
            let path = self
                .services
                .folders
                .runtime
                .join(format!("{name}.{ending}"));
            TemporaryFile::create(path, content).map_err(|error| error.to_string())
        };
        let files = [file("in", input)?, file("out", b"")?];
        let output = &files[1].0;
        let mut args = vec!["-c".into(), SCRIPT.into(), "filter".into()];
        args.extend(
            files
                .iter()
                .map(|file| file.0.to_string_lossy().into_owned()),
        );
        args.extend(words.iter().cloned());
        let params = SessionCreateParams {
            program: Some("/bin/sh".into()),
            args,
            plain: true,
            ..SessionCreateParams::default()
        };
        let peer = Peer::daemon(CancellationToken::new());
        let shot = OneShot::start(self, &peer, params).await;
        let shot = shot.map_err(|error: SessionError| error.to_string())?;
        let in_time = tokio::time::timeout(LIMIT, shot.session.wait_dead())
            .await
            .is_ok();
        if !in_time {
            shot.end(EndReason::Closed).await;
        }
        let exit = shot.session.state().exit;
        let collected = shot.collect().await;
        if let Err(error) = collected {
            tracing::warn!(%error, "could not clean up after a filter");
        }
        let has_flooded = std::fs::metadata(output).is_ok_and(|file| file.len() > MAX_BYTES);
        match exit {
            _ if has_flooded => Err(format!("it printed more than {MAX_BYTES} bytes")),
            _ if !in_time => Err(format!("it took longer than {} s", LIMIT.as_secs())),
            Some(Exit { code: Some(0), .. }) => read(output),
            exit => Err(crate::live::error::describe_end(exit, None)),
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    own_file::content(path, MAX_BYTES).map_err(|error| error.to_string())
}
