//! Reads the body of an HTTP request before jsonrpsee does, which would answer a broken one as its own failure.

use super::fault::Fault;
use super::service::complaint;
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use jsonrpsee::core::BoxError;
use jsonrpsee::server::{HttpBody, HttpRequest, HttpResponse, http::response};
use std::pin::Pin;
use std::task::{Context, Poll};
use tower_service::Service;

/// Passes requests with a whole body of at most `limit_bytes` to `inner`.
#[derive(Clone)]
pub(super) struct WholeBody<S> {
    inner: S,
    limit_bytes: usize,
}

impl<S> WholeBody<S> {
    /// Puts the reader of bodies before `inner`.
    pub(super) fn new(inner: S, limit_bytes: usize) -> Self {
        Self { inner, limit_bytes }
    }
}

impl<S, B> Service<HttpRequest<B>> for WholeBody<S>
where
    S: Service<HttpRequest<HttpBody>, Response = HttpResponse, Error = BoxError>,
    S: Clone + Send + 'static,
    S::Future: Send,
    B: BodyExt<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    type Response = HttpResponse;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: HttpRequest<B>) -> Self::Future {
        let Self {
            mut inner,
            limit_bytes,
        } = self.clone();
        Box::pin(async move {
            let (head, body) = request.into_parts();
            match Limited::new(body, limit_bytes).collect().await {
                Ok(body) => {
                    let request = HttpRequest::from_parts(head, HttpBody::new(body));
                    inner.call(request).await
                }
                Err(error) if error.is::<LengthLimitError>() => {
                    let limit = u32::try_from(limit_bytes).unwrap_or(u32::MAX);
                    Ok(response::too_large(limit))
                }
                Err(error) => bad_request(&error),
            }
        })
    }
}

fn bad_request(error: &BoxError) -> Result<HttpResponse, BoxError> {
    // hyper's own message only says that reading failed.
    let cause = error.source();
    let why = cause.map_or_else(|| error.to_string(), ToString::to_string);
    let fault = Fault::BrokenBody(why);
    let response = HttpResponse::builder()
        .status(400)
        .header("content-type", "application/json; charset=utf-8")
        .body(HttpBody::from(complaint(fault).get().to_owned()))?;
    Ok(response)
}
