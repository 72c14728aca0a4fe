//! The kinds of reports.

use ccd_protocol::black_box::TestReport;
use ccd_protocol::investigate::InvestigationReport;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub trait Report: Serialize + DeserializeOwned {
    /// The directory of its kind, in the base directory.
    const FOLDER: &'static str;

    fn program(&self) -> &str;
    fn started_at(&self) -> &str;
}

macro_rules! report {
    ($report:ty, $folder:literal) => {
        impl Report for $report {
            const FOLDER: &'static str = $folder;

            fn program(&self) -> &str {
                &self.program
            }
            fn started_at(&self) -> &str {
                &self.started_at
            }
        }
    };
}

report!(InvestigationReport, "investigations");
report!(TestReport, "test-reports");
