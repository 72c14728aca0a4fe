//! Puts errors on the wire. Each error defines itself what a client gets.

use ccd_protocol::{ErrorCode, ErrorObject, Reportable};
use jsonrpsee::types::ErrorObjectOwned;

/// Why a call failed: the error of any part of the daemon.
#[derive(Debug)]
pub(super) struct RpcError(Box<dyn Reportable + Send + Sync>);

pub(super) type RpcResult<T> = Result<T, RpcError>;

impl<E: Reportable + Send + Sync + 'static> From<E> for RpcError {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

impl From<RpcError> for ErrorObjectOwned {
    fn from(RpcError(error): RpcError) -> Self {
        let code = error.code();
        tracing::debug!(code = code as i32, kind = code.kind(), "call failed");
        if matches!(code, ErrorCode::Storage | ErrorCode::Internal) {
            tracing::error!(%error, "{}", code.kind());
        }
        let object = ErrorObject::of(&*error);
        Self::owned(code as i32, object.message, object.data)
    }
}

/// An error in the parameters of a call that is found before any other part of the daemon sees them.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    #[error("{0}")]
    Params(String),
    #[error("{0}")]
    InvalidArgument(String),
}

impl Reportable for CallError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Params(_) => ErrorCode::InvalidParams,
            Self::InvalidArgument(_) => ErrorCode::InvalidArgument,
        }
    }

    fn hint(&self) -> Option<&str> {
        matches!(self, Self::Params(_))
            .then_some("rpc.discover lists the parameters of each method")
    }
}
