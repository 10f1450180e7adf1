"""Replay through the real command."""

from __future__ import annotations

from pathlib import Path

from acceptance.command import Demo, Run, document, together


def test_a_history_comes_to_the_same_and_other_settings_are_tried(demo: Demo) -> None:
    alone = demo.run("replay", "-a", "rivera")
    assert alone.returncode == 0
    assert "same as the memory  yes" in alone.stdout
    assert "share of text left" in alone.stdout
    assert "--set decay_rate=0.95" in alone.stderr
    before = document(demo.run("stats", "-a", "rivera", "--json"))
    picture = demo.folder / "curves.svg"
    tried = demo.run("replay", "-a", "rivera", "--set", "decay_rate=0.9", "--svg", str(picture))
    assert tried.returncode == 0
    assert "would be" in tried.stdout
    assert "forgotten" in tried.stdout
    assert picture.read_text("utf-8").startswith("<svg")
    told = document(
        demo.run(
            "replay", "-a", "rivera", "--set", "decay_rate=0.9", "--set", "focus_limit=3", "--json"
        )
    )
    assert told["settings"] == {"decay_rate": 0.9, "focus_limit": 3}
    assert len(told["forgotten"]) > before["forgotten"]
    assert {"id", "was", "would"} <= set(told["shifts"][0])
    assert len(told["curve"]) == len(told["was"]) > 1
    assert document(demo.run("stats", "-a", "rivera", "--json"))["nodes"] == before["nodes"]


def test_what_cannot_be_replayed_is_refused(run: Run, tmp_path: Path) -> None:
    run("remember", "我们决定登录模块用 JWT。")
    calls = [
        ("replay", "--set", "decay_rat=1"),
        ("replay", "--set", "workers=1"),
        ("replay", "--set", "decay_rate"),
        ("replay", "--set", "decay_rate=no"),
        ("replay", "--agent", "nobody"),
    ]
    hints = ["did you mean decay_rate", "plays no part", "NAME=VALUE", "decay_rate", "no agent"]
    for done, hint in zip(together(run, calls), hints, strict=True):
        assert done.returncode != 0
        assert hint in done.stderr
        assert "Traceback" not in done.stderr
