//! The files of one subscriber.

use super::area::{Area, AreaFile};
use super::growing::{Change, Growing};
use super::items::Wanted;
use crate::ConversationError;
use crate::error::Result;
use crate::price::Prices;
use crate::source::parent_of;
use ccd_protocol::conversation::{
    ConversationEnd, ConversationEndReason, ConversationItem, ConversationItemKind as ItemKind,
};
use ccd_watch::{Changes, Handle, Watcher};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Transcripts that are tried to find the one of a project that was used last.
const MAX_TRIED: usize = 1000;

#[derive(Debug, Default)]
pub(crate) struct Start {
    /// Messages and prompts of the conversation that was used last.
    pub(crate) last: usize,
    /// Ends of lines, by file.
    pub(crate) from: BTreeMap<String, u64>,
    pub(crate) kinds: Vec<ItemKind>,
}

/// The items of one subscriber. A thread reads them at the subscriber's pace, and ends when this is dropped.
#[derive(Debug)]
pub struct Following {
    items: mpsc::Receiver<Vec<ConversationItem>>,
    _watcher: Handle,
}

/// A subscriber's files. Reading blocks.
#[derive(Debug)]
pub(crate) struct Follower {
    area: Area,
    wanted: Wanted,
    files: HashMap<PathBuf, Growing>,
    /// Whether the conversation with this transcript belongs to the area.
    has: HashMap<PathBuf, bool>,
    /// Files to read; those of sub-agents, which are marked, after those of their sessions.
    changed: BTreeSet<(bool, PathBuf)>,
    seq: u64,
    has_ended: bool,
}

impl Following {
    pub(crate) fn start(follower: Follower) -> Result<Self> {
        let main = follower.area.main().map(Path::to_owned);
        let (watcher, handle) = Watcher::new(move |path: &Path| {
            path.extension().is_some_and(|end| end == "jsonl") || Some(path) == main.as_deref()
        });
        let (sender, items) = mpsc::channel(1);
        let thread = std::thread::Builder::new().name("transcripts".into());
        let started = thread.spawn(move || follower.run(watcher, &sender));
        started.map_err(ConversationError::Watch)?;
        Ok(Self {
            items,
            _watcher: handle,
        })
    }

    /// Waits for the next items; `None` once the only conversation is gone.
    pub async fn next(&mut self) -> Option<Vec<ConversationItem>> {
        self.items.recv().await
    }
}

impl Follower {
    /// Notes how long each file is now: what is added from now on is new. Blocks.
    pub(crate) fn new(area: Area, start: &Start, prices: &Arc<Prices>) -> Self {
        let mut follower = Self {
            wanted: Wanted {
                kinds: start.kinds.clone(),
                prices: Arc::clone(prices),
            },
            files: HashMap::new(),
            has: HashMap::new(),
            changed: BTreeSet::new(),
            seq: 0,
            has_ended: false,
            area,
        };
        for file in follower.area.files() {
            // The line end belongs to the line.
            let from = start.from.get(&*file.path.to_string_lossy());
            let from = from.map(|end| if *end == 0 { 0 } else { end + 1 });
            if let Some(growing) = Growing::at(&file, from) {
                if from.is_some() {
                    follower.changed.insert(in_order(file.path.clone()));
                }
                follower.files.insert(file.path, growing);
            }
        }
        if start.last > 0
            && let Some(path) = follower.last_used()
            && let Some(file) = follower.files.get_mut(&path)
            && file.go_back(start.last).is_ok()
        {
            follower.changed.insert(in_order(path));
        }
        follower
    }

    fn last_used(&mut self) -> Option<PathBuf> {
        if let Area::Conversation(main) = &self.area {
            return Some(main.clone());
        }
        let mut mains: Vec<_> = self
            .area
            .files()
            .into_iter()
            .filter(|file| file.main.is_none())
            .filter_map(|file| {
                let changed = file.path.metadata().and_then(|one| one.modified()).ok()?;
                Some((changed, file.path))
            })
            .collect();
        mains.sort();
        let mut newest = mains.into_iter().rev().take(MAX_TRIED);
        let path = newest.find(|(_, path)| self.is_of_area(path) == Some(true));
        path.map(|(_, path)| path)
    }

    /// Passes items on until nobody takes them, or the only conversation is gone.
    fn run(mut self, mut watcher: Watcher, items: &mpsc::Sender<Vec<ConversationItem>>) {
        let mut changes = Changes {
            rescan: true,
            ..Changes::default()
        };
        loop {
            if changes.rescan {
                self.watch_all(&mut watcher);
            }
            self.changed.extend(changes.files.into_iter().map(in_order));
            while !self.has_ended
                && let Some((_, path)) = self.changed.pop_first()
            {
                let new = self.step(path);
                if !new.is_empty() && items.blocking_send(new).is_err() {
                    return;
                }
            }
            if self.has_ended {
                return;
            }
            // Lines are written at once, so there is nothing to wait for.
            match watcher.wait(Duration::ZERO, Duration::ZERO) {
                Some(new) => changes = new,
                None => return,
            }
        }
    }

    /// Watches everything, and notes that all of it may have changed.
    fn watch_all(&mut self, watcher: &mut Watcher) {
        watcher.renew(|renewal| {
            for projects in self.area.missing() {
                renewal.path(&projects);
            }
            self.area.folders(&mut |folder| renewal.folder(folder));
        });
        let files = self.area.files().into_iter().map(|file| file.path);
        let known = self.files.keys().cloned();
        self.changed.extend(files.chain(known).map(in_order));
    }

    /// Reads some of what has changed in a file.
    fn step(&mut self, path: PathBuf) -> Vec<ConversationItem> {
        let mut items = Vec::new();
        match self.area.file_at(&path) {
            Some(file) => {
                if self.read(&file, &mut items) {
                    self.changed.insert(in_order(path));
                }
            }
            None => self.gone(&path, &mut items),
        }
        for item in &mut items {
            item.seq = self.seq;
            self.seq += 1;
        }
        items
    }

    /// Reads some of what was added to a file. Returns whether there may be more.
    fn read(&mut self, file: &AreaFile, items: &mut Vec<ConversationItem>) -> bool {
        if !self.files.contains_key(&file.path) {
            // It is new, so all of it is.
            match Growing::at(file, Some(0)) {
                Some(growing) => drop(self.files.insert(file.path.clone(), growing)),
                None => return false,
            }
        }
        let change = self.files.get_mut(&file.path).map(Growing::look);
        match change {
            None | Some(Change::None) => return false,
            Some(Change::Gone) => {
                self.gone(&file.path, items);
                return false;
            }
            Some(Change::Grown | Change::Replaced) => {}
        }
        // A sub-agent may write before its session has said where it was started.
        if self.is_of_area(file.main()) != Some(true) {
            return false;
        }
        let Some(growing) = self.files.get_mut(&file.path) else {
            return false;
        };
        if change == Some(Change::Replaced) {
            let end = end_of(growing, ConversationEndReason::Replaced);
            items.extend(self.wanted.has(ItemKind::End).then_some(end));
        }
        let parent = file.main.as_ref().and_then(|_| parent_of(&file.path));
        match growing.next_items(parent.as_deref(), &self.wanted) {
            Ok((new, has_more)) => {
                items.extend(new);
                has_more
            }
            Err(error) => {
                // It is tried again when the file changes.
                tracing::warn!(%error, path = %file.path.display(), "a transcript cannot be followed");
                false
            }
        }
    }

    fn is_of_area(&mut self, main: &Path) -> Option<bool> {
        if let Some(known) = self.has.get(main) {
            return Some(*known);
        }
        let has = self.area.has(main)?;
        self.has.insert(main.to_owned(), has);
        Some(has)
    }

    fn gone(&mut self, path: &Path, items: &mut Vec<ConversationItem>) {
        let Some(growing) = self.files.remove(path) else {
            return;
        };
        let is_of_area = self.has.remove(path);
        // Of a project, only conversations whose directory is known.
        let is_of_project = matches!(&self.area, Area::Dirs { project, .. } if project.is_some());
        if is_of_area.unwrap_or(!is_of_project)
            && !growing.is_sub_agent
            && self.wanted.has(ItemKind::End)
        {
            items.push(end_of(&growing, ConversationEndReason::Deleted));
        }
        self.has_ended = self.area.main() == Some(path);
    }
}

fn in_order(path: PathBuf) -> (bool, PathBuf) {
    let folder = path.parent().and_then(Path::file_name);
    (folder.is_some_and(|name| name == "subagents"), path)
}

fn end_of(file: &Growing, reason: ConversationEndReason) -> ConversationItem {
    ConversationItem {
        kind: ItemKind::End,
        session_id: file.session_id.clone(),
        file: file.path.to_string_lossy().into_owned(),
        end: Some(ConversationEnd {
            reason,
            is_error: false,
        }),
        ..ConversationItem::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Dir;
    use std::fs;
    use std::io::Write as _;

    #[tokio::test]
    async fn a_subscriber_gets_what_is_added_and_the_end_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let main = folder.path().join("run.log");
        let record = |uuid: &str| {
            format!(
                r#"{{"type":"user","uuid":"{uuid}","sessionId":"s","message":{{"content":"x"}}}}"#
            ) + "\n"
        };
        fs::write(&main, record("old")).unwrap();
        let start = Start {
            kinds: vec![ItemKind::Turn, ItemKind::End],
            ..Start::default()
        };
        let prices = Arc::new(Prices::default());
        let follower = Follower::new(Area::Conversation(main.clone()), &start, &prices);
        let mut following = Following::start(follower).unwrap();
        let mut file = fs::File::options().append(true).open(&main).unwrap();
        for uuid in ["u1", "u2"] {
            file.write_all(record(uuid).as_bytes()).unwrap();
            let items = following.next().await.unwrap();
            let uuids: Vec<_> = items.iter().map(|item| item.uuid.as_deref()).collect();
            assert_eq!(uuids, [Some(uuid)]);
        }
        fs::remove_file(&main).unwrap();
        let items = following.next().await.unwrap();
        assert_eq!((items[0].kind, items[0].seq), (ItemKind::End, 2));
        assert!(following.next().await.is_none());
    }
    #[tokio::test]
    async fn a_project_has_sessions_that_are_not_there_yet_and_their_sub_agents() {
        let folder = tempfile::tempdir().unwrap();
        let area = Area::Dirs {
            dirs: vec![Dir::of_claude(folder.path())],
            project: Some("/srv/shop".into()),
        };
        let start = Start {
            kinds: vec![ItemKind::Turn],
            ..Start::default()
        };
        let follower = Follower::new(area, &start, &Arc::new(Prices::default()));
        let mut following = Following::start(follower).unwrap();
        let record = |uuid: &str, cwd: &str| {
            format!(
                r#"{{"type":"user","uuid":"{uuid}","sessionId":"s","cwd":"{cwd}","message":{{"content":"x"}}}}"#
            ) + "\n"
        };
        let project = folder.path().join("projects/-srv-shop");
        fs::create_dir_all(project.join("s1/subagents")).unwrap();
        fs::write(project.join("s1.jsonl"), record("u1", "/srv/shop/x")).unwrap();
        fs::write(project.join("other.jsonl"), record("o1", "/srv/shopping")).unwrap();
        let agent = project.join("s1/subagents/agent-a.jsonl");
        fs::write(agent.with_extension("meta.json"), r#"{"toolUseId":"t1"}"#).unwrap();
        fs::write(&agent, record("a1", "/srv/shop")).unwrap();
        let beside = r#"{"sessionId":"s1","type":"user","uuid":"b1","isSidechain":true,"agentId":"b","message":{"content":"x"}}"#;
        fs::write(project.join("agent-b.jsonl"), format!("{beside}\n")).unwrap();
        let mut found = BTreeMap::new();
        while found.len() < 3 {
            for item in following.next().await.unwrap() {
                found.insert(item.uuid.unwrap(), item.parent_tool_use_id);
            }
        }
        let expected = [("a1", Some("t1")), ("b1", Some("b")), ("u1", None)];
        let found = found
            .iter()
            .map(|(uuid, parent)| (uuid.as_str(), parent.as_deref()));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}
