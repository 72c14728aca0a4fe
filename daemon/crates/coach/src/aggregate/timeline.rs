//! Events and successes in the order of their time, into groups.
//! One event at a time, and each decision from the events before it: so it does not matter where one run ends and the next
//! begins. An event that waits is given again in the next run and takes the same place again.

use super::failure::{Failure, attempt, attempt_base};
use super::finding::{Detail, Finding, compared, findings};
use super::group::{Group, Member};
use super::known::{GroupKind, KnownCandidate, KnownGroup, Lesson, MAX_SAMPLES};
use super::like_index::{LikeIndex, Words, are_like};
use super::parallel::in_parallel;
use super::{Input, Settings};
use crate::command::{Difference, Failed, Simple, difference};
use crate::event::{Event, Success};
use crate::instant::{self, WINDOW_MS};
use crate::similarity::Keywords;
use std::collections::{HashMap, VecDeque};

pub(super) struct Timeline<'a> {
    pub(super) input: &'a Input<'a>,
    pub(super) settings: &'a Settings,
    pub(super) groups: Vec<Group<'a>>,
    /// Events that are no evidence for anything, by index.
    pub(super) decided: Vec<usize>,
    /// Events that left their group after 30 days, by index.
    pub(super) left: Vec<usize>,
    pub(super) times_ms: Vec<i64>,
    pub(super) now_ms: i64,
    index: LikeIndex,
    by_key: HashMap<(GroupKind, String), usize>,
    families: HashMap<(GroupKind, String), usize>,
    /// The last failures of each session that nothing has solved yet, oldest first.
    open: HashMap<&'a str, VecDeque<OpenFailure>>,
    /// Commands that worked so far, by their program.
    worked: HashMap<String, Vec<Simple>>,
    /// Groups of earlier candidates about a command that failed, by its base.
    advised: HashMap<String, usize>,
}

/// A failure that nothing has solved yet.
struct OpenFailure {
    event: usize,
    sample: String,
    attempt: Simple,
    how: Failed,
}

/// How many of a session are remembered.
const MAX_OPEN: usize = 10;

/// For how long after a failure a success shows what helps.
const LESSON_MS: i64 = 60 * 60 * 1000;

impl<'a> Timeline<'a> {
    pub(super) fn run(input: &'a Input<'a>, settings: &'a Settings) -> Self {
        let read = |event: &Event| (instant::parse(&event.timestamp), findings(event));
        let (times, found): (Vec<Option<i64>>, Vec<Vec<Finding>>) =
            in_parallel(input.events, read).into_iter().unzip();
        let latest = times.iter().flatten().max().copied().unwrap_or_default();
        let now_ms = instant::parse(input.now).unwrap_or(latest);
        let times = times.into_iter().map(|time| time.unwrap_or(now_ms));
        let known: Vec<Keywords> = input.known.iter().flat_map(known_keywords).collect();
        let keywords = found.iter().flatten().flat_map(|finding| &finding.texts);
        let mut timeline = Self {
            input,
            settings,
            groups: Vec::new(),
            decided: Vec::new(),
            left: Vec::new(),
            index: LikeIndex::new(keywords.chain(&known)),
            times_ms: times.collect(),
            now_ms,
            by_key: HashMap::new(),
            families: HashMap::new(),
            open: HashMap::new(),
            worked: HashMap::new(),
            advised: HashMap::new(),
        };
        timeline.take_ledger();
        timeline.take_all(found);
        timeline
    }

    fn take_ledger(&mut self) {
        for (candidate, known) in self.input.known.iter().enumerate() {
            for row in &known.groups {
                let id = self.groups.len();
                let group = Group::known(row, candidate);
                if group.kind.is_by_text() {
                    let family = self.family(group.kind, &group.key);
                    let samples = group.samples.iter();
                    for text in samples.flat_map(|sample| compared(group.kind, sample)) {
                        let words = self.index.words(&text);
                        self.index.add(family, id, i64::MIN, words, true);
                    }
                } else {
                    self.by_key.insert((group.kind, group.key.clone()), id);
                }
                if let (Lesson::Flags | Lesson::Subcommand | Lesson::Command, Some((base, _))) =
                    (group.lesson, group.key.rsplit_once(": "))
                {
                    self.advised.insert(base.to_owned(), id);
                }
                self.groups.push(group);
            }
        }
    }

    fn take_all(&mut self, mut found: Vec<Vec<Finding>>) {
        let now_ms = self.now_ms;
        let at_ms = |success: &Success| instant::parse(&success.timestamp).unwrap_or(now_ms);
        let successes = self.input.successes.iter();
        let mut successes: Vec<(i64, &'a Success)> =
            successes.map(|one| (at_ms(one), one)).collect();
        successes.sort_by_key(|(at_ms, success)| (*at_ms, &success.command));
        let mut successes = successes.into_iter().peekable();
        for index in self.in_order() {
            let event_ms = self.times_ms[index];
            let is_before = |(at_ms, _): &(i64, _)| *at_ms < event_ms;
            while let Some((at_ms, success)) = successes.next_if(is_before) {
                self.take_success(at_ms, success);
            }
            let of_event = std::mem::take(&mut found[index]);
            if of_event.is_empty() {
                self.decided.push(index);
            }
            for finding in of_event {
                match finding.detail {
                    Detail::Failure(Failure::Open { attempt, how }) => self.wait(OpenFailure {
                        event: index,
                        sample: finding.sample,
                        attempt,
                        how,
                    }),
                    detail => self.take(index, Finding { detail, ..finding }),
                }
            }
        }
        for (at_ms, success) in successes {
            self.take_success(at_ms, success);
        }
        let open = std::mem::take(&mut self.open).into_values().flatten();
        self.left.extend(open.map(|failure| failure.event));
    }

    /// Returns the indexes of the events by time, those of one time by id, each event once.
    fn in_order(&self) -> Vec<usize> {
        let events = self.times_ms.iter().zip(self.input.events).zip(0..);
        let mut order: Vec<(i64, &str, usize)> = events
            .map(|((time_ms, event), index)| (*time_ms, &*event.id, index))
            .collect();
        order.sort_unstable();
        order.dedup_by_key(|(_, id, _)| *id);
        order.into_iter().map(|(_, _, index)| index).collect()
    }

    fn take(&mut self, index: usize, mut finding: Finding) {
        let at_ms = self.times_ms[index];
        let family = self.family(finding.detail.kind(), &finding.key);
        let texts = std::mem::take(&mut finding.texts);
        let texts: Vec<Words> = texts.iter().map(|text| self.index.words(text)).collect();
        let id = self.find_group(&finding, family, &texts, at_ms);
        self.forget_old(id, at_ms);
        let is_formed = !self.groups[id].is_waiting();
        let entries = self.add_sample(family, id, at_ms, &texts, &finding.sample);
        let needed = finding.needed(self.settings);
        let may_wait = finding.may_wait();
        let new_texts = (is_formed && !entries.is_empty()).then(|| texts.clone());
        self.groups[id].members.push(Member {
            event: index,
            at_ms,
            session: self.input.events[index].session(),
            finding,
            texts,
            entries,
        });
        if let Some(texts) = new_texts {
            self.pull(family, id, &texts, at_ms);
        } else if !is_formed
            && self.groups[id].has(needed)
            && !self.form(id, family, at_ms)
            && !may_wait
        {
            let members = std::mem::take(&mut self.groups[id].members);
            self.groups[id].indexed = 0;
            let events = self.dropped(members);
            self.decided.extend(events);
        }
    }

    /// Remembers a failure until a later command of its session shows what works.
    fn wait(&mut self, failure: OpenFailure) {
        let session = self.input.events[failure.event].session();
        let open = self.open.entry(session).or_default();
        if open.len() == MAX_OPEN {
            let oldest = open.pop_front();
            self.left.extend(oldest.map(|failure| failure.event));
        }
        open.push_back(failure);
    }

    fn find_group(
        &mut self,
        finding: &Finding,
        family: usize,
        texts: &[Words],
        at_ms: i64,
    ) -> usize {
        let key = || (finding.detail.kind(), finding.key.clone());
        let found = if texts.is_empty() {
            self.by_key.get(&key()).copied()
        } else {
            self.index.best(family, texts, at_ms)
        };
        found.unwrap_or_else(|| {
            let id = self.groups.len();
            let (kind, name) = key();
            self.groups.push(Group::new(kind, name));
            if texts.is_empty() {
                self.by_key.insert(key(), id);
            }
            id
        })
    }

    /// Adds a text to what later ones are compared with, unless the group has it or has enough. Returns the new entries.
    fn add_sample(
        &mut self,
        family: usize,
        id: usize,
        at_ms: i64,
        texts: &[Words],
        sample: &str,
    ) -> Vec<usize> {
        let group = &mut self.groups[id];
        let is_formed = !group.is_waiting();
        if texts.is_empty() {
            group.remember(sample);
            return Vec::new();
        }
        let mut indexed = group.members.iter().filter(|one| !one.entries.is_empty());
        let is_known = group.samples.iter().any(|known| known == sample)
            || indexed.any(|member| member.finding.sample == sample);
        if is_known || group.indexed.max(group.samples.len()) >= MAX_SAMPLES {
            return Vec::new();
        }
        group.indexed += 1;
        if is_formed {
            group.remember(sample);
        }
        texts
            .iter()
            .map(|words| self.index.add(family, id, at_ms, words.clone(), is_formed))
            .collect()
    }

    /// Makes a candidate of a group; returns whether its words suffice.
    fn form(&mut self, id: usize, family: usize, at_ms: i64) -> bool {
        let group = &mut self.groups[id];
        if !group.form() {
            return false;
        }
        let mut samples = Vec::new();
        for member in group.members.iter().filter(|one| !one.entries.is_empty()) {
            for entry in &member.entries {
                self.index.set_formed(*entry);
            }
            samples.push((member.finding.sample.clone(), member.texts.clone()));
        }
        for (sample, texts) in samples {
            self.groups[id].remember(&sample);
            self.pull(family, id, &texts, at_ms);
        }
        true
    }

    /// Moves waiting events that are like a new text of a candidate to it. Given later, they would have joined it at once.
    fn pull(&mut self, family: usize, id: usize, texts: &[Words], at_ms: i64) {
        for waiting in self.index.waiting_like(family, texts, at_ms) {
            self.forget_old(waiting, at_ms);
            let members = std::mem::take(&mut self.groups[waiting].members);
            let (alike, others): (Vec<_>, Vec<_>) = members
                .into_iter()
                .partition(|member| are_like(&member.texts, texts));
            self.groups[waiting].members = others;
            for mut member in alike {
                if !member.entries.is_empty() {
                    self.groups[waiting].indexed -= 1;
                }
                for entry in member.entries.drain(..) {
                    self.index.remove(entry);
                }
                self.groups[id].members.push(member);
            }
        }
    }

    /// Lets events leave a waiting group when their 30 days are over.
    fn forget_old(&mut self, id: usize, at_ms: i64) {
        let group = &mut self.groups[id];
        if !group.is_waiting() {
            return;
        }
        let is_old = |member: &Member<'_>| member.at_ms < at_ms - WINDOW_MS;
        let first_live = group.members.partition_point(is_old);
        let old: Vec<_> = group.members.drain(..first_live).collect();
        group.indexed -= old.iter().filter(|one| !one.entries.is_empty()).count();
        let events = self.dropped(old);
        self.left.extend(events);
    }

    /// Removes the texts of members from the index; returns their events.
    fn dropped(&mut self, members: Vec<Member<'_>>) -> Vec<usize> {
        for entry in members.iter().flat_map(|member| &member.entries) {
            self.index.remove(*entry);
        }
        members.into_iter().map(|member| member.event).collect()
    }

    /// Compares a command that worked with what failed before it in its session.
    fn take_success(&mut self, at_ms: i64, success: &'a Success) {
        let Some(worked) = attempt(&success.command) else {
            return;
        };
        let session = success.session_id.as_str();
        for failure in self.open.remove(session).unwrap_or_default() {
            let since = at_ms.saturating_sub(self.times_ms[failure.event]);
            let is_soon = (0..=LESSON_MS).contains(&since);
            let lesson = is_soon.then(|| difference(&failure.attempt, &worked, failure.how));
            match lesson.flatten() {
                Some(difference) => self.solve(failure, difference),
                None => self.open.entry(session).or_default().push_back(failure),
            }
        }
        let worked_before = self.worked.entry(worked.program.clone()).or_default();
        if !worked_before.contains(&worked) {
            worked_before.push(worked);
        }
    }

    /// Takes what another command has shown, unless it was chance.
    fn solve(&mut self, failure: OpenFailure, difference: Difference) {
        let program = difference.from.split(' ').next().unwrap_or_default();
        let mut also_worked = self.worked.get(program).into_iter().flatten();
        if also_worked.any(|worked| difference.is_contradicted_by(worked)) {
            self.left.push(failure.event);
            return;
        }
        let advised = self.advised.get(&attempt_base(&failure.attempt)).copied();
        let finding = Finding::solved(failure.sample, difference);
        if let Some(advised) = advised {
            let key = (GroupKind::Failure, finding.key.clone());
            self.by_key.entry(key).or_insert(advised);
        }
        self.take(failure.event, finding);
    }

    fn family(&mut self, kind: GroupKind, key: &str) -> usize {
        let key = if kind == GroupKind::Skill { key } else { "" };
        let next = self.families.len();
        *self.families.entry((kind, key.to_owned())).or_insert(next)
    }
}

fn known_keywords(known: &KnownCandidate) -> Vec<Keywords> {
    let of_group = |group: &KnownGroup| {
        let samples = group.samples.iter();
        samples
            .flat_map(|sample| compared(group.kind, sample))
            .collect::<Vec<_>>()
    };
    known.groups.iter().flat_map(of_group).collect()
}
