//! The page that lists pages of conversations.

use crate::Private;
use crate::frame::{Frame, element, json};
use crate::shown::{gist_of_markdown, plain};
use ccd_protocol::conversation::{ConversationContentsParams, PageOfConversation};

const PAGE: &str = include_str!("contents.html");
const STYLE: &str = include_str!("page.css");
const SCRIPTS: &[&str] = &[
    include_str!("script/element.js"),
    include_str!("script/format.js"),
    include_str!("script/contents.js"),
];

/// Returns the page. Its data are the entries themselves, so that whoever adds to them can read what is there.
#[must_use]
pub fn contents(params: ConversationContentsParams, private: &Private) -> String {
    let pages = params
        .pages
        .into_iter()
        .map(|page| entry(page, params.with_paths, private));
    let pages: Vec<PageOfConversation> = pages.collect();
    let frame = Frame::new("Conversations", PAGE, STYLE, SCRIPTS);
    let mut page = frame.start;
    element("id=\"pages\"", &json(&pages), &mut page);
    page.push_str(&frame.end);
    page
}

fn entry(mut page: PageOfConversation, with_paths: bool, private: &Private) -> PageOfConversation {
    let title = page.title.as_deref();
    page.title = title.map(|title| gist_of_markdown(&private.hide(title), 200));
    for text in [&mut page.branch, &mut page.cwd] {
        *text = text.as_deref().map(|text| plain(&private.hide(text)));
    }
    if !with_paths {
        let name = page.cwd.as_deref().and_then(|cwd| cwd.rsplit('/').next());
        page.cwd = name.map(str::to_owned);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_list_made_to_be_shared_has_no_paths_and_can_be_read_again() {
        let pages = vec![PageOfConversation {
            page: "a.html".into(),
            stamp: "1".into(),
            title: Some("</script>\u{1b}[1mFix /home/ann/x".into()),
            cwd: Some("/home/ann/shop".into()),
            ..PageOfConversation::default()
        }];
        let private = Private::new([Path::new("/home/ann")], "", []);
        let params = |with_paths| ConversationContentsParams {
            pages: pages.clone(),
            with_paths,
        };
        let html = contents(params(false), &private);
        assert!(!html.contains("/home/ann"));
        let json = html
            .split_once("id=\"pages\">")
            .unwrap()
            .1
            .split_once("</script>")
            .unwrap()
            .0;
        let read: Vec<PageOfConversation> = serde_json::from_str(json).unwrap();
        let shown = (read[0].title.as_deref(), read[0].cwd.as_deref());
        assert_eq!(shown, (Some("</script>Fix ~/x"), Some("shop")));
        let html = contents(params(true), &Private::default());
        assert!(html.contains("/home/ann/shop"));
    }
}
