//! Fields of a document that are not used.

use ccd_base::nearest::nearest;
use serde_json::Value;

const CONFIG: &str = "name command_template typical_timeout expect_sequences success_indicators ready_indicators \
    notes sample_output tape";
const STEP: &str = "pattern response keys newline optional";
const SECRET: &str = "name env file prompt";

/// Returns a warning for each unknown field, with the name that was probably meant.
pub fn unknown_fields(document: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    look(document, "", CONFIG, &mut warnings);
    let steps = document["expect_sequences"].as_array();
    for (index, step) in steps.into_iter().flatten().enumerate() {
        let place = format!("expect_sequences[{index}].");
        look(step, &place, STEP, &mut warnings);
        let place = format!("{place}response.secret.");
        look(&step["response"]["secret"], &place, SECRET, &mut warnings);
    }
    warnings
}

fn look(value: &Value, place: &str, known: &str, warnings: &mut Vec<String>) {
    let fields = value.as_object().into_iter().flatten();
    let is_known = |field: &str| known.split(' ').any(|name| name == field);
    for (field, _) in fields.filter(|(field, _)| !is_known(field)) {
        let meant = match nearest(field, known.split(' ')) {
            Some(name) => format!(" (did you mean {name}?)"),
            None => String::new(),
        };
        warnings.push(format!(
            "{place}{field} is not a known field{meant} and is not saved"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn slips_are_told_with_their_place_and_what_was_meant() {
        let document = json!({
            "colour": 1,
            "command_template": "x",
            "expect_sequences": [
                {"pattern": "a", "respons": "b"},
                {"response": {"secret": {"environment": "A", "promt": "b"}}},
            ],
            "ready_indicator": [],
        });
        assert_eq!(
            unknown_fields(&document),
            [
                "colour is not a known field and is not saved",
                "ready_indicator is not a known field (did you mean ready_indicators?) and is not saved",
                "expect_sequences[0].respons is not a known field (did you mean response?) and is not saved",
                "expect_sequences[1].response.secret.environment is not a known field and is not saved",
                "expect_sequences[1].response.secret.promt is not a known field (did you mean prompt?) and is not saved",
            ]
        );
    }

    #[test]
    fn the_lists_are_those_of_the_records() {
        let config = json!({
            "command_template": "x", "tape": {},
            "expect_sequences": [{
                "pattern": "a", "keys": [], "newline": false, "optional": true,
                "response": {"secret": {"name": "a", "env": "a", "file": "a", "prompt": "a"}},
            }],
        });
        let read: ccd_protocol::program::ProgramConfig = serde_json::from_value(config).unwrap();
        let written = serde_json::to_value(read).unwrap();
        let names = |value: &Value| value.as_object().unwrap().len();
        let step = &written["expect_sequences"][0];
        let count = |known: &str| known.split(' ').count();
        assert_eq!(names(&written), count(CONFIG));
        assert_eq!(names(step), count(STEP));
        assert_eq!(names(&step["response"]["secret"]), count(SECRET));
        assert_eq!(unknown_fields(&written), Vec::<String>::new());
    }
}
