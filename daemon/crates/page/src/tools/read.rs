//! Read: the lines of a file with their numbers.

use super::{Call, Shown, add_file, add_picture};
use crate::colour::Colours;
use crate::lines;
use crate::shown::plural;
use crate::value::{field, first, number, text, text_of};
use ccd_base::number::grouped;

pub(super) fn show(call: &Call<'_>) -> Shown {
    let file = field(call.meta(), "file");
    let named = text(first(call.input, &["file_path", "notebook_path"]));
    let path = Some(text_of(file, "filePath"))
        .filter(|path| !path.is_empty())
        .unwrap_or_else(|| named.clone());
    let mut shown = Shown {
        target: call.short(&named),
        ..Shown::default()
    };
    let wanted = match (number(call.input, "offset"), number(call.input, "limit")) {
        (None, None) => String::new(),
        (offset, limit) => {
            let most = limit.map(|limit| format!(", at most {limit} lines"));
            format!(
                "from line {}{}",
                offset.unwrap_or(1.0),
                most.unwrap_or_default()
            )
        }
    };
    if !call.is_done() {
        add_file(&mut shown.body, &path, &wanted);
        call.add_result(&mut shown.body);
        return shown;
    }
    let (kind, base64) = (text_of(file, "type"), text_of(file, "base64"));
    if !base64.is_empty() && add_picture(&mut shown.body, &kind, &base64) {
        shown.outcome = "picture".to_owned();
        return shown;
    }
    let Some((start, content)) = numbered(call) else {
        add_file(&mut shown.body, &path, &wanted);
        call.add_result(&mut shown.body);
        return shown;
    };
    let lines = content.lines().count().max(1);
    shown.outcome = plural(lines, "line");
    let last = start + lines as u64 - 1;
    let mut range = match lines {
        1 => format!("line {}", grouped(start)),
        _ => format!("lines {}–{}", grouped(start), grouped(last)),
    };
    if let Some(total) = number(file, "totalLines") {
        range = format!("{range} of {}", grouped(total as u64));
    }
    add_file(&mut shown.body, &path, &range);
    lines::code(
        &mut shown.body,
        &content,
        Some(start),
        Colours::of_path(&path),
    );
    shown
}

/// Returns the number of the first line and the lines: from the details of the result, else from a result whose lines start with
/// numbers.
fn numbered(call: &Call<'_>) -> Option<(u64, String)> {
    let file = field(call.meta(), "file");
    if let Some(content) = field(file, "content").as_str() {
        return Some((
            number(file, "startLine").unwrap_or(1.0) as u64,
            content.to_owned(),
        ));
    }
    let text = call.result_text();
    let line = |line: &str| {
        let (number, text) = line.trim_start().split_once(['\t', '→'])?;
        Some((number.parse::<u64>().ok()?, text.to_owned()))
    };
    let known: Vec<_> = text.lines().filter_map(line).collect();
    // A reminder may follow the file; a text of another kind has no numbers at all.
    let is_file = known.len() * 2 >= text.lines().count();
    let start = known.first().filter(|_| is_file)?.0;
    let lines: Vec<String> = known.into_iter().map(|(_, text)| text).collect();
    Some((start, lines.join("\n")))
}
