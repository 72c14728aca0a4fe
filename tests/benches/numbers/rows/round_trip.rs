//! Send and expect on a warm connection, in one request.

use crate::Result;
use crate::args::Args;
use crate::bare::Bare;
use crate::contest::{Contest, Measured};
use crate::daemon::{Daemon, await_text, create, session};
use crate::programs::{BASH, PROMPT};
use crate::python::Python;
use crate::report::{Line, Report};
use crate::samples::{Contender, Samples, each};
use crate::tmux::Tmux;
use crate::wire::{Request, Wire, result_of};
use ccd_protocol::session::{Pattern, SendExpect, SessionSend, SessionSendParams};
use std::time::Duration;

/// How long ccd may take, as a multiple of tmux's control mode.
const GOAL: f64 = 0.9;
const GOAL_WITH_PAUSE: f64 = 1.1;

/// Blocks that alternate; a tenth of all rounds each.
const BLOCKS: usize = 10;

/// A round: a typed text, and a text that is awaited in the output from then on.
pub(crate) struct Round {
    pub(crate) argv: &'static [&'static str],
    /// Printed before the first round can start.
    ready: &'static str,
    pub(crate) typed: &'static str,
    /// As the terminal prints it.
    pub(crate) answer: &'static [u8],
    /// The same without carriage returns.
    clean_answer: &'static str,
    /// Time between two rounds.
    pause: Duration,
}

impl Round {
    fn rest(&self) {
        if !self.pause.is_zero() {
            std::thread::sleep(self.pause);
        }
    }
}

/// `cat`: the echo and then the line itself.
pub(crate) const LINE: Round = Round {
    argv: &["cat"],
    ready: "",
    typed: "ping\n",
    answer: b"ping\r\nping\r\n",
    clean_answer: "ping\nping\n",
    pause: Duration::ZERO,
};

/// The same for a client that does something else between two requests.
const SLOW_LINE: Round = Round {
    pause: Duration::from_millis(3),
    ..LINE
};

/// A shell: Enter, and the next prompt.
const SHELL: Round = Round {
    argv: &BASH,
    ready: PROMPT,
    typed: "\r",
    answer: PROMPT.as_bytes(),
    clean_answer: PROMPT,
    pause: Duration::ZERO,
};

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let daemon = Daemon::start(args, "round-trip")?;
    let mut pexpect = Python::pexpect()?;
    for (round, name, verb) in [
        (&LINE, "cat", "line"),
        (&SHELL, "bash", "prompt"),
        (&SLOW_LINE, "cat, 3 ms between two requests", ""),
    ] {
        let mut tmux = Tmux::start("round-trip")?;
        let mut wire = daemon.connect()?;
        let rounds = args.amount(2_000, 100) / BLOCKS;
        let mut contest = Contest::default();
        contest.add("bare", rounds, bare(round)?);
        contest.add("ccd", rounds, ccd(&mut wire, round)?);
        if let Some(tmux) = &mut tmux {
            contest.add("tmux -C", rounds, through_tmux(tmux, round)?);
        }
        if let Some(pexpect) = pexpect.as_mut().filter(|_| !verb.is_empty()) {
            // Its default pause before each send makes a round take 50 ms, so a few rounds are enough.
            let measure: Contender<'_> = Box::new(move |rounds, samples: &mut Samples| {
                samples.extend(pexpect.measure(&format!("{verb} 0.05 {rounds}"))?);
                Ok(())
            });
            contest.add("pexpect", rounds.div_ceil(50), measure);
        }
        let measured = contest.run(BLOCKS)?;
        let has_pause = !round.pause.is_zero();
        let goal = if has_pause { GOAL_WITH_PAUSE } else { GOAL };
        report.add(line(name, &measured, goal));
    }
    Ok(())
}

fn line(name: &str, measured: &Measured, goal: f64) -> Line {
    let what = format!("send → expect, one request, {name} (p50 / p95)");
    let ours = measured.of("ccd").map_or(f64::NAN, Samples::median);
    let more = format!("limit +{:.0} µs", ours - measured.baseline().median());
    let tmux = measured.ratio_to(1, "tmux -C");
    Line {
        goal: format!("≤ {goal} × tmux -C"),
        ratio: match tmux {
            Some(tmux) => format!("{tmux} of tmux -C, {more}"),
            None => more,
        },
        met: tmux.map(|tmux| tmux.meets(goal)),
        ..measured.line(what, (1, 2), Samples::p50_p95)
    }
}

/// Rounds on a terminal of this process.
pub(crate) fn bare<'a>(round: &'static Round) -> Result<Contender<'a>> {
    let mut terminal = Bare::start(round.argv)?;
    if !round.ready.is_empty() {
        terminal.wait_for(round.ready.as_bytes())?;
    }
    Ok(each(move |samples| {
        round.rest();
        samples.time(|| -> Result<()> {
            terminal.write(round.typed.as_bytes())?;
            terminal.wait_for(round.answer).map(drop)
        })
    }))
}

/// Rounds through a session of the daemon that `wire` is connected to.
pub(crate) fn ccd<'a>(wire: &'a mut Wire, round: &'static Round) -> Result<Contender<'a>> {
    let id = create(wire, &session(round.argv))?.session_id;
    if !round.ready.is_empty() {
        await_text(wire, &id, round.ready)?;
    }
    let request = Request::new::<SessionSend>(&SessionSendParams {
        session: id,
        text: Some(round.typed.to_owned()),
        expect: Some(SendExpect {
            patterns: vec![Pattern::Exact(round.clean_answer.to_owned())],
            ..SendExpect::default()
        }),
        ..SessionSendParams::default()
    })?;
    Ok(each(move |samples| {
        round.rest();
        let answer = samples.time(|| wire.exchange(&request))?;
        let reply = result_of::<SessionSend>(answer)?;
        let found = reply.expect.ok_or("send did not wait")?;
        if found.matched != round.clean_answer {
            return Err("something else matched".into());
        }
        Ok(())
    }))
}

pub(crate) fn through_tmux<'a>(tmux: &'a mut Tmux, round: &'static Round) -> Result<Contender<'a>> {
    let pane = tmux.open(round.argv)?;
    if !round.ready.is_empty() {
        tmux.wait_for(&pane, round.ready.as_bytes())?;
    }
    let typed = round.typed.trim_end();
    let command = format!("send-keys -t {pane} {typed} Enter");
    Ok(each(move |samples| {
        round.rest();
        samples.time(|| -> Result<()> {
            tmux.send(&command)?;
            tmux.wait_for(&pane, round.answer)
        })
    }))
}
