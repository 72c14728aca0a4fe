//! How tapes are used: options of every verb that starts a program.

use super::value::{count, folder};
use ccd_protocol::tape::{
    Decorator, FallbackMode, IgnoredArg, Latency, LatencyName, MatchOptions, RecordMode,
    TapeOptions,
};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Options of `rec`, `play`, `proxy`, `run` and `session create`, but for the tape's name.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Tape options")]
pub(crate) struct TapeArgs {
    /// Folder of the tapes [default: replay.tapes_path, else tapes in the base folder]
    #[arg(long, value_name = "DIR", value_parser = folder)]
    pub(crate) tapes: Option<String>,
    /// What is recorded: exchanges that no tape has, those that one has, or none
    #[arg(long, value_name = "MODE", value_parser = record_modes())]
    pub(crate) record: Option<RecordMode>,
    /// What answers where no tape does: an error, or the real program
    #[arg(long, value_name = "MODE", value_parser = fallback_modes())]
    pub(crate) fallback: Option<FallbackMode>,
    /// Milliseconds before each piece of output: recorded, N, or LO-HI for a random one [default: the tape's]
    #[arg(long, value_name = "MS", allow_negative_numbers = true, value_parser = latency)]
    pub(crate) latency: Option<Latency>,
    /// Percent of exchanges that play with an injected error, 0 to 100
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = percent)]
    pub(crate) error_rate: Option<f64>,
    /// Of injected errors and of a latency LO-HI [default: the tape's, else 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) seed: Option<u64>,
    /// Only exact matches: no exchange stands in for another [default with $CI]
    #[arg(long, overrides_with = "no_strict")]
    pub(crate) strict: bool,
    /// The nearest exchange may stand in [default without $CI]
    #[arg(long)]
    pub(crate) no_strict: bool,
    /// Begins the tape's name, and stands in it
    #[arg(long, value_name = "TEXT")]
    pub(crate) tag: Option<String>,
    /// Tell nothing of tapes at the end
    #[arg(long)]
    pub(crate) no_summary: bool,
    /// Keep secrets in the tape, which then says so
    #[arg(long)]
    pub(crate) no_redact: bool,
    /// Record and compare this variable, instead of LANG, LC_*, TERM and TZ; can be repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) allow_env: Vec<String>,
    /// Of those, do not compare this one; can be repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) ignore_env: Vec<String>,
    /// Do not compare this argument: its index from 0, its text, or /REGEX/; can be repeated
    #[arg(
        long,
        alias = "ignore-args",
        value_name = "ARG",
        allow_hyphen_values = true
    )]
    pub(crate) ignore_arg: Vec<String>,
    /// Any input matches: only its place in the conversation counts
    #[arg(long)]
    pub(crate) ignore_stdin: bool,
    /// Compare the working directory too
    #[arg(long)]
    pub(crate) match_cwd: bool,
    /// Change what is recorded: {"on": "output", "replace": REGEX, "with": TEXT} or {"on": …, "filter": [PROGRAM, …]}; can be repeated
    #[arg(long, value_name = "JSON", value_parser = decorator)]
    pub(crate) decorate: Vec<Decorator>,
}

/// The same for verbs where `--name` is something else. Any of them given means that tapes are used.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Tape options")]
pub(crate) struct NamedTapeArgs {
    #[command(flatten)]
    pub(crate) tape: TapeArgs,
    /// Template of a new tape's name: {program}, {tag}, {verb}, {time}, {random} [default: {program}/{tag}-{time}-{random}]
    #[arg(long, value_name = "TEMPLATE")]
    pub(crate) tape_name: Option<String>,
}

impl TapeArgs {
    /// True when one of them was given.
    pub(crate) fn is_given(&self) -> bool {
        self.tapes.is_some() || self.options() != TapeOptions::default()
    }

    /// Returns what was given, without the folder, which is relative to the caller's.
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
            decorators: self.decorate.clone(),
            redact: self.no_redact.then_some(false),
            matching: Some(self.matching()).filter(|given| *given != MatchOptions::default()),
        }
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

fn record_modes() -> impl TypedValueParser<Value = RecordMode> {
    PossibleValuesParser::new(["new", "overwrite", "disabled"]).map(|mode| match &*mode {
        "new" => RecordMode::New,
        "overwrite" => RecordMode::Overwrite,
        _ => RecordMode::Disabled,
    })
}

fn fallback_modes() -> impl TypedValueParser<Value = FallbackMode> {
    PossibleValuesParser::new(["not_found", "proxy"]).map(|mode| match &*mode {
        "proxy" => FallbackMode::Proxy,
        _ => FallbackMode::NotFound,
    })
}

fn latency(text: &str) -> Result<Latency, String> {
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
        serde_json::from_str(text).map_err(|error| format!("no decorator: {error}"))?;
    match (&decorator.replace, &decorator.with, &decorator.filter) {
        (Some(_), Some(_), None) | (None, None, Some(_)) => Ok(decorator),
        _ => Err("give either replace and with, or filter".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use crate::args::{Ccctl, Noun};
    use clap::Parser as _;
    use serde_json::json;

    fn options(words: &[&str]) -> Result<serde_json::Value, clap::Error> {
        let line = [&["ccctl", "play"], words, &["--", "bc"]].concat();
        match Ccctl::try_parse_from(line)?.noun {
            Noun::Play(args) => Ok(serde_json::to_value(args.tape.options()).unwrap()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_not_given_is_not_sent() {
        assert_eq!(options(&[]).unwrap(), json!({}));
    }

    #[test]
    fn every_flag_has_its_option() {
        let words = "--record overwrite --fallback proxy --latency 5-50 --error-rate 2.5 --seed 7 --strict --tag t \
                     --no-summary --no-redact --allow-env A,B --ignore-env C --ignore-arg 0 --ignore-arg -x \
                     --ignore-stdin --match-cwd";
        let decorator = r#"{"on":"output","replace":"a+","with":"b"}"#;
        let words: Vec<&str> = words
            .split_whitespace()
            .chain(["--decorate", decorator])
            .collect();
        let expected = json!({
            "record": "overwrite", "fallback": "proxy", "latency": [5, 50], "error_rate": 2.5, "seed": 7,
            "strict": true, "tag": "t", "summary": false, "redact": false,
            "decorators": [{"on": "output", "replace": "a+", "with": "b"}],
            "match": {"allow_env": ["A", "B"], "ignore_env": ["C"], "ignore_args": [0, "-x"], "ignore_stdin": true,
                      "match_cwd": true},
        });
        assert_eq!(options(&words).unwrap(), expected);
    }

    #[test]
    fn the_last_word_on_strictness_counts() {
        assert_eq!(
            options(&["--strict", "--no-strict"]).unwrap()["strict"],
            false
        );
        assert_eq!(
            options(&["--no-strict", "--strict"]).unwrap()["strict"],
            true
        );
    }

    #[test]
    fn latencies_are_a_number_a_range_or_as_recorded() {
        for (text, told) in [
            ("0", json!(0)),
            ("5-50", json!([5, 50])),
            ("recorded", json!("recorded")),
        ] {
            assert_eq!(options(&["--latency", text]).unwrap()["latency"], told);
        }
        for bad in ["", "fast", "-1", "-5", "50-5", "1.5", "5-"] {
            assert!(options(&[&format!("--latency={bad}")]).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_means_nothing_is_refused_before_anything_starts() {
        for words in [
            &["--record", "all"][..],
            &["--fallback", "none"],
            &["--error-rate", "101"],
            &["--error-rate", "-1"],
            &["--latency", "-1"],
            &["--tapes", ""],
            &["--decorate", "{}"],
            &["--decorate", r#"{"on":"output","replace":"x"}"#],
            &["--decorate", r#"{"on":"screen","filter":["cat"]}"#],
        ] {
            assert!(options(words).is_err(), "{words:?}");
        }
    }
}
