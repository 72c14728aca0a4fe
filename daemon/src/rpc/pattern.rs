//! `pattern.*`.

use super::register::method;
use super::{CallError, Module, RpcError};
use crate::daemon::Daemon;
use ccd_protocol::pattern::{
    PatternClassify, PatternList, PatternListReply, PatternSet, PatternTest, PatternUnset,
};
use ccd_store::blocking;
use ccd_text::pattern::{Compiled, MAX_TEXT_BYTES};
use jsonrpsee::core::RegisterMethodError;

pub(super) fn register(module: &mut Module) -> Result<(), RegisterMethodError> {
    method::<PatternList, _, _>(module, |daemon, _, params| async move {
        let library = &daemon.services.library;
        let compiled = library.fresh().await;
        let entries = compiled.entries().iter();
        Ok(PatternListReply {
            patterns: entries
                .filter(|entry| {
                    params
                        .pattern_type
                        .is_none_or(|only| only == entry.pattern_type)
                })
                .filter(|entry| {
                    params
                        .category
                        .as_ref()
                        .is_none_or(|only| *only == entry.category)
                })
                .cloned()
                .collect(),
            path: library.path().to_string_lossy().into_owned(),
            warnings: compiled.warnings().to_vec(),
        })
    })?;
    method::<PatternSet, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.services.library.set(params).await?)
    })?;
    method::<PatternUnset, _, _>(module, |daemon, _, params| async move {
        let library = &daemon.services.library;
        Ok(library.unset(params.pattern_type, params.category).await?)
    })?;
    method::<PatternTest, _, _>(module, |daemon, _, params| async move {
        look(&daemon, params.text, move |compiled, text| {
            compiled.test(text, params.pattern_type)
        })
        .await
    })?;
    method::<PatternClassify, _, _>(module, |daemon, _, params| async move {
        look(&daemon, params.text, Compiled::classify).await
    })
}

/// Examines a text on a blocking thread, because a long text takes time.
async fn look<T: Send + 'static>(
    daemon: &Daemon,
    text: String,
    look: impl FnOnce(&Compiled, &str) -> T + Send + 'static,
) -> Result<T, RpcError> {
    if text.len() > MAX_TEXT_BYTES {
        let len = text.len();
        let mistake = format!("text has {len} bytes: at most {MAX_TEXT_BYTES} are allowed");
        return Err(CallError::InvalidArgument(mistake).into());
    }
    let compiled = daemon.services.library.fresh().await;
    Ok(blocking(move || look(&compiled, &text)).await)
}
