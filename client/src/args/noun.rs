//! The first word of a command line, and the definition of what follows it.
//!
//! Building the definition of every command takes longer than a call, so each is built only when its word is given.

use super::*;
use clap::{ArgMatches, Command};

/// Where the help of `ccctl` lists a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Sessions,
    Programs,
    ClaudeCode,
    Ccd,
    /// By name only.
    More,
    /// Nowhere: other programs call it.
    Hidden,
}

/// A word, as far as it is known without building its definition.
#[derive(Debug)]
pub(crate) struct Word {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) group: Group,
}

/// A command without arguments.
#[derive(Debug, Args)]
pub(crate) struct NoArgs {}

macro_rules! nouns {
    ($($group:ident { $(#[doc = $about:literal] $name:literal => $variant:ident($kind:ident $type:ty) $(then $change:expr)?,)* })*) => {
        /// The first word with its arguments.
        #[derive(Debug)]
        pub(crate) enum Noun {
            $($($variant($type),)*)*
        }

        /// All words in the order of the help.
        pub(crate) const WORDS: &[Word] = &[
            $($(Word { name: $name, about: $about.trim_ascii(), group: Group::$group },)*)*
        ];

        impl Noun {
            /// Builds the definition of one word.
            pub(super) fn definition(name: &str) -> Option<Command> {
                Some(match name {
                    $($($name => {
                        let command = augmented!($kind $type, Command::new($name));
                        $(let command = $change(command);)?
                        Global::augment_args(command).about($about.trim_ascii())
                            .disable_help_subcommand(true)
                            .hide(matches!(Group::$group, Group::Hidden))
                    })*)*
                    _ => return None,
                })
            }

            /// The command that was given.
            pub(super) fn read(name: &str, matches: &mut ArgMatches) -> Result<Self, clap::Error> {
                match name {
                    $($($name => FromArgMatches::from_arg_matches_mut(matches).map(Self::$variant),)*)*
                    _ => Err(clap::Error::raw(ErrorKind::InvalidSubcommand, "no such command")),
                }
            }
        }
    };
}

macro_rules! augmented {
    (args $type:ty, $command:expr) => {
        <$type as Args>::augment_args($command)
    };
    (verbs $type:ty, $command:expr) => {
        <$type as Subcommand>::augment_subcommands(
            $command
                .subcommand_required(true)
                .arg_required_else_help(true),
        )
    };
}

nouns! {
    Sessions {
        /// Start a program in a session, and print the session's id
        "new" => New(args Box<CreateArgs>),
        /// Type into a session; with --expect, wait for the answer
        "send" => Send(args SendArgs) then for_send,
        /// Wait until a pattern matches, and print the output up to it
        "expect" => Expect(args ExpectArgs),
        /// Wait until the program exits, goes silent or waits for input
        "wait" => Wait(args WaitArgs) then for_wait,
        /// Print or draw the screen of a session
        "screen" => Screen(args ScreenArgs),
        /// Print output, by default all in memory; nothing is consumed
        "read" => Read(args ReadArgs),
        /// Print the last lines of output; -f keeps printing new ones
        "logs" => Logs(args TailArgs),
        /// Attach this terminal to a session; a key sequence detaches
        "attach" => Attach(args AttachArgs),
        /// End sessions
        "close" => Close(args CloseArgs),
        /// List live sessions, and whether they wait for input
        "ls" => Ls(args ListArgs),
        /// Show a live table of sessions, with keys to look and to end them
        "top" => Top(args TopArgs),
    }
    Programs {
        /// Run a program on a terminal until it exits, with its status
        "run" => Run(args Box<RunArgs>),
        /// Run a program and record it on a tape
        "rec" => Rec(args Box<RecordArgs>) then for_rec,
        /// Replay a program from its tapes
        "play" => Play(args Box<RecordArgs>) then for_play,
    }
    ClaudeCode {
        /// Run Claude Code on an instruction, and report what it changed
        "exec" => Exec(args Box<ExecArgs>),
        /// List, search, show, follow and export conversations
        "conversation" => Conversation(verbs Box<ConversationVerb>) then for_conversation,
        /// Turn repeated friction into rules, with your approval
        "coach" => Coach(verbs Box<CoachVerb>),
        /// Save the state of a project for the next session of Claude Code
        "memory" => Memory(verbs MemoryVerb),
    }
    Ccd {
        /// Run a demo with its own temporary daemon
        "demo" => Demo(args DemoArgs),
        /// Check the daemon, its files, limits and Claude Code's hooks
        "doctor" => Doctor(args NoArgs),
    }
    More {
        /// Inspect and change sessions: programs in their own terminals
        "session" => Session(verbs SessionVerb),
        /// List, check, convert and play back tapes: recordings of programs
        "tape" => Tape(verbs Box<TapeVerb>),
        /// Manage program configurations: how to start a program and get it ready
        "program" => Program(verbs ProgramVerb),
        /// Save and run sequences of commands
        "chain" => Chain(verbs ChainVerb),
        /// Run commands in parallel
        "parallel" => Parallel(args ParallelArgs),
        /// Run a program, or watch a session, and report each match in its output
        "watch" => Watch(args WatchArgs),
        /// Recognise prompts, errors, help texts and data in output
        "pattern" => Pattern(verbs PatternVerb),
        /// Find out what a program offers: its help, commands, prompts, states and ways to end it
        "investigate" => Investigate(args Box<InvestigateArgs>),
        /// Test how a program starts, helps, exits, uses resources and handles unexpected inputs
        "test" => Test(args Box<BlackBoxArgs>),
        /// List, follow and cancel background jobs
        "job" => Job(verbs JobVerb),
        /// Start, stop and inspect the daemon
        "daemon" => Daemon(verbs DaemonVerb),
        /// Show and check the configuration
        "config" => Config(verbs ConfigVerb),
        /// Install ccd's hooks in Claude Code, and check that they work
        "hooks" => Hooks(verbs HooksVerb),
        /// List what ccd keeps about you and where, and delete it
        "data" => Data(args DataArgs),
        /// Serve MCP on standard input and output: give an agent terminals, conversation search and session memory
        "mcp" => Mcp(args NoArgs),
        /// Print a shell completion script (it completes session names and job ids too)
        "completions" => Completions(args CompletionsArgs),
        /// Print the man page, or write the pages of all commands
        "man" => Man(args ManArgs),
    }
    Hidden {
        /// Take the payload of a Claude Code hook from standard input; Claude Code calls this
        "hook" => Hook(args HookArgs),
        /// Call a method of the daemon's protocol and print the reply
        "call" => Call(args CallArgs),
        /// Connect standard input and output to the daemon; --host runs this on the other host
        "dial" => Dial(args NoArgs),
        /// Print the version of ccctl, and of the daemon if one is running
        "version" => Version(args NoArgs),
        /// Print the completions of one word of a command line; completion scripts call this
        "complete" => Complete(args CompleteArgs),
    }
}

fn for_send(command: Command) -> Command {
    command.override_usage(
        "ccctl send [OPTIONS] <SESSION> [TEXT] [--keys <KEYS>]\n       ccctl send [OPTIONS] <SESSION> <--file <FILE>|--stdin|--eof>",
    )
}

fn for_wait(command: Command) -> Command {
    command.override_usage("ccctl wait [OPTIONS] <SESSION> <--exit|--idle <MS>|--prompt|--input>")
}

fn for_rec(command: Command) -> Command {
    command.mut_args(tape_options::for_rec)
}

fn for_play(command: Command) -> Command {
    command.mut_args(tape_options::for_play)
}

fn for_conversation(command: Command) -> Command {
    command.override_usage("ccctl conversation [OPTIONS] [COMMAND]")
}
