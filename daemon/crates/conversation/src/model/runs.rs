//! What the runs of a stream used.
//! A stream has the records of a message as they begin, so their output is less than what the message had in the end, and some
//! messages are missing. The line that ends a run says what all of it used.

use crate::line::model_name::is_same_model;
use crate::line::{ModelUse, Usage};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Runs {
    /// What they used in all.
    total: Vec<ModelUse>,
    /// What the messages until the end of the last one say.
    counted: Vec<ModelUse>,
}

impl Runs {
    /// Takes what the end of a run says, and what all messages before it say.
    /// Claude Code 2.1.330 counts on over all runs of a session, 2.1.197 over those of one process: if the number is too small
    /// to include what was before, it does not. Prompts are known exactly, so they decide.
    pub fn end(&mut self, mut said: Vec<ModelUse>, counted: Vec<ModelUse>) {
        // Older versions name no model: that of most of the main conversation's prompts.
        let main = counted
            .iter()
            .filter(|one| !one.is_sub && !one.model.is_empty());
        let main = main.max_by_key(|one| (prompts(std::slice::from_ref(*one)), &one.model));
        for (one, main) in said.iter_mut().zip(main) {
            if one.model.is_empty() {
                one.model.clone_from(&main.model);
            }
        }
        let since = prompts(&counted).saturating_sub(prompts(&self.counted));
        if prompts(&said) >= prompts(&self.total).saturating_add(since) {
            self.total = said;
        } else {
            said.iter().for_each(|one| add(&mut self.total, one));
        }
        self.counted = counted;
    }

    /// Returns what the runs used besides what their messages say, by model. A cost may be negative: messages are priced by
    /// another table.
    #[must_use]
    pub fn rest(&self) -> Vec<ModelUse> {
        let mut rest = self.total.clone();
        for one in &self.counted {
            let only = rest.len() == 1;
            let same = |other: &&mut ModelUse| only || is_same_model(&other.model, &one.model);
            let Some(other) = rest.iter_mut().find(same) else {
                continue;
            };
            other.is_sub = one.is_sub;
            other.usage = less(&other.usage, &one.usage);
            other.cost_usd = other
                .cost_usd
                .map(|cost| cost - one.cost_usd.unwrap_or(0.0));
        }
        rest
    }

    /// Returns what they cost in US dollars, as Claude Code says.
    #[must_use]
    pub fn cost_usd(&self) -> Option<f64> {
        self.total.iter().map(|one| one.cost_usd).sum()
    }
}

pub(crate) fn add(all: &mut Vec<ModelUse>, one: &ModelUse) {
    let Some(known) = all.iter_mut().find(|known| known.model == one.model) else {
        return all.push(one.clone());
    };
    known.usage += &one.usage;
    known.is_sub &= one.is_sub;
    known.cost_usd = match (known.cost_usd, one.cost_usd) {
        (Some(known), Some(more)) => Some(known + more),
        (known, more) => known.or(more),
    };
}

fn prompts(all: &[ModelUse]) -> u64 {
    let prompt = |one: &ModelUse| {
        let usage = &one.usage;
        usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens
    };
    all.iter().map(prompt).sum()
}

fn less(from: &Usage, other: &Usage) -> Usage {
    let count = |of: fn(&Usage) -> u64| of(from).saturating_sub(of(other));
    Usage {
        input_tokens: count(|usage| usage.input_tokens),
        output_tokens: count(|usage| usage.output_tokens),
        cache_creation_input_tokens: count(|usage| usage.cache_creation_input_tokens),
        cache_read_input_tokens: count(|usage| usage.cache_read_input_tokens),
        web_search_requests: count(|usage| usage.web_search_requests),
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Models with their input, output and cost.
    type Uses<'a> = &'a [(&'a str, u64, u64, f64)];

    fn uses(all: Uses<'_>) -> Vec<ModelUse> {
        let one = |(model, input_tokens, output_tokens, cost): &(&str, u64, u64, f64)| ModelUse {
            model: (*model).to_owned(),
            usage: Usage {
                input_tokens: *input_tokens,
                output_tokens: *output_tokens,
                ..Usage::default()
            },
            cost_usd: Some(*cost),
            is_sub: false,
        };
        all.iter().map(one).collect()
    }

    /// Returns the tokens and the cost of the rest after runs, each as what its end says and what the messages so far say.
    fn rest(runs: &[(Uses<'_>, Uses<'_>)]) -> (u64, u64, f64) {
        let mut all = Runs::default();
        for (said, counted) in runs {
            all.end(uses(said), uses(counted));
        }
        let rest = all.rest();
        let sum = |of: fn(&Usage) -> u64| rest.iter().map(|one| of(&one.usage)).sum::<u64>();
        let cost: Option<f64> = rest.iter().map(|one| one.cost_usd).sum();
        (
            sum(|usage| usage.input_tokens),
            sum(|usage| usage.output_tokens),
            (cost.unwrap() * 1000.0).round(),
        )
    }

    #[test]
    fn the_rest_of_a_run_is_what_its_messages_do_not_say() {
        // As captured from 2.1.197 (subagent_parallel, stream_input, resume) and 2.1.330 (resume, two ends of one run).
        for (runs, expected) in [
            (
                &[(
                    &[
                        ("claude-opus-4-8[1m]", 60, 196, 5.2),
                        ("claude-haiku-4-5-20251001", 12, 13, 0.1),
                    ][..],
                    &[
                        ("claude-opus-4-8", 36, 3, 1.0),
                        ("claude-haiku-4-5", 12, 1, 0.0),
                    ][..],
                )][..],
                (24, 205, 4300.0),
            ),
            // One process counts on.
            (
                &[
                    (&[("m", 12, 10, 0.3)], &[("m", 12, 1, 0.1)]),
                    (&[("m", 24, 21, 0.6)], &[("m", 24, 2, 0.2)]),
                ],
                (0, 19, 400.0),
            ),
            // Another one begins anew.
            (
                &[
                    (&[("m", 12, 10, 0.3)], &[("m", 12, 1, 0.1)]),
                    (&[("m", 12, 9, 0.2)], &[("m", 24, 2, 0.2)]),
                ],
                (0, 17, 300.0),
            ),
            // Two ends of one run.
            (
                &[
                    (&[("m", 60, 138, 3.0)], &[("m", 60, 5, 1.0)]),
                    (&[("m", 60, 138, 3.0)], &[("m", 60, 5, 1.0)]),
                ],
                (0, 133, 2000.0),
            ),
            // An older version names no model.
            (
                &[(
                    &[("", 12, 10, 0.3)],
                    &[("m", 12, 1, 0.1), ("sub", 5, 1, 0.0)],
                )],
                (0, 8, 200.0),
            ),
            // The messages have another name for the only model, or know more.
            (
                &[(&[("our-gateway/x", 12, 10, 0.3)], &[("x", 12, 1, 0.0)])],
                (0, 9, 300.0),
            ),
            (
                &[(&[("m", 12, 13, 0.4)], &[("m", 24, 2, 0.5)])],
                (0, 11, -100.0),
            ),
        ] {
            assert_eq!(rest(runs), expected, "{runs:?}");
        }
    }
}
