"""Progress in tqdm's bar where tqdm is there."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Union

Progress = Union[bool, Callable[[str, Union[float, None]], Any], None]


@contextmanager
def shown(progress: Progress, label: str) -> Iterator[Callable[[str, float | None], Any] | None]:
    """What the library is to call: nothing, the caller's own function, or a bar.

    ``None`` shows a bar in a terminal or notebook when tqdm can be imported; ``True`` always, ``False`` never.
    """
    if callable(progress):
        yield progress
        return
    bar_class = None if progress is False or (progress is None and not _is_watched()) else _tqdm()
    if bar_class is None:
        yield None
        return
    bar = bar_class(total=1.0, desc=label, leave=False, delay=0.5,
                    bar_format="{desc} {percentage:3.0f} %|{bar}| {elapsed} {postfix}")

    def update(stage: str, fraction: float | None) -> None:
        if fraction is not None:
            bar.n = min(max(fraction, 0.0), 1.0)
        bar.set_postfix_str(stage, refresh=True)

    try:
        yield update
    finally:
        bar.close()


def _is_watched() -> bool:
    return "ipykernel" in sys.modules or bool(getattr(sys.stderr, "isatty", lambda: False)())


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm
