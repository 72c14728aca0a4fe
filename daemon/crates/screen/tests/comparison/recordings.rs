//! What real programs printed (`../../fixtures/record.py`).

use super::grid::Comparison;
use super::terminals;
use super::tmux::Tmux;
use serde_json::Value;
use std::fs;
use std::path::Path;

const PROGRAMS: [&str; 10] = [
    "cargo", "git", "htop", "less", "mc", "nano", "python", "tmux", "vim", "wide",
];

/// A program, and its output up to each moment at which its screen is looked at.
struct Recording {
    rows: u16,
    cols: u16,
    typed: Vec<String>,
    looks: Vec<String>,
}

impl Recording {
    fn read(program: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/recordings");
        let text = fs::read_to_string(folder.join(program).with_extension("jsonl")).unwrap();
        let mut lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let header = lines.next().unwrap();
        let size = |name: &str| u16::try_from(header[name].as_u64().unwrap()).unwrap();
        let mut recording = Self {
            rows: size("rows"),
            cols: size("cols"),
            typed: Vec::new(),
            looks: Vec::new(),
        };
        let mut output = String::new();
        for part in lines {
            output.push_str(part["output"].as_str().unwrap());
            recording.looks.push(output.clone());
            recording.typed.push(part["typed"].to_string());
        }
        recording
    }
}

#[test]
fn the_screens_of_real_programs_are_those_of_tmux_and_avt() {
    let Some(tmux) = Tmux::start(24, 80) else {
        return;
    };
    let recordings = PROGRAMS.map(|program| (program, Recording::read(program)));
    let looks = recordings
        .iter()
        .flat_map(|(_, recording)| &recording.looks);
    let looks: Vec<&str> = looks.map(String::as_str).collect();
    let mut drawn = tmux.draw(&looks).into_iter();
    let mut failures = Vec::new();
    for (program, recording) in &recordings {
        let (mut disputed, mut cells) = (Vec::new(), 0);
        for ((look, typed), drawn) in recording.looks.iter().zip(&recording.typed).zip(&mut drawn) {
            let [ours, avt] = [terminals::ours, terminals::avt]
                .map(|draw| draw(recording.rows, recording.cols, look));
            let result = Comparison::new(&ours, &drawn, &avt);
            let place = |text: String| format!("{program} after {typed}: {text}");
            cells += result.cells;
            disputed.extend(result.disputed.into_iter().map(place));
            let differences = result.differences.iter().map(ToString::to_string);
            failures.extend(differences.map(place));
        }
        println!(
            "{program}: tmux and avt disagree on {} of {cells} cells",
            disputed.len()
        );
        // Else there is nothing to compare with.
        if disputed.len() * 50 > cells {
            failures.push(format!("they disagree: {:#?}", disputed.first()));
        }
    }
    let first = &failures[..failures.len().min(40)];
    assert!(
        failures.is_empty(),
        "{} differences: {first:#?}",
        failures.len()
    );
}
