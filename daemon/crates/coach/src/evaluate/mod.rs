//! How good the detection is: precision and recall for each kind of signal, measured on labelled cases.
//!
//! - `labelled`: [`LabelledSet`], the cases, labelled by reading
//! - `score`: [`evaluate`]
//!
//! The rules were written with the cases of `labelled/tuned.jsonl` at hand. Those of `labelled/held_out.jsonl` were
//! written before the rules, and are there to see whether the rules hold for cases that they were not made for.

mod labelled;
mod score;
mod score_tests;

use labelled::LabelledSet;
use score::evaluate;
