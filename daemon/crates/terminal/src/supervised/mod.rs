//! Programs that end with everything they have started: a process of this build is the parent of the program and adopts
//! its orphans, so that nothing of it outlives the run, nor the worker.
//! The worker and that process, the supervisor, talk over a socket. If the worker closes it or dies, the supervisor ends
//! the program. Descriptors that it was given, such as a lock, stay open until everything has ended.

mod handle;
mod supervisor;
mod wire;

pub use handle::{OutputPipes, Supervised, commands_below};
pub use supervisor::play_part;
pub use wire::{EndPace, ProgramEnd, Report, SupervisedProgram};
