//! `conversations.sqlite`.

use super::write::IndexWrite;
use ccd_store::{Schema, Synchronous};

/// A power failure may lose the last batches; they are read again.
pub(crate) const INDEX: Schema<IndexWrite> = Schema::new(
    Synchronous::Normal,
    &[("index", include_str!("../../migrations/0001_index.sql"))],
)
.with_cache_kib(CACHE_KIB);

const CACHE_KIB: u32 = 8 << 10;
