//! The Markdown of prompts and answers. HTML in it stays text, and a link is its text and its address: a page made from a
//! conversation leads nobody anywhere.

use crate::colour::{self, Colours};
use crate::lines::{self, Line};
use crate::markup::Markup;
use crate::shown::{plural, without_sequences};
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A longer text is shown as it is, piece by piece.
const MAX_BYTES: usize = 60_000;

/// Lists and quotes deeper than this are not set off: a browser gives up on very deep elements.
const MAX_DEPTH: usize = 24;

/// Adds a text as Markdown. After `fold_bytes`, the rest is folded.
pub(crate) fn add(markup: &mut Markup, text: &str, fold_bytes: usize) {
    if text.len() > MAX_BYTES {
        return lines::plain_text(markup, text, "pre.text.prose");
    }
    // Before it is cut into pieces, where nothing would know them.
    let text = &*without_sequences(text);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut prose = Prose::default();
    markup.open("div.markdown");
    let mut is_folded = false;
    for (event, place) in Parser::new_ext(text, options).into_offset_iter() {
        let is_block = matches!(event, Event::Start(_) | Event::Rule) && prose.open.is_empty();
        if is_block && !is_folded && place.start > fold_bytes {
            is_folded = true;
            let left = text[place.start..].lines().count();
            markup.close();
            markup.open_with("details.more", &plural(left, "more line"));
            markup.open("div.markdown");
        }
        prose.take(event, markup);
    }
    markup.close();
    if is_folded {
        markup.close();
    }
}

/// Adds a block of code in a language.
pub(crate) fn code_block(markup: &mut Markup, code: &str, language: &str) {
    markup.within("div.fence", |fence| {
        if matches!(language, "diff" | "patch") {
            return lines::block(fence, "pre.code", &diff_lines(code));
        }
        if !language.is_empty() {
            fence.leaf("span.language", language);
        }
        lines::code(fence, code, None, Colours::of_name(language));
    });
}

fn diff_lines(code: &str) -> Vec<Line> {
    let line = |text: Markup, line: &str| Line {
        class: match line.as_bytes().first() {
            Some(b'+') => "div.line.added",
            Some(b'-') => "div.line.removed",
            Some(b'@') => "div.line.hunk",
            _ => "div.line",
        },
        value: String::new(),
        text,
    };
    let lines = colour::lines(code, None).into_iter();
    lines
        .zip(code.split('\n'))
        .map(|(text, of)| line(text, of))
        .collect()
}

#[derive(Default)]
struct Prose {
    /// Elements that are open; false for those that are not set off.
    open: Vec<bool>,
    /// The language and the text of a block of code.
    code: Option<(String, String)>,
    /// Addresses of the links that are open, and their texts.
    links: Vec<(String, String)>,
    alignments: Vec<Alignment>,
    cell: usize,
}

impl Prose {
    fn take(&mut self, event: Event<'_>, markup: &mut Markup) {
        match event {
            Event::Start(tag) => self.start(tag, markup),
            Event::End(tag) => self.end(tag, markup),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.text(&text, markup);
            }
            Event::Code(text) => {
                self.note_link_text(&text);
                markup.leaf("code", &text);
            }
            Event::SoftBreak | Event::HardBreak => markup.text("\n"),
            Event::Rule => markup.leaf("hr", ""),
            Event::TaskListMarker(is_done) => markup.text(if is_done { "☑ " } else { "☐ " }),
            // Not switched on.
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                markup.text(&text);
            }
        }
    }

    fn text(&mut self, text: &str, markup: &mut Markup) {
        self.note_link_text(text);
        match &mut self.code {
            Some((_, code)) => code.push_str(text),
            None => markup.text(text),
        }
    }

    fn note_link_text(&mut self, text: &str) {
        if let Some((_, shown)) = self.links.last_mut() {
            shown.push_str(text);
        }
    }

    fn start(&mut self, tag: Tag<'_>, markup: &mut Markup) {
        let name = match tag {
            Tag::Heading { level, .. } => HEADINGS[level as usize - 1],
            Tag::BlockQuote(_) => "blockquote",
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',']).next().unwrap_or("").to_owned()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
                self.open.push(false);
                return;
            }
            Tag::List(Some(first)) => {
                return self.set_off(markup, |markup| markup.open_with("ol", &first.to_string()));
            }
            Tag::List(None) => "ul",
            Tag::Item => "li",
            Tag::Table(alignments) => {
                self.alignments = alignments;
                "table"
            }
            Tag::TableHead => "tr",
            Tag::TableRow => "tr",
            Tag::TableCell => return self.start_cell(markup),
            Tag::Emphasis => "em",
            Tag::Strong => "strong",
            Tag::Strikethrough => "del",
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), String::new()));
                "span.link"
            }
            Tag::Paragraph | Tag::HtmlBlock => "p",
            _ => "div",
        };
        if matches!(name, "tr") {
            self.cell = 0;
        }
        self.set_off(markup, |markup| markup.open(name));
    }

    fn set_off(&mut self, markup: &mut Markup, open: impl FnOnce(&mut Markup)) {
        let fits = self.open.iter().filter(|is_set_off| **is_set_off).count() < MAX_DEPTH;
        self.open.push(fits);
        if fits {
            open(markup);
        }
    }

    fn start_cell(&mut self, markup: &mut Markup) {
        let name = match self.alignments.get(self.cell) {
            Some(Alignment::Right) => "td.right",
            Some(Alignment::Center) => "td.center",
            _ => "td",
        };
        self.cell += 1;
        self.set_off(markup, |markup| markup.open(name));
    }

    fn end(&mut self, tag: TagEnd, markup: &mut Markup) {
        let is_set_off = self.open.pop().unwrap_or(false);
        if let Some((language, code)) = self.code.take() {
            code_block(markup, &code, &language);
        }
        if matches!(tag, TagEnd::Link | TagEnd::Image)
            && let Some((address, shown)) = self.links.pop()
            && address != shown
        {
            markup.leaf("span.address", &format!(" ({address})"));
        }
        if is_set_off {
            markup.close();
        }
        let is_inline = matches!(
            tag,
            TagEnd::Emphasis
                | TagEnd::Strong
                | TagEnd::Strikethrough
                | TagEnd::Link
                | TagEnd::Image
        );
        if !is_inline {
            // So that no search finds the end of one block and the start of the next as a word.
            markup.text("\n");
        }
    }
}

/// The page has headings of its own.
const HEADINGS: [&str; 6] = ["h3", "h4", "h5", "h6", "h6", "h6"];

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut markup = Markup::default();
        add(&mut markup, text, 1000);
        let shown = markup.bracketed().replace('\n', "");
        let inside = shown.strip_prefix("{div.markdown:").unwrap();
        inside.strip_suffix('}').unwrap().to_owned()
    }

    #[test]
    fn markdown_is_elements() {
        for (text, expected) in [
            ("# A\nb **c** `d`", "{h3:A}{p:b {strong:c} {code:d}}"),
            ("- a\n- [x] b", "{ul:{li:a}{li:☑ b}}"),
            ("3. a", "{ol|3:{li:a}}"),
            ("> a", "{blockquote:{p:a}}"),
            (
                "|a|b|\n|-|-:|\n|1|2|",
                "{table:{tr:{td:a}{td.right:b}}{tr:{td:1}{td.right:2}}}",
            ),
            (
                "[a](http://x) <http://y>",
                "{p:{span.link:a{span.address: (http://x)}} {span.link:http://y}}",
            ),
            ("![a](x.png)", "{p:{span.link:a{span.address: (x.png)}}}"),
            ("<b>a</b> <script>", "{p:<b>a</b> <script>}"),
            (
                "```rs\nlet\n```",
                "{div.fence:{span.language:rs}{pre.code:{div.line:{K:let}}}}",
            ),
            (
                "```diff\n+a\n```",
                "{div.fence:{pre.code:{div.line.added:+a}}}",
            ),
            ("---", "{hr:}"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_folded_between_blocks() {
        let text = format!("{}\n\n{}\n\nlast", "a ".repeat(400), "b ".repeat(400));
        let shown = shown(&text);
        assert!(
            shown.contains("}{details.more|1 more line:{div.markdown:{p:last}}"),
            "{shown}"
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_tree(text in "([a-z]|[-*_`~#>|\\[\\]()<!&\\\\ \n\t]|1[.]|```|[|]-[|]|https://x){0,120}") {
            let mut markup = Markup::default();
            add(&mut markup, &text, 40);
            let shown = markup.into_string();
            let [open, _, close] = crate::shown::SIGNS;
            let mut depth = 0_i64;
            for c in shown.chars() {
                depth += i64::from(c == open) - i64::from(c == close);
                proptest::prop_assert!(depth >= 0);
            }
            proptest::prop_assert_eq!(depth, 0);
        }
    }
}
