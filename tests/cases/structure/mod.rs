//! What the sources, manifests and documents promise about themselves.

mod arrows;
mod circles;
mod documents;
mod libraries;
mod markdown;
mod repository;
mod sleeps;
mod sources;
mod workspace;
