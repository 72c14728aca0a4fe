//! Where boxes and arrows are: states in layers from left to right, by the number of commands that lead to them.

use super::label::{numbered, of_state};
use ccd_protocol::investigate::StateMap;
use std::collections::BTreeMap;

/// Sizes in pixels. A character of a name, and one of a command on an arrow, is that wide.
const NAME_CHAR: i32 = 8;
const LABEL_CHAR: i32 = 7;
const LABEL_HEIGHT: i32 = 17;
const MIN_BOX_WIDTH: i32 = 90;
const MIN_BOX_HEIGHT: i32 = 52;
/// Between two arrows on one side of a box.
const PORT_STEP: i32 = 22;
const BOX_GAP: i32 = 30;
const MIN_LAYER_GAP: i32 = 110;
pub(super) const MARGIN: i32 = 30;
/// Between the boxes and each arrow that passes below them.
const DETOUR_STEP: i32 = 26;

/// Labels that are moved apart; the work grows with the square of their number.
const MAX_SPREAD: usize = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) x: i32,
    pub(super) y: i32,
}

/// The box of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) name: String,
    pub(super) prompt: Option<String>,
    pub(super) is_entry: bool,
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: i32,
    pub(super) height: i32,
}

/// An arrow: from the first point to the last, with two points that bend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arrow {
    pub(super) points: [Point; 4],
    pub(super) label: String,
    /// The middle of the label.
    pub(super) at: Point,
}

/// Everything that is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) boxes: Vec<Placed>,
    pub(super) arrows: Vec<Arrow>,
    pub(super) width: i32,
    pub(super) height: i32,
}

/// A side of a box where an arrow ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Left,
    Right,
    Bottom,
}

/// One end of an arrow.
#[derive(Debug, Clone, Copy)]
struct End {
    state: usize,
    side: Side,
    /// Position among the arrows on this side, from the top or the left.
    place: usize,
}

/// Computes the layout of a map.
pub(super) fn of(map: &StateMap) -> Layout {
    let layers = layers(map);
    let mut layer_of = vec![0; map.states.len()];
    for (number, layer) in layers.iter().enumerate() {
        layer.iter().for_each(|&state| layer_of[state] = number);
    }
    let edges: Vec<Edge> = numbered(map)
        .into_iter()
        .map(|(from, to, label)| Edge::new(from, to, label, layer_of[from], layer_of[to]))
        .collect();
    let ends = Ends::of(map.states.len(), &edges, &layers);
    let boxes = boxes(map, &layers, &edges, &ends);
    let width = boxes.iter().map(|one| one.x + one.width).max();
    let bottom = boxes.iter().map(|one| one.y + one.height).max();
    let bottom = bottom.unwrap_or_default();
    let mut detours = 0;
    let mut arrows: Vec<Arrow> = edges
        .iter()
        .zip(&ends.pairs)
        .map(|(edge, pair)| {
            let [from, to] = pair.map(|end| ends.point(end, &boxes));
            edge.arrow(from, to, bottom, &mut detours)
        })
        .collect();
    spread(&mut arrows);
    // Arrows on the right of the last layer need room as well.
    let right = arrows.iter().map(|arrow| {
        let half = label_width(&arrow.label) / 2;
        (arrow.at.x + half).max(arrow.points[1].x)
    });
    let lowest = arrows
        .iter()
        .map(|arrow| arrow.at.y)
        .max()
        .unwrap_or_default();
    let width = right.chain(width).max().unwrap_or_default();
    Layout {
        width: width + MARGIN,
        height: lowest.max(bottom + detours * DETOUR_STEP) + MARGIN,
        boxes,
        arrows,
    }
}

pub(super) fn label_width(label: &str) -> i32 {
    length(label) * LABEL_CHAR + 8
}

fn length(text: &str) -> i32 {
    i32::try_from(text.chars().count()).unwrap_or(i32::MAX >> 8)
}

/// Returns the states of each layer, from the top. States that no command leads to are in the last layer.
fn layers(map: &StateMap) -> Vec<Vec<usize>> {
    let deepest = map.states.iter().filter_map(|state| state.depth).max();
    // Without gaps, so that depths in an edited report cost nothing.
    let last = deepest.map_or(0, |depth| depth.saturating_add(1));
    let mut layers: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (at, state) in map.states.iter().enumerate() {
        let layer = layers.entry(state.depth.unwrap_or(last));
        layer.or_default().push(at);
    }
    layers.into_values().collect()
}

/// An arrow before its place is known.
struct Edge {
    from: usize,
    to: usize,
    label: String,
    /// Layers from the start to the end of the arrow; negative if it goes back.
    span: i64,
    from_layer: usize,
}

impl Edge {
    fn new(from: usize, to: usize, label: String, from_layer: usize, to_layer: usize) -> Self {
        Self {
            from,
            to,
            label,
            span: to_layer as i64 - from_layer as i64,
            from_layer,
        }
    }

    fn sides(&self) -> [Side; 2] {
        match self.span {
            1.. => [Side::Right, Side::Left],
            0 => [Side::Right, Side::Right],
            -1 => [Side::Left, Side::Right],
            _ => [Side::Bottom, Side::Bottom],
        }
    }

    /// The gap between layers, counted by the layer on its left, in which the label is.
    fn gap(&self) -> Option<usize> {
        match self.span {
            0 | 1 => Some(self.from_layer),
            -1 => self.from_layer.checked_sub(1),
            _ => None,
        }
    }

    fn arrow(&self, from: Point, to: Point, bottom: i32, detours: &mut i32) -> Arrow {
        let middle = |a: i32, b: i32| (a + b) / 2;
        let (bends, at) = match self.span {
            1 | -1 => {
                let x = middle(from.x, to.x);
                let y = middle(from.y, to.y);
                (
                    [Point { x, y: from.y }, Point { x, y: to.y }],
                    Point { x, y },
                )
            }
            0 => {
                // Round the right side of the boxes in between.
                let beside = from.x.max(to.x) + 50;
                let at = Point {
                    x: middle(from.x, to.x) + 38 + label_width(&self.label) / 2,
                    y: middle(from.y, to.y),
                };
                let bends = [from.y, to.y].map(|y| Point { x: beside, y });
                (bends, at)
            }
            _ => {
                *detours += 1;
                let y = bottom + *detours * DETOUR_STEP;
                // A curve reaches three quarters of the way to the points that bend it.
                let low = middle(from.y, to.y) + (y - middle(from.y, to.y)) * 4 / 3;
                let bends = [from.x, to.x].map(|x| Point { x, y: low });
                let x = middle(from.x, to.x);
                (bends, Point { x, y })
            }
        };
        Arrow {
            points: [from, bends[0], bends[1], to],
            label: self.label.clone(),
            at,
        }
    }
}

/// Where all arrows end.
struct Ends {
    /// Start and end of each arrow.
    pairs: Vec<[End; 2]>,
    /// Numbers of arrows on the left, the right and the bottom of each state.
    counts: Vec<[usize; 3]>,
}

impl Ends {
    fn of(states: usize, edges: &[Edge], layers: &[Vec<usize>]) -> Self {
        // Higher states are met by higher arrows, so that few of them cross.
        let mut row_of = vec![0; states];
        for (row, state) in layers.iter().flat_map(|layer| layer.iter().enumerate()) {
            row_of[*state] = row;
        }
        let mut meetings: Vec<(usize, Side, usize, usize, usize)> = Vec::new();
        for (at, edge) in edges.iter().enumerate() {
            let [start, end] = edge.sides();
            meetings.push((edge.from, start, row_of[edge.to], at, 0));
            meetings.push((edge.to, end, row_of[edge.from], at, 1));
        }
        meetings.sort_unstable();
        let mut counts = vec![[0; 3]; states];
        let nowhere = End {
            state: 0,
            side: Side::Left,
            place: 0,
        };
        let mut pairs = vec![[nowhere; 2]; edges.len()];
        for (state, side, _, at, which) in meetings {
            let count = &mut counts[state][side as usize];
            pairs[at][which] = End {
                state,
                side,
                place: *count,
            };
            *count += 1;
        }
        Self { pairs, counts }
    }

    /// Returns how high a box must be for its arrows.
    fn height(&self, state: usize) -> i32 {
        let [left, right, _] = self.counts[state];
        let most = left.max(right);
        let most = i32::try_from(most).unwrap_or_default();
        (most * PORT_STEP + 8).max(MIN_BOX_HEIGHT)
    }

    fn point(&self, end: End, boxes: &[Placed]) -> Point {
        let placed = &boxes[end.state];
        let [place, count] = [end.place, self.counts[end.state][end.side as usize]]
            .map(|number| i32::try_from(number).unwrap_or_default());
        let from_middle = (2 * place - (count - 1)) * PORT_STEP / 2;
        let y = placed.y + placed.height / 2 + from_middle;
        match end.side {
            Side::Left => Point { x: placed.x, y },
            Side::Right => Point {
                x: placed.x + placed.width,
                y,
            },
            Side::Bottom => Point {
                x: placed.x + placed.width / 2 + from_middle,
                y: placed.y + placed.height,
            },
        }
    }
}

/// Moves labels down until none covers another, as far as somebody can look at all of them.
fn spread(arrows: &mut [Arrow]) {
    if arrows.len() > MAX_SPREAD {
        return;
    }
    let mut order: Vec<usize> = (0..arrows.len()).collect();
    order.sort_by_key(|&at| (arrows[at].at.y, arrows[at].at.x, at));
    for (rank, &at) in order.iter().enumerate() {
        let (label, mut place) = (label_width(&arrows[at].label), arrows[at].at);
        // Each label moves this one at most once, because it only moves down.
        for _ in 0..rank {
            let covered = order[..rank].iter().find(|&&other| {
                let other = &arrows[other];
                let apart = (label + label_width(&other.label)) / 2;
                (place.x - other.at.x).abs() < apart && (place.y - other.at.y).abs() < LABEL_HEIGHT
            });
            let Some(&other) = covered else { break };
            place.y = arrows[other].at.y + LABEL_HEIGHT;
        }
        arrows[at].at = place;
    }
}

fn boxes(map: &StateMap, layers: &[Vec<usize>], edges: &[Edge], ends: &Ends) -> Vec<Placed> {
    let mut boxes: Vec<Placed> = map
        .states
        .iter()
        .enumerate()
        .map(|(at, state)| {
            let (name, prompt) = of_state(state);
            let chars = length(&name).max(prompt.as_deref().map_or(0, length));
            Placed {
                name,
                prompt,
                is_entry: state.is_entry,
                x: 0,
                y: 0,
                width: (chars * NAME_CHAR + 24).max(MIN_BOX_WIDTH),
                height: ends.height(at),
            }
        })
        .collect();
    let heights = layers.iter().map(|layer| {
        let boxes: i32 = layer.iter().map(|&at| boxes[at].height + BOX_GAP).sum();
        boxes - BOX_GAP
    });
    let highest = heights.clone().max().unwrap_or_default();
    let heights: Vec<i32> = heights.collect();
    let mut x = MARGIN;
    for (at, layer) in layers.iter().enumerate() {
        let widest = layer.iter().map(|&state| boxes[state].width).max();
        let mut y = MARGIN + (highest - heights[at]) / 2;
        for &state in layer {
            let placed = &mut boxes[state];
            placed.x = x;
            placed.y = y;
            placed.width = widest.unwrap_or_default();
            y += placed.height + BOX_GAP;
        }
        let labels = edges.iter().filter(|edge| edge.gap() == Some(at));
        let label = labels.map(|edge| label_width(&edge.label)).max();
        let gap = label.map_or(0, |width| width + 60).max(MIN_LAYER_GAP);
        x += widest.unwrap_or_default() + gap;
    }
    boxes
}
