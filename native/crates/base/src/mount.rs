//! Detects network file systems, on which a store doesn't use a write-ahead log.
//!
//! WAL needs shared memory and working locks, which network file systems don't give. Where the kind can't be
//! determined, the folder counts as local.

use std::path::Path;

/// File systems that another machine may write to, as `/proc/mounts` names them.
const NETWORK: &[&str] = &[
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "fuse.glusterfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "glusterfs",
    "gpfs",
    "lustre",
    "ncpfs",
    "nfs",
    "nfs4",
    "orangefs",
    "prl_fs",
    "smb3",
    "smbfs",
    "vboxsf",
    "virtiofs",
    "vmhgfs",
    "fuse.vmhgfs-fuse",
];

/// The name of the network file system that holds `folder`, if it is one.
#[expect(clippy::disallowed_methods, reason = "a file of the kernel's")]
pub fn network_file_system(folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let mounts = std::fs::read_to_string("/proc/mounts").ok()?;
    network_kind(&mounts, &folder)
}

/// As [`network_file_system`], from the text of `/proc/mounts`. The longest mount point above the folder decides, and
/// the last of equal ones, since it hides those before it.
fn network_kind(mounts: &str, folder: &Path) -> Option<String> {
    let mut best: Option<(usize, &str)> = None;
    for line in mounts.lines() {
        let mut fields = line.split(' ');
        let (Some(_), Some(point), Some(kind)) = (fields.next(), fields.next(), fields.next()) else { continue };
        let point = unescape(point);
        if folder.starts_with(&point) && best.is_none_or(|(length, _)| point.len() >= length) {
            best = Some((point.len(), kind));
        }
    }
    best.map(|(_, kind)| kind).filter(|kind| NETWORK.contains(kind)).map(str::to_owned)
}

/// Mount points write blanks as octal escapes: `\040`.
fn unescape(point: &str) -> String {
    let mut plain = String::with_capacity(point.len());
    let mut rest = point;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let code = rest.get(at + 1..at + 4).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        if let Some(code) = code {
            plain.push(char::from(code));
            rest = &rest[at + 4..];
        } else {
            plain.push('\\');
            rest = &rest[at + 1..];
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
/dev/sda1 / ext4 rw 0 0
server:/data /data nfs4 rw 0 0
/dev/sdb1 /data/me/fast xfs rw 0 0
//server/share /mnt/my\\040share cifs rw 0 0
";

    #[test]
    fn longest_mount_point_decides() {
        let kind = |folder: &str| network_kind(MOUNTS, Path::new(folder));
        assert_eq!(kind("/srv/x"), None);
        assert_eq!(kind("/data/me/x"), Some("nfs4".to_owned()));
        assert_eq!(kind("/data/me/fast/x"), None);
        assert_eq!(kind("/homework"), None);
        assert_eq!(kind("/mnt/my share/x"), Some("cifs".to_owned()));
    }

    #[test]
    fn unreadable_lines_are_passed_over() {
        assert_eq!(network_kind("garbage\n\n\\ \\0 \\", Path::new("/x")), None);
    }
}
