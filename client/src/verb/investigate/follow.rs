//! Follows the job of an investigation or of tests, with a line that says what is being done.

use crate::fields::Fields as _;
use crate::job_news::News;
use crate::render::on_one_line;
use crate::verb::chain::{Cancel, Followed, Progress, cancelling, follow, why};
use crate::{Context, Exit, Failure};
use serde_json::Value;

/// The result of a job, and the exit status for its end.
pub(in crate::verb) type JobEnd = (Value, Result<Exit, Failure>);

/// Waits for the end of a job that was started after `cancel`; returns its result, and the exit status for its end.
/// Fails if there is no result.
pub(in crate::verb) fn follow_with_line(
    verb: &str,
    cancel: &Cancel,
    started: &Value,
    context: &Context,
) -> Result<Followed<JobEnd>, Failure> {
    let (place, job) = (context.place()?.without_start(), started.text("job"));
    let stop = cancelling(&place, job);
    let mut progress = Progress::on_stderr();
    let followed = follow(cancel, place, job, None, stop, |news| {
        if let News::Changed(job) = news {
            progress.show(&job);
        }
        Ok(())
    });
    progress.clear();
    let job = match followed? {
        Followed::Ended(job) => job,
        Followed::Left(exit) => return Ok(Followed::Left(exit)),
    };
    let failed = Failure::Failed(format!("{verb}: {}", on_one_line(why(&job))));
    if !job.has("result") {
        return Err(failed);
    }
    let exit = match (job.text("state"), cancel.by()) {
        ("done", _) => Ok(Exit::Done),
        ("cancelled", signal) => {
            let text = format!("{verb}: cancelled; the report has what was found so far");
            context.note(&text);
            let exit = signal.map(|signal| Exit::of_program(None, Some(signal)));
            Ok(exit.unwrap_or(Exit::Failed))
        }
        _ => Err(failed),
    };
    Ok(Followed::Ended((job.at("result").clone(), exit)))
}
