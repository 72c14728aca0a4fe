//! Options of every command that starts a program: how tapes are recorded and replayed.

use super::offer::ValueKind;
use super::value::{count, directory, named};
use ccd_protocol::tape::{
    Decorator, FallbackMode, IgnoredArg, Latency, LatencyName, MatchOptions, RecordMode,
    TapeOptions,
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, ValueHint};

/// Options that have no effect in `ccctl rec`, which replays nothing, and are therefore hidden; with `--fallback proxy`
/// they have one.
const NOT_OF_REC: [&str; 4] = ["fallback", "strict", "no_strict", "ignore_stdin"];

/// Options that have no effect in `ccctl play`, which records nothing, and are therefore hidden; with `--record` they
/// have one.
const NOT_OF_PLAY: [&str; 3] = ["tag", "decorate", "no_redact"];

const OF_REC: &str = "What to record: exchanges that are on no tape (new), or those that already are (overwrite) [default: new]";

const LATENCY_OF_REC: &str = "Delay before each chunk when the tape is replayed, stored on the tape: N milliseconds, LO-HI for a random delay between LO and HI, or the word recorded for the recorded delays [default: recorded]";

const ERROR_RATE_OF_REC: &str =
    "Percentage of exchanges to replay with an injected error, 0 to 100, stored on the tape";

const SEED_OF_REC: &str = "Random seed for injected errors and LO-HI latency, stored on the tape";

const OF_PLAY: &str = "With --fallback proxy, what to record: exchanges that are on no tape (new), or nothing (disabled) [default: disabled]";

const COMPARED: &str =
    "Compare this environment variable, instead of LANG, LC_*, TERM and TZ; can be repeated";

const NOT_COMPARED: &str = "Do not compare this environment variable; can be repeated";

/// Leaves those options of `ccctl rec` in its help that make sense.
pub(super) fn for_rec(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "record" => arg.help(OF_REC).value_parser(record_modes("disabled")),
        "latency" => arg.help(LATENCY_OF_REC),
        "tape_name" => arg.alias("name"),
        "error_rate" => arg.help(ERROR_RATE_OF_REC),
        "seed" => arg.help(SEED_OF_REC),
        id if NOT_OF_REC.contains(&id) => arg.hide(true),
        _ => arg,
    }
}

/// The same for `ccctl play`.
pub(super) fn for_play(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "record" => arg.help(OF_PLAY).value_parser(record_modes("overwrite")),
        "allow_env" => arg.help(COMPARED),
        "ignore_env" => arg.help(NOT_COMPARED),
        "tape_name" => arg.alias("name").hide(true),
        id if NOT_OF_PLAY.contains(&id) => arg.hide(true),
        _ => arg,
    }
}

/// The same for `ccctl tape shim`, which never prints a summary.
pub(super) fn for_shim(arg: Arg) -> Arg {
    let is_hidden = arg.get_id() == "no_summary";
    arg.hide(is_hidden)
}

/// Options of `rec`, `play`, `tape shim`, `run` and `new`, except the tape's name.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Tape options")]
pub(crate) struct TapeArgs {
    /// Directory of the tapes [default: configuration key replay.tapes_path, otherwise tapes in the base directory]
    #[arg(long, value_name = "DIR", value_parser = directory)]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) tapes: Option<String>,
    /// What to record: exchanges that are on no tape (new), those that already are (overwrite), or nothing (disabled)
    #[arg(long, value_name = "MODE", value_parser = record_modes(""))]
    pub(crate) record: Option<RecordMode>,
    /// What to do with an input that is on no tape: fail (not_found), or ask the real program (proxy)
    #[arg(long, value_name = "MODE", value_parser = fallback_modes())]
    pub(crate) fallback: Option<FallbackMode>,
    /// Delay before each chunk of output: N milliseconds, LO-HI for a random delay between LO and HI, or the word recorded for the recorded delays [default: as the tape says]
    #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = latency)]
    pub(crate) latency: Option<Latency>,
    /// Percentage of exchanges that are replayed with an injected error, 0 to 100
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = percent)]
    pub(crate) error_rate: Option<f64>,
    /// Random seed for injected errors and LO-HI latency [default: configuration key replay.seed, otherwise the tape's seed, or 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) seed: Option<u64>,
    /// Accept exact matches only, never a similar exchange [default if $CI is set]
    #[arg(long, overrides_with = "no_strict")]
    pub(crate) strict: bool,
    /// Accept the closest recorded exchange if there is no exact match [default if $CI is not set]
    #[arg(long)]
    pub(crate) no_strict: bool,
    /// Label stored on a new tape, and used at the start of its name [default: configuration key replay.tag]
    #[arg(long, value_name = "TEXT")]
    pub(crate) tag: Option<String>,
    /// Do not print the summary of tapes at the end
    #[arg(long)]
    pub(crate) no_summary: bool,
    /// Keep secrets on a new tape, and mark the tape accordingly
    #[arg(long)]
    pub(crate) no_redact: bool,
    /// Record and compare this environment variable, instead of LANG, LC_*, TERM and TZ; can be repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    #[arg(add = ValueKind::Variables)]
    pub(crate) allow_env: Vec<String>,
    /// Record this environment variable but do not compare it; can be repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    #[arg(add = ValueKind::Variables)]
    pub(crate) ignore_env: Vec<String>,
    /// Do not compare this argument, given as its index (0: the first argument), its text, or /REGEX/; can be repeated
    #[arg(
        long,
        alias = "ignore-args",
        value_name = "ARG",
        allow_hyphen_values = true
    )]
    pub(crate) ignore_arg: Vec<String>,
    /// Ignore the input: match exchanges by their position alone
    #[arg(long)]
    pub(crate) ignore_stdin: bool,
    /// Also compare the working directory when looking for a matching exchange
    #[arg(long)]
    pub(crate) match_cwd: bool,
    /// Rewrite what is recorded; "on" is input, output or tape: {"on": "output", "replace": REGEX, "with": TEXT} or {"on": "output", "filter": [PROGRAM, …]}; can be repeated [default: configuration key replay.decorators]
    #[arg(long, value_name = "JSON", value_parser = decorator)]
    pub(crate) decorate: Vec<Decorator>,
}

/// The same options for commands where `--name` has another meaning. If any of them is given, tapes are used.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Tape options")]
pub(crate) struct NamedTapeArgs {
    #[command(flatten)]
    pub(crate) tape: TapeArgs,
    /// Name a new tape by this template of {program}, {tag}, {verb} (the first argument), {time} and {random} [default: configuration key replay.name]
    #[arg(long, value_name = "TEMPLATE")]
    pub(crate) tape_name: Option<String>,
}

impl TapeArgs {
    /// True if any of the options is given.
    pub(crate) fn is_given(&self) -> bool {
        self.tapes.is_some() || self.options() != TapeOptions::default()
    }

    /// Returns the given options, without the directory, which is relative to the caller's.
    pub(crate) fn options(&self) -> TapeOptions {
        TapeOptions {
            root: None,
            record: self.record,
            fallback: self.fallback,
            latency: self.latency.clone(),
            error_rate: self.error_rate,
            seed: self.seed,
            strict: (self.strict || self.no_strict).then_some(self.strict),
            tag: self.tag.clone(),
            name: None,
            summary: self.no_summary.then_some(false),
            decorators: Some(self.decorate.clone()).filter(|all| !all.is_empty()),
            redact: self.no_redact.then_some(false),
            matching: Some(self.matching()).filter(|given| *given != MatchOptions::default()),
        }
    }

    /// Checks that each given option has an effect in these modes; `name` is the value of `--tape-name`.
    pub(crate) fn check_effect(
        &self,
        name: &Option<String>,
        record: RecordMode,
        fallback: FallbackMode,
    ) -> Result<(), String> {
        let replays = match record {
            RecordMode::Disabled => true,
            RecordMode::New => fallback == FallbackMode::Proxy,
            RecordMode::Overwrite => false,
        };
        // A new tape stores these.
        let of_tape = [
            ("latency", self.latency.is_some()),
            ("error-rate", self.error_rate.is_some()),
            ("seed", self.seed.is_some()),
        ];
        let of_replay = [
            ("strict", self.strict),
            ("no-strict", self.no_strict),
            ("ignore-stdin", self.ignore_stdin),
        ];
        let of_recording = [
            ("tape-name", name.is_some()),
            ("tag", self.tag.is_some()),
            ("decorate", !self.decorate.is_empty()),
        ];
        let given = |all: &[(&'static str, bool)]| all.iter().find(|(_, given)| *given).copied();
        let is_stored = record == RecordMode::New;
        let of_tape = given(&of_tape).filter(|_| !is_stored);
        if let (false, Some((option, _))) = (replays, of_tape.or_else(|| given(&of_replay))) {
            return Err(format!(
                "--{option}: no tape is replayed, so it has no effect; leave it out, or use ccctl play --fallback proxy --record new"
            ));
        }
        if let (RecordMode::Disabled, Some((option, _))) = (record, given(&of_recording)) {
            return Err(format!(
                "--{option}: nothing is recorded, so it has no effect; leave it out, or use ccctl rec or ccctl play --fallback proxy --record new"
            ));
        }
        Ok(())
    }

    fn matching(&self) -> MatchOptions {
        let list = |names: &[String]| (!names.is_empty()).then(|| names.to_vec());
        let ignored = self.ignore_arg.iter().map(|text| ignored_arg(text));
        MatchOptions {
            allow_env: list(&self.allow_env),
            ignore_env: list(&self.ignore_env),
            ignore_args: Some(ignored.collect()).filter(|all: &Vec<_>| !all.is_empty()),
            ignore_stdin: self.ignore_stdin.then_some(true),
            match_cwd: self.match_cwd.then_some(true),
        }
    }
}

fn ignored_arg(text: &str) -> IgnoredArg {
    match text.parse() {
        Ok(index) => IgnoredArg::Index(index),
        Err(_) => IgnoredArg::Text(text.to_owned()),
    }
}

pub(super) fn record_modes(hidden: &str) -> impl TypedValueParser<Value = RecordMode> {
    let modes = ["new", "overwrite", "disabled"];
    let modes = modes.map(|mode| PossibleValue::new(mode).hide(mode == hidden));
    PossibleValuesParser::new(modes).map(|mode| named(&mode).unwrap_or(RecordMode::Disabled))
}

pub(super) fn fallback_modes() -> impl TypedValueParser<Value = FallbackMode> {
    let modes = PossibleValuesParser::new(["not_found", "proxy"]);
    modes.map(|mode| named(&mode).unwrap_or(FallbackMode::NotFound))
}

pub(super) fn latency(text: &str) -> Result<Latency, String> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let parsed = match text.split_once('-') {
        _ if text == "recorded" => Some(Latency::Named(LatencyName::Recorded)),
        None => number(text).map(Latency::Constant),
        Some((low, high)) => number(low)
            .zip(number(high))
            .filter(|(low, high)| low <= high)
            .map(|(low, high)| Latency::Range([low, high])),
    };
    parsed.ok_or_else(|| {
        "give recorded, milliseconds such as 0 or 20, or a range such as 5-50".to_owned()
    })
}

fn percent(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=100.0).contains(&number) => Ok(number),
        _ => Err("give 0 to 100".to_owned()),
    }
}

fn decorator(text: &str) -> Result<Decorator, String> {
    let decorator: Decorator =
        serde_json::from_str(text).map_err(|error| format!("not a decorator: {error}"))?;
    match (&decorator.replace, &decorator.with, &decorator.filter) {
        (Some(_), Some(_), None) | (None, None, Some(_)) => Ok(decorator),
        _ => Err("give either replace and with, or filter".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use crate::args::{Noun, parsed};
    use serde_json::json;

    fn options(line: &str) -> Result<serde_json::Value, clap::Error> {
        match parsed(&format!("play {line} -- bc"))? {
            Noun::Play(args) => Ok(serde_json::to_value(args.tape.tape.options()).unwrap()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_flag_has_its_option() {
        let line = "--record overwrite --fallback proxy --latency 5-50 --error-rate 2.5 --seed 7 --strict --tag t \
                     --no-summary --no-redact --allow-env A,B --ignore-env C --ignore-arg 0 --ignore-arg -x \
                     --ignore-stdin --match-cwd";
        let decorator = r#"{"on":"output","replace":"a+","with":"b"}"#;
        let line = format!("{line} --decorate '{decorator}'");
        let expected = json!({
            "record": "overwrite", "fallback": "proxy", "latency": [5, 50], "error_rate": 2.5, "seed": 7,
            "strict": true, "tag": "t", "summary": false, "redact": false,
            "decorators": [{"on": "output", "replace": "a+", "with": "b"}],
            "match": {"allow_env": ["A", "B"], "ignore_env": ["C"], "ignore_args": [0, "-x"], "ignore_stdin": true,
                      "match_cwd": true},
        });
        assert_eq!(options(&line).unwrap(), expected);
    }

    #[test]
    fn options_that_are_not_given_are_not_sent_and_the_last_one_about_strictness_counts() {
        for (line, sent) in [
            ("", json!({})),
            ("--strict --no-strict", json!({"strict": false})),
            ("--no-strict --strict", json!({"strict": true})),
            ("--latency 0", json!({"latency": 0})),
            ("--latency 5-50", json!({"latency": [5, 50]})),
            ("--latency recorded", json!({"latency": "recorded"})),
        ] {
            assert_eq!(options(line).unwrap(), sent, "{line}");
        }
    }

    #[test]
    fn senseless_values_are_refused_before_anything_starts() {
        for line in [
            "--record all",
            "--fallback none",
            "--error-rate 101",
            "--error-rate -1",
            "--latency -1",
            "--latency=",
            "--latency=fast",
            "--latency=-5",
            "--latency=50-5",
            "--latency=1.5",
            "--latency=5-",
            "--tapes ''",
            "--decorate '{}'",
            r#"--decorate '{"on":"output","replace":"x"}'"#,
            r#"--decorate '{"on":"screen","filter":["cat"]}'"#,
        ] {
            assert!(options(line).is_err(), "{line}");
        }
    }
}
