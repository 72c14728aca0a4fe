use super::*;
use crate::coach::{CoachPaths, CoachSettings};
use ccd_protocol::data::DataForgetParams;
use ccd_protocol::hook::spool::FileName;
use ccd_store::{AnyWrite, Opening, Schema, Store, Synchronous, query_as, query_scalar};
use serde_json::json;
use std::time::SystemTime;

const STORE: Schema<dyn AnyWrite> = Schema::new(
    Synchronous::Normal,
    &[(
        "hooks",
        include_str!("../../../../migrations/0006_hooks.sql"),
    )],
);

/// A coach whose payloads are processed by hand.
async fn coach(folder: &Path) -> (Arc<Coach>, Work, Store) {
    let paths = CoachPaths {
        base: folder.to_owned(),
        home: folder.join("coach"),
        journal: folder.join("journal"),
        spool: folder.join("spool"),
        claude: folder.join("claude"),
    };
    std::fs::create_dir(&paths.spool).unwrap();
    let settings = CoachSettings {
        enabled: true,
        keep_payloads: Duration::MAX,
        keep_events: Duration::MAX,
        guards: true,
        record: None,
        session_events: true,
    };
    let opened = STORE.open(&folder.join("ccd.sqlite"), Opening::First).await;
    let store = opened.unwrap().database;
    let (coach, work) = Coach::new(paths, store.clone(), settings).unwrap();
    (coach, work, store)
}

fn id(second: u64) -> String {
    format!("{second:032x}")
}

fn at(second: u64) -> String {
    format!("2026-01-01T00:00:{second:02}.000000Z")
}

fn post(coach: &Coach, second: u64, payload: &Value) {
    let payload = payload.to_string().into_bytes();
    let delivery = Delivery::new(id(second), at(second), payload).unwrap();
    coach.post(delivery).unwrap();
}

fn spool(coach: &Coach, second: u64, payload: &Value) {
    let content = json!({"delivery_id": id(second), "at": at(second), "payload": payload});
    let content = content.to_string();
    let written = SystemTime::now() + Duration::from_secs(second);
    let name = FileName::new(written, content.len() as u64).to_string();
    std::fs::write(coach.paths.spool.join(name), content).unwrap();
}

fn prompt(text: &str) -> Value {
    json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/", "prompt": text})
}

/// Returns the times of the payloads in the order in which they were processed.
async fn processed(store: &Store) -> Vec<String> {
    let times = query_scalar("SELECT at FROM hook_events ORDER BY id");
    times.fetch_all(store.readers()).await.unwrap()
}

#[tokio::test]
async fn a_payload_from_the_spool_is_processed_before_newer_ones_that_were_delivered() {
    let folder = tempfile::tempdir().unwrap();
    let (coach, mut work, store) = coach(folder.path()).await;
    post(&coach, 1, &prompt("one"));
    spool(&coach, 2, &prompt("two"));
    post(&coach, 3, &prompt("three"));
    spool(&coach, 4, &prompt("four"));
    // More than are processed at a time.
    post(&coach, 5, &prompt(&"long ".repeat(BATCH_BYTES / 4)));
    post(&coach, 6, &prompt("six"));
    spool(&coach, 7, &prompt("seven"));
    while work.step().await.unwrap() {}
    assert_eq!(processed(&store).await, [1, 2, 3, 4, 5, 6, 7].map(at));
}

#[tokio::test]
async fn what_waits_in_the_spool_is_processed_before_events_are_aggregated_or_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let (coach, work, store) = coach(folder.path()).await;
    let stop = CancellationToken::new();
    let worker = tokio::spawn(work.run(stop.clone()));
    spool(&coach, 1, &prompt("No, use pnpm instead of npm"));
    coach.aggregate().await.unwrap();
    assert_eq!(processed(&store).await, [at(1)]);
    spool(&coach, 2, &prompt("No, use pnpm instead of npm"));
    let forgotten = coach.forget_data(&DataForgetParams::default()).await;
    forgotten.unwrap();
    assert_eq!(std::fs::read_dir(&coach.paths.spool).unwrap().count(), 0);
    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn a_look_at_what_is_kept_does_not_wait_for_payloads_that_cannot_be_processed() {
    let folder = tempfile::tempdir().unwrap();
    let (coach, _work, _store) = coach(folder.path()).await;
    post(&coach, 1, &prompt("one"));
    let look = DataForgetParams {
        dry_run: true,
        ..DataForgetParams::default()
    };
    let start = Instant::now();
    coach.forget_hooks(&look).await.unwrap();
    coach.forget_data(&look).await.unwrap();
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn what_another_project_has_said_counts_again_without_the_deleted_candidate() {
    let folder = tempfile::tempdir().unwrap();
    let (coach, mut work, _store) = coach(folder.path()).await;
    let project = |name: &str| folder.path().join(name).display().to_string();
    let correct = |second: u64, name: &str| {
        std::fs::create_dir_all(project(name)).unwrap();
        let text = "No, use pnpm instead of npm";
        let said = json!({"hook_event_name": "UserPromptSubmit", "session_id": id(second), "cwd": project(name), "prompt": text});
        post(&coach, second, &said);
    };
    let proposals = async || coach.run_batch().await.unwrap().candidates.len();
    correct(1, "one");
    correct(2, "other");
    correct(3, "other");
    while work.step().await.unwrap() {}
    assert_eq!(proposals().await, 1);
    let which = DataForgetParams {
        project: Some(project("one")),
        ..DataForgetParams::default()
    };
    let deleted = coach.forget_data(&which).await.unwrap();
    assert_eq!(deleted.what, "1 event, 1 proposal");
    correct(4, "other");
    while work.step().await.unwrap() {}
    let events = &coach.databases.get().unwrap().events;
    let waiting = query_scalar("SELECT count(*) FROM events WHERE processed = 0");
    let waiting: i64 = waiting.fetch_one(events.readers()).await.unwrap();
    assert_eq!(waiting, 3);
    assert_eq!(proposals().await, 1);
}

#[tokio::test]
async fn a_prompt_that_arrives_twice_is_no_repetition() {
    let folder = tempfile::tempdir().unwrap();
    let (coach, mut work, _store) = coach(folder.path()).await;
    let signals = async || {
        let events = &coach.databases.get().unwrap().events;
        let signals = query_as("SELECT timestamp, signal_type FROM events ORDER BY rowid");
        let signals: Vec<(String, String)> = signals.fetch_all(events.readers()).await.unwrap();
        signals
    };
    for second in [1, 1, 2, 2] {
        post(&coach, second, &prompt("run the linter on all files"));
        while work.step().await.unwrap() {}
    }
    assert_eq!(signals().await, []);
    post(&coach, 3, &prompt("run the linter on all files"));
    while work.step().await.unwrap() {}
    assert_eq!(signals().await, [(at(3), "REPETITION".to_owned())]);
}
