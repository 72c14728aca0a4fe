//! Rules for the sources, manifests and documents of the project.

mod arrows;
mod circles;
mod fuzzing;
mod layers;
mod libraries;
mod listed;
mod methods;
mod repository;
mod sleeps;
mod sources;
mod workspace;
