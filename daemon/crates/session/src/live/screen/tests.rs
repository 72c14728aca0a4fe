use super::model::{MAX_BYTES, ScreenModel, Screens};
use super::sizes::Sizes;
use crate::output::Output;
use crate::output::log::current_path;
use encoding_rs::UTF_8;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

fn screens() -> Arc<Screens> {
    Screens::new(TaskTracker::new(), CancellationToken::new())
}

/// Returns a square screen, and what a program has printed on it.
fn printed(
    screens: &Arc<Screens>,
    folder: &Path,
    side: u16,
    text: &str,
) -> (Arc<ScreenModel>, Output) {
    fs::create_dir_all(folder).unwrap();
    fs::write(current_path(folder), text).unwrap();
    let model = ScreenModel::new(screens, UTF_8, Sizes::new(side, side));
    let output = Output::ended(folder.to_owned(), text.len() as u64, 0, Vec::new());
    (Arc::new(model), output)
}

async fn first_line((model, output): &(Arc<ScreenModel>, Output)) -> String {
    let look = model.look(output, output.end(), |screen| screen.before_cursor());
    look.await.unwrap().seen
}

#[tokio::test]
async fn what_a_call_has_drawn_stays_if_its_client_leaves() {
    let base = tempfile::tempdir().unwrap();
    let (model, output) = printed(
        &screens(),
        base.path(),
        200,
        &"\x1b[41m\x1b[2J\x1b[42m\x1b[2J".repeat(40_000),
    );
    let look = model.look(&output, output.end(), |_| ());
    let limit = Duration::from_millis(200);
    assert!(tokio::time::timeout(limit, look).await.is_err());
    let looked = model.look(&output, 0, |_| ()).await.unwrap();
    assert!(
        looked.offset > 0 && looked.offset < output.end(),
        "{looked:?}"
    );
    let next = model.look(&output, output.end(), |_| ()).await.unwrap();
    assert!(next.is_behind && next.offset > looked.offset, "{next:?}");
}

#[tokio::test]
async fn all_models_together_have_a_limit_and_the_dropped_ones_show_the_same_again() {
    let base = tempfile::tempdir().unwrap();
    let screens = screens();
    let all: Vec<_> = ["one", "two", "three", "four"]
        .map(|text| printed(&screens, &base.path().join(text), 1000, text))
        .into();
    for _ in 0..2 {
        for (shown, text) in all.iter().zip(["one", "two", "three", "four"]) {
            assert_eq!(first_line(shown).await, text);
            assert!(screens.bytes() <= MAX_BYTES, "{} bytes", screens.bytes());
        }
    }
    assert!(screens.bytes() > 0);
    drop(all);
    assert_eq!(screens.bytes(), 0);
}
