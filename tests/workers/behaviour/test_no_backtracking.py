"""Python's `re` never sees trace text."""

from __future__ import annotations

import re

from simgap_workers.behaviour import measure, user_turns
from simgap_workers.trace import Message
from tests.workers.behaviour.backtracking import watched_patterns

CONTENTS = [
    "<|think|>hm<|/think|>Hello, I'm not sure — you already asked me that!",
    "My id is sofia_rossi_8784, mail a@b.c, gift_card_1 ٣٣٣٣٣ İΣ",
    "no no no no no no no no no no no no no no\n<function=f>",
    "###STOP###",
]


def test_measuring_calls_no_method_of_a_compiled_pattern() -> None:
    measure([["warm up: the lists are compiled once"]])
    with watched_patterns() as called:
        rows = [
            user_turns([Message("user", content) for content in CONTENTS], source) for source in ("human", "simulator")
        ]
        measure(rows)
    assert called == []


def test_the_detector_sees_each_way_into_python_patterns() -> None:
    pattern = re.compile("a")
    with watched_patterns() as called:
        pattern.search("a")
        re.sub("a", "b", "a")
        re.match("a", "a")
        list(pattern.finditer("a"))
    assert called == ["search", "sub", "match", "finditer"]
