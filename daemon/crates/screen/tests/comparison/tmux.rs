//! What tmux makes of output.

use super::capture;
use super::grid::Grid;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The longest wait for all windows of a batch; a slow machine needs a few seconds.
const PATIENCE: Duration = Duration::from_secs(120);

/// How many windows are open at a time.
const BATCH: usize = 40;

/// The program in a window: raw output of a file, then nothing, so that answers to queries stay where they are.
const WINDOW: &str = "stty raw -echo\ncat \"$1\"\nexec sleep 300\n";

/// Everything that could change a cell is switched off before a probe.
const PLAIN: &str = "\x1b\\\x1b7\x1b[?6l\x1b[?69l\x1b[?7l\x1b[4l\x1b[r\x1b(B\x0f\x1b[m";

/// A tmux server of our own. It ends with this value.
pub(super) struct Tmux {
    folder: TempDir,
    rows: u16,
    cols: u16,
}

impl Tmux {
    /// Returns `None`, and says why, if there is no tmux that works.
    pub(super) fn start(rows: u16, cols: u16) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("window.sh"), WINDOW).unwrap();
        let tmux = Self { folder, rows, cols };
        let size = [cols.to_string(), rows.to_string()];
        let [cols, rows] = size.each_ref().map(String::as_str);
        let first = [
            "new-session",
            "-d",
            "-s",
            "first",
            "-x",
            cols,
            "-y",
            rows,
            "exec sleep 300",
        ];
        let reason = match tmux.command(&first).output() {
            Ok(output) if output.status.success() => return Some(tmux),
            Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
            Err(error) => error.to_string(),
        };
        eprintln!("skipped: tmux does not work here: {reason}");
        None
    }

    /// Returns what the screen shows after each of these outputs.
    pub(super) fn draw(&self, outputs: &[&str]) -> Vec<Grid> {
        let batches = outputs.chunks(BATCH).map(|batch| self.draw_batch(batch));
        batches.flatten().collect()
    }

    fn draw_batch(&self, outputs: &[&str]) -> Vec<Grid> {
        let mut script = String::new();
        for (number, output) in outputs.iter().enumerate() {
            // `capture-pane` reports a row as far as it was written, not the cleared cells after it. So a character is
            // written to the last column; in a second window, after what was there is moved one column to the left.
            for (window, first) in [(2 * number, ""), (2 * number + 1, "  \x1b[G\x1b[P")] {
                let end = self.probe(first);
                let file = self.path(&format!("{window}.out"));
                fs::write(&file, format!("{output}{end}\x1b]2;drawn\x07")).unwrap();
                let (runs, file) = (self.path("window.sh"), file.display());
                writeln!(
                    script,
                    "{} sh {} {file}",
                    self.opened(window),
                    runs.display()
                )
                .unwrap();
            }
        }
        self.script(&script);
        let count = 2 * outputs.len();
        eventually(|| {
            let titles = self.run(&["list-panes", "-s", "-t", "batch", "-F", "#{pane_title}"]);
            (titles.lines().filter(|title| *title == "drawn").count() == count).then_some(())
        });
        let look = |window| {
            let format = "'#{cursor_y} #{cursor_x} #{pane_height} #{pane_width}'";
            format!(
                "display-message -p -t batch:{window} {format}\ncapture-pane -epN -t batch:{window}\n"
            )
        };
        let captured = self.script(&(0..count).map(look).collect::<String>());
        self.run(&["kill-session", "-t", "batch"]);
        let lines: Vec<&str> = captured.lines().collect();
        let windows: Vec<&[&str]> = lines.chunks(usize::from(self.rows) + 1).collect();
        assert_eq!(windows.len(), count, "{captured:?}");
        let pairs = windows.chunks(2);
        pairs.map(|pair| self.grid(pair[0], pair[1])).collect()
    }

    /// Returns the command that opens a window; the first one opens the session.
    fn opened(&self, window: usize) -> String {
        match window {
            0 => format!("new-session -d -s batch -x {} -y {}", self.cols, self.rows),
            _ => format!("new-window -d -t batch:{window}"),
        }
    }

    /// Returns output that writes to the last column of each row, after `first` in the first one.
    fn probe(&self, first: &str) -> String {
        let mut probe = PLAIN.to_owned();
        for row in 1..=self.rows {
            write!(probe, "\x1b[{row}H{first}\x1b[{row};{}H|", self.cols).unwrap();
        }
        probe + "\x1b8"
    }

    fn grid(&self, probed: &[&str], moved: &[&str]) -> Grid {
        let (rows, cols) = (usize::from(self.rows), usize::from(self.cols));
        let numbers: Vec<usize> = probed[0]
            .split(' ')
            .map(|number| number.parse().unwrap())
            .collect();
        assert_eq!(numbers[2..], [rows, cols], "the size of the window");
        let (mut probed, mut moved) = (
            capture::rows(&probed[1..], cols),
            capture::rows(&moved[1..], cols),
        );
        for (row, moved) in probed.iter_mut().zip(&mut moved) {
            row[cols - 1] = moved[cols - 2].take();
            // The probe was written over the second half of a wide character.
            if row[cols - 1]
                .as_ref()
                .is_none_or(|cell| cell.text.is_empty())
            {
                row[cols - 2] = moved[cols - 3].take();
            }
        }
        Grid {
            cursor: (numbers[0], numbers[1].min(cols - 1)),
            rows: probed,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs commands of tmux; returns what they print.
    fn script(&self, commands: &str) -> String {
        let path = self.path("script");
        fs::write(&path, commands).unwrap();
        self.run(&["source-file", path.to_str().unwrap()])
    }

    fn run(&self, command: &[&str]) -> String {
        let output: Output = self.command(command).output().unwrap();
        assert!(output.status.success(), "{command:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn command(&self, command: &[&str]) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.args(["-u", "-f", "/dev/null", "-S"])
            .arg(self.path("socket"))
            .args(command)
            .env_remove("TMUX")
            .env("LC_ALL", "C.UTF-8");
        tmux
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command(&["kill-server"]).output();
    }
}

fn eventually(mut probe: impl FnMut() -> Option<()>) {
    let deadline = Instant::now() + PATIENCE;
    while probe().is_none() {
        assert!(Instant::now() < deadline, "tmux has not drawn all output");
        std::thread::sleep(Duration::from_millis(10));
    }
}
