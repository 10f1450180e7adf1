"""What a command says when it opens a memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from wangchuan.cli import opening
from wangchuan.cli.opening import Call


def opened(root: Path, agent: str = "default") -> None:
    with Call(agent=agent, root=root).opened(create=True):
        pass


def test_searching_by_meaning_is_offered_once_where_it_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(opening, "LOCAL", "surely_not_installed")
    opened(tmp_path)
    assert "pip install 'wangchuan[local]'" in capsys.readouterr().err
    opened(tmp_path)
    opened(tmp_path, "another")
    assert capsys.readouterr() == ("", "")


def test_what_is_installed_is_not_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(opening, "LOCAL", "json")
    opened(tmp_path)
    assert capsys.readouterr() == ("", "")
