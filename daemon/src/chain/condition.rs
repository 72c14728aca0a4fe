//! Conditions: checked before the first step runs, and evaluated before their own step.

use crate::failure::{CallError, invalid};
use ccd_protocol::chain::Condition;
use ccd_text::expect::{Matcher, Patterns};
use std::collections::HashMap;
use std::sync::Arc;

const MAX_PARTS: usize = 256;

/// A search in the output of one step. It is done right after the step has run, because outputs are too large to keep.
pub(super) struct Look {
    pub(super) target: usize,
    pub(super) regex: String,
    /// Set before the chain runs.
    pub(super) patterns: Option<Arc<Patterns>>,
    /// Its place in the chain, for errors.
    pub(super) place: String,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Ran {
    pub(super) success: bool,
    pub(super) exit_code: Option<i32>,
    /// Part of its output is lost.
    pub(super) is_cut: bool,
}

/// What is known before a step runs.
pub(super) struct Known<'a> {
    /// Those before it, by position in the list; `None` for a step that was skipped.
    pub(super) steps: &'a [Option<Ran>],
    /// By the position of the step and the pattern.
    pub(super) looks: &'a HashMap<(usize, &'a str), bool>,
    /// `sequence_order` of each step.
    pub(super) orders: &'a [i64],
}

/// Checks the condition of the step at `index`, and adds the searches that it needs to `looks`.
pub(super) fn check(
    condition: &Condition,
    index: usize,
    orders: &[i64],
    looks: &mut Vec<Look>,
) -> Result<(), CallError> {
    let mut checker = Checker {
        index,
        orders,
        looks,
        parts_left: MAX_PARTS,
    };
    checker.part(condition, &format!("step {}: condition", orders[index]))
}

struct Checker<'a> {
    index: usize,
    orders: &'a [i64],
    looks: &'a mut Vec<Look>,
    parts_left: usize,
}

impl Checker<'_> {
    fn part(&mut self, condition: &Condition, place: &str) -> Result<(), CallError> {
        let wrong = |what: &str| invalid(format!("{place} {what}"));
        let parts_left = self.parts_left.checked_sub(1);
        self.parts_left = parts_left.ok_or_else(|| wrong("has too many parts"))?;
        let target = self.target(condition.step.unwrap_or(-1), place)?;
        if let Some(regex) = &condition.output_matches {
            self.looks.push(Look {
                // A search without a step is never run, but its pattern is checked.
                target: target.unwrap_or(usize::MAX),
                regex: regex.clone(),
                patterns: None,
                place: format!("{place}.output_matches"),
            });
        }
        let has_test = condition.success.is_some()
            || condition.exit_code.is_some()
            || condition.output_matches.is_some();
        if condition.step.is_some() && !has_test {
            return Err(wrong(
                "names a step but no test: give success, exit_code or output_matches",
            ));
        }
        for (name, parts) in [("all", &condition.all), ("any", &condition.any)] {
            let Some(parts) = parts else {
                continue;
            };
            if parts.is_empty() {
                return Err(invalid(format!("{place}.{name} is empty")));
            }
            for (index, part) in parts.iter().enumerate() {
                self.part(part, &format!("{place}.{name}[{index}]"))?;
            }
        }
        match &condition.not {
            Some(part) => self.part(part, &format!("{place}.not")),
            None if has_test || condition.all.is_some() || condition.any.is_some() => Ok(()),
            None => Err(wrong(
                "tests nothing: give success, exit_code, output_matches, any, all or not",
            )),
        }
    }

    /// Returns the position of a step before this one; `None` if there are not so many before it.
    fn target(&self, step: i64, place: &str) -> Result<Option<usize>, CallError> {
        let wrong = |what: &str| invalid(format!("{place} refers to step {step}, which {what}"));
        match position(step, self.index, self.orders) {
            None if step >= 0 => Err(wrong("does not exist")),
            Some(found) if found >= self.index => Err(wrong("does not run before this step")),
            found => Ok(found),
        }
    }
}

/// Returns the position of the step that a condition of the step at `index` names.
fn position(step: i64, index: usize, orders: &[i64]) -> Option<usize> {
    if step < 0 {
        let back = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
        return index.checked_sub(back);
    }
    orders.iter().position(|&order| order == step)
}

impl Known<'_> {
    /// Returns whether a checked condition holds for the next step. The error says why it cannot be evaluated.
    pub(super) fn holds(&self, condition: &Condition) -> Result<bool, String> {
        let step = condition.step.unwrap_or(-1);
        let success = |wanted: bool| Ok(self.ran(step)?.1.success == wanted);
        let exit_code = |wanted: i32| Ok(self.ran(step)?.1.exit_code == Some(wanted));
        let all = |parts: &Vec<Condition>| every(parts.iter().map(|part| self.holds(part)), true);
        let any = |parts: &Vec<Condition>| every(parts.iter().map(|part| self.holds(part)), false);
        let tests = [
            condition.success.map(success),
            condition.exit_code.map(exit_code),
            (condition.output_matches.as_deref()).map(|regex| self.matches(step, regex)),
            condition.all.as_ref().map(all),
            condition.any.as_ref().map(any),
            (condition.not.as_ref()).map(|part| self.holds(part).map(|holds| !holds)),
        ];
        every(tests.into_iter().flatten(), true)
    }

    fn matches(&self, step: i64, regex: &str) -> Result<bool, String> {
        let (target, ran) = self.ran(step)?;
        if ran.is_cut {
            let order = self.orders[target];
            return Err(format!(
                "step {order} printed more than 16 MiB, and part of it is lost"
            ));
        }
        let matched = self.looks.get(&(target, regex)).copied();
        matched.ok_or_else(|| "its output was not examined".to_owned())
    }

    /// Returns the position of a step, and how it ended.
    fn ran(&self, step: i64) -> Result<(usize, Ran), String> {
        let target = position(step, self.steps.len(), self.orders).ok_or_else(|| {
            let back = step.unsigned_abs();
            format!("there is no step {back} before this one")
        })?;
        let ran = self.steps.get(target).copied().flatten();
        let ran = ran.ok_or_else(|| format!("step {} did not run", self.orders[target]))?;
        Ok((target, ran))
    }
}

/// If `wanted` is true, returns whether all tests hold; otherwise, whether any test holds. A test that decides the
/// result takes precedence over one that cannot be evaluated.
fn every(tests: impl Iterator<Item = Result<bool, String>>, wanted: bool) -> Result<bool, String> {
    let mut untold = None;
    for test in tests {
        match test {
            Ok(holds) if holds != wanted => return Ok(!wanted),
            Ok(_) => {}
            Err(why) => untold = untold.or(Some(why)),
        }
    }
    untold.map_or(Ok(wanted), Err)
}

pub(super) fn matches(patterns: &Arc<Patterns>, output: &str) -> bool {
    let mut matcher = Matcher::new(Arc::clone(patterns), 0, encoding_rs::UTF_8);
    matcher.feed(output.as_bytes()).is_some() || matcher.pause().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn checked(value: Value, index: usize) -> Result<Condition, String> {
        let condition: Condition = serde_json::from_value(value).unwrap();
        check(&condition, index, &[10, 20, 30, 40], &mut Vec::new())
            .map_err(|error| error.to_string())?;
        Ok(condition)
    }

    /// Whether it holds for step 40 after one that succeeded, one that was skipped, and one that failed with status 3.
    fn holds(value: Value) -> Result<bool, String> {
        let ran = |exit_code| {
            Some(Ran {
                success: exit_code == 0,
                exit_code: Some(exit_code),
                is_cut: exit_code == 3,
            })
        };
        let known = Known {
            steps: &[ran(0), None, ran(3)],
            looks: &HashMap::from([((0, "a"), true), ((0, "b"), false)]),
            orders: &[10, 20, 30, 40],
        };
        known.holds(&checked(value, 3).unwrap())
    }

    #[test]
    fn all_that_is_given_must_hold() {
        assert_eq!(holds(json!({"success": false})), Ok(true));
        assert_eq!(holds(json!({"success": false, "exit_code": 3})), Ok(true));
        assert_eq!(holds(json!({"success": false, "exit_code": 4})), Ok(false));
        assert_eq!(holds(json!({"step": 10, "exit_code": 0})), Ok(true));
        assert_eq!(holds(json!({"step": -3, "exit_code": 0})), Ok(true));
        assert_eq!(holds(json!({"step": 10, "output_matches": "a"})), Ok(true));
        assert_eq!(
            holds(json!({"not": {"step": -1, "success": true}})),
            Ok(true)
        );
        let two = json!({"all": [{"step": 10, "output_matches": "a"}, {"step": 10, "output_matches": "b"}]});
        assert_eq!(holds(two), Ok(false));
    }

    #[test]
    fn a_step_that_did_not_run_makes_it_untold_and_so_is_its_negation() {
        let untold = Err("step 20 did not run".to_owned());
        assert_eq!(holds(json!({"step": 20, "success": true})), untold);
        assert_eq!(holds(json!({"not": {"step": -2, "success": true}})), untold);
        assert_eq!(
            holds(json!({"any": [{"step": 20, "success": true}, {"success": false}]})),
            Ok(true)
        );
        assert_eq!(
            holds(json!({"any": [{"step": 20, "success": true}, {"success": true}]})),
            untold
        );
        assert_eq!(
            holds(json!({"all": [{"step": 20, "success": true}, {"success": true}]})),
            Ok(false)
        );
        let before = holds(json!({"step": -4, "success": true})).unwrap_err();
        assert_eq!(before, "there is no step 4 before this one");
    }

    #[test]
    fn an_output_that_is_not_all_there_makes_it_untold() {
        let lost = holds(json!({"output_matches": "a"})).unwrap_err();
        assert_eq!(
            lost,
            "step 30 printed more than 16 MiB, and part of it is lost"
        );
        assert_eq!(holds(json!({"success": false})), Ok(true));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_place() {
        for (condition, told) in [
            (json!({}), "step 40: condition tests nothing"),
            (json!({"step": 10}), "but no test"),
            (json!({"any": []}), "condition.any is empty"),
            (
                json!({"any": [{"success": true}, {}]}),
                "condition.any[1] tests nothing",
            ),
            (
                json!({"step": 40, "success": true}),
                "does not run before this step",
            ),
            (
                json!({"step": 15, "success": true}),
                "step 15, which does not exist",
            ),
        ] {
            let error = checked(condition.clone(), 3).unwrap_err();
            assert!(error.contains(told), "{condition}: {error}");
        }
        let many: Vec<Value> = (0..MAX_PARTS).map(|_| json!({"success": true})).collect();
        assert!(
            checked(json!({ "any": many }), 3)
                .unwrap_err()
                .contains("too many parts")
        );
    }

    #[test]
    fn an_output_is_matched_by_lines() {
        let list = [ccd_text::expect::Pattern::Regex("(?m)^ok$".into())];
        let patterns = Arc::new(Patterns::compile(&list, false).unwrap());
        assert!(matches(&patterns, "a\nok"));
        assert!(matches(&patterns, "a\nok\nb\n"));
        assert!(!matches(&patterns, "not ok"));
        assert!(!matches(&patterns, ""));
    }
}
