"""Loads the extension module with OpenMP told to wait briefly.

libgomp lets a thread without work spin for milliseconds before it sleeps, and takes the very core that the thread with work
is waiting for when the machine is busy. It reads its settings when it is loaded, so this sets GOMP_SPINCOUNT for the time
of loading, unless the user has set it or OMP_WAIT_POLICY; the environment is then as it was. The command line does likewise.
Where another package loaded libgomp before, _core sees to it call by call.
"""

import os as _os


def _libgomp_is_loaded() -> bool:
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            return any("/libgomp.so" in line for line in maps)
    except OSError:
        return False


_name = "GOMP_SPINCOUNT"
_is_ours = _name not in _os.environ and "OMP_WAIT_POLICY" not in _os.environ
_is_late = _is_ours and _libgomp_is_loaded()
if _is_ours:
    _os.environ[_name] = "3000"
try:
    from . import _core
finally:
    if _is_ours:
        del _os.environ[_name]
if _is_late:
    _core._wait_briefly()
