//! Pictures of findings: the screen at the end of each tape that a report of tests names.

use crate::daemon::Daemon;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ccd_discover::test_pages::findings;
use ccd_protocol::black_box::TestReport;
use ccd_protocol::image::ImageStyle;
use ccd_protocol::{ErrorCode, Reportable};
use ccd_store::blocking;
use ccd_tape::files::{LoadedTape, TapeFolder};
use ccd_tape::settings::root_of;
use ccd_tape::tools::snapshot;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of pictures on a page.
const MAX_PICTURES: usize = 50;

/// Why a report cannot be written in a format.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PageError {
    #[error("the report cannot be written as JUnit XML: {0}")]
    Junit(String),
}

impl Reportable for PageError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Junit(_) => ErrorCode::Storage,
        }
    }
}

/// Returns the addresses of pictures, by the path of the tape. A tape that cannot be read or drawn has none.
pub(crate) async fn pictures(daemon: &Daemon, report: &TestReport) -> BTreeMap<String, String> {
    let found = report.results.iter().flat_map(findings);
    let tapes: BTreeSet<String> = found.filter_map(|found| found.tape).collect();
    let root = root_of(None, &daemon.loaded().config.replay, &daemon.paths.base);
    let Ok(root) = root else {
        return BTreeMap::new();
    };
    let Ok(root) = daemon.roots.open(&root).await else {
        return BTreeMap::new();
    };
    let folder = TapeFolder::new(root);
    blocking(move || {
        let tapes = tapes.into_iter().take(MAX_PICTURES);
        tapes
            .filter_map(|tape| {
                let picture = picture(&folder, &tape)?;
                Some((tape, picture))
            })
            .collect()
    })
    .await
}

fn picture(folder: &TapeFolder, tape: &str) -> Option<String> {
    let LoadedTape { tape, .. } = folder.which(tape).ok()?.load().ok()?;
    let svg = snapshot(
        &tape,
        tape.exchanges.len().saturating_sub(1),
        ImageStyle::default(),
    )
    .ok()?;
    Some(format!(
        "data:image/svg+xml;base64,{}",
        STANDARD.encode(svg)
    ))
}
