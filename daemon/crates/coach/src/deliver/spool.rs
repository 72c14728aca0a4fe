//! The spool: files in which clients keep payloads that the daemon could not take.

use super::Delivery;
use base64::Engine as _;
use ccd_protocol::hook::spool::{self, FileName};
use ccd_protocol::hook::{HookPostParams, SpoolStatus};
use ccd_store::own_file;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Enough for the largest payload in Base64.
const MAX_FILE_BYTES: u64 = 128 << 20;

#[derive(Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    /// When the directory was changed before it was last found empty.
    empty_since: Option<SystemTime>,
    /// Payloads that were lost, as far as that was noted and reported.
    lost: u64,
}

impl Spool {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            empty_since: None,
            lost: 0,
        }
    }

    /// Calls `take` with each payload, oldest first, and removes its file. Stops at the first one that is not taken.
    /// A kill between both steps leaves a file whose payload was taken; its id tells.
    pub(crate) fn take_in<E>(
        &mut self,
        mut take: impl FnMut(Delivery) -> Result<(), E>,
    ) -> Result<usize, E> {
        let changed = fs::metadata(&self.folder).and_then(|meta| meta.modified());
        let Ok(changed) = changed else { return Ok(0) };
        if self.empty_since == Some(changed) {
            return Ok(0);
        }
        let names = self.names().unwrap_or_default();
        self.report_lost();
        if names.is_empty() {
            self.empty_since = Some(changed);
        }
        let mut taken = 0;
        for name in names {
            let path = self.folder.join(name.to_string());
            match read(&path) {
                Ok(Some(delivery)) => {
                    take(delivery)?;
                    taken += 1;
                    remove(&path);
                }
                Ok(None) => set_aside(&path),
                Err(error) => {
                    tracing::error!(%error, path = %path.display(), "a spooled hook payload cannot be read")
                }
            }
        }
        Ok(taken)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names().unwrap_or_default().is_empty()
    }

    /// Returns what waits, and how many payloads were lost.
    pub(crate) fn status(&self) -> SpoolStatus {
        let names = self.names().unwrap_or_default();
        SpoolStatus {
            files: names.len() as u64,
            bytes: names.iter().map(|name| name.len_bytes).sum(),
            lost: self.lost + self.unreported(),
        }
    }

    /// Reports payloads that clients had to drop, once.
    fn report_lost(&mut self) {
        let lost = self.unreported();
        if lost > 0 && fs::remove_file(self.folder.join(spool::LOST)).is_ok() {
            tracing::error!(
                lost,
                "hook payloads were lost: the spool was full or could not be written"
            );
            self.lost += lost;
        }
    }

    fn unreported(&self) -> u64 {
        fs::metadata(self.folder.join(spool::LOST)).map_or(0, |meta| meta.len())
    }

    /// Returns the names of the complete files, oldest first, and removes those that were given up.
    fn names(&self) -> io::Result<Vec<FileName>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            let name = name.to_str().unwrap_or_default();
            match FileName::parse(name) {
                Some(name) => names.push(name),
                None if FileName::parse_any(name).is_some_and(is_given_up) => {
                    remove(&self.folder.join(name));
                }
                None => {}
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}

fn is_given_up(name: FileName) -> bool {
    let written = SystemTime::UNIX_EPOCH + Duration::from_nanos(name.time_ns);
    written
        .elapsed()
        .is_ok_and(|age| age > spool::UNFINISHED_LIMIT)
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path) {
        tracing::error!(%error, path = %path.display(), "a spooled hook payload cannot be removed");
    }
}

/// Keeps a file that is no payload, under a name that is not read again.
fn set_aside(path: &Path) {
    let aside = path.with_extension("invalid");
    tracing::error!(path = %aside.display(), "a spooled hook payload cannot be read; it was set aside");
    let _ = fs::rename(path, aside);
}

/// Returns the payload in a file; `None` if the file has another form.
fn read(path: &Path) -> io::Result<Option<Delivery>> {
    let text = own_file::content(path, MAX_FILE_BYTES)?;
    let Ok(params) = serde_json::from_slice::<HookPostParams>(&text) else {
        return Ok(None);
    };
    Ok(delivery(params).ok())
}

pub fn delivery(params: HookPostParams) -> Result<Delivery, super::DeliveryError> {
    let payload = match (params.payload, params.payload_b64) {
        (Some(json), None) => json.get().as_bytes().to_vec(),
        (None, Some(data)) => base64::engine::general_purpose::STANDARD
            .decode(data)
            .map_err(|_| super::DeliveryError::Payload)?,
        _ => return Err(super::DeliveryError::Payload),
    };
    Delivery::new(params.delivery_id, params.at, payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, number: u64, content: &str) -> PathBuf {
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(number);
        let path = folder.join(FileName::new(at, content.len() as u64).to_string());
        fs::write(&path, content).unwrap();
        path
    }

    fn params(number: u64) -> String {
        format!(
            r#"{{"delivery_id":"{number:032x}","at":"2026-01-01T00:00:00.000000Z","payload":{{"n":{number}}}}}"#
        )
    }

    #[test]
    fn files_are_taken_in_order_and_removed_and_what_is_no_payload_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for number in [3, 1, 2] {
            put(folder, number, &params(number));
        }
        let bad = put(folder, 4, "{}");
        let given_up = folder.join(format!(".{}", FileName::new(SystemTime::UNIX_EPOCH, 1)));
        fs::write(&given_up, "x").unwrap();
        fs::write(folder.join(spool::LOST), "..").unwrap();
        let mut spool = Spool::new(folder.to_owned());
        assert_eq!((spool.status().files, spool.status().lost), (4, 2));
        let mut seen = Vec::new();
        let full = spool.take_in(|delivery| match seen.len() {
            2 => Err("full"),
            _ => {
                assert_eq!(delivery.took_ms, None);
                seen.push(delivery.payload);
                Ok(())
            }
        });
        assert_eq!(full, Err("full"));
        assert_eq!(spool.status().files, 2);
        let taken = spool.take_in(|delivery| {
            seen.push(delivery.payload);
            Ok::<_, ()>(())
        });
        assert_eq!(taken, Ok(1));
        assert_eq!(seen, [br#"{"n":1}"#, br#"{"n":2}"#, br#"{"n":3}"#]);
        assert_eq!((spool.status().files, spool.status().lost), (0, 2));
        assert!(!folder.join("lost").exists(), "it is reported once");
        assert!(bad.with_extension("invalid").exists());
        assert!(!given_up.exists());
    }

    #[test]
    fn a_payload_in_base64_is_decoded_and_one_of_both_must_be_given() {
        let params = |rest: &str| {
            let text = format!(
                r#"{{"delivery_id":"{:032x}","at":"2026-01-01T00:00:00Z"{rest}}}"#,
                1
            );
            delivery(serde_json::from_str(&text).unwrap())
        };
        assert_eq!(params(r#","payload_b64":"e30=""#).unwrap().payload, b"{}");
        for wrong in [
            "",
            r#","payload_b64":"!""#,
            r#","payload":1"#,
            r#","payload":{},"payload_b64":"e30=""#,
        ] {
            assert!(params(wrong).is_err(), "{wrong}");
        }
    }
}
