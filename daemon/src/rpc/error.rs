//! Puts errors on the wire. Each error defines itself what a client gets.

use crate::failure::Failure;
use ccd_protocol::{ErrorCode, ErrorObject};
use jsonrpsee::types::ErrorObjectOwned;

pub(super) type RpcResult<T> = Result<T, Failure>;

impl From<Failure> for ErrorObjectOwned {
    fn from(Failure(error): Failure) -> Self {
        let code = error.code();
        tracing::debug!(code = code as i32, kind = code.kind(), "call failed");
        if matches!(code, ErrorCode::Storage | ErrorCode::Internal) {
            tracing::error!(%error, "{}", code.kind());
        }
        let object = ErrorObject::from_error(&*error);
        Self::owned(code as i32, object.message, object.data)
    }
}
