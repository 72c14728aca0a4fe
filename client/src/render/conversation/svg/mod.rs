//! Sums over conversations as an image: one row for each group, with its tokens by kind, and its cost beside them.

mod chart;
mod element;
mod scale;
mod series;

pub(crate) use chart::stats_svg;
