//! Any other text: the pattern library knows lines such as `name - text` and `[name] text`, and the user's own.

use crate::help::commands::Commands;
use crate::help::entry::{self, Description};
use crate::help::help_text::{HelpCommand, HelpText, Shape};
use crate::help::options::options;
use crate::help::page::Page;
use ccd_text::pattern::Compiled;

pub(in crate::help) fn read(page: &Page, library: &Compiled) -> HelpText {
    let found = library.classify(&page.text());
    let mut commands = Commands::default();
    for command in &found.commands {
        if let Some(entry) =
            entry::of_term(&command.name).filter(|entry| !entry.name.starts_with('-'))
        {
            commands.add(HelpCommand {
                description: Description::of(&command.description).finish(),
                ..HelpCommand::of(&entry)
            });
        }
    }
    HelpText {
        shape: Shape::Other,
        usage: Vec::new(),
        options: options(page, &(0..0)),
        commands: commands.finish(),
    }
}
