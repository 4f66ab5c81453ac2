"""A fixture as files for a run by hand, from the instance alone: what goes into accounts, and what the tester needs.

`agent/` is put where the product finds it; `tester/` holds prompt, agenda, scripts, criteria and key, and never reaches
the product. The same instance gives the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any

from errands.core.canon import digest, sha256
from errands.core.errors import TaskError
from errands.markets import load_market
from errands.tasks.task import Instance, Task
from errands.world import app, open_world

from .judging import nothing, rows, this_variant
from .model import Account, Judged, Line, Manifest, Part, Prompt, Record, Script, Sheet, Step
from .page import page
from .passing import Moment, passing
from .scene import PLACE, Put, Scene
from .scripts import scripts
from .writers import written

DAY = 24 * 60  # minutes
AGENT, TESTER, ARCHIVE = "agent", "tester", "archive"
MANIFEST, RECORD, SHEET = "manifest.json", "record.json", f"{TESTER}/sheet.json"


def exported(task: Task, market: str, variant: int) -> dict[str, bytes]:
    """Every file by its path. `UsageError` where a library for a format is missing, `TaskError` where a fixture cannot
    be given to a person: its languages differ in more than words, or something of the exam would reach the product.
    """
    instances = _instances(task, market, variant)
    main = instances[0]
    start, moments, until = passing(main.fixture.blob)
    puts = {name: written(app(name), start) for name in json.loads(start.meta["apps"])}
    files = {f"{AGENT}/{path}": data for put in puts.values() for path, data in put.files.items()}
    steps, later = _steps(start, moments, until)
    files |= {f"{AGENT}/{path}": data for path, data in later.items()}
    _nothing_inner(main, files)
    sheet = _sheet(instances, start, puts, steps, until)
    withheld = {name: put.withheld for name, put in puts.items() if put.withheld}
    files |= {
        SHEET: as_json(sheet),
        f"{TESTER}/sheet.html": page(sheet, main.key, withheld).encode(),
        f"{TESTER}/key.json": _dumped({"canary": sheet.canary, "key": dict(main.key)}),
        **{f"{TESTER}/prompt.{p.language}.txt": f"{p.text}\n".encode() for p in sheet.prompts},
        **{f"{TESTER}/service-{name}.json": _dumped(kept) for name, kept in withheld.items()},
        "README.txt": resources.files(__package__ or "").joinpath("README.txt").read_bytes(),
    }
    return {**files, MANIFEST: as_json(_manifest(sheet, files)), RECORD: as_json(_record(sheet))}


def as_json(part: Part) -> bytes:
    """A file of these as it is written: keys in their order, an item a line, defaults too."""
    return _dumped(part.model_dump(mode="json"))


def _dumped(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()


def _instances(task: Task, market: str, variant: int) -> list[Instance]:
    """The instance in each language of its market in which there is an instruction, English first.

    `TaskError` where they differ in more than what is said: then one set of files would not do for all.
    """
    spoken = [
        x for x in dict.fromkeys(["en", load_market(market).languages[0]]) if x in task.contract.instruction
    ]
    found = [task.instance(market, variant, language) for language in spoken]
    worlds = [_facts(i) for i in found]
    for i, facts in zip(found[1:], worlds[1:], strict=True):
        if facts != worlds[0]:
            raise TaskError(f"the world of {i.language} is another than that of {spoken[0]}", where=i.name)
    return found


def _facts(instance: Instance) -> Any:
    world = open_world(instance.fixture.blob)
    try:
        scene = Scene.of(world)
        return scene.tables, world.all("SELECT due, name, payload FROM exam_agenda ORDER BY due, id")
    finally:
        world.close()


# ---- what comes when ---------------------------------------------------------------------------------------------


def _steps(start: Scene, moments: Sequence[Moment], until: int | None) -> tuple[list[Step], dict[str, bytes]]:
    """The agenda as steps in order, and the files that they bring, below `later/`."""
    end = max([start.at, until or 0, *(m.at for m in moments)])
    longest = (end - start.at) // 60_000
    steps = [
        _step(start, start.at, "prompt", "Say the prompt, word by word. The clock of this run begins here.")
    ]
    files: dict[str, bytes] = {}
    for m in moments:
        for name in json.loads(start.meta["apps"]):
            put = written(app(name), m.after, m.before)
            if not put:
                continue
            folder = _folder(start, m.at, longest, name, files)
            own = {f"{folder}/{path.partition('/')[2]}": data for path, data in put.files.items()}
            files |= own
            text = "\n".join(h.replace(f"{PLACE}{name}/", f"{AGENT}/{folder}/") for h in put.how)
            steps.append(_step(start, m.at, "put in", text, [f"{AGENT}/{p}" for p in own]))
        steps += [_step(start, m.at, "access", text) for text in access(m)]
        steps += [_step(start, m.at, how, text) for text, how in m.said]
    if until is not None:
        text = "The observation window ends. What the product does after this is not counted."
        steps.append(_step(start, until, "end", text))
    return steps, files


def _step(start: Scene, at: int, act: Any, text: str, files: Sequence[str] = ()) -> Step:
    return Step(after_s=(at - start.at) // 1_000, at=start.local(at), act=act, text=text, files=tuple(files))


def _folder(start: Scene, at: int, longest: int, name: str, files: Mapping[str, bytes]) -> str:
    """`later/HHMM-app`: hours and minutes after the prompt, with days before them where the longest span (minutes) has
    any; a second one of that minute is numbered."""
    days, minutes = divmod((at - start.at) // 60_000, DAY)
    day = f"{days:0{len(str(longest // DAY))}}d" if longest >= DAY else ""
    folder = f"later/{day}{minutes // 60:02}{minutes % 60:02}-{name}"
    same = {p.split("/")[1] for p in files if re.fullmatch(rf"{re.escape(folder)}(-\d+)?/.*", p)}
    return f"{folder}-{len(same) + 1}" if same else folder


def access(m: Moment) -> Iterator[str]:
    """What the product may no longer do from this moment on, or may now do, a step each."""
    for name, scope in sorted(m.before.open_scopes - m.after.open_scopes):
        yield f"Take the product's access to {name} back: it may no longer use {scope}."
    for name, scope in sorted(m.after.open_scopes - m.before.open_scopes):
        yield f"Give the product access to {name}: {scope}."


# ---- the tester's part -------------------------------------------------------------------------------------------


def _sheet(
    instances: Sequence[Instance],
    start: Scene,
    puts: Mapping[str, Put],
    steps: Sequence[Step],
    until: int | None,
) -> Sheet:
    main = instances[0]
    c, front = main.task.contract, main.task.contract.front
    address, name = start.owner
    return Sheet(
        canary=front.canary,
        task=front.id,
        number=front.number,
        title=c.title,
        suite=front.suite,
        protocol=front.protocol,
        edition=front.edition,
        market=main.market,
        variant=main.variant,
        zone=start.zone,
        begins=start.local(start.at),
        until=None if until is None else start.local(until),
        timeout_s=front.timeout_s,
        turn_limit=front.turn_limit,
        owner=name,
        owner_address=address,
        prompts=tuple(
            Prompt(language=i.language, text=i.instruction, fixture=i.fixture.digest) for i in instances
        ),
        accounts=tuple(_account(name, put, front.services) for name, put in puts.items() if put),
        steps=tuple(steps),
        scripts=(*scripts(main.fixture.blob, [i.language for i in instances]), *_voices(puts)),
        faults=tuple(faults(main.fixture.blob)),
        final_state=c.final_state,
        boundary=c.boundary,
        this_variant=this_variant(c, main.variant),
        unscored_when=c.sections["Unscored when"],
        criteria=rows(c),
        nothing=nothing(c),
    )


def _account(name: str, put: Put, services: Mapping[str, Any]) -> Account:
    folder = f"{AGENT}/{next(iter(put.files)).partition('/')[0]}" if put.files else ""
    how = [h.replace(f"{PLACE}{name}/", f"{AGENT}/{name}/") for h in put.how]
    if name in services and services[name].scopes:
        how.append(f"The product may use: {', '.join(services[name].scopes)}.")
    return Account(app=name, folder=folder, files=len(put.files), how=tuple(how))


def _voices(puts: Mapping[str, Put]) -> Iterator[Script]:
    """Who speaks in an app, as persons whom the tester plays."""
    for put in puts.values():
        for name, lines in put.voices.items():
            said = tuple(Line(when=when, says=says) for when, says in lines)
            yield Script(person=name, goal="", lines=said, phrases=())


def faults(blob: bytes) -> Iterator[str]:
    """The declared faults of a world, as a tester can come near them."""
    world = open_world(blob)
    try:
        for f in world.all("SELECT * FROM exam_fault ORDER BY id"):
            yield (
                f"{f['tool']}: after {f['skip']} calls it fails {f['times']} times ({f['code']}). A service of your own"
                " can be switched off for that long; else leave it out, and say so in the record."
            )
    finally:
        world.close()


def _manifest(sheet: Sheet, files: Mapping[str, bytes]) -> Manifest:
    listed = {path: sha256(files[path]) for path in sorted(files)}
    return Manifest(
        task=sheet.task,
        market=sheet.market,
        variant=sheet.variant,
        fixtures={p.language: p.fixture for p in sheet.prompts},
        digest=digest(listed),
        files=listed,
    )


def _record(sheet: Sheet) -> Record:
    only = sheet.prompts[0] if len(sheet.prompts) == 1 else None
    return Record(
        task=sheet.task,
        edition=sheet.edition,
        market=sheet.market,
        variant=sheet.variant,
        protocol=sheet.protocol,
        language=only.language if only else None,
        fixture=only.fixture if only else None,
        criteria=tuple(Judged(id=r.id) for r in sheet.criteria),
    )


def _nothing_inner(instance: Instance, files: Mapping[str, bytes]) -> None:
    """`TaskError` where a file for the product names the errand or bears its canary."""
    front = instance.task.contract.front
    inner = [x.encode() for x in (front.canary, front.id, instance.task.package)]
    for path, data in files.items():
        if found := next((x for x in inner if x in data or x in path.encode()), None):
            raise TaskError(
                f"a file for the product holds {found.decode()!r}", where=f"{instance.name}, {path}"
            )
