//! `rpc.discover`: an OpenRPC document, which a test of ccd-protocol writes from the types of the methods.

use super::Module;
use ccd_store::blocking;
use flate2::read::GzDecoder;
use jsonrpsee::types::{ErrorCode, ErrorObjectOwned};
use serde_json::value::RawValue;
use std::io;

static PACKED: &[u8] = include_bytes!("openrpc.json.gz");

pub(super) fn register(module: &mut Module) {
    let added = module
        .rpc
        .register_async_method("rpc.discover", |_, _, _| async {
            blocking(document).await.map_err(|error| {
                tracing::error!(%error, "the document cannot be unpacked");
                ErrorObjectOwned::from(ErrorCode::InternalError)
            })
        });
    let added = added.map(drop);
    module.note(added);
}

fn document() -> io::Result<Box<RawValue>> {
    let text = io::read_to_string(GzDecoder::new(PACKED))?;
    Ok(RawValue::from_string(text)?)
}
