//! Units as `systemctl show` prints them.

use std::path::PathBuf;

pub(super) const PROPERTIES: &str =
    "--property=Id,LoadState,ActiveState,UnitFileState,NeedDaemonReload,MainPID,ExecStart,Listen";

/// A unit: lines of `NAME=VALUE`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit<'a>(&'a str);

impl<'a> Unit<'a> {
    /// Finds a unit in the output, in which a blank line separates units.
    pub(super) fn find(output: &'a str, id: &str) -> Option<Self> {
        let mut units = output.split("\n\n").map(Self);
        units.find(|unit| unit.get("Id") == id)
    }

    /// A property; an empty text if the unit has none of this name.
    pub(super) fn get(self, name: &str) -> &'a str {
        let mut values = self.0.lines().filter_map(|line| {
            let (found, value) = line.split_once('=')?;
            (found == name).then_some(value)
        });
        values.next().unwrap_or_default()
    }

    /// The program of `ExecStart={ path=/usr/bin/ccd ; argv[]=… }`.
    pub(super) fn program(self) -> Option<PathBuf> {
        let (_, rest) = self.get("ExecStart").split_once("path=")?;
        let path = rest.split(" ;").next()?;
        Some(path.trim().into())
    }

    /// The path of `Listen=/run/user/1000/ccd/ccd.sock (Stream)`.
    pub(super) fn listens_at(self) -> PathBuf {
        let listen = self.get("Listen");
        listen
            .rsplit_once(" (")
            .map_or(listen, |(path, _)| path)
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn properties_are_found_in_their_unit() {
        let output = "\
Listen=/run/user/1000/ccd/ccd.sock (Stream)
Id=ccd.socket
LoadState=loaded

MainPID=77
ExecStart={ path=/my bin/ccd ; argv[]=/my bin/ccd ; ignore_errors=no ; pid=0 ; code=(null) }
Id=ccd.service
LoadState=not-found
";
        let socket = Unit::find(output, "ccd.socket").unwrap();
        let service = Unit::find(output, "ccd.service").unwrap();
        assert_eq!(socket.get("LoadState"), "loaded");
        let place = Path::new("/run/user/1000/ccd/ccd.sock");
        assert_eq!(socket.listens_at(), place);
        assert_eq!(socket.program(), None);
        assert_eq!(service.get("LoadState"), "not-found");
        assert_eq!(service.get("MainPID"), "77");
        assert_eq!(service.program().unwrap(), Path::new("/my bin/ccd"));
        assert!(Unit::find("", "ccd.socket").is_none());
        assert_eq!(Unit("").get("Id"), "");
    }
}
