//! Tape options of a program configuration: defaults for requests that do not set them.

use super::error::Mistake;
use ccd_base::nearest::nearest;
use ccd_protocol::tape::{MatchOptions, TapeOptions};
use ccd_tape::settings::ReplayDefaults;
use ccd_tape::settings::TapeSettings;
use serde_json::{Map, Value};
use std::path::Path;

const OPTIONS: &str =
    "root record fallback latency error_rate seed strict tag name summary decorators redact match";
const MATCH: &str = "allow_env ignore_env ignore_args ignore_stdin match_cwd";
const DECORATOR: &str = "on replace with filter";

pub(super) fn read(tape: &Map<String, Value>) -> Result<TapeOptions, Mistake> {
    check_options(tape)?;
    let text = Value::Object(tape.clone()).to_string();
    let options: TapeOptions = ccd_protocol::read(&text)
        .map_err(|mistake| Mistake::at(format!("tape.{}", mistake.path), mistake.message))?;
    // Only the form of the folder is checked, so the base does not matter.
    let settings = TapeSettings::over(&options, &ReplayDefaults::default(), Path::new("/"));
    settings.map_err(|error| {
        let text = error.to_string();
        let (place, what) = text.split_once(' ').unwrap_or(("tape", &text));
        Mistake::at(place.trim_end_matches(':'), what)
    })?;
    Ok(options)
}

pub fn check_options(tape: &Map<String, Value>) -> Result<(), Mistake> {
    check_names("tape", tape, OPTIONS)?;
    if let Some(matching) = tape.get("match").and_then(Value::as_object) {
        check_names("tape.match", matching, MATCH)?;
    }
    let decorators = tape.get("decorators").and_then(Value::as_array);
    for (index, decorator) in decorators.into_iter().flatten().enumerate() {
        if let Value::Object(decorator) = decorator {
            let place = format!("tape.decorators[{index}]");
            check_names(&place, decorator, DECORATOR)?;
        }
    }
    Ok(())
}

fn check_names(place: &str, fields: &Map<String, Value>, known: &str) -> Result<(), Mistake> {
    let is_unknown = |field: &&String| known.split(' ').all(|name| name != **field);
    let Some(field) = fields.keys().find(is_unknown) else {
        return Ok(());
    };
    let meant = match nearest(field, known.split(' ')) {
        Some(name) => format!("there is no such option (did you mean {name}?)"),
        None => format!(
            "there is no such option; the options are {}",
            known.replace(' ', ", ")
        ),
    };
    Err(Mistake::at(format!("{place}.{field}"), meant))
}

/// Returns the request's options, with the configuration's value for each option that the request omits.
pub fn laid_over(request: Option<TapeOptions>, configured: TapeOptions) -> TapeOptions {
    let request = request.unwrap_or_default();
    TapeOptions {
        root: request.root.or(configured.root),
        record: request.record.or(configured.record),
        fallback: request.fallback.or(configured.fallback),
        latency: request.latency.or(configured.latency),
        error_rate: request.error_rate.or(configured.error_rate),
        seed: request.seed.or(configured.seed),
        strict: request.strict.or(configured.strict),
        tag: request.tag.or(configured.tag),
        name: request.name.or(configured.name),
        summary: request.summary.or(configured.summary),
        decorators: request.decorators.or(configured.decorators),
        redact: request.redact.or(configured.redact),
        matching: match (request.matching, configured.matching) {
            (Some(request), Some(configured)) => Some(MatchOptions {
                allow_env: request.allow_env.or(configured.allow_env),
                ignore_env: request.ignore_env.or(configured.ignore_env),
                ignore_args: request.ignore_args.or(configured.ignore_args),
                ignore_stdin: request.ignore_stdin.or(configured.ignore_stdin),
                match_cwd: request.match_cwd.or(configured.match_cwd),
            }),
            (request, configured) => request.or(configured),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::tape::RecordMode;
    use serde_json::json;

    fn read(tape: Value) -> Result<TapeOptions, String> {
        super::read(tape.as_object().unwrap()).map_err(|mistake| mistake.to_string())
    }

    #[test]
    fn each_mistake_is_told_with_its_place() {
        for (tape, told) in [
            (
                json!({"recrod": "new"}),
                "tape.recrod: there is no such option (did you mean record?)",
            ),
            (
                json!({"match": {"x": 1}}),
                "tape.match.x: there is no such option; the options are allow_env",
            ),
            (
                json!({"decorators": [{"on": "input", "wiht": "b"}]}),
                "tape.decorators[0].wiht: there is no such option (did you mean with?)",
            ),
            (
                json!({"latency": "slow"}),
                "tape.latency: invalid value: string \"slow\", expected milliseconds such as 20 (0 is none), a range",
            ),
            (
                json!({"match": {"ignore_args": ["a", -1]}}),
                "tape.match.ignore_args[1]: invalid value: integer `-1`, expected an index",
            ),
            (
                json!({"record": "always"}),
                "tape.record: unknown variant `always`",
            ),
            (
                json!({"root": "tapes"}),
                "tape.root: must be an absolute path",
            ),
            (
                json!({"error_rate": 101}),
                "tape.error_rate: must be from 0 to 100, found 101",
            ),
            (
                json!({"match": {"ignore_args": ["/(/"]}}),
                "tape.match.ignore_args[0]: ",
            ),
        ] {
            let error = read(tape).unwrap_err();
            assert!(error.starts_with(told), "{error}");
        }
    }

    #[test]
    fn each_option_of_a_request_counts_before_the_configuration() {
        let all = json!({
            "root": "/a", "record": "new", "fallback": "proxy", "latency": 0, "error_rate": 1.0, "seed": 2,
            "strict": true, "tag": "t", "name": "{program}", "summary": false, "redact": false,
            "decorators": [{"on": "input", "replace": "a", "with": "b"}],
            "match": {"allow_env": [], "ignore_env": [], "ignore_args": [], "ignore_stdin": true, "match_cwd": true},
        });
        let configured = read(all.clone()).unwrap();
        assert_eq!(all.as_object().unwrap().len(), OPTIONS.split(' ').count());
        assert_eq!(laid_over(None, configured.clone()), configured);
        let request = read(json!({"record": "disabled", "match": {"match_cwd": false}})).unwrap();
        let both = laid_over(Some(request), configured.clone());
        assert_eq!(both.record, Some(RecordMode::Disabled));
        let matching = both.matching.clone().unwrap();
        assert_eq!(
            (matching.match_cwd, matching.ignore_stdin),
            (Some(false), Some(true))
        );
        let back = TapeOptions {
            record: configured.record,
            matching: configured.matching.clone(),
            ..both
        };
        assert_eq!(back, configured);
    }
}
