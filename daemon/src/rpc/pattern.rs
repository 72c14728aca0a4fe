//! `pattern.*`.

use super::{Failure, Module, RpcResult, invalid};
use crate::daemon::Daemon;
use ccd_protocol::pattern::{
    PatternClassify, PatternEntry, PatternList, PatternListReply, PatternSet, PatternTest,
    PatternUnset,
};
use ccd_store::blocking;
use ccd_text::pattern::{Compiled, MAX_TEXT_BYTES};

pub(super) fn register(module: &mut Module) {
    module.add::<PatternList, _, Failure>(async |daemon, _, params| {
        let library = &daemon.services.library;
        let compiled = library.fresh().await;
        let is_wanted = |entry: &&PatternEntry| {
            (params.pattern_type).is_none_or(|only| only == entry.pattern_type)
                && (params.category.as_ref()).is_none_or(|only| *only == entry.category)
        };
        let entries = compiled.entries().iter().filter(is_wanted);
        Ok(PatternListReply {
            patterns: entries.cloned().collect(),
            path: library.path().to_string_lossy().into_owned(),
            warnings: compiled.warnings().to_vec(),
        })
    });
    module.add::<PatternSet, _, _>(async |daemon, _, params| {
        daemon.services.library.set(params).await
    });
    module.add::<PatternUnset, _, Failure>(async |daemon, _, params| {
        let library = &daemon.services.library;
        Ok(library.unset(params.pattern_type, params.category).await?)
    });
    module.add::<PatternTest, _, _>(async |daemon, _, params| {
        look(&daemon, params.text, move |compiled, text| {
            compiled.test(text, params.pattern_type)
        })
        .await
    });
    module.add::<PatternClassify, _, _>(async |daemon, _, params| {
        look(&daemon, params.text, Compiled::classify).await
    });
}

/// Examines a text on a blocking thread, because a long text takes time.
async fn look<T: Send + 'static>(
    daemon: &Daemon,
    text: String,
    look: impl FnOnce(&Compiled, &str) -> T + Send + 'static,
) -> RpcResult<T> {
    if text.len() > MAX_TEXT_BYTES {
        let len = text.len();
        let mistake = format!("text has {len} bytes: at most {MAX_TEXT_BYTES} are allowed");
        return Err(invalid(mistake).into());
    }
    let compiled = daemon.services.library.fresh().await;
    Ok(blocking(move || look(&compiled, &text)).await)
}
