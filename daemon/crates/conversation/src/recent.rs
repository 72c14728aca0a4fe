//! A map that keeps the entries that were added last.

use std::collections::{HashMap, VecDeque};

#[derive(Debug)]
pub(crate) struct Recent<T, const LEN: usize> {
    entries: HashMap<String, T>,
    /// Oldest first.
    order: VecDeque<String>,
}

impl<T, const LEN: usize> Default for Recent<T, LEN> {
    fn default() -> Self {
        Self {
            entries: HashMap::new(),
            order: VecDeque::new(),
        }
    }
}

impl<T, const LEN: usize> Recent<T, LEN> {
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut T> {
        self.entries.get_mut(key)
    }

    /// Adds or replaces an entry, and returns the one that was replaced.
    pub(crate) fn insert(&mut self, key: &str, value: T) -> Option<T> {
        let old = self.entries.insert(key.to_owned(), value);
        if old.is_none() {
            self.order.push_back(key.to_owned());
            if self.order.len() > LEN
                && let Some(oldest) = self.order.pop_front()
            {
                self.entries.remove(&oldest);
            }
        }
        old
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_entry_makes_room() {
        let mut map: Recent<u8, 2> = Recent::default();
        for (key, value) in [("a", 1), ("b", 2), ("a", 3), ("c", 4)] {
            map.insert(key, value);
        }
        assert_eq!(map.get_mut("a"), None);
        assert_eq!(map.get_mut("b"), Some(&mut 2));
        assert_eq!(map.insert("c", 5), Some(4));
    }
}
