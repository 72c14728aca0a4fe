//! `rpc.discover`: an OpenRPC document, which a test of ccd-protocol writes from the types of the methods.

use crate::daemon::Daemon;
use ccd_store::blocking;
use flate2::read::GzDecoder;
use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::{ErrorCode, ErrorObjectOwned};
use serde_json::value::RawValue;
use std::io;
use std::sync::Arc;

static PACKED: &[u8] = include_bytes!("openrpc.json.gz");

pub(super) fn register(module: &mut RpcModule<Arc<Daemon>>) -> Result<(), RegisterMethodError> {
    module
        .register_async_method("rpc.discover", |_, _, _| async {
            blocking(document).await.map_err(|error| {
                tracing::error!(%error, "the document cannot be unpacked");
                ErrorObjectOwned::from(ErrorCode::InternalError)
            })
        })
        .map(drop)
}

fn document() -> io::Result<Box<RawValue>> {
    let text = io::read_to_string(GzDecoder::new(PACKED))?;
    Ok(RawValue::from_string(text)?)
}
