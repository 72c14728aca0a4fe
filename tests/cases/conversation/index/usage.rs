//! The tokens of a message that is written several times, as a stream does before it knows them all.

use crate::conversation::library::{Library, record, user};
use crate::support::assert_fields;
use serde_json::json;

const ID: &str = "00000000-0000-4000-8000-000000000000";

fn said(uuid: &str, message: &str, text: &str, input: u64, output: u64) -> String {
    let usage = json!({"input_tokens": input, "output_tokens": output});
    let content = json!([{"type": "text", "text": text}]);
    let message = json!({"id": message, "role": "assistant", "model": "claude-opus-4-5-20251101", "content": content, "usage": usage});
    record(ID, uuid, message).to_string()
}

#[test]
fn every_command_counts_the_record_with_the_most_output() {
    let library = Library::new();
    let long = "long ".repeat(50);
    library.write(
        &library.path(ID),
        &[
            user(ID, "u", "Hello"),
            // One record, first with more text, then with more tokens, and the other way round.
            said("a1", "m1", &long, 10, 5),
            said("a1", "m1", "short", 10, 200),
            said("a2", "m2", "short", 10, 300),
            said("a2", "m2", &long, 10, 6),
            // One message of three records; of those with the same output, the last.
            said("b1", "m3", "one", 7, 1),
            said("b2", "m3", "two", 8, 90),
            said("b3", "m3", "three", 9, 90),
            said("b4", "m3", "four", 11, 2),
            // As both.
            said("c1", "m4", &long, 1, 40),
            said("c1", "m4", "x", 2, 40),
        ],
    );
    // A copy in another file.
    let agent = library.agent_path(ID, "a1");
    library.write(&agent, &[said("d1", "m4", "copied", 2, 40)]);
    let export = library.call("conversation.export", json!({"session": ID}));
    let replies = [
        library.get(ID),
        library.newest(),
        library.stats(),
        export["about"].clone(),
    ];
    let cost = 31.0 * 5.0 + 630.0 * 25.0;
    for reply in &replies {
        let total = json!({"input_tokens": 10 + 10 + 9 + 2, "output_tokens": 200 + 300 + 90 + 40});
        assert_fields(&reply["usage"], json!({ "total": total }));
        assert_eq!(reply["usage"], replies[0]["usage"]);
        let found = reply["cost_usd"].as_f64().unwrap() * 1e6;
        assert!((found - cost).abs() < 1e-6, "{found}");
    }
}

#[test]
fn numbers_that_no_response_has_are_none() {
    let library = Library::new();
    let huge = 9_223_372_036_854_775_807;
    library.write(
        &library.path(ID),
        &[
            said("a1", "m1", "one", huge, huge),
            said("a2", "m2", "two", huge, 3),
            said("a3", "m3", "three", 5, 4),
        ],
    );
    assert_eq!(library.tokens()[..2], [5, 7]);
    assert_eq!(library.listed().len(), 1);
    let get = library.get(ID);
    assert_eq!(get["usage"]["total"]["output_tokens"], 7);
}
