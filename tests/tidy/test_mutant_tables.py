"""The tables of the tool that seeds faults name files and lines of the sources."""

from benches.mutants.areas import ROOT, load_areas, load_equivalent


def test_every_pattern_of_an_area_names_files() -> None:
    areas = load_areas()
    files = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("python/**/*.py")]
    files += [
        path.relative_to(ROOT).as_posix() for path in ROOT.glob("native/crates/*/src/**/*.rs")
    ]
    assert areas.strict <= set(areas.globs)
    for area, globs in areas.globs.items():
        for glob in globs:
            alone = type(areas)({area: (glob,)}, frozenset(), 1.0)
            assert any(alone.area_of(path) for path in files), (area, glob)


def test_equivalent_mutants_have_a_reason_and_their_line_is_still_there() -> None:
    for row in load_equivalent():
        assert len(row.reason) > 20, row
        assert row.before != row.after
        lines = " ".join((ROOT / row.path).read_text(encoding="utf-8").split())
        assert row.before in lines, row
