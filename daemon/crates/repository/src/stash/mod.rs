//! Everything dirty, put aside in the user's stash and given back exactly.
//! The stash is in git's format, so that `git stash pop --index` restores it as well. libgit2's functions do not make it:
//! they clean the work tree before the id is known, and restore untracked files before they notice a conflict.
//! Git stores neither permissions nor the bytes of a file with a filter (`eol`), so the files themselves are moved to a
//! folder in the git folder, from which restoring takes them. If that is gone, or a file has to be merged, the stash counts.

mod commit;
mod restore;
mod rewrite;
mod save;
mod trees;
