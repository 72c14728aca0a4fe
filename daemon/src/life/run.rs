//! Starts the daemon's parts in order, and stops them in reverse.

use super::error::{StartError, system};
use super::prepare::Prepared;
use super::serving::{Serving, spawn_pumps};
use super::shutdown::Signals;
use super::socket::OwnPath;
use super::terminals::Terminals;
use super::wiring;
use crate::config::{ConfigWatch, Loaded, Paths};
use crate::store::{Opening, SCHEMA, Store};
use ccd_session::PastProcesses;
use ccd_terminal::holder::{Adopted, HandOver, HandoverCause};
use std::io;
use std::path::Path;

/// Serves until a signal or a call ends it.
pub(crate) async fn serve(prepared: Prepared, terminals: Terminals) -> Result<(), StartError> {
    let watch = ConfigWatch::start(prepared.sources.clone())
        .map_err(system("threads cannot be started"))?;
    let mut signals = Signals::install().map_err(system("signals cannot be received"))?;
    #[cfg(not(portable))]
    ccd_terminal::holder::hear_signals();
    let begun = terminals.begin(&prepared.paths);
    let begun = begun.map_err(system("the holder of the terminals cannot start"))?;
    let (holder, own_path) = (&begun.holder, begun.own_path);
    let (store, database_is_new) =
        open_database(&prepared.paths, begun.hand_over.as_ref(), &begun.adopted).await?;
    let (owners, threads) = wiring::parts(&prepared, holder, &store)?;
    let past = PastProcesses {
        holder_since: &begun.since,
        has_crashed: (begun.hand_over.as_ref())
            .is_some_and(|last| last.cause == HandoverCause::Crash),
        database_is_new,
    };
    let recovered = owners.sessions.recover(begun.adopted, &past).await;
    let killed = recovered.map_err(StartError::Recover)?;
    match owners.jobs.recover().await {
        // What is there can be read, and deleted to make room.
        Err(error) if error.is_full() => {
            tracing::error!(%error, "unfinished jobs could not be recorded as failed");
        }
        recovered => recovered?,
    }
    if let Err(error) = owners.exec.recover().await {
        // Runs are only one part of the daemon.
        tracing::error!(%error, "unfinished runs of Claude Code could not be found");
    }
    let pumps = spawn_pumps(&owners.sessions, begun.news);
    let pumps = pumps.map_err(system("threads cannot be started"))?;
    let daemon = wiring::daemon(prepared, owners, begun.hand_over);
    report_start(&daemon.loaded(), killed);
    let connections = wiring::accept(&daemon, begun.listener, own_path.is_some())?;
    if daemon.hand_over.is_some() {
        let holder = &daemon.services.holder;
        connections.listen_again(&daemon.paths, holder).await;
    }
    wiring::start_background(&daemon, watch);
    super::service::ready();
    holder.ready();
    let serving = Serving {
        daemon,
        connections,
        threads,
        pumps,
    };
    let end = signals.until_end(&serving).await;
    let own_path = own_path.map(OwnPath::new);
    serving.end(end, holder, &store, own_path).await
}

/// Opens the database; true if it is a new one.
async fn open_database(
    paths: &Paths,
    hand_over: Option<&HandOver>,
    adopted: &[Adopted],
) -> Result<(Store, bool), StartError> {
    let how = match hand_over {
        None => Opening::First,
        Some(hand_over) if hand_over.rolled_back => Opening::RolledBack,
        Some(_) => Opening::Again,
    };
    let replaced = match hand_over {
        Some(_) => ccd_store::set_aside_replaced(&paths.database)?,
        None => None,
    };
    let opened = SCHEMA.open(&paths.database, how).await?;
    if let Some(database) = &replaced.or(opened.set_aside) {
        set_sessions_aside(paths, database, adopted)?;
    }
    Ok((opened.database, opened.is_new))
}

/// Without their database, the sessions' directories cannot be assigned: they are set aside with it, so that their logs
/// are not taken for leftovers.
/// Live sessions continue, and their directories are kept.
fn set_sessions_aside(
    paths: &Paths,
    database: &Path,
    adopted: &[Adopted],
) -> Result<(), StartError> {
    let suffix = database.extension().unwrap_or_default();
    let aside = paths.sessions.with_extension(suffix);
    let what = "the directories of sessions cannot be set aside";
    std::fs::rename(&paths.sessions, &aside).map_err(system(what))?;
    paths.prepare()?;
    for id in ccd_session::ids_of(adopted) {
        match std::fs::rename(aside.join(&id), paths.sessions.join(&id)) {
            // It was removed too; the log begins again.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            moved => moved.map_err(system(what))?,
        }
    }
    Ok(())
}

fn report_start(loaded: &Loaded, killed: u64) {
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        pid = crate::daemon::own_pid(),
        "serving"
    );
    for warning in loaded.warning_lines() {
        tracing::warn!(warning, "configuration");
    }
    if killed > 0 {
        tracing::warn!(
            sessions = killed,
            "an earlier daemon was killed; its sessions have ended"
        );
    }
}
