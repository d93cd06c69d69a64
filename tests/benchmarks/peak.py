"""The most memory that a program has held so far."""

from __future__ import annotations

import resource
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak() -> int:
    """Return it in bytes, of this program alone where the kernel says so.

    ``ru_maxrss`` of a program begins with what the process held that started it.
    """
    lines = STATUS.read_text().splitlines() if STATUS.exists() else []
    sizes = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return 1024 * (sizes[0] if sizes else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
