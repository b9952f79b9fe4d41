"""Which folders may become a knowledge base."""

from pathlib import PurePosixPath

import pytest

from codecairn.workspace.knowledge.folder_checks import forbidden_reason

HOME = PurePosixPath("/home/ann")
DATA = HOME / ".local/share/codecairn"


@pytest.mark.parametrize(
    ("folder", "reason"),
    [
        ("/etc", "a folder of the system, or lies in one"),
        ("/etc/ssl/private", "a folder of the system, or lies in one"),
        ("/proc/1", "a folder of the system, or lies in one"),
        ("/dev", "a folder of the system, or lies in one"),
        ("/dev/shm", "a folder of the system, or lies in one"),
        ("/dev/shm-of-others/docs", "a folder of the system, or lies in one"),
        ("/dev/shm/docs", None),
        ("/var/log/app", "a folder of the system, or lies in one"),
        ("/var", "too wide: it holds `/var/run`"),
        ("/etcetera", None),
        ("/home/ann/.ssh", "a folder of keys and passwords, or lies in one"),
        ("/home/ann/.config/gcloud/logs", "a folder of keys and passwords, or lies in one"),
        ("/home/ann/.config", "too wide: it holds `/home/ann/.config/gcloud`"),
        ("/home/ann/.sshd", None),
        ("/home/ann/.local/share/codecairn/stores", "codecairn's own data folder, or lies in one"),
        ("/home/ann/.local/share", "too wide: it holds `/home/ann/.local/share/codecairn`"),
        ("/home/ann/notes", None),
    ],
)
def test_folders_of_the_system_and_of_keys_are_refused(folder: str, reason: str | None) -> None:
    assert forbidden_reason(PurePosixPath(folder), home=HOME, data=DATA) == reason
