//! `ccctl daemon logs`: reads the files, so that it works without a daemon too.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Context, Exit, Failure};
use ccd_protocol::socket::base_path;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const LOOK_PAUSE: Duration = Duration::from_millis(100);

/// How much is read from the end of the logs; earlier lines are not printed.
const MAX_TAIL_BYTES: u64 = 8 << 20;

/// Prints the last lines of the daemon's log; with `--follow`, also new lines.
pub(crate) fn logs(args: &Given, context: &mut Context) -> Result<Exit, Failure> {
    let folder = log_folder(context)?;
    let files = log_files(&folder)?;
    let Some(newest) = files.last() else {
        return Err(Failure::NotFound(format!(
            "daemon logs: there is no log in {}",
            folder.display()
        )));
    };
    let (lines, end) = last_lines(&files, args.number("lines") as usize)?;
    context.write_bytes(&lines)?;
    if args.has("follow") {
        follow(&folder, newest.clone(), end, context)?;
    }
    Ok(Exit::Done)
}

fn log_folder(context: &Context) -> Result<PathBuf, Failure> {
    if let Some(status) = context.status_if_running()?
        && status.has("paths.logs")
    {
        return Ok(status.text("paths.logs").into());
    }
    let base = base_path(|name| std::env::var_os(name))
        .map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(base.join("logs"))
}

/// The log files in `folder`, the newest last.
fn log_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<(SystemTime, PathBuf)> = match std::fs::read_dir(folder) {
        Ok(entries) => entries
            .flatten()
            .filter_map(|entry| {
                let metadata = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
                Some((metadata.modified().ok()?, entry.path()))
            })
            .collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Failure::io(folder.display())(error)),
    };
    files.sort();
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

/// Returns the last `wanted` lines of the files together, and the length of the newest file.
fn last_lines(files: &[PathBuf], wanted: usize) -> Result<(Vec<u8>, u64), Failure> {
    let (mut lines, mut newest_end) = (Vec::new(), None);
    for path in files.iter().rev() {
        let failed = || Failure::io(path.display());
        let len = std::fs::metadata(path).map_err(failed())?.len();
        let start = len.saturating_sub(MAX_TAIL_BYTES);
        let text = read_from(path, start).map_err(failed())?;
        newest_end.get_or_insert(start + text.len() as u64);
        let earlier = text.split_inclusive(|&byte| byte == b'\n').rev();
        lines.extend(earlier.take(wanted - lines.len()).map(<[u8]>::to_vec));
        if lines.len() == wanted {
            break;
        }
    }
    lines.reverse();
    Ok((lines.concat(), newest_end.unwrap_or_default()))
}

/// Prints lines that are added to the newest file, and to the next file when the log is rotated.
fn follow(
    folder: &Path,
    mut path: PathBuf,
    mut offset: u64,
    context: &mut Context,
) -> Result<(), Failure> {
    loop {
        // List the files before reading: later lines are in the next file, or are read in the next round.
        let newest = log_files(folder)?.pop();
        let added = read_from(&path, offset).map_err(Failure::io(path.display()))?;
        offset += added.len() as u64;
        context.write_bytes(&added)?;
        match newest {
            Some(newest) if newest != path => {
                path = newest;
                offset = 0;
            }
            _ if is_unread() => return Ok(()),
            _ => std::thread::sleep(LOOK_PAUSE),
        }
    }
}

/// True if nobody will read standard output any more, for example because a connection of ssh has ended.
fn is_unread() -> bool {
    let stdout = rustix::stdio::stdout();
    let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let _ = poll(&mut fds, Some(&now));
    fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}

fn read_from(path: &Path, offset: u64) -> io::Result<Vec<u8>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        // The daemon removed the file because of its age.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    file.seek(SeekFrom::Start(offset))?;
    let mut added = Vec::new();
    file.take(MAX_TAIL_BYTES).read_to_end(&mut added)?;
    Ok(added)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_go_back_into_older_files() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str, age_s: u64| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            let time = SystemTime::now() - Duration::from_secs(age_s);
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(time).unwrap();
        };
        write("ccd.log.1", "one\ntwo\n", 60);
        write("ccd.log", "three\nfour\n", 0);
        let files = log_files(folder.path()).unwrap();
        let last = |wanted| last_lines(&files, wanted).unwrap();
        assert_eq!(last(3), (b"two\nthree\nfour\n".to_vec(), 11));
        assert_eq!(last(1).0, b"four\n");
        assert_eq!(last(0), (Vec::new(), 11));
        assert_eq!(last(9).0, b"one\ntwo\nthree\nfour\n");
        let missing = log_files(Path::new("/nonexistent/logs")).unwrap();
        assert!(missing.is_empty());
    }
}
