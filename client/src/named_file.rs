//! Files that the user or a project names: only regular ones, because a named pipe or device may never end.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Opens a file. What the shell passes for `<(command)` counts as one.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd") || path == "/dev/stdin" {
        return File::open(path);
    }
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        Ok(file)
    } else if kind.is_dir() {
        Err(ErrorKind::IsADirectory.into())
    } else {
        Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is a named pipe or a device, not a file",
        ))
    }
}

/// Most bytes that are read: more than any message to the daemon may have.
const MAX_BYTES: u64 = 64 << 20;

pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let text = format!("it is larger than {MAX_BYTES} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd as _;

    #[test]
    fn only_a_file_is_opened_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        for path in [&*pipe, Path::new("/dev/zero"), Path::new("/dev/null")] {
            assert_eq!(open(path).unwrap_err().kind(), ErrorKind::InvalidInput);
        }
        let refused = open(folder.path()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::IsADirectory);
        let file = folder.path().join("file");
        std::fs::write(&file, "text").unwrap();
        assert_eq!(read_text(&file).unwrap(), "text");
        File::create(&file).unwrap().set_len(MAX_BYTES + 1).unwrap();
        assert_eq!(read(&file).unwrap_err().kind(), ErrorKind::FileTooLarge);
        let (reader, mut writer) = io::pipe().unwrap();
        io::Write::write_all(&mut writer, b"of a command").unwrap();
        drop(writer);
        let passed = format!("/dev/fd/{}", reader.as_raw_fd());
        assert_eq!(read(Path::new(&passed)).unwrap(), b"of a command");
    }
}
