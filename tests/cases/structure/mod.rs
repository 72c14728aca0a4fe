//! What the sources, manifests and documents promise about themselves.

mod documents;
mod layers;
