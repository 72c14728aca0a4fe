//! Caches compiled lists, because compiling takes longer than most matches.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::patterns::{Pattern, PatternError, Patterns};

const MAX_LISTS: usize = 128;

/// Maximum memory of all lists in the cache.
const MAX_MEMORY_BYTES: usize = 64 << 20;

/// The most recently used lists, compiled.
#[derive(Default)]
pub struct PatternCache {
    hasher: RandomState,
    lists: Mutex<Lists>,
}

#[derive(Default)]
struct Lists {
    /// Each with its hash; the list that was used last is at the end.
    entries: VecDeque<(u64, Arc<Patterns>)>,
    memory_bytes: usize,
}

impl PatternCache {
    /// Returns the compiled `list`; if it is not in the cache, it is compiled on the calling thread.
    /// Errors are not cached.
    pub fn get(&self, list: &[Pattern], raw: bool) -> Result<Arc<Patterns>, PatternError> {
        if let Some(patterns) = self.kept(list, raw) {
            return Ok(patterns);
        }
        let patterns = Arc::new(Patterns::compile(list, raw)?);
        if is_one_text(list) {
            return Ok(patterns);
        }
        let hash = self.hasher.hash_one((list, raw));
        self.lock().insert(hash, Arc::clone(&patterns));
        Ok(patterns)
    }

    /// Returns the compiled `list` if it is in the cache; never takes long.
    pub fn kept(&self, list: &[Pattern], raw: bool) -> Option<Arc<Patterns>> {
        if is_one_text(list) {
            return None;
        }
        let hash = self.hasher.hash_one((list, raw));
        let entries = &mut self.lock().entries;
        let at = entries.iter().position(|(known, patterns)| {
            *known == hash && patterns.raw == raw && patterns.list() == list
        })?;
        let used = entries.remove(at)?;
        entries.push_back(used.clone());
        Some(used.1)
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, Lists> {
        self.lists.lock()
    }
}

/// True for the most frequent kind of list, often with another text each time: it takes longer to keep than to compile.
fn is_one_text(list: &[Pattern]) -> bool {
    matches!(list, [Pattern::Exact(_)])
}

impl Lists {
    fn insert(&mut self, hash: u64, patterns: Arc<Patterns>) {
        if patterns.memory_bytes > MAX_MEMORY_BYTES / 2 {
            return; // it would displace most others
        }
        self.memory_bytes += patterns.memory_bytes;
        self.entries.push_back((hash, patterns));
        while self.entries.len() > MAX_LISTS || self.memory_bytes > MAX_MEMORY_BYTES {
            let oldest = self.entries.pop_front();
            self.memory_bytes -= oldest.map_or(0, |(_, patterns)| patterns.memory_bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list that is kept.
    fn exact(text: &str) -> [Pattern; 2] {
        [Pattern::Exact(text.to_owned()), Pattern::Eof]
    }

    #[test]
    fn the_same_list_is_compiled_once() {
        let cache = PatternCache::default();
        let first = cache.get(&exact("a"), false).unwrap();
        assert!(Arc::ptr_eq(&first, &cache.get(&exact("a"), false).unwrap()));
        assert!(!Arc::ptr_eq(&first, &cache.get(&exact("a"), true).unwrap()));
        let regex = [Pattern::Regex("a".to_owned())];
        assert!(!Arc::ptr_eq(&first, &cache.get(&regex, false).unwrap()));
    }

    #[test]
    fn the_list_unused_for_longest_goes_first() {
        let cache = PatternCache::default();
        let first = cache.get(&exact("first"), false).unwrap();
        for number in 0..2 * MAX_LISTS {
            cache.get(&exact(&number.to_string()), false).unwrap();
            assert!(Arc::ptr_eq(
                &first,
                &cache.get(&exact("first"), false).unwrap()
            ));
        }
        assert!(cache.kept(&exact("0"), false).is_none());
        let lists = cache.lock();
        assert_eq!(lists.entries.len(), MAX_LISTS);
        let sum: usize = lists
            .entries
            .iter()
            .map(|(_, patterns)| patterns.memory_bytes)
            .sum();
        assert_eq!(lists.memory_bytes, sum);
    }

    #[test]
    fn a_mistake_is_told_each_time() {
        let cache = PatternCache::default();
        let list = [Pattern::Regex("(".to_owned())];
        assert!(cache.get(&list, false).is_err() && cache.get(&list, false).is_err());
    }
}
