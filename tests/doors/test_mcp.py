"""The MCP door: the same errand as in our process, and nothing for who may not."""

import asyncio
import gc
import json
import os
import threading
import weakref
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from errands.agents.reference import reference
from errands.core.errors import UsageError
from errands.core.types import ToolSpec, Turn
from errands.doors.mcp import MAX_REFUSALS, Host
from errands.exam.attempt import instance_of, limits_of
from errands.exam.desk import Desk
from errands.exam.sitting import Sitting
from errands.grading.evidence import Evidence
from errands.grading.verdict import grade
from errands.world import open_world

from .mcp_seat import by_bearer, by_relay, connected

BOOKING, AUDIT = "ec-double-booking-resolution", "ec-inbox-commitment-audit"
INSTANCE = instance_of(BOOKING, "sg", 0, "en")


@pytest.fixture
def host():
    """A host at work on a free port."""
    host = Host()
    host.run_in_thread()
    yield host
    host.stop()


def sitting(instance=INSTANCE):
    return Sitting(open_world(instance.fixture.blob), limits_of(instance))


@pytest.fixture
def served(host):
    """An attempt that is served: its sitting, endpoint and address."""
    seat = sitting()
    endpoint = host.open(seat)
    return seat, endpoint, host.url(endpoint)


def attempt(sit):
    """Let `sit` pump a sitting: the verdict, and the digest of what happened."""
    door = sitting()
    sit(door)
    door.close("completed")
    world, task = door.world, INSTANCE.task
    evidence = Evidence(world.db, world.ledger.tables)
    verdict = grade(evidence, INSTANCE.key, task.criteria, task.contract.front.protocol)
    return verdict, world.world_digest()


def in_our_process(solution):
    return attempt(lambda door: reference(solution).sit(door, INSTANCE, Desk()))


def post(url, **headers):
    return httpx2.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=headers)


def rows(door, kind):
    return [row for (row,) in door.world.db.execute("SELECT name FROM exam_ledger WHERE kind = ?", (kind,))]


# ---- one door, one truth ----------------------------------------------------------------------------------------


def reached(way, host, endpoint, folder):
    """How a client connects: the server and the era of the protocol."""
    if way == "stdio":
        host.open_socket(endpoint, folder / "agent.sock")
        return by_relay(folder / "agent.sock"), "auto"
    if way == "stdio, handshake":
        host.open_socket(endpoint, folder / "agent.sock")
        return by_relay(folder / "agent.sock"), "legacy"
    if way == "bearer":
        return by_bearer(host.address, endpoint.secret), "auto"
    if way == "unix socket":
        return by_bearer(host.address, endpoint.secret, folder / "http.sock"), "auto"
    return host.url(endpoint), "legacy" if way == "http, handshake" else "auto"


@pytest.mark.parametrize(
    "way", ["http", "http, handshake", "bearer", "unix socket", "stdio", "stdio, handshake"]
)
def test_an_errand_by_mcp_leaves_the_same_world_as_in_our_process(way, tmp_path):
    host = Host()
    host.run_in_thread(uds=tmp_path / "http.sock" if way == "unix socket" else None)

    def sit(door):
        server, mode = reached(way, host, host.open(door), tmp_path)
        with connected(server, mode) as seat:
            INSTANCE.task.solutions["oracle"].run(seat, INSTANCE.key)

    verdict, digest = attempt(sit)
    host.stop()
    assert verdict.strict
    assert (verdict, digest) == in_our_process("oracle")
    assert list(tmp_path.iterdir()) == []  # its sockets are gone


@pytest.mark.parametrize("solution", [n for n in INSTANCE.task.solutions if n.startswith("wrong:")][:2])
def test_what_is_wrong_in_our_process_is_wrong_by_mcp(host, solution):
    def sit(door):
        with connected(host.url(host.open(door))) as seat:
            INSTANCE.task.solutions[solution].run(seat, INSTANCE.key)

    verdict, digest = attempt(sit)
    assert not verdict.strict
    assert (verdict, digest) == in_our_process(solution)


# ---- what an agent is shown -------------------------------------------------------------------------------------


def test_the_tools_are_the_doors_and_end_turn(served):
    door, _, url = served
    with connected(url) as seat:
        shown = [(t.name, t.description, t.input_schema) for t in seat.ask("list_tools").tools]
    assert shown[:-1] == [(t.name, t.description, t.parameters) for t in door.tools]
    name, _, schema = shown[-1]
    assert name == "end_turn" and schema["required"] == ["reply"]


def test_without_turns_of_its_own_there_are_only_the_tools(host):
    door = sitting()
    endpoint = host.open(door, pulled=False)
    assert rows(door, "turn") == []  # the instruction is another's to take
    with connected(host.url(endpoint)) as seat:
        assert [t.name for t in seat.ask("list_tools").tools] == [t.name for t in door.tools]
        assert seat.raw("end_turn", {"reply": "Done."})[0]["code"] == "unknown_tool"
        assert seat.ask("list_prompts").prompts == []
        assert seat.client.instructions is None


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_instruction_is_offered_in_three_places_and_taken_once(served, mode):
    door, endpoint, url = served
    for _ in range(2):
        with connected(url, mode) as seat:
            (prompt,) = seat.ask("list_prompts").prompts
            (message,) = seat.ask("get_prompt", prompt.name).messages
            assert message.content.text == endpoint.instruction == INSTANCE.instruction
            assert seat.client.instructions.startswith(INSTANCE.instruction)
            with pytest.raises(MCPError, match="expected errand"):
                seat.ask("get_prompt", "other")
    assert rows(door, "turn") == ["instruction"]


def test_turns_are_results_of_end_turn_until_it_is_over(served):
    door, _, url = served
    with connected(url) as seat:
        first, failed = seat.raw("end_turn", {"reply": "Which of the two shall I keep?"})
        assert not failed
        turns = [first]
        while not turns[-1]["over"]:
            turns.append(seat.raw("end_turn", {"reply": ""})[0])
        for turn in turns[:-1]:
            assert turn.keys() == {"turn", "kind", "text", "at", "fresh", "over"}
            assert turn["kind"] in ("user", "notice") and turn["at"].endswith("+08:00")
        assert turns[-1]["over"] and turns[-1]["turn"] is None
        assert door.ended == "completed"
        for tool, args in (("clock_now", {}), ("end_turn", {"reply": "And now?"})):
            said, failed = seat.raw(tool, args)
            assert failed and said["over"] and "nothing more to do" in said["message"]


@pytest.mark.parametrize(
    "args", [{}, {"reply": 3}, {"reply": None}, {"text": "Done."}, {"reply": "", "x": 1}]
)
def test_a_malformed_end_of_a_turn_is_answered_and_changes_nothing(served, args):
    door, _, url = served
    with connected(url) as seat:
        said, failed = seat.raw("end_turn", args)
        assert failed and said["code"] == "invalid" and "reply" in json.dumps(said)
    assert not door.ended and rows(door, "turn") == ["instruction"]


def test_the_worlds_refusal_of_a_call_is_a_result_with_its_fields(served):
    door, _, url = served
    with connected(url) as seat:
        for tool, args in (
            ("nothing", {}),
            ("calendar_events", {"start": 5}),
            ("mail_message", {"message": "x"}),
        ):
            said, failed = seat.raw(tool, args)
            assert failed and {"code", "message", "field"} <= said.keys()
    assert len(rows(door, "call")) == 3


# ---- our own faults ---------------------------------------------------------------------------------------------


class Broken:
    """A door that breaks when it is touched."""

    tools = ()

    def next(self):
        return None

    def call(self, tool, args=None):
        raise RuntimeError("at /srv/private/keys.json")

    def reply(self, text):
        return {}["secret-key"]


def test_a_bug_of_ours_is_told_to_us_and_not_to_the_agent(host):
    heard = []
    endpoint = host.open(Broken(), watch=lambda e, what: heard.append(what))
    with connected(host.url(endpoint)) as seat:
        for tool, args in (("clock_now", {}), ("end_turn", {"reply": ""})):
            said, failed = seat.raw(tool, args)
            assert failed and said["over"] and said["code"] == "fault"
            assert "private" not in json.dumps(said) and "secret-key" not in json.dumps(said)
    assert heard == ["contact", "fault"]
    assert isinstance(endpoint.fault, RuntimeError)


# ---- who may not ------------------------------------------------------------------------------------------------


def test_a_stranger_is_refused_and_recorded_without_the_secret(host, served):
    _, endpoint, _ = served
    refused = [
        post(f"{host.address}/mcp"),
        post(f"{host.address}/mcp", Authorization="Bearer guessed-it"),
        post(f"{host.address}/a/guessed-it/mcp"),
        post(f"{host.address}/a/{endpoint.secret[:-1]}/mcp"),
        post(f"{host.address}/a//mcp", Authorization=f"Bearer {endpoint.secret}"),
    ]
    assert [r.status_code for r in refused] == [401] * 5
    assert all(r.json()["error"]["message"] and r.headers["www-authenticate"] for r in refused)
    assert [r.reason for r in host.refusals] == ["no secret", *["unknown secret"] * 3, "no secret"]
    assert len({r.digest for r in host.refusals}) == 3 and "guessed-it" not in repr(host.refusals)
    assert endpoint.first is None
    assert post(f"{host.address}/mcp", Authorization=f"bearer {endpoint.secret}").status_code == 200


def test_a_secret_that_was_closed_is_gone_for_good(host, served):
    door, endpoint, url = served
    assert post(url).status_code == 200
    host.close(endpoint.secret, "timeout")
    late = post(url)
    assert late.status_code == 410
    assert "timeout" in late.json()["error"]["message"]
    with pytest.raises(BaseExceptionGroup) as caught, connected(url):
        pass
    assert caught.group_contains(MCPError, match="is over")
    assert {r.reason for r in host.refusals} == {"over: timeout"}
    with pytest.raises(UsageError, match="used already"):
        host.open(door, endpoint.secret)


class Camera:
    """A door whose one tool answers with a picture."""

    tools = (ToolSpec("look", "A picture.", {"type": "object"}),)

    def __init__(self, answer):
        self.answer = answer

    def next(self):
        return Turn(1, "instruction", "Look.", 0)

    def call(self, tool, args=None):
        return self.answer


@pytest.mark.parametrize(
    ("answer", "rest"),
    [
        ({"path": "a.png", "png_base64": "iVBORw0K"}, {"path": "a.png"}),
        ({"url": "u", "mime": "image/png", "data": "iVBORw0K"}, {"url": "u", "mime": "image/png"}),
        ({"mime": "text/csv", "data": "a,b"}, {"mime": "text/csv", "data": "a,b"}),
    ],
)
def test_a_picture_in_an_answer_comes_as_an_image(host, answer, rest):
    with connected(host.url(host.open(Camera(answer)))) as seat:
        text, *pictures = seat.ask("call_tool", "look", {}).content
    assert json.loads(text.text) == rest
    assert [(p.mime_type, p.data) for p in pictures] == (
        [] if rest == answer else [("image/png", "iVBORw0K")]
    )


def test_refusals_are_bounded_and_all_are_counted(host):
    async def knock():
        async with httpx2.AsyncClient() as client:
            for n in range(MAX_REFUSALS + 10):
                await client.post(f"{host.address}/a/{n}/mcp")

    asyncio.run(knock())
    assert (host.refused, len(host.refusals)) == (MAX_REFUSALS + 10, MAX_REFUSALS)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_other_methods_and_places_are_answered_at_once(host, served, method):
    _, endpoint, url = served
    answer = httpx2.request(method, url, headers={"Accept": "text/event-stream"}, timeout=5)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert httpx2.request(method, f"{host.address}/.well-known/oauth-protected-resource").status_code == 404
    assert endpoint.first is None


def test_a_body_that_is_no_message_is_refused_and_the_next_one_heard(served):
    _, _, url = served
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    for body, status in ((b"{", 400), (b"[]", 400), (b"\xff\xfe", 400), (b" " * (5 << 20), 413)):
        assert httpx2.post(url, content=body, headers=headers).status_code == status
    assert post(url).status_code == 200


def test_noise_on_a_stdio_socket_does_not_end_the_attempt(host, served, tmp_path):
    _, endpoint, _ = served
    host.open_socket(endpoint, tmp_path / "agent.sock")

    async def answer(data):
        reader, writer = await asyncio.open_unix_connection(tmp_path / "agent.sock")
        writer.write(data)
        try:
            return await asyncio.wait_for(reader.readline(), 10)
        except OSError:  # it hung up before it had read all
            return b""
        finally:
            writer.close()

    ping = b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}\n'
    assert b'"id":7' in asyncio.run(answer(b"\n\xff\n{\n[]\n" + ping))
    assert asyncio.run(answer(b"x" * (5 << 20))) == b""  # a line too long
    assert b'"id":7' in asyncio.run(answer(ping))


# ---- many at once -----------------------------------------------------------------------------------------------


async def _alone(host, secret, n):
    """Leave a mark, look round, and say what is there to be seen."""
    async with Client(by_bearer(host.address, secret)) as client:

        async def call(tool, **args):
            result = await client.call_tool(tool, args)
            assert not result.is_error, result
            return json.loads(result.content[0].text)

        await call("mail_draft", to=["someone@example.com"], subject=f"mark {n}", body=f"This is {n}.")
        return [d["subject"] for d in await call("mail_drafts")], await call("mail_list", folder="inbox")


def _round(host, count):
    """So many attempts at once; each must see its own world. Returns what must be gone afterwards."""
    kinds = [instance_of(t, m, 0, "en") for t in (BOOKING, AUDIT) for m in ("sg", "kr")]
    instances = [kinds[n % len(kinds)] for n in range(count)]
    doors = [sitting(i) for i in instances]
    endpoints = [host.open(d) for d in doors]

    async def all_at_once():
        return await asyncio.gather(*(_alone(host, e.secret, n) for n, e in enumerate(endpoints)))

    inboxes = []
    for n, (marks, inbox) in enumerate(asyncio.run(all_at_once())):
        own = sitting(instances[n])
        assert marks == [f"mark {n}"]
        assert inbox == own.call("mail_list", {"folder": "inbox"})
        inboxes.append(json.dumps(inbox))
    assert len(set(inboxes)) == len(kinds)
    for e in endpoints:
        host.close(e.secret)
    return [weakref.ref(x) for x in (*doors, *endpoints)]


def _rss():
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def test_fifty_attempts_at_once_stay_apart_and_leave_no_memory_behind(host):
    _round(host, 50)
    before = _rss()
    left = _round(host, 50)
    gc.collect()
    assert sum(ref() is not None for ref in left) == 0
    assert _rss() - before < 15  # MB; the worlds of one round alone are more than that


def test_calls_at_once_on_one_attempt_are_all_done_one_after_the_other(served):
    door, _, url = served

    async def busy():
        async with Client(url) as one, Client(url) as other:
            args = {"to": ["someone@example.com"], "subject": "To you", "body": "Words."}
            calls = [c.call_tool("mail_draft", args) for _ in range(20) for c in (one, other)]
            return await asyncio.gather(*calls)

    drafts = {json.loads(r.content[0].text)["draft"] for r in asyncio.run(busy())}
    assert len(drafts) == len(rows(door, "call")) == 40


# ---- the thread -------------------------------------------------------------------------------------------------


def test_a_host_stops_and_starts_again_at_the_same_port_and_keeps_its_attempts():
    before = threading.active_count()
    host = Host()
    host.run_in_thread()
    url = host.url(host.open(sitting()))
    port = int(host.address.rpartition(":")[2])
    with connected(url) as seat:
        assert not seat.raw("clock_now", {})[1]
    with pytest.raises(UsageError, match="nobody can listen there"):
        Host().run_in_thread(port=port)
    host.stop()
    host.stop()
    assert threading.active_count() == before
    with pytest.raises(httpx2.ConnectError):
        post(url)
    host.run_in_thread(port=port)
    assert post(url).status_code == 200
    host.stop()
    assert threading.active_count() == before
