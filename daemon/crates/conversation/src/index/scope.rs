//! Which files and times a question is about.

use crate::ConversationError;
use crate::error::Result;
use crate::line::milliseconds;
use crate::source::Dir;
use ccd_protocol::conversation::ConversationScope;
use std::borrow::Cow;

#[derive(Debug, Clone)]
pub(crate) struct Scope {
    /// The directory of copies is the last one.
    pub(crate) dirs: Vec<Dir>,
    /// How long to wait for the index.
    pub(crate) wait_ms: Option<u64>,
    project: Option<String>,
    since: Option<Moment>,
    until: Option<Moment>,
}

/// A part of a statement, with the values of its parameters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conditions {
    parts: Vec<Cow<'static, str>>,
    pub(crate) values: Vec<SqlValue>,
}

#[derive(Debug, Clone)]
pub(crate) enum SqlValue {
    Text(String),
    Number(i64),
}

impl Scope {
    pub(crate) fn parse(scope: &ConversationScope, dirs: Vec<Dir>) -> Result<Self> {
        let time = |text: &Option<String>| text.as_deref().map(time_of).transpose();
        Ok(Self {
            dirs,
            wait_ms: scope.wait_ms,
            project: scope.project.clone(),
            since: time(&scope.since)?,
            until: time(&scope.until)?,
        })
    }

    /// Says whether all files and times of the directories are meant.
    pub(crate) fn has_no_filter(&self) -> bool {
        self.project.is_none() && self.since.is_none() && self.until.is_none()
    }

    /// Returns conditions for the columns of `files`, and for a column `at` of what is in them.
    pub(crate) fn conditions(&self) -> Conditions {
        let mut conditions = Conditions::default();
        let in_dirs = "files.claude_dir IN (SELECT value FROM json_each(?))";
        conditions.add(in_dirs, [json(&self.dirs)]);
        if let Some(project) = &self.project {
            let project = project.trim_end_matches('/');
            let below = format!("{project}/");
            // Not LIKE: a path may contain its wildcards.
            conditions.add(
                "(files.cwd = ? OR substr(files.cwd, 1, length(?)) = ?)",
                [project.into(), below.as_str().into(), below.as_str().into()],
            );
        }
        conditions
    }

    /// Leaves out the copy of a conversation whose transcript is there too, for what is not counted by ids.
    pub(crate) fn add_once(&self, conditions: &mut Conditions) {
        let Some((imports, others)) = self.dirs.split_last() else {
            return;
        };
        conditions.add(
            "(files.claude_dir <> ? OR files.session_id NOT IN (SELECT session_id FROM files
                WHERE started_at IS NOT NULL AND claude_dir IN (SELECT value FROM json_each(?))))",
            [(&*imports.path.to_string_lossy()).into(), json(others)],
        );
    }

    /// `first` and `last` are the columns of the first and the last time of something.
    pub(crate) fn add_times(&self, conditions: &mut Conditions, first: &str, last: &str) {
        let (since, until) = (format!("{last} >= "), format!("{first} < "));
        for (sql, moment) in [(since, &self.since), (until, &self.until)] {
            let (start, value) = match moment {
                None => continue,
                Some(Moment::At(ms)) => ("?", SqlValue::Number(*ms)),
                Some(Moment::Day(day)) => ("(unixepoch(?, 'utc') * 1000)", day.as_str().into()),
            };
            conditions.add(sql + start, [value]);
        }
    }
}

fn json(dirs: &[Dir]) -> SqlValue {
    let dirs = dirs.iter().map(|dir| dir.path.to_string_lossy());
    let dirs = serde_json::to_string(&dirs.collect::<Vec<_>>());
    SqlValue::Text(dirs.unwrap_or_default())
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Moment {
    /// Milliseconds since 1970.
    At(i64),
    /// The start of a day in the time zone of this process, such as `2026-01-31`.
    Day(String),
}

impl Conditions {
    /// Adds a condition with the values of its parameters.
    pub(crate) fn add(
        &mut self,
        sql: impl Into<Cow<'static, str>>,
        values: impl IntoIterator<Item = SqlValue>,
    ) {
        self.parts.push(sql.into());
        self.values.extend(values);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(crate) fn sql(&self) -> String {
        self.parts.join(" AND ")
    }
}

impl From<&str> for SqlValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// Runs a statement that has conditions; `$fetch` is `fetch_all` or `fetch_one`.
macro_rules! select {
    ($fetch:ident $row:ty, $database:expr, $statement:expr, $conditions:expr) => {{
        let mut query = ccd_store::query_as::<_, $row>(ccd_store::AssertSqlSafe($statement));
        for value in &$conditions.values {
            query = match value {
                $crate::index::scope::SqlValue::Text(text) => query.bind(text.clone()),
                $crate::index::scope::SqlValue::Number(number) => query.bind(*number),
            };
        }
        query.$fetch($database.readers()).await
    }};
}
pub(crate) use select;

fn time_of(text: &str) -> Result<Moment> {
    // Whether there is such a day.
    let as_time = format!("{text}T00:00:00Z");
    match (text.len(), milliseconds(&as_time), milliseconds(text)) {
        (10, Some(_), _) => Ok(Moment::Day(text.to_owned())),
        (_, _, Some(ms)) => Ok(Moment::At(ms)),
        _ => Err(ConversationError::Query(format!(
            "{text:?} is neither a date such as 2026-01-31 nor a time of RFC 3339"
        ))),
    }
}

/// Returns a time as RFC 3339 in UTC.
pub(crate) fn time_text(ms: i64) -> Option<String> {
    use time::OffsetDateTime;
    use time::format_description::well_known::Rfc3339;
    let time = OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000).ok()?;
    time.format(&Rfc3339).ok()
}
