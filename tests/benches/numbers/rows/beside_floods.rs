//! The round trip of a quiet session while others flood.

use super::round_trip::{LINE, bare, ccd};
use crate::Result;
use crate::args::Args;
use crate::daemon::{Daemon, close, create, session};
use crate::flood::{AnsiFile, OwnFloods};
use crate::report::{Line, Report};
use crate::samples::Samples;
use crate::wire::Wire;
use ccd_protocol::session::{SessionCleanup, SessionCleanupParams};
use std::time::Duration;

const GOAL: f64 = 2.0;

/// Time for the floods to reach their speed.
const WARM_UP: Duration = Duration::from_millis(500);

pub(crate) fn measure(args: &Args, report: &mut Report) -> Result<()> {
    let file = AnsiFile::create(args.amount(64 << 20, 8 << 20))?;
    let daemon = Daemon::start(args, "beside-floods")?;
    for floods in [4, 20] {
        let (blocks, rounds) = (args.amount(6, 1), args.amount(250, 50));
        let mut own = Samples::default();
        let mut ours = Samples::default();
        let mut own_beside_ours = Samples::default();
        let mut dedicated = bare(&LINE)?;
        let mut wire = daemon.connect()?;
        let mut warden = daemon.connect()?;
        let mut through_ccd = ccd(&mut wire, &LINE)?;
        for _ in 0..blocks {
            let guard = OwnFloods::start(floods, &file)?;
            std::thread::sleep(WARM_UP);
            dedicated(rounds, &mut own)?;
            own.end_block();
            drop(guard);

            let ids = start_floods(&mut warden, floods, &file)?;
            std::thread::sleep(WARM_UP);
            through_ccd(rounds, &mut ours)?;
            ours.end_block();
            dedicated(rounds, &mut own_beside_ours)?;
            for id in &ids {
                close(&mut warden, id)?;
            }
            // Their logs must not fill the disk.
            warden.call::<SessionCleanup>(&SessionCleanupParams::default())?;
        }
        let ratio = ours.ratio_to(&own);
        report.add(Line {
            what: format!("another session's round trip beside {floods} floods (p50 / p95)"),
            bare: format!("dedicated reader {}", own.p50_p95()),
            peers: format!(
                "dedicated reader while ccd drains the floods {}",
                own_beside_ours.p50_p95()
            ),
            ccd: ours.p50_p95(),
            goal: format!("≤ {GOAL} × dedicated reader"),
            ratio: ratio.to_string(),
            met: Some(ratio.meets(GOAL)),
            ..Line::default()
        });
    }
    Ok(())
}

fn start_floods(wire: &mut Wire, count: usize, file: &AnsiFile) -> Result<Vec<String>> {
    let words = file.for_ever()?;
    let argv: Vec<&str> = words.iter().map(String::as_str).collect();
    let params = session(&argv);
    (0..count)
        .map(|_| Ok(create(wire, &params)?.session_id))
        .collect()
}
