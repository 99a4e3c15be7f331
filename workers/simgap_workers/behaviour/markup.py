"""Agent mark-up (thoughts, tool calls) is cut out of a turn before anything is measured.

Source: usi.md section 1. One pass from left to right; every search goes on where the one before it ended, so that the
time is linear in the text whatever it holds (a lazy pattern is quadratic in unclosed `<|think|>`).
"""

from __future__ import annotations

THINK, FUNCTION, TOOL = "<|think|>", "<function=", "<|tool|>"
_CLOSERS = {THINK: "<|/think|>", FUNCTION: "</function>", TOOL: "<|/tool|>"}


def has_markup(text: str) -> bool:
    """Whether the text holds the opening of any mark-up, closed or not."""
    return "<" in text and (THINK in text or FUNCTION in text or TOOL in text)


def cut_markup(text: str) -> str:
    """The text without its mark-up; nothing is left in its place.

    An unclosed `<|think|>` or `<|tool|>` is ordinary text; an unclosed `<function=` reaches to the end.
    """
    ahead = {opener: at for opener in _CLOSERS if (at := text.find(opener)) >= 0}
    kept: list[str] = []
    position = 0
    while ahead:
        opener = min(ahead, key=ahead.__getitem__)
        start = ahead[opener]
        closer = _CLOSERS[opener]
        close = text.find(closer, start + len(opener))
        if close >= 0:
            end = close + len(closer)
        elif opener == FUNCTION:
            end = len(text)
        else:
            # What is not closed here is closed nowhere after.
            del ahead[opener]
            continue
        kept.append(text[position:start])
        position = end
        for name, at in list(ahead.items()):
            if at < end:
                after = text.find(name, end)
                if after >= 0:
                    ahead[name] = after
                else:
                    del ahead[name]
    kept.append(text[position:])
    return "".join(kept)
