//! The page of a conversation in Chromium. These tests are skipped if it is not installed.

mod commands;
mod contents;
mod filters;
mod hostile;
mod keys;
mod large;
mod look;
mod sample;
mod search;
mod sub_agents;
mod turns;

#[test]
fn a_page_shows_all_of_a_conversation_and_is_filtered_searched_used_with_keys_and_printed() {
    // Colours that were chosen stay, so they are last.
    let checks = [
        turns::CHECKS,
        sub_agents::CHECKS,
        filters::CHECKS,
        search::CHECKS,
        keys::CHECKS,
        look::CHECKS,
    ];
    sample::on_the_sample(&checks.concat());
}
