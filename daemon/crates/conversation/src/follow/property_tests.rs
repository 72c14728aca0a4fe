use super::area::AreaFile;
use super::growing::{Change, Growing};
use super::items::Wanted;
use crate::price::Prices;
use proptest::prelude::*;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::{Arc, LazyLock};

const TOOLS: &str = include_str!("../../tests/fixtures/09-tools.jsonl");
const DUPLICATES: &str = include_str!("../../tests/fixtures/07-duplicates.jsonl");

static WANTED: LazyLock<Wanted> = LazyLock::new(|| Wanted {
    kinds: Vec::new(),
    prices: Arc::new(Prices::built_in()),
});

/// Appends the parts to a file one after the other, of which the first `old` are there before it is followed. Returns
/// the items, each as JSON.
fn follow(parts: &[&[u8]], old: usize) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .unwrap();
    for part in &parts[..old] {
        file.write_all(part).unwrap();
    }
    let mut growing = Growing::at(&AreaFile { path, main: None }, None).unwrap();
    let mut items = Vec::new();
    for part in &parts[old..] {
        file.write_all(part).unwrap();
        while growing.look() == Change::Grown {
            let (new, has_more) = growing.next_items(None, &WANTED).unwrap();
            items.extend(new.into_iter().map(|mut item| {
                item.file = String::new();
                serde_json::to_string(&item).unwrap()
            }));
            if !has_more {
                break;
            }
        }
    }
    items
}

/// Splits a text at these places.
fn split<'a>(text: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    cuts.sort_unstable();
    let ends = cuts.iter().copied().chain([text.len()]);
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    starts
        .zip(ends)
        .map(|(start, end)| &text[start..end])
        .collect()
}

proptest! {
    #[test]
    fn items_do_not_depend_on_how_a_file_is_cut(cuts in proptest::collection::vec(any::<usize>(), 0..6)) {
        for text in [TOOLS, DUPLICATES] {
            let whole = follow(&[text.as_bytes()], 0);
            prop_assert!(whole.len() > 5);
            prop_assert_eq!(follow(&split(text.as_bytes(), &cuts), 0), whole);
        }
    }

    #[test]
    fn those_of_what_is_added_are_the_last_ones(cut in any::<usize>()) {
        let whole = follow(&[TOOLS.as_bytes()], 0);
        let late = follow(&split(TOOLS.as_bytes(), &[cut]), 1);
        prop_assert!(whole.ends_with(&late));
    }

    #[test]
    fn any_bytes_can_be_followed(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in any::<usize>()) {
        follow(&split(&bytes, &[cut]), 1);
    }
}
