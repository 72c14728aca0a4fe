//! Events and successes in the order of their time, into groups.
//!
//! One event at a time, and each decision from the events before it: so it does not matter where one run ends and the next
//! begins. An event that waits is given again in the next run and takes the same place again.

use super::failure::{self, attempt, attempt_base};
use super::finding::{Detail, Finding, compared, findings};
use super::group::{Group, Member, State};
use super::known::{GroupKind, KnownCandidate, Lesson, MAX_SAMPLES, Status};
use super::like_index::{LikeIndex, Words, are_like};
use super::parallel::in_parallel;
use super::{Input, Settings};
use crate::command::Simple;
use crate::event::{Event, Success};
use crate::instant::{self, WINDOW_MS};
use crate::similarity::Keywords;
use std::collections::{HashMap, HashSet};

/// Groups of all events of a run.
pub(super) struct Timeline<'a> {
    settings: &'a Settings,
    pub(super) groups: Vec<Group>,
    /// Events that are no evidence for anything, by index.
    pub(super) decided: Vec<usize>,
    /// Events that left their group after 30 days, by index.
    pub(super) left: Vec<usize>,
    /// Time of each event, by index.
    pub(super) times_ms: Vec<i64>,
    pub(super) now_ms: i64,
    index: LikeIndex,
    by_key: HashMap<(GroupKind, String), usize>,
    families: HashMap<(GroupKind, String), usize>,
    /// The group and the time of the last failure of a base (or program) in a session, by their numbers; session "" is any.
    open: HashMap<(u32, u32), (usize, i64)>,
    /// Sessions, bases and programs of failures.
    numbers: HashMap<String, u32>,
}

/// For how long after a failure a success shows what helps.
const LESSON_MS: i64 = 60 * 60 * 1000;

impl<'a> Timeline<'a> {
    pub(super) fn run(input: &Input<'_>, settings: &'a Settings) -> Self {
        let times: Vec<Option<i64>> = input
            .events
            .iter()
            .map(|event| instant::parse(&event.timestamp))
            .collect();
        let latest = times.iter().flatten().max().copied().unwrap_or_default();
        let now_ms = instant::parse(input.now).unwrap_or(latest);
        let times_ms: Vec<i64> = times
            .into_iter()
            .map(|time| time.unwrap_or(now_ms))
            .collect();
        let found: Vec<Vec<Finding>> = in_parallel(input.events, findings);
        let known: Vec<Keywords> = input.known.iter().flat_map(known_keywords).collect();
        let keywords = found.iter().flatten().flat_map(|finding| &finding.texts);
        let mut timeline = Self {
            settings,
            groups: Vec::new(),
            decided: Vec::new(),
            left: Vec::new(),
            index: LikeIndex::new(keywords.chain(&known)),
            times_ms,
            now_ms,
            by_key: HashMap::new(),
            families: HashMap::new(),
            open: HashMap::new(),
            numbers: HashMap::new(),
        };
        timeline.take_ledger(input);
        timeline.take_all(input, found);
        timeline
    }

    fn take_ledger(&mut self, input: &Input<'_>) {
        for (candidate, known) in input.known.iter().enumerate() {
            for row in &known.groups {
                let id = self.groups.len();
                let group = Group::of_ledger(row, candidate);
                if group.kind.is_by_text() {
                    let family = self.family(group.kind, &group.key);
                    for text in group
                        .samples
                        .iter()
                        .flat_map(|sample| compared(group.kind, sample))
                    {
                        let words = self.index.words(&text);
                        self.index.add(family, id, i64::MIN, words, true);
                    }
                } else {
                    self.by_key.insert((group.kind, group.key.clone()), id);
                }
                if group.kind == GroupKind::Failure
                    && known.status == Status::Pending
                    && group.lesson == Lesson::None
                {
                    let failed_ms = instant::parse(&known.last_seen).unwrap_or(i64::MIN / 2);
                    for command in group.samples.iter().filter_map(|sample| attempt(sample)) {
                        let key = (self.number(LEDGER), self.number(&attempt_base(&command)));
                        self.open.insert(key, (id, failed_ms));
                    }
                }
                self.groups.push(group);
            }
        }
    }

    fn take_all(&mut self, input: &Input<'_>, mut found: Vec<Vec<Finding>>) {
        let mut order: Vec<usize> = (0..input.events.len()).collect();
        order.sort_by(|left, right| {
            let key = |event: &usize| (self.times_ms[*event], &input.events[*event].id);
            key(left).cmp(&key(right))
        });
        let mut successes: Vec<(i64, &Success)> = input
            .successes
            .iter()
            .map(|success| {
                (
                    instant::parse(&success.timestamp).unwrap_or(self.now_ms),
                    success,
                )
            })
            .collect();
        successes
            .sort_by(|left, right| (left.0, &left.1.command).cmp(&(right.0, &right.1.command)));
        let mut successes = successes.into_iter().peekable();
        let mut seen: HashSet<&str> = HashSet::new();
        for index in order {
            while let Some((at_ms, success)) =
                successes.next_if(|(at_ms, _)| *at_ms < self.times_ms[index])
            {
                self.take_success(at_ms, success);
            }
            let event = &input.events[index];
            if !seen.insert(&event.id) {
                continue;
            }
            let of_event = std::mem::take(&mut found[index]);
            if of_event.is_empty() {
                self.decided.push(index);
            }
            for finding in of_event {
                self.take(index, event, finding);
            }
        }
        for (at_ms, success) in successes {
            self.take_success(at_ms, success);
        }
    }

    fn take(&mut self, index: usize, event: &Event, finding: Finding) {
        let at_ms = self.times_ms[index];
        let family = self.family(finding.kind, &finding.key);
        let texts: Vec<Words> = finding
            .texts
            .iter()
            .map(|text| self.index.words(text))
            .collect();
        let id = self.find_group(&finding, family, &texts, at_ms);
        self.note_failure(id, event, &finding, at_ms);
        self.forget_old(id, at_ms);
        let is_formed = !self.groups[id].is_waiting();
        let entries = self.add_sample(family, id, at_ms, &texts, &finding.sample);
        let needed = finding.needed(self.settings);
        let may_wait = finding.may_wait();
        let has_new_sample = !entries.is_empty();
        let session = session_of(event);
        self.groups[id].members.push(Member {
            event: index,
            at_ms,
            session,
            finding,
            entries,
        });
        if is_formed {
            if has_new_sample {
                self.pull(family, id, &texts, at_ms);
            }
        } else if self.groups[id].has(needed) && !self.form(id, family, at_ms) && !may_wait {
            let members = std::mem::take(&mut self.groups[id].members);
            self.groups[id].indexed = 0;
            let events = self.dropped(members);
            self.decided.extend(events);
        }
    }

    /// Remembers a failure, so that a later success of the same command is compared with it.
    fn note_failure(&mut self, id: usize, event: &Event, finding: &Finding, at_ms: i64) {
        let Detail::Failure(failure) = &finding.detail else {
            return;
        };
        let program = failure.base.split(' ').next().unwrap_or_default();
        let sessions = ["", &event.session_id].map(|session| self.number(session));
        for name in [&failure.base, program].map(|name| self.number(name)) {
            for session in sessions {
                self.open.insert((session, name), (id, at_ms));
            }
        }
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        number
    }

    fn find_group(
        &mut self,
        finding: &Finding,
        family: usize,
        texts: &[Words],
        at_ms: i64,
    ) -> usize {
        let found = if texts.is_empty() {
            self.by_key
                .get(&(finding.kind, finding.key.clone()))
                .copied()
        } else {
            self.index.best(family, texts, at_ms)
        };
        found.unwrap_or_else(|| {
            let id = self.groups.len();
            self.groups
                .push(Group::new(finding.kind, finding.key.clone()));
            if texts.is_empty() {
                self.by_key.insert((finding.kind, finding.key.clone()), id);
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
        let is_known = group.samples.iter().any(|known| known == sample)
            || group
                .members
                .iter()
                .any(|member| !member.entries.is_empty() && member.finding.sample == sample);
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
        if !self.groups[id].form() {
            return false;
        }
        let group = &mut self.groups[id];
        let mut samples = Vec::new();
        for member in group
            .members
            .iter()
            .filter(|member| !member.entries.is_empty())
        {
            for entry in &member.entries {
                self.index.set_formed(*entry);
            }
            samples.push((
                member.finding.sample.clone(),
                words_of(&self.index, &member.finding),
            ));
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
                .partition(|member| are_like(&words_of(&self.index, &member.finding), texts));
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
        let first_live = group
            .members
            .partition_point(|member| member.at_ms < at_ms - WINDOW_MS);
        let old: Vec<Member> = group.members.drain(..first_live).collect();
        group.indexed -= old
            .iter()
            .filter(|member| !member.entries.is_empty())
            .count();
        let events = self.dropped(old);
        self.left.extend(events);
    }

    /// Removes the texts of members from the index; returns their events.
    fn dropped(&mut self, members: Vec<Member>) -> Vec<usize> {
        let mut events = Vec::with_capacity(members.len());
        for member in members {
            for entry in member.entries {
                self.index.remove(entry);
            }
            events.push(member.event);
        }
        events
    }

    fn take_success(&mut self, at_ms: i64, success: &Success) {
        let Some(command) = attempt(&success.command) else {
            return;
        };
        let base = attempt_base(&command);
        let session = &success.session_id;
        let keys = [
            (session.as_str(), base.as_str()),
            (session, &command.program),
            (LEDGER, &base),
        ];
        let Some((key, is_base, (id, failed_ms))) = keys.iter().find_map(|(session, name)| {
            let key = (*self.numbers.get(*session)?, *self.numbers.get(*name)?);
            let open = self.open.get(&key).copied()?;
            Some((key, *name == base, open))
        }) else {
            return;
        };
        if at_ms < failed_ms || at_ms.saturating_sub(failed_ms) > LESSON_MS {
            return;
        }
        if self.learn(id, session, &command, at_ms) || is_base {
            // What the command shows is known now, whether it is a lesson or not.
            self.open.remove(&key);
        }
    }

    /// Takes over what a success shows about a group of failures. Returns whether it shows anything.
    fn learn(&mut self, id: usize, session: &str, success: &Simple, at_ms: i64) -> bool {
        let group = &self.groups[id];
        let Some(failure) = failure_of(group) else {
            return false;
        };
        if group.lesson != Lesson::None || failure.class.has_remedy() {
            return false;
        }
        let of_session = group
            .members
            .iter()
            .filter(|member| session.is_empty() || member.session == session);
        let mut lines: Vec<&str> = of_session
            .map(|member| member.finding.sample.as_str())
            .collect();
        if lines.is_empty() {
            lines.extend(group.samples.iter().map(String::as_str));
        }
        let start = lines.len().saturating_sub(3);
        let failed: Vec<Simple> = lines[start..]
            .iter()
            .filter_map(|line| attempt(line))
            .collect();
        let events = group.known_events + group.members.len() as u64;
        let enough = events >= self.settings.min_evidence_count as u64;
        let Some(advice) = failure::learn(&failed, &failure.class, success, enough) else {
            return false;
        };
        let group = &mut self.groups[id];
        group.lesson = advice.lesson;
        group.advice = Some(advice);
        if group.is_waiting() {
            let family = self.family(GroupKind::Failure, "");
            self.form(id, family, at_ms);
        } else {
            group.reword();
        }
        true
    }

    fn family(&mut self, kind: GroupKind, key: &str) -> usize {
        let next = self.families.len();
        if let Some(family) = self
            .families
            .get(&(kind, String::new()))
            .filter(|_| kind != GroupKind::Skill)
        {
            return *family;
        }
        let key = if kind == GroupKind::Skill { key } else { "" };
        *self.families.entry((kind, key.to_owned())).or_insert(next)
    }
}

/// Stands for the session of failures that only the ledger knows. No session has such an id.
const LEDGER: &str = "\u{0}";

/// Returns what a group of failures is about: from its events, or from what the ledger keeps.
pub(super) fn failure_of(group: &Group) -> Option<failure::Failure> {
    let of_ledger = || failure::of_ledger(&group.key, group.samples.last()?);
    match (
        &group.state,
        group.members.first().map(|member| &member.finding.detail),
    ) {
        (State::Waiting | State::Formed { .. }, Some(Detail::Failure(failure))) => {
            Some(failure.clone())
        }
        _ => of_ledger(),
    }
}

fn known_keywords(known: &KnownCandidate) -> Vec<Keywords> {
    let samples = known
        .groups
        .iter()
        .flat_map(|group| group.samples.iter().map(|sample| (group.kind, sample)));
    samples
        .flat_map(|(kind, sample)| compared(kind, sample))
        .collect()
}

fn words_of(index: &LikeIndex, finding: &Finding) -> Vec<Words> {
    finding.texts.iter().map(|text| index.words(text)).collect()
}

/// Returns the session of an event; for events without one, as ledgers of other tools have them, its day.
fn session_of(event: &Event) -> String {
    if event.session_id.is_empty() {
        event.timestamp.chars().take(10).collect()
    } else {
        event.session_id.clone()
    }
}
