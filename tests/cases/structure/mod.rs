//! Rules for the sources, manifests and documents of the project.

mod arrows;
mod circles;
mod documents;
mod fuzzing;
mod libraries;
mod markdown;
mod openers;
mod repository;
mod sleeps;
mod sources;
mod workspace;
