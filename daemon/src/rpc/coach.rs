//! `coach.*`.

use super::Module;
use super::register::method;
use ccd_protocol::coach::{
    CoachAggregate, CoachApprove, CoachDetect, CoachEdit, CoachEvents, CoachExport,
    CoachFingerprint, CoachForget, CoachGet, CoachGuard, CoachImport, CoachLedger, CoachMute,
    CoachPatterns, CoachPromote, CoachReject, CoachReport, CoachReview, CoachStatus, CoachUndo,
};
use jsonrpsee::core::RegisterMethodError;

pub(super) fn register(module: &mut Module) -> Result<(), RegisterMethodError> {
    method::<CoachStatus, _, _>(module, |daemon, _, _| async move {
        Ok(daemon.coach.status().await?)
    })?;
    method::<CoachReview, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.review(params).await?)
    })?;
    method::<CoachGet, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.get(params).await?)
    })?;
    method::<CoachApprove, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.approve(params).await?)
    })?;
    method::<CoachReject, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.reject(params).await?)
    })?;
    method::<CoachEdit, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.edit(params).await?)
    })?;
    method::<CoachPromote, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.promote(params).await?)
    })?;
    method::<CoachEvents, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.events(params).await?)
    })?;
    method::<CoachLedger, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.ledger(params).await?)
    })?;
    method::<CoachReport, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.report(params).await?)
    })?;
    method::<CoachDetect, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.detect(params).await?)
    })?;
    method::<CoachGuard, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.guard(params).await?)
    })?;
    method::<CoachMute, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.mute(params).await?)
    })?;
    method::<CoachForget, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.forget(params).await?)
    })?;
    method::<CoachImport, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.import(params).await?)
    })?;
    method::<CoachUndo, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.undo(&params.id).await?)
    })?;
    method::<CoachPatterns, _, _>(module, |daemon, _, _| async move {
        Ok(daemon.coach.patterns().await)
    })?;
    method::<CoachFingerprint, _, _>(module, |daemon, _, params| async move {
        Ok(daemon.coach.fingerprint(&params))
    })?;
    method::<CoachAggregate, _, _>(module, |daemon, _, _| async move {
        Ok(daemon.coach.aggregate().await?)
    })?;
    method::<CoachExport, _, _>(module, |daemon, _, _| async move {
        Ok(daemon.coach.export().await?)
    })
}
