//! `coach.*`.

use super::{Failure, Module};
use ccd_protocol::coach::{
    CoachAggregate, CoachApprove, CoachDetect, CoachEdit, CoachEvents, CoachExport,
    CoachFingerprint, CoachForget, CoachGet, CoachGuard, CoachImport, CoachLedger, CoachMute,
    CoachPatterns, CoachPromote, CoachReject, CoachReport, CoachReview, CoachStatus, CoachUndo,
};

pub(super) fn register(module: &mut Module) {
    module.add::<CoachStatus, _, _>(async |daemon, _, _| daemon.coach.status().await);
    module.add::<CoachReview, _, _>(async |daemon, _, params| daemon.coach.review(params).await);
    module.add::<CoachGet, _, _>(async |daemon, _, params| daemon.coach.get(params).await);
    module.add::<CoachApprove, _, _>(async |daemon, _, params| daemon.coach.approve(params).await);
    module.add::<CoachReject, _, _>(async |daemon, _, params| daemon.coach.reject(params).await);
    module.add::<CoachEdit, _, _>(async |daemon, _, params| daemon.coach.edit(params).await);
    module.add::<CoachPromote, _, _>(async |daemon, _, params| daemon.coach.promote(params).await);
    module.add::<CoachEvents, _, _>(async |daemon, _, params| daemon.coach.events(params).await);
    module.add::<CoachLedger, _, _>(async |daemon, _, params| daemon.coach.ledger(params).await);
    module.add::<CoachReport, _, _>(async |daemon, _, params| daemon.coach.report(params).await);
    module.add::<CoachDetect, _, _>(async |daemon, _, params| daemon.coach.detect(params).await);
    module.add::<CoachGuard, _, _>(async |daemon, _, params| daemon.coach.guard(params).await);
    module.add::<CoachMute, _, _>(async |daemon, _, params| daemon.coach.mute(params).await);
    module.add::<CoachForget, _, _>(async |daemon, _, params| daemon.coach.forget(params).await);
    module.add::<CoachImport, _, _>(async |daemon, _, params| daemon.coach.import(params).await);
    module.add::<CoachUndo, _, _>(async |daemon, _, params| daemon.coach.undo(&params.id).await);
    module.add::<CoachPatterns, _, Failure>(async |daemon, _, _| Ok(daemon.coach.patterns().await));
    module.add::<CoachFingerprint, _, Failure>(async |daemon, _, params| {
        Ok(daemon.coach.fingerprint(&params))
    });
    module.add::<CoachAggregate, _, _>(async |daemon, _, _| daemon.coach.aggregate().await);
    module.add::<CoachExport, _, _>(async |daemon, _, _| daemon.coach.export().await);
}
