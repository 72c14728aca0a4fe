//! A program that breaks in known ways, for tests of investigations and black-box tests. Its help lists the ways.
//!
//! It has three prompts, a state without a prompt of its own, and a prompt at which the terminal does not echo. With
//! `--sound` it breaks in no way.

use rustix::event::Timespec;
use rustix::process::{Signal, getpid, kill_process};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::fs::File;
use std::io::{self, BufRead, StdinLock, StdoutLock, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const HELP: &str = "\
A program that breaks in known ways.

Usage: mock_target [OPTIONS]

Options:
  -h, --help        Print help
  -V, --version     Print version
      --log <FILE>  Append each line that it reads to FILE
      --sound       Break in no way
      --fork-chain <MICROSECONDS>
                    Ignore requests to exit, and start a process that leaves the session, starts another one after this
                    time, and ends at once, and so on

Each line that it reads makes it 300 kB larger, up to 256 MiB.
";

const MAIN_HELP: &str = "\
Commands:
  help     Show this list
  config   Change settings
  data     Edit items
  stealth  Enter stealth mode, which has the same prompt
  login    Ask for a password, which is not echoed
  json     Print the settings as JSON
  error    Report an error
  crash    End by SIGSEGV
  hang     Wait for ever without reading
  flood    Print without end
  zap      Delete all items
  quit     Leave
";

const CONFIG_HELP: &str = "\
Commands:
  set KEY VALUE  Change a setting
  show           Print the settings
  back           Return to the main menu
";

const DATA_HELP: &str = "\
Commands:
  add ITEM  Add an item
  list      Print the items
  back      Return to the main menu
";

const STEALTH_HELP: &str = "\
Commands:
  whisper  Say something quietly
  back     Return to the main menu
";

/// How much memory each line takes, and how much all may take.
const LEAK_BYTES: usize = 300_000;
const MAX_LEAK_BYTES: usize = 256 << 20;

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Main,
    Config,
    Data,
    Stealth,
}

impl Mode {
    fn prompt(self) -> &'static str {
        match self {
            Mode::Main | Mode::Stealth => "main> ",
            Mode::Config => "config> ",
            Mode::Data => "data> ",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Mode::Main => MAIN_HELP,
            Mode::Config => CONFIG_HELP,
            Mode::Data => DATA_HELP,
            Mode::Stealth => STEALTH_HELP,
        }
    }
}

struct Mock {
    mode: Mode,
    settings: Vec<(String, String)>,
    items: Vec<String>,
    leaked: Vec<Vec<u8>>,
    is_sound: bool,
    log: Option<File>,
    input: StdinLock<'static>,
    output: StdoutLock<'static>,
}

fn main() -> ExitCode {
    let mut output = io::stdout().lock();
    let (mut is_sound, mut log) = (false, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let text = match &*arg {
            "-h" | "--help" => HELP,
            "-V" | "--version" => "mock_target 1.2.3\n",
            "--sound" => {
                is_sound = true;
                continue;
            }
            "--log" => {
                let path = args.next().unwrap_or_default();
                log = File::options().append(true).create(true).open(path).ok();
                continue;
            }
            "--fork-chain" => {
                let pause = args.next().and_then(|micros| micros.parse().ok());
                return fork_chain(Duration::from_micros(pause.unwrap_or(0)));
            }
            _ => {
                let _ = writeln!(
                    io::stderr(),
                    "mock_target: unknown option {arg}; see --help"
                );
                return ExitCode::from(2);
            }
        };
        return ExitCode::from(u8::from(output.write_all(text.as_bytes()).is_err()));
    }
    let mock = Mock {
        mode: Mode::Main,
        settings: Vec::new(),
        items: Vec::new(),
        leaked: Vec::new(),
        is_sound,
        log,
        input: io::stdin().lock(),
        output,
    };
    ExitCode::from(u8::from(mock.run().is_err()))
}

/// How long a chain of processes goes on if nobody ends it.
const CHAIN_TIME: Duration = Duration::from_secs(40);

fn fork_chain(pause: Duration) -> ExitCode {
    // SAFETY: no handler is set.
    unsafe {
        for signal in [libc::SIGHUP, libc::SIGTERM, libc::SIGINT, libc::SIGCHLD] {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
    let end = Instant::now() + CHAIN_TIME;
    let _ = writeln!(io::stdout(), "ready");
    // SAFETY: the child may do anything, because this process has no other threads.
    let is_chain = unsafe { libc::fork() } == 0;
    if is_chain {
        let _ = rustix::process::setsid();
    }
    while Instant::now() < end {
        // SAFETY: as above; the parent ends without running any code.
        unsafe {
            if is_chain && libc::fork() > 0 {
                libc::_exit(0);
            }
        }
        let pause = if is_chain { pause } else { CHAIN_TIME };
        let _ = rustix::event::poll(&mut [], Timespec::try_from(pause).ok().as_ref());
    }
    ExitCode::SUCCESS
}

impl Mock {
    /// Runs until the input ends or a command ends it.
    fn run(mut self) -> io::Result<()> {
        writeln!(
            self.output,
            "mock_target 1.2.3. Type help for a list of commands."
        )?;
        loop {
            write!(self.output, "{}", self.mode.prompt())?;
            self.output.flush()?;
            let Some(line) = self.line()? else {
                return Ok(());
            };
            if matches!(&*line, "quit" | "exit") {
                return Ok(());
            }
            self.answer(&line)?;
        }
    }

    /// Returns a line without surrounding blanks; none at the end of the input.
    fn line(&mut self) -> io::Result<Option<String>> {
        let mut bytes = Vec::new();
        if self.input.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if let Some(log) = &mut self.log {
            log.write_all(&bytes)?;
        }
        if !self.is_sound && self.leaked.len() * LEAK_BYTES < MAX_LEAK_BYTES {
            self.leaked.push(vec![1; LEAK_BYTES]);
        }
        Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned()))
    }

    fn answer(&mut self, line: &str) -> io::Result<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (self.mode, word) {
            (_, "") => Ok(()),
            (_, "help" | "?") => self.output.write_all(self.mode.help().as_bytes()),
            (Mode::Main, word) => self.answer_main(word),
            (_, "back") => {
                self.mode = Mode::Main;
                Ok(())
            }
            (Mode::Config, "set") => match rest.split_once(' ') {
                Some((key, value)) => {
                    self.settings.push((key.to_owned(), value.to_owned()));
                    writeln!(self.output, "{key} = {value}")
                }
                None => writeln!(self.output, "error: set needs a key and a value"),
            },
            (Mode::Config, "show") => self.json(),
            (Mode::Data, "add") => {
                self.items.push(rest.to_owned());
                writeln!(self.output, "added")
            }
            (Mode::Data, "list") => {
                writeln!(self.output, "id,item")?;
                let mut items = self.items.iter().enumerate();
                items.try_for_each(|(id, item)| writeln!(self.output, "{id},{item}"))
            }
            (Mode::Stealth, "whisper") => writeln!(self.output, "psst"),
            _ => self.unknown(word),
        }
    }

    fn answer_main(&mut self, word: &str) -> io::Result<()> {
        match word {
            "config" => self.mode = Mode::Config,
            "data" => self.mode = Mode::Data,
            "stealth" => {
                self.mode = Mode::Stealth;
                writeln!(self.output, "Entering stealth mode")?;
            }
            "login" => self.login()?,
            "json" => self.json()?,
            "error" => writeln!(self.output, "error: permission denied")?,
            "zap" => {
                self.items.clear();
                writeln!(self.output, "all items are gone")?;
            }
            "crash" if !self.is_sound => {
                // The first one may only remove the handler of Rust's runtime.
                loop {
                    kill_process(getpid(), Signal::SEGV)?;
                }
            }
            "hang" if !self.is_sound => wait_for_ever(),
            "flood" if !self.is_sound => loop {
                writeln!(self.output, "this does not end")?;
            },
            _ => self.unknown(word)?,
        }
        Ok(())
    }

    fn unknown(&mut self, word: &str) -> io::Result<()> {
        writeln!(self.output, "error: unknown command: {word}")
    }

    fn json(&mut self) -> io::Result<()> {
        let settings = self.settings.iter();
        let fields: Vec<String> = settings
            .map(|(key, value)| format!("{key:?}: {value:?}"))
            .collect();
        writeln!(
            self.output,
            "{{\"version\": 1, \"settings\": {{{}}}}}",
            fields.join(", ")
        )
    }

    /// Asks for a password, without echo if the input is a terminal.
    fn login(&mut self) -> io::Result<()> {
        write!(self.output, "Password: ")?;
        self.output.flush()?;
        let terminal = tcgetattr(io::stdin()).ok();
        if let Some(modes) = &terminal {
            let mut hidden = modes.clone();
            hidden.local_modes -= LocalModes::ECHO;
            tcsetattr(io::stdin(), OptionalActions::Now, &hidden)?;
        }
        let password = self.line();
        if let Some(modes) = &terminal {
            tcsetattr(io::stdin(), OptionalActions::Now, modes)?;
        }
        match password?.as_deref() {
            Some("sesame") => writeln!(self.output, "\nwelcome"),
            _ => writeln!(self.output, "\nerror: login incorrect"),
        }
    }
}

fn wait_for_ever() -> ! {
    loop {
        std::thread::park();
    }
}
