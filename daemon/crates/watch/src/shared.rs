//! File systems that other computers may write to.

use std::path::Path;

/// Numbers of such kinds (statfs(2)): AFS, Ceph, CIFS, FUSE, NFS, 9P, Lustre, SMB, SMB 2, VirtualBox, VMware. FUSE is most
/// often a disk of this computer, but also sshfs.
#[cfg(target_os = "linux")]
const KINDS: [u64; 11] = [
    0x5346_414f,
    0x00c3_6400,
    0xff53_4d42,
    0x6573_5546,
    0x6969,
    0x0102_1997,
    0x0bd0_0bd0,
    0x517b,
    0xfe53_4d42,
    0x786f_4256,
    0xbacb_acbc,
];

/// Returns whether the system may not report a change in a directory, because another computer makes it.
#[must_use]
pub fn is_shared(folder: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        let found = rustix::fs::statfs(folder);
        // The type of the number differs between processors; its low 32 bits are what counts.
        found.is_ok_and(|found| KINDS.contains(&(found.f_type as u64 & 0xffff_ffff)))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn a_directory_of_this_computer_is_not_shared() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!super::is_shared(folder.path()));
        assert!(!super::is_shared(std::path::Path::new("/nowhere")));
    }
}
