//! `job.*`.

use super::{Failure, Module, invalid};
use crate::job::MAX_WAIT;
use ccd_protocol::Done;
use ccd_protocol::job::{JobCancel, JobGet, JobList, JobListReply};
use std::time::Duration;

const DEFAULT_LIST_LEN: u64 = 100;
const MAX_LIST_LEN: u64 = 1000;

pub(super) fn register(module: &mut Module) {
    module.add::<JobGet, _, Failure>(async |daemon, _, params| {
        let wait_ms = params.wait_ms.unwrap_or(0.0);
        if wait_ms.is_nan() || wait_ms < 0.0 {
            let mistake = format!("wait_ms is {wait_ms}: give 0 or more");
            return Err(invalid(mistake).into());
        }
        let wait = Duration::try_from_secs_f64(wait_ms / 1000.0)
            .unwrap_or(MAX_WAIT)
            .min(MAX_WAIT);
        let id = daemon.jobs.find(&params.job).await?;
        let mut job = daemon.jobs.get(&id, wait).await?;
        if wait_ms / 1000.0 > MAX_WAIT.as_secs_f64() {
            let hours = MAX_WAIT.as_secs() / 3600;
            job.warnings
                .push(format!("wait_ms was shortened to {hours} hours"));
        }
        Ok(job)
    });
    module.add::<JobList, _, Failure>(async |daemon, _, params| {
        let limit = params.limit.unwrap_or(DEFAULT_LIST_LEN).min(MAX_LIST_LEN);
        Ok(JobListReply {
            jobs: daemon.jobs.list(i64::try_from(limit).unwrap_or(0)).await?,
        })
    });
    module.add::<JobCancel, _, Failure>(async |daemon, _, params| {
        let id = daemon.jobs.find(&params.job).await?;
        daemon.jobs.cancel(&id).await?;
        Ok(Done {})
    });
}
