"""The version list: equal ways of writing it pass, near ones fail; what a scene must have; the solver alone."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import date
from importlib import import_module, resources
from typing import Any

import pytest

from errands.core.errors import TaskError
from errands.doors import Seat
from errands.markets import read_toml
from errands.tasks import Build
from errands.tasks.task import Instance

from .desk import TASKS, Tried, attempt

TASK = TASKS["latest-attachment-retrieval"]
MARKETS = TASK.contract.front.markets
SG = TASK.instance("sg", 0)
COLUMNS = ("status", "file", "message_id", "sender", "date")
Rows = list[dict[str, str]]
scene = import_module(f"{TASK.package}.scene")
papers = import_module(f"{TASK.package}.papers")
versions = import_module(f"{TASK.package}.versions")


def delivered(text: str, path: str = "workspace/versions.csv", instance: Instance = SG) -> Tried:
    """An attempt that writes this text and says so."""

    def sit(sitting: Any) -> None:
        sitting.next()
        seat = Seat(sitting)
        seat.files_write(path=path, text=text)
        seat.reply("Done.")

    return attempt(instance, sit)


def as_csv(rows: Rows, columns: tuple[str, ...] = COLUMNS, delimiter: str = ",") -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(columns)
    writer.writerows([[r[c] for c in COLUMNS] for r in rows])
    return out.getvalue()


def rows_of(instance: Instance = SG) -> Rows:
    return [dict(r) for r in instance.key.rows]


def with_(change: Callable[[dict[str, str]], dict[str, str]]) -> Rows:
    return [{**r, **change(r)} for r in rows_of()]


def dated(write: Callable[[date], str]) -> Rows:
    return with_(lambda r: {"date": write(date.fromisoformat(r["date"]))})


EQUAL: dict[str, str] = {
    "as it is": as_csv(rows_of()),
    "semicolons": as_csv(rows_of(), delimiter=";"),
    "rows the other way round": as_csv(rows_of()[::-1]),
    "headings in other words": as_csv(
        rows_of(), ("Status", "File name", "Message ID", "From", "Message date")
    ),
    "one column more": as_csv(rows_of()).replace("\r\n", ",x\r\n").replace("date,x", "date,note"),
    "capitals": as_csv(with_(lambda r: {"status": r["status"].title(), "sender": r["sender"].upper()})),
    "addresses with names": as_csv(with_(lambda r: {"sender": f"Somebody <{r['sender']}>"})),
    "paths": as_csv(with_(lambda r: {"file": f"workspace/{r['message_id']}/{r['file']}"})),
    "ids in brackets": as_csv(with_(lambda r: {"message_id": f"<{r['message_id']}>"})),
    "local numbers": as_csv(dated(lambda d: f"{d:%d/%m/%Y}")),
    "long dates": as_csv(dated(lambda d: f"{d.day} {d:%B %Y}")),
    "weekdays": as_csv(dated(lambda d: f"{d:%A}, {d.day} {d:%b %Y}")),
    "moments": as_csv(dated(lambda d: f"{d.isoformat()}T10:15+08:00")),
    "local moments": as_csv(dated(lambda d: f"{d.day} {d:%b %Y}, 10:15")),
    "moments with a space": as_csv(dated(lambda d: f"{d.isoformat()} 14:05")),
    "moments elsewhere": as_csv(dated(lambda d: f"{d.isoformat()}T01:15:00+00:00")),
}


@pytest.mark.parametrize("way", EQUAL)
def test_equal_ways_pass(way):
    got = delivered(EQUAL[way])
    assert got.verdict.strict, got.verdict.criteria


@pytest.mark.parametrize("wrapped", [False, True])
def test_json_passes(wrapped):
    body: Any = rows_of()
    text = json.dumps({"document": SG.key.document, "versions": body} if wrapped else body)
    assert delivered(text, "workspace/versions.json").verdict.strict


def changed(n: int, **new: str) -> str:
    """The list with one row changed: the n-th of the current one first, then the others."""
    rows = sorted(rows_of(), key=lambda r: r["status"])
    return as_csv([{**r, **new} if i == n else r for i, r in enumerate(rows)])


OTHER = rows_of()[1]
NEAR: dict[str, tuple[str, set[str]]] = {
    "no word for it": (changed(0, status="good"), {"current"}),
    "nothing is current": (changed(0, status="superseded"), {"current"}),
    "another name": (changed(0, file="rate-card.csv"), {"current"}),
    "name without ending": (changed(0, file=rows_of()[-1]["file"].partition(".")[0]), {"current"}),
    "half an id": (changed(0, message_id=rows_of()[-1]["message_id"][:-1]), {"current", "grounded"}),
    "two ids": (changed(0, message_id=f"{OTHER['message_id']} x"), {"current", "grounded"}),
    "a day later": (changed(0, date="2026-10-28"), {"current"}),
    "impossible weekday": (changed(0, date="Monday, 27 Oct 2026"), {"current"}),
    "no address": (changed(0, sender="Bryan"), {"current"}),
    "two addresses": (changed(0, sender=f"{OTHER['sender']}, x@y.example"), {"current"}),
    "an old date": (changed(1, date="2026-09-10"), {"history"}),
    "an old name": (changed(1, file="rate-card_v1.xlsx"), {"history"}),
    "an old sender": (changed(1, sender="lin.huimin@kenari.example"), {"history"}),
    "two rows alike": (as_csv([*rows_of(), OTHER]), {"history", "grounded"}),
    "a row of nothing": (
        as_csv([*rows_of(), {**OTHER, "message_id": "msg_nothing"}]),
        {"grounded"},
    ),
    "another is current besides": (
        as_csv([*rows_of(), {**OTHER, "status": "current", "message_id": "msg_nothing"}]),
        {"current", "grounded"},
    ),
    "no column for the sender": (
        as_csv(rows_of()).replace("sender", "note"),
        {"current", "history", "grounded"},
    ),
    "prose": ("The current one is in the forward.", {"current", "history", "grounded"}),
}


@pytest.mark.parametrize("way", NEAR)
def test_near_misses_fail_where_they_are_wrong(way):
    text, where = NEAR[way]
    got = delivered(text)
    assert got.unmet == where, got.verdict.criteria


def test_elsewhere_is_not_delivered():
    assert delivered(as_csv(rows_of()), "workspace/list.csv").unmet == {"current", "history", "scope"}


def test_an_attachment_may_be_saved_only_as_it_is():
    def sit(sitting: Any, tamper: bool = False) -> None:
        sitting.next()
        seat = Seat(sitting)
        row = rows_of()[0]
        path = seat.mail_save_file(owner=row["message_id"], name=row["file"], path="workspace/a/b.xlsx")[
            "path"
        ]
        if tamper:
            seat.files_write(path="workspace/a/c.csv", text="mine")
        assert seat.files_read(path=path)["text"]
        seat.files_write(path="workspace/versions.csv", text=as_csv(rows_of()))
        seat.reply("Done.")

    assert attempt(SG, sit).verdict.strict
    assert attempt(SG, lambda s: sit(s, True)).unmet == {"scope"}


# ---- every variant ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("market", MARKETS)
def test_variants_differ_and_each_end_comes(market):
    keys = [TASK.instance(market, v).key for v in range(10)]
    assert len({json.dumps(sorted((r["date"], r["file"], r["status"]) for r in k.rows)) for k in keys}) == 10
    assert {len(k.rows) for k in keys} == {6, 7}
    assert len({k.document for k in keys}) >= 3
    in_side = [now_of(k)["message_id"] in k.side for k in keys]
    assert 2 <= sum(in_side) <= 5
    newest = [max(k.rows, key=lambda r: r["date"])["status"] for k in keys]
    assert (
        newest.count("superseded") >= 4
    )  # of the versions, the one that came last is often not the current one


def now_of(key: Any) -> dict[str, str]:
    return dict(next(r for r in key.rows if r["status"] == "current"))


# ---- scenes and solver ------------------------------------------------------------------------------------------


def line(**how: Any) -> dict[str, Any]:
    return {"say": "x", "from": "me", "to": ["zul"], **how}


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"brings": "a"}, "names its file"),
        ({"announces": True, "file": "a.csv"}, "it has none"),
        ({"brings": "a", "takes_back": "b", "file": "a.csv"}, "one thing"),
        ({"brings": "a", "file": "a.csv", "when": ["never"]}, "forward"),
        ({"reads": "a"}, "Extra inputs"),
    ],
)
def test_a_line_says_what_is_wrong_with_it(how, why):
    with pytest.raises(ValueError, match=why):
        scene.Line.model_validate(line(**how))


def without(act: str) -> Callable[[Any], Any]:
    """A change of a scene: no line does this any more (who brought something elsewhere brings it in the thread)."""

    def changed(one: Any) -> Any:
        if act == "side":
            lines = [x.model_copy(update={"thread": "main"}) for x in one.line]
        else:
            lines = [x for x in one.line if not getattr(x, act)]
        return one.model_copy(update={"line": tuple(lines)})

    return changed


def plain_names(one: Any) -> Any:
    """A scene in which only the version that stands has a number in its name."""
    lines = [
        x.model_copy(update={"file": x.file if x.brings == "d" else x.file.replace("{n}", "")})
        for x in one.line
    ]
    return one.model_copy(update={"line": tuple(lines)})


def early_resend(one: Any) -> Any:
    """A scene in which something is sent again before it has come."""
    again = next(x for x in one.line if x.resends)
    return one.model_copy(update={"line": (one.line[1], again, *one.line)})


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (without("takes_back"), "a version taken back"),
        (without("resends"), "another hand|a file sent again"),
        (without("announces"), "a version only announced"),
        (without("notes"), "notes"),
        (without("other"), "another document"),
        (without("side"), "a version elsewhere"),
        (plain_names, "no version but the one that stands"),
        (early_resend, "none of which has come"),
    ],
)
def test_a_scene_without_a_pitfall_is_refused(change, why, monkeypatch):
    good = Build.data

    def worse(self: Any, folder: str, kind: Any) -> Any:
        office = good(self, folder, kind)
        return office.model_copy(update={"scene": tuple(change(s) for s in office.scene)})

    monkeypatch.setattr(Build, "data", worse)
    with pytest.raises(TaskError, match=why):
        TASK._make("sg", 3, "en")  # not `instance`, which remembers what it has built


def test_issues_follow_the_mails():
    office = read_toml(resources.files(TASK.package).joinpath("scenes/sg.toml"))
    one = office["scene"][0]
    scene.Scene.model_validate(one)
    for order in (["a", "z", "s", "b", "c", "g", "d", "e"], ["z", "a", "b", "s", "c", "g", "d", "e"]):
        with pytest.raises(ValueError, match="as they were brought"):
            scene.Scene.model_validate({**one, "issues": order})


def attached(*files: tuple[str, int, str]) -> list[dict[str, Any]]:
    """Messages 1, 2, … with a paper each: title, number and name."""
    sheet = papers.Sheet("Plan", ("a", "b", "c"), [["x", "y", 1]])
    out = []
    for n, (title, number, name) in enumerate(files, 1):
        one = papers.Sheet(title, sheet.columns, sheet.rows)
        data = papers.paper_of(one, f"Issue {number} of 3 Nov 2026", number, date(2026, 11, 3)).file(name)[2]
        out.append({"id": f"m{n}", "sender": "a@b.example", "at": n, "name": name, "data": data})
    return out


@pytest.mark.parametrize("kind", ["csv", "txt", "xlsx", "pdf"])
def test_the_solver_reads_every_kind_of_file(kind):
    found = versions.versions(
        attached(("Plan", 2, f"b.{kind}"), ("Plan", 1, f"a.{kind}"), ("Plan B", 9, f"c.{kind}")), "Plan"
    )
    assert [(v.message, v.issue) for v in found] == [("m2", 1), ("m1", 2)]
    assert versions.current(found, []).message == "m1"
    assert versions.current(found, ["m1"]).message == "m2"


def test_the_same_bytes_are_one_version():
    found = versions.versions(
        attached(("Plan", 1, "a.csv"), ("Plan", 2, "b.csv"), ("Plan", 1, "z.csv")), "Plan"
    )
    assert [(v.message, v.file) for v in found] == [("m1", "a.csv"), ("m2", "b.csv")]


def test_the_solver_refuses_two_answers_and_none():
    twice = attached(("Plan", 1, "a.csv"), ("Plan", 1, "b.txt"))
    with pytest.raises(TaskError, match="one issue number"):
        versions.versions(twice, "Plan")
    with pytest.raises(TaskError, match="no version stands"):
        versions.current(versions.versions(twice[:1], "Plan"), ["m1"])
