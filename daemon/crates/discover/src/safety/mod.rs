//! What must not be sent to a program.
