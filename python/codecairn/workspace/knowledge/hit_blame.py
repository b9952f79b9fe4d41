"""Blames merged hits: git is asked only about those that remain after merging."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from codecairn.core.types.hits import Hit, SearchResult
from codecairn.search.commit_filter import Blames


def blamed(
    result: SearchResult, places: Mapping[str, tuple[Path, str]], *, tells: bool
) -> SearchResult:
    """The hits with who changed them last.

    `places` are the roots to ask about: by the name that hits have, their folder and the prefix of their paths.
    If it `tells`, a note names what is not known.
    """
    asked = {name: Blames(root=folder) for name, (folder, _) in places.items()}

    def with_blame(hit: Hit) -> Hit:
        if hit.base not in asked:
            return hit
        own = replace(hit, path=hit.path[len(places[hit.base][1]) :])
        (found,) = asked[hit.base].shown([own])
        return replace(hit, blame=found.blame)

    hits = tuple(map(with_blame, result.hits))
    notes = [
        f"`{name}`: {note}" if name else note
        for name, blames in asked.items()
        for note in blames.notes
    ]
    return replace(result, hits=hits, notes=(*result.notes, *notes) if tells else result.notes)
