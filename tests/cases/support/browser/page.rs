//! A page in a browser of its own, used as a reader uses it: with keys, a mouse and eyes.

use super::chromium::{Chromium, url};
use super::{key, problem};
use crate::support::eventually;
use serde_json::{Value, json};
use std::path::Path;

const WIDTH: u32 = 1280;
const HEIGHT: u32 = 900;

/// What a test looks at is read in a world of its own: the page's scripts and the test cannot meet.
const WORLD: &str = "test";

/// An open page. If anything ran, was requested or failed that should not, dropping it fails the test.
pub(crate) struct Page {
    chromium: Chromium,
    url: String,
    frame: String,
    world: u64,
}

impl Page {
    /// Opens a file in a new browser; `None`, which is printed, if there is no Chromium.
    pub(crate) fn open(file: &Path) -> Option<Self> {
        let mut chromium = Chromium::start(WIDTH, HEIGHT).unwrap()?;
        for domain in problem::DOMAINS {
            chromium
                .call(&format!("{domain}.enable"), json!({}))
                .unwrap();
        }
        let mut page = Self {
            chromium,
            url: url(file),
            frame: String::new(),
            world: 0,
        };
        page.load(file);
        Some(page)
    }

    /// Opens another file in the same tab.
    pub(crate) fn load(&mut self, file: &Path) {
        let problems = self.known_problems();
        assert!(problems.is_empty(), "{problems:#?}");
        self.url = url(file);
        self.frame = self.chromium.open(file).unwrap();
        self.enter();
    }

    fn enter(&mut self) {
        let params = json!({"frameId": self.frame, "worldName": WORLD});
        let world = self.call("Page.createIsolatedWorld", params);
        self.world = world["executionContextId"].as_u64().unwrap();
    }

    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.chromium.call(method, params).unwrap()
    }

    /// Returns the value of an expression about the document.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        self.chromium
            .evaluate(expression, Some(self.world))
            .unwrap()
    }

    /// Returns the value of an expression among the scripts of the page.
    pub(crate) fn value_in_page(&mut self, expression: &str) -> Value {
        self.chromium.evaluate(expression, None).unwrap()
    }

    /// Returns the visible text of the first element that a selector finds.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let selector = json!(selector);
        let value = self.value(&format!("document.querySelector({selector})?.innerText"));
        let text = value.as_str();
        text.unwrap_or_else(|| panic!("there is no {selector}"))
            .to_owned()
    }

    /// Returns the visible texts of all elements that a selector finds.
    pub(crate) fn texts(&mut self, selector: &str) -> Vec<String> {
        let selector = json!(selector);
        let all = format!("[...document.querySelectorAll({selector})].map((one) => one.innerText)");
        serde_json::from_value(self.value(&all)).unwrap()
    }

    /// Returns how many elements a selector finds.
    pub(crate) fn count(&mut self, selector: &str) -> u64 {
        let selector = json!(selector);
        let count = self.value(&format!("document.querySelectorAll({selector}).length"));
        count.as_u64().unwrap()
    }

    /// Waits until an expression about the document is true.
    #[track_caller]
    pub(crate) fn until(&mut self, expression: &str) {
        eventually(expression, || {
            (self.value(&format!("Boolean({expression})")) == true).then_some(())
        });
    }

    /// Waits until a page that loads itself again has done so and an expression about the document is true.
    #[track_caller]
    pub(crate) fn until_reloaded(&mut self, expression: &str) {
        eventually(expression, || {
            // There is nobody to ask while the new document comes.
            let value = self.chromium.evaluate(expression, None).ok()?;
            (value == true).then_some(())
        });
        self.enter();
    }

    /// Waits until the first element that a selector finds has this visible text.
    #[track_caller]
    pub(crate) fn until_text(&mut self, selector: &str, text: &str) {
        let (element, wanted) = (json!(selector), json!(text));
        self.until(&format!(
            "document.querySelector({element})?.innerText.trim() === {wanted}"
        ));
    }

    /// Presses keys one after the other; see [`key::events`].
    pub(crate) fn press(&mut self, keys: &[&str]) {
        for event in keys.iter().flat_map(|name| key::events(name)) {
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Types a text, key by key.
    pub(crate) fn type_text(&mut self, text: &str) {
        for character in text.chars() {
            self.press(&[&character.to_string()]);
        }
    }

    /// Scrolls the first element that a selector finds into view and clicks on its middle, which nothing may cover.
    #[track_caller]
    pub(crate) fn click(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(async () => {{
                const find = () => document.querySelector({0});
                if (!find()) return 'there is none';
                find().scrollIntoView({{block: 'nearest'}});
                // What the page does after a scroll, such as new rows, may move it.
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                const box = find().getBoundingClientRect();
                const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
                const hit = document.elementFromPoint(x, y);
                return find().contains(hit) ? [x, y] : `${{hit?.outerHTML.slice(0, 200)}} is there`;
            }})()",
            json!(selector)
        ));
        assert!(place.is_array(), "{selector}: {place}");
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Turns the mouse wheel over the middle of the page, by this many pixels down.
    pub(crate) fn wheel(&mut self, pixels: i64) {
        let event = json!({"type": "mouseWheel", "x": WIDTH / 2, "y": HEIGHT / 2, "deltaX": 0, "deltaY": pixels});
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Waits until the page has drawn a frame; what it does at the next one is done then.
    pub(crate) fn frame(&mut self) {
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
    }

    /// Returns what was wrong until now, and forgets it.
    pub(crate) fn problems(&mut self) -> Vec<String> {
        // What was reported before this answer is known then.
        self.frame();
        self.known_problems()
    }

    fn known_problems(&mut self) -> Vec<String> {
        let events = std::mem::take(&mut self.chromium.events);
        let found = events
            .iter()
            .filter_map(|event| problem::of(event, &self.url));
        found.collect()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // They may be why the test fails.
            eprintln!("{:#?}", self.known_problems());
            return;
        }
        let problems = self.problems();
        assert!(problems.is_empty(), "{problems:#?}");
    }
}
