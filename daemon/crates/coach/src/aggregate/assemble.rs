//! Groups with enough evidence into proposals and sightings.

use super::Input;
use super::finding::Finding;
use super::group::{Group, GroupState, Member};
use super::known::{KnownCandidate, KnownGroup, Lesson, Status};
use super::outcome::{Aggregation, Proposal, Sighting};
use super::parallel::in_parallel;
use super::timeline::Timeline;
use super::wording::Wording;
use crate::event::Event;
use crate::fingerprint::{Fingerprint, normalized_text};
use crate::instant::WINDOW_MS;
use crate::scope::{Rules, Scope, guess, promotion_eligible};
use ccd_protocol::coach::Evidence;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

#[derive(Default)]
struct Draft<'a> {
    /// Index in the ledger; none for a new candidate.
    known: Option<usize>,
    wording: Option<Wording>,
    rows: Vec<KnownGroup>,
    confidence: f64,
    /// New evidence by event index.
    evidence: BTreeMap<usize, &'a Finding>,
}

pub(super) fn assemble(timeline: &Timeline<'_>) -> Aggregation {
    let input = timeline.input;
    let by_fingerprint: HashMap<&Fingerprint, usize> = input
        .known
        .iter()
        .enumerate()
        .map(|(index, known)| (&known.fingerprint, index))
        .collect();
    let counted = input.known.iter().map(|known| &known.evidence_ids);
    let counted: Vec<HashSet<&String>> = counted.map(|ids| ids.iter().collect()).collect();
    let mut drafts: BTreeMap<Fingerprint, Draft<'_>> = BTreeMap::new();
    for group in &timeline.groups {
        let (fingerprint, known, wording) = match &group.state {
            GroupState::Waiting => continue,
            GroupState::Known { candidate } => (
                input.known[*candidate].fingerprint.clone(),
                Some(*candidate),
                None,
            ),
            GroupState::Formed { wording } => {
                let fingerprint = wording.fingerprint();
                let known = by_fingerprint.get(&fingerprint).copied();
                (fingerprint, known, Some(wording))
            }
        };
        let draft = drafts.entry(fingerprint).or_insert_with(|| Draft {
            known,
            wording: wording.cloned(),
            ..Draft::default()
        });
        draft.add(group, known.map(|index| &counted[index]), input);
    }
    let mut result = decisions(timeline);
    let drafts: Vec<_> = drafts.into_iter().collect();
    let done = in_parallel(&drafts, |(fingerprint, draft)| match draft.known {
        Some(index) => (draft.sighting(&input.known[index], timeline), None),
        None => (None, draft.proposal(fingerprint, timeline)),
    });
    for (sighting, proposal) in done {
        result.sightings.extend(sighting);
        result.proposals.extend(proposal);
    }
    result
}

impl<'a> Draft<'a> {
    fn add(&mut self, group: &'a Group<'_>, counted: Option<&HashSet<&String>>, input: &Input<'_>) {
        let is_new = |member: &&Member<'_>| {
            let id = &input.events[member.event].id;
            counted.is_none_or(|counted| !counted.contains(id))
        };
        let new: Vec<&Member<'_>> = group.members.iter().filter(is_new).collect();
        let is_new_group = matches!(group.state, GroupState::Formed { .. });
        if is_new_group || !new.is_empty() {
            let known = self
                .known
                .filter(|_| is_new_group)
                .map(|index| &input.known[index]);
            self.add_row(group.row(new.len() as u64), known);
        }
        if !new.is_empty() {
            self.confidence = self.confidence.max(group.confidence(new.len() as u64));
        }
        for member in new {
            self.evidence.entry(member.event).or_insert(&member.finding);
        }
    }

    /// Adds a row, or joins it with the one of the same kind and key that this candidate has.
    fn add_row(&mut self, row: KnownGroup, known: Option<&KnownCandidate>) {
        let is_same = |other: &KnownGroup| (other.kind, &other.key) == (row.kind, &row.key);
        if let Some(old) = self.rows.iter_mut().find(|other| is_same(other)) {
            old.join(row);
        } else if let Some(old) =
            known.and_then(|known| known.groups.iter().find(|other| is_same(other)))
        {
            let mut joined = old.clone();
            joined.join(row);
            self.rows.push(joined);
        } else {
            self.rows.push(row);
        }
    }

    fn proposal(&self, fingerprint: &Fingerprint, timeline: &Timeline<'_>) -> Option<Proposal> {
        let settings = timeline.settings;
        let seen = Seen::new(&self.evidence, timeline)?;
        let wording = self.wording.clone()?;
        let own_rules = |repo: &String| settings.project_rules.get(repo);
        let rules = Rules {
            project: seen.repo_ids.iter().find_map(own_rules),
            global: Some(&settings.global_rules),
        };
        let is_eligible =
            promotion_eligible(seen.repo_keys.len(), settings.promotion_threshold_repos);
        // A project's own scripts are named like those of others.
        let is_local = self.rows.iter().any(|row| row.lesson == Lesson::Subcommand);
        let scope_guess = if is_local && !is_eligible {
            Scope::Project
        } else {
            let words = [&*wording.trigger, &wording.action, &wording.title];
            guess(words, is_eligible, rules, &settings.indicators)
        };
        Some(Proposal {
            fingerprint: fingerprint.clone(),
            normalized_text: normalized_text(&wording.trigger, &wording.action),
            scope_guess,
            promotion_eligible: is_eligible,
            wording,
            repo_ids: seen.repo_ids,
            repo_keys: seen.repo_keys,
            evidence: seen.evidence,
            confidence: self.confidence,
            count: 1,
            first_seen: seen.first,
            last_seen: seen.last,
            groups: self.rows.clone(),
        })
    }

    fn sighting(&self, known: &KnownCandidate, timeline: &Timeline<'_>) -> Option<Sighting> {
        if self.rows.is_empty() {
            return None;
        }
        let seen = Seen::new(&self.evidence, timeline).unwrap_or_default();
        let count_added = self.evidence.len() as u64;
        Some(Sighting {
            fingerprint: known.fingerprint.clone(),
            count_added,
            mention: known.status == Status::Rejected
                && is_worth_a_word(known, count_added, &seen.repo_keys),
            evidence: seen.evidence,
            repo_ids: seen.repo_ids,
            repo_keys: seen.repo_keys,
            confidence: self.confidence,
            last_seen: seen.last,
            groups: self.rows.clone(),
        })
    }
}

/// A rejected candidate is mentioned when it comes to so many repositories.
const MENTION_REPOSITORIES: usize = 3;

/// A rejected candidate is mentioned when it was seen so many times since.
const MENTION_COUNT: u64 = 5;

/// Returns whether this run takes a rejected candidate over one of the two limits.
fn is_worth_a_word(known: &KnownCandidate, count_added: u64, repo_keys: &[String]) -> bool {
    let before: BTreeSet<&String> = known.repo_keys.iter().collect();
    let after: BTreeSet<&String> = known.repo_keys.iter().chain(repo_keys).collect();
    let since = known.count.saturating_sub(known.rejected_at_count.max(1));
    let crosses_repositories =
        before.len() < MENTION_REPOSITORIES && after.len() >= MENTION_REPOSITORIES;
    let crosses_count = since < MENTION_COUNT && since + count_added >= MENTION_COUNT;
    crosses_repositories || crosses_count
}

/// Where and when the new evidence was seen.
#[derive(Default)]
struct Seen {
    evidence: Vec<Evidence>,
    repo_ids: Vec<String>,
    repo_keys: Vec<String>,
    first: String,
    last: String,
}

impl Seen {
    fn new(evidence: &BTreeMap<usize, &Finding>, timeline: &Timeline<'_>) -> Option<Self> {
        let all = timeline.input.events;
        let by_time = |index: &&usize| (timeline.times_ms[**index], &all[**index].id);
        let first = &all[*evidence.keys().min_by_key(by_time)?];
        let last = &all[*evidence.keys().max_by_key(by_time)?];
        let events = || evidence.keys().map(|index| &all[*index]);
        let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let pieces = evidence.iter().map(|(index, finding)| {
            let event = &all[*index];
            Evidence {
                timestamp: event.timestamp.clone(),
                event_id: event.id.clone(),
                quote: finding.quote(event),
                session_id: some(&event.session_id),
                repo_id: some(&event.repo_id),
            }
        });
        let mut pieces: Vec<Evidence> = pieces.collect();
        pieces.sort_by(|a, b| (&a.timestamp, &a.event_id).cmp(&(&b.timestamp, &b.event_id)));
        Some(Self {
            evidence: pieces,
            repo_ids: sorted(events().map(|event| event.repo_id.as_str())),
            repo_keys: sorted(events().map(Event::repo_key)),
            first: first.timestamp.clone(),
            last: last.timestamp.clone(),
        })
    }
}

/// Returns texts in order, each once and no empty one.
fn sorted<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let texts: BTreeSet<&str> = texts.filter(|text| !text.is_empty()).collect();
    texts.into_iter().map(str::to_owned).collect()
}

/// Returns which events are decided, which go on waiting and which have waited too long.
fn decisions(timeline: &Timeline<'_>) -> Aggregation {
    let events = timeline.input.events;
    let members = |is_waiting: bool| {
        let groups = timeline.groups.iter();
        let groups = groups.filter(move |group| group.is_waiting() == is_waiting);
        groups
            .flat_map(|group| &group.members)
            .map(|member| member.event)
    };
    // What is evidence for a candidate is decided, whatever else it waits for.
    let mut is_open = vec![None; events.len()];
    for index in timeline.left.iter().copied().chain(members(true)) {
        is_open[index] = Some(true);
    }
    for index in timeline.decided.iter().copied().chain(members(false)) {
        is_open[index] = Some(false);
    }
    let mut result = Aggregation::default();
    for (index, is_open) in is_open.into_iter().enumerate() {
        let id = || events[index].id.clone();
        let is_over = timeline.times_ms[index] < timeline.now_ms - WINDOW_MS;
        match is_open {
            Some(true) if is_over => result.expired.push(id()),
            Some(true) => result.pending += 1,
            Some(false) => result.decided.push(id()),
            None => (),
        }
    }
    result.decided.sort_unstable();
    result.expired.sort_unstable();
    result
}
