//! Conditions: checked before the first step runs, and evaluated before their own step.

use super::error::ChainError;
use ccd_protocol::chain::Condition;
use ccd_text::expect::{Matcher, Patterns};
use std::collections::HashMap;
use std::sync::Arc;

const MAX_PARTS: usize = 256;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Test {
    All(Vec<Test>),
    Any(Vec<Test>),
    Not(Box<Test>),
    Success(Target, bool),
    ExitCode(Target, i32),
    /// The output of the step matches, according to the [`Look`] with this number.
    Output(Target, usize),
}

/// The step's position in the list, or a message that says why there is no such step.
pub(super) type Target = Result<usize, String>;

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

pub(super) struct Known<'a> {
    /// By position in the list; `None` for a step that was skipped.
    pub(super) steps: &'a [Option<Ran>],
    /// By number of the look.
    pub(super) looks: &'a HashMap<usize, bool>,
    /// `sequence_order` of each step.
    pub(super) orders: &'a [i64],
}

pub(super) fn compile(
    condition: &Condition,
    index: usize,
    orders: &[i64],
    looks: &mut Vec<Look>,
) -> Result<Test, ChainError> {
    let mut compiler = Compiler {
        index,
        orders,
        looks,
        parts_left: MAX_PARTS,
    };
    compiler.test(condition, &format!("step {}: condition", orders[index]))
}

struct Compiler<'a> {
    index: usize,
    orders: &'a [i64],
    looks: &'a mut Vec<Look>,
    parts_left: usize,
}

impl Compiler<'_> {
    fn test(&mut self, condition: &Condition, place: &str) -> Result<Test, ChainError> {
        let wrong = |what: &str| ChainError::Wrong(format!("{place} {what}"));
        self.parts_left = self
            .parts_left
            .checked_sub(1)
            .ok_or_else(|| wrong("has too many parts"))?;
        let mut tests = Vec::new();
        let target = self.target(condition.step.unwrap_or(-1), place)?;
        tests.extend(
            condition
                .success
                .map(|wanted| Test::Success(target.clone(), wanted)),
        );
        tests.extend(
            condition
                .exit_code
                .map(|wanted| Test::ExitCode(target.clone(), wanted)),
        );
        if let Some(regex) = &condition.output_matches {
            tests.push(self.look(target, regex, place));
        }
        if condition.step.is_some() && tests.is_empty() {
            return Err(wrong(
                "names a step but no test: give success, exit_code or output_matches",
            ));
        }
        if let Some(parts) = &condition.all {
            tests.push(Test::All(self.tests(parts, &format!("{place}.all"))?));
        }
        if let Some(parts) = &condition.any {
            tests.push(Test::Any(self.tests(parts, &format!("{place}.any"))?));
        }
        if let Some(part) = &condition.not {
            let test = self.test(part, &format!("{place}.not"))?;
            tests.push(Test::Not(Box::new(test)));
        }
        match tests.len() {
            0 => Err(wrong(
                "tests nothing: give success, exit_code, output_matches, any, all or not",
            )),
            1 => Ok(tests.remove(0)),
            _ => Ok(Test::All(tests)),
        }
    }

    fn tests(&mut self, parts: &[Condition], place: &str) -> Result<Vec<Test>, ChainError> {
        if parts.is_empty() {
            return Err(ChainError::Wrong(format!("{place} is empty")));
        }
        let places = (0..).map(|index| format!("{place}[{index}]"));
        parts
            .iter()
            .zip(places)
            .map(|(part, place)| self.test(part, &place))
            .collect()
    }

    fn look(&mut self, target: Target, regex: &str, place: &str) -> Test {
        let number = self.looks.len();
        self.looks.push(Look {
            // A search without a step is never run, but its pattern is checked.
            target: *target.as_ref().unwrap_or(&usize::MAX),
            regex: regex.to_owned(),
            patterns: None,
            place: format!("{place}.output_matches"),
        });
        Test::Output(target, number)
    }

    fn target(&self, step: i64, place: &str) -> Result<Target, ChainError> {
        if step < 0 {
            let back = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
            let found = self.index.checked_sub(back);
            return Ok(found.ok_or_else(|| format!("there is no step {back} before this one")));
        }
        match self.orders.iter().position(|&order| order == step) {
            Some(found) if found < self.index => Ok(Ok(found)),
            Some(_) => Err(ChainError::Wrong(format!(
                "{place} refers to step {step}, which does not run before this step"
            ))),
            None => Err(ChainError::Wrong(format!(
                "{place} refers to step {step}, which does not exist"
            ))),
        }
    }
}

impl Test {
    /// Returns whether the condition holds. The error says why the condition cannot be evaluated.
    pub(super) fn holds(&self, known: &Known<'_>) -> Result<bool, String> {
        match self {
            Test::All(tests) => all(tests, known, true),
            Test::Any(tests) => all(tests, known, false),
            Test::Not(test) => test.holds(known).map(|holds| !holds),
            Test::Success(target, wanted) => Ok(known.ran(target)?.success == *wanted),
            Test::ExitCode(target, wanted) => Ok(known.ran(target)?.exit_code == Some(*wanted)),
            Test::Output(target, look) => {
                if known.ran(target)?.is_cut {
                    return Err(known.cut(target));
                }
                let matched = known.looks.get(look).copied();
                matched.ok_or_else(|| "its output was not examined".to_owned())
            }
        }
    }
}

/// If `wanted` is true, returns whether all tests hold; otherwise, whether any test holds. A test that decides the
/// result takes precedence over one that cannot be evaluated.
fn all(tests: &[Test], known: &Known<'_>, wanted: bool) -> Result<bool, String> {
    let mut untold = None;
    for test in tests {
        match test.holds(known) {
            Ok(holds) if holds != wanted => return Ok(!wanted),
            Ok(_) => {}
            Err(why) => untold = untold.or(Some(why)),
        }
    }
    untold.map_or(Ok(wanted), Err)
}

impl Known<'_> {
    fn cut(&self, target: &Target) -> String {
        let place = target.as_ref().copied().unwrap_or_default();
        let order = self.orders.get(place).copied().unwrap_or_default();
        format!("step {order} printed more than 16 MiB, and part of it is lost")
    }

    fn ran(&self, target: &Target) -> Result<Ran, String> {
        let place = *target.as_ref().map_err(String::clone)?;
        let ran = self.steps.get(place).copied().flatten();
        ran.ok_or_else(|| {
            let order = self.orders.get(place).copied().unwrap_or_default();
            format!("step {order} did not run")
        })
    }
}

pub(super) fn matches(patterns: &Arc<Patterns>, output: &str) -> bool {
    let mut matcher = Matcher::new(Arc::clone(patterns), 0, encoding_rs::UTF_8);
    matcher.feed(output.as_bytes()).is_some() || matcher.pause().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn compiled(value: Value, index: usize) -> Result<Test, String> {
        let condition: Condition = serde_json::from_value(value).unwrap();
        compile(&condition, index, &[10, 20, 30, 40], &mut Vec::new())
            .map_err(|error| error.to_string())
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
            looks: &HashMap::from([(0, true), (1, false)]),
            orders: &[10, 20, 30, 40],
        };
        compiled(value, 3).unwrap().holds(&known)
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
            let error = compiled(condition.clone(), 3).unwrap_err();
            assert!(error.contains(told), "{condition}: {error}");
        }
        let many: Vec<Value> = (0..MAX_PARTS).map(|_| json!({"success": true})).collect();
        assert!(
            compiled(json!({ "any": many }), 3)
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
