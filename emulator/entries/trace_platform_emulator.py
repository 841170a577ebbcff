"""The emulator in Python tests: pytest fixtures, a unittest base class, and plain ``with``.

    import trace_platform_emulator

    with trace_platform_emulator.start() as emulator:
        print(emulator.request("POST", "/threads", json={}).status)

Needs Python 3.8 or newer and Node.js, and no Python package. As a pytest plugin
(``pytest_plugins = ["trace_platform_emulator"]`` in ``conftest.py``) it brings the fixtures ``emulator``, ``world``,
``clock``, ``faults``, ``emulator_options`` and ``world_from``.
"""

from __future__ import annotations

import atexit
import json as json_texts
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
import warnings
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, TypeVar, Union

__all__ = ["Clock", "Emulator", "EmulatorError", "EmulatorTestCase", "Faults", "Reply", "World", "connect", "start", "wait_for"]

#: Key and workspace of a fresh world.
API_KEY = "emulator-key"
TENANT_ID = "00000000-0000-4000-8000-000000000001"
#: The defaults of ``start``, like those of the fixtures for vitest.
DEFAULT_OPTIONS: Mapping[str, Any] = {"clock": "frozen", "now": "2026-01-01T00:00:00Z", "rate_limits": "off"}

_CONTROL = "/_emulator/v1"
_START_SECONDS = 60
_STOP_SECONDS = 30
_REPLY_SECONDS = 120
_JOURNAL_LINES = 20
# Addresses of this machine are never asked for through a proxy.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))

Value = TypeVar("Value")


class EmulatorError(Exception):
    """The emulator refused a call of the control API, or could not start.

    ``status``, ``code`` and ``hint`` are those of the reply, and ``requirement`` the statement of the specification that
    asks for the refusal (``3.1-1``); None when there was none.
    """

    def __init__(
        self,
        message: str,
        status: Optional[int] = None,
        code: Optional[str] = None,
        hint: Optional[str] = None,
        requirement: Optional[str] = None,
    ) -> None:
        super().__init__(f"{message} {hint}" if hint else message)
        self.requirement = requirement
        self.status = status
        self.code = code
        self.hint = hint


class Reply:
    """A reply of any status; names of ``headers`` are in lower case."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.body = body

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        return json_texts.loads(self.body)

    def __repr__(self) -> str:
        return f"<Reply {self.status} {self.text[:200]!r}>"


# In reports of pytest a refused call stands at the line of the test (``__tracebackhide__``).


class World:
    """One world of a running emulator: ``main``, or a fork that shares nothing with it.

    ``url``, ``eu_url`` and ``s3_url`` are base addresses for the program under test.
    """

    def __init__(self, name: str, url: str, eu_url: str, s3_url: str) -> None:
        self.name = name
        self.url = url
        self.eu_url = eu_url
        self.s3_url = s3_url
        self.clock = Clock(self)
        self.faults = Faults(self)

    def __enter__(self) -> World:
        return self

    def __exit__(self, error: Optional[type], *_: object) -> None:
        """Closes the world; what went well although a fault never triggered is warned of."""
        try:
            missed = self.faults.untriggered() if error is None else []
            if missed:
                warnings.warn(self.faults.untriggered_text(missed), stacklevel=2)
        finally:
            self.close()

    def request(
        self,
        method: str,
        path: str,
        json: Any = None,
        headers: Optional[Mapping[str, str]] = None,
        body: Optional[bytes] = None,
        region: str = "us",
    ) -> Reply:
        """Sends a request of the platform's API, with the key and workspace of a fresh world unless ``headers`` has others."""
        sent: Dict[str, str] = {"x-api-key": API_KEY, "x-tenant-id": TENANT_ID}
        if json is not None:
            body = json_texts.dumps(json).encode()
            sent["content-type"] = "application/json"
        sent.update({name.lower(): value for name, value in (headers or {}).items()})
        return _send(method, (self.eu_url if region == "eu" else self.url) + path, sent, body)

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Calls a test-only operation by its path below ``/_emulator/v1``; raises ``EmulatorError`` when it is refused."""
        __tracebackhide__ = True
        text = None if body is None else json_texts.dumps(body, default=_text_of).encode()
        reply = _send(method, self.url + _CONTROL + path, {"content-type": "application/json"}, text)
        if reply.status >= 400:
            raise _error_of(method, path, reply)
        if reply.headers.get("content-type", "").startswith("application/x-ndjson"):
            return [json_texts.loads(line) for line in reply.text.splitlines()]
        return reply.json() if reply.body else None

    def fork(self, name: Optional[str] = None, source: Optional[str] = None) -> World:
        """Creates a world that continues from this one, or from the world or snapshot ``source`` (``seeded``: as a fresh one)."""
        order = {"from": source or self.name}
        if name is not None:
            order["id"] = name
        made = self.control("POST", "/worlds", order)
        return World(made["id"], made["url"], made["eu_url"], made["s3_url"])

    def verify_export(self, export_id: str) -> Any:
        """Reads every file of an export back and compares it with what was sent."""
        return self.control("GET", f"/exports/{export_id}/verify")

    def deliveries(self, **expected: Any) -> List[Any]:
        """Lists webhook deliveries, oldest first; only those whose members equal the expected ones."""
        found = self.control("GET", "/webhooks/deliveries?limit=10000")
        return [one for one in found if all(one.get(name) == value for name, value in expected.items())]

    def inbox(self, name: str) -> List[Any]:
        """Lists what the built-in receiver ``/_emulator/inbox/<name>`` has received."""
        return self.control("GET", f"/webhooks/inbox/{name}")

    def journal(self, since: int = 0) -> List[Any]:
        """Lists every turn after number ``since``, oldest first."""
        return self.control("GET", f"/journal?since={since}")

    def close(self) -> None:
        """Removes the world; its emulator runs on."""
        self.control("DELETE", f"/worlds/{self.name}")


class Clock:
    """The virtual clock of a world."""

    def __init__(self, world: World) -> None:
        self._world = world

    def now(self) -> str:
        """Virtual time, ISO 8601."""
        return self._world.control("GET", "/clock")["now"]

    def advance(self, duration: Union[str, timedelta]) -> List[Any]:
        """Moves by ``6h``, ``1d12h``, ``PT6H`` or a ``timedelta``; returns the events that were due, in their order."""
        __tracebackhide__ = True
        return self._moved({"by": duration})

    def advance_to(self, instant: Union[str, date]) -> List[Any]:
        """Moves to an ISO 8601 time or a ``datetime`` with a zone; returns the events that were due."""
        __tracebackhide__ = True
        return self._moved({"to": instant})

    def advance_until(self, end: Union[str, date], status: Optional[str] = None) -> List[Any]:
        """Moves until an export, given by its id, has a status (``COMPLETED``), or to a date or time.

        Raises ``EmulatorError`` with the reason when the export never gets there.
        """
        __tracebackhide__ = True
        return self._moved({"until": end if status is None else f"{end} {status}"})

    def freeze(self) -> None:
        """Lets time move only on request."""
        self._world.control("POST", "/clock/freeze", {})

    def flow(self, rate: float = 1) -> None:
        """Lets time follow the wall clock, ``rate`` times as fast."""
        self._world.control("POST", "/clock/flow", {"rate": rate})

    def _moved(self, target: Mapping[str, Any]) -> List[Any]:
        __tracebackhide__ = True
        reply = self._world.control("POST", "/clock/advance", target)
        if reply.get("reached") is False:
            raise EmulatorError(f"The clock did not get to {target['until']}: {reply['why']}")
        if reply["settled"] is not True:
            raise EmulatorError(
                f"The clock is at {reply['to']}, but work that was begun before is still under way.",
                hint="Wait for what it waits for (a webhook receiver, a store elsewhere), then advance again.",
            )
        return reply["fired"]


class Faults:
    """The faults of a world."""

    def __init__(self, world: World) -> None:
        self._world = world
        #: Where those were armed that have to trigger, by their ids.
        self._armed: Dict[str, str] = {}

    def arm(self, order: Any = None, *, optional: bool = False, **members: Any) -> Any:
        """Arms a fault: ``arm(target="worker", then={"crash": True})``, ``arm(preset="worker_crash")``, or as one dict.

        In the fixture ``world`` and in ``EmulatorTestCase`` a fault that never triggered fails the test, unless it is
        ``optional``.
        """
        __tracebackhide__ = True
        fault = self._world.control("POST", "/faults", {**(order or {}), **members})
        if not optional and not (order or {}).get("optional"):
            caller = sys._getframe(1)
            self._armed[fault["id"]] = f"{caller.f_code.co_filename}:{caller.f_lineno}"
        return fault

    def list(self) -> List[Any]:
        """Lists every fault with its ``hits``, in the order of arming."""
        return self._world.control("GET", "/faults")

    def clear(self, fault_id: Optional[str] = None) -> None:
        """Removes one fault, or all of them."""
        self._world.control("DELETE", "/faults" if fault_id is None else f"/faults/{fault_id}")
        if fault_id is None:
            self._armed.clear()
        else:
            self._armed.pop(fault_id, None)

    def untriggered(self) -> List[Any]:
        """Lists the faults armed here, optional ones aside, that never triggered."""
        if not self._armed:
            return []
        return [one for one in self.list() if one["id"] in self._armed and one["hits"] == 0]

    def untriggered_text(self, faults: List[Any]) -> str:
        """Says of these faults what they are and where they were armed."""
        named = (
            f"{one['id']} ({one['preset'] or one['target']}, {one['seen']} matching occasions), "
            f"armed at {self._armed[one['id']]}"
            for one in faults
        )
        return f"Never triggered: {'; '.join(named)}. Check what it matches, or arm it with optional=True."


class Emulator(World):
    """An emulator; its own world is ``main``."""

    def __init__(self, ready: Mapping[str, str], process: Optional[subprocess.Popen[str]] = None) -> None:
        super().__init__("main", ready["url"], ready["eu_url"], ready["s3_url"])
        self._process = process

    def __enter__(self) -> Emulator:
        return self

    def close(self) -> None:
        """Stops the emulator if ``start`` started it; one that was connected to runs on."""
        process, self._process = self._process, None
        if process is None:
            return
        atexit.unregister(self.close)
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _text_of(value: Any) -> str:
    """Durations and times of Python as the control API reads them."""
    if isinstance(value, timedelta):
        return f"{value // timedelta(milliseconds=1)}ms"
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{value!r} cannot be sent as JSON; give text, a number, a list or a dict")


def start(command: Optional[List[str]] = None, **options: Any) -> Emulator:
    """Starts an emulator on free ports that keeps nothing; raises ``EmulatorError`` with the reason when it does not start.

    ``options`` are the flags of ``emulator start``, with ``_`` for ``-`` and True for a flag without a value:
    ``start(clock="flowing", rate_limits="on", strict=True)``. The clock is frozen at 2026-01-01 and rate limits are off
    unless they say otherwise. ``command`` replaces the program; its default is the package that this file is part of,
    else the one in ``node_modules`` of the working folder or one above.
    """
    flags: Dict[str, Any] = {"port": 0, **DEFAULT_OPTIONS, **options}
    if "data" not in flags:
        flags.setdefault("ephemeral", True)
    words = [*(command or _default_command()), "start", "--json"]
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not False and value is not None:
            words += [flag, str(value)]
    with tempfile.TemporaryFile("w+") as errors:
        try:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True)
        except OSError as error:
            raise EmulatorError(f"{words[0]} cannot be started: {error}.") from error
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            process.stdout.close()
            code = process.wait(_START_SECONDS)
            errors.seek(0)
            raise EmulatorError(f"The emulator ended with exit code {code}: {errors.read().strip()}")
    ready = json_texts.loads(line)
    if "error" in ready:
        process.stdout.close()
        process.wait(_START_SECONDS)
        error = ready["error"]
        raise EmulatorError(f"The emulator did not start: {error['message']};", code=error["code"], hint=error["hint"])
    emulator = Emulator(ready, process)
    atexit.register(emulator.close)
    return emulator


def connect(url: Optional[str] = None) -> Emulator:
    """Returns the emulator that runs at ``url``, by default at ``EMULATOR_URL`` (``emulator exec -- pytest``)."""
    url = url or os.environ.get("EMULATOR_URL")
    if not url:
        raise EmulatorError("The address to connect to is missing.", hint="Give one, or run below `emulator exec --`.")
    reply = _send("GET", url.rstrip("/") + _CONTROL + "/status", {}, None)
    if reply.status >= 400:
        raise _error_of("GET", "/status", reply)
    return Emulator(reply.json())


def wait_for(condition: Callable[[], Value], seconds: float = 10, what: str = "the condition") -> Value:
    """Calls ``condition`` until it returns something true, and returns that; raises ``EmulatorError`` after ``seconds``.

    For a clock that flows, or for what the program under test does meanwhile: a frozen clock is advanced instead.
    """
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise EmulatorError(f"After {seconds} s {what} was still {value!r}.")
        time.sleep(0.02)


class EmulatorTestCase(unittest.TestCase):
    """A base class for unittest: ``self.world`` is new for each test, ``self.clock`` and ``self.faults`` are its own.

    Classes with the same ``emulator_options`` share one emulator, which ends with the process.
    """

    emulator_options: Mapping[str, Any] = {}
    #: The world or snapshot from which each test's world is forked.
    world_from = "seeded"
    _emulators: Dict[str, Emulator] = {}

    def setUp(self) -> None:
        super().setUp()
        key = json_texts.dumps(self.emulator_options, sort_keys=True)
        if key not in self._emulators:
            self._emulators[key] = start(**self.emulator_options)
        self.emulator = self._emulators[key]
        self.world = self.emulator.fork(source=self.world_from)
        self.clock = self.world.clock
        self.faults = self.world.faults
        self.addCleanup(self.world.close)
        self.addCleanup(self._check_faults)

    def _check_faults(self) -> None:
        missed = self.faults.untriggered()
        if missed:
            self.fail(self.faults.untriggered_text(missed))


def _send(method: str, url: str, headers: Mapping[str, str], body: Optional[bytes]) -> Reply:
    request = urllib.request.Request(url, data=body, headers=dict(headers), method=method)
    try:
        with _OPENER.open(request, timeout=_REPLY_SECONDS) as reply:
            return Reply(reply.status, dict(reply.headers.items()), reply.read())
    except urllib.error.HTTPError as error:
        with error:
            return Reply(error.code, dict(error.headers.items()), error.read())
    except urllib.error.URLError as error:
        raise EmulatorError(f"{url}: nothing answers there ({error.reason}).") from error


def _error_of(method: str, path: str, reply: Reply) -> EmulatorError:
    try:
        error = reply.json()["error"]
        members = (error.get(name) for name in ("code", "hint", "requirement"))
        return EmulatorError(error["message"], reply.status, *members)
    except (ValueError, KeyError, TypeError):
        return EmulatorError(f"{method} {path} answered {reply.status}: {reply.text[:200]}", reply.status)


def _default_command() -> List[str]:
    node = shutil.which("node")
    if node is None:
        raise EmulatorError("The program `node` was not found.", hint="Install Node.js 20.19 or newer.")
    here = Path(__file__).resolve()
    places = [here.parents[1] / "bin/emulator.js"]
    inside = "node_modules/trace-platform-emulator/dist/bin/emulator.js"
    places += [folder / inside for folder in [Path.cwd(), *Path.cwd().parents]]
    for place in places:
        if place.is_file():
            return [node, str(place)]
    raise EmulatorError(
        "The npm package trace-platform-emulator is in no node_modules of this folder or one above.",
        hint="Install it with `npm i -D trace-platform-emulator`, or give `command`.",
    )


def _journal_text(world: World) -> str:
    try:
        entries = world.journal()
    except EmulatorError as error:
        return str(error)
    lines = []
    for entry in entries[-_JOURNAL_LINES:]:
        cause = " ".join(str(entry["cause"][name]) for name in ("type", "name", "ref") if entry["cause"].get(name))
        refused = f" refused: {entry['refused']['status']} {entry['refused']['code']}" if "refused" in entry else ""
        lines.append(f"{entry['turn']:>6}  {entry['now']}  {cause}{refused}")
    return "\n".join(lines)


# Only below pytest: other programs neither need it nor wait for it to load.
if "pytest" in sys.modules:
    import pytest

    @pytest.fixture(scope="session")
    def emulator_options() -> Mapping[str, Any]:
        """Options of ``start``; override it in ``conftest.py``."""
        return {}

    @pytest.fixture(scope="session")
    def emulator(emulator_options: Mapping[str, Any]):
        """One emulator for all tests of the session."""
        with start(**emulator_options) as running:
            yield running

    @pytest.fixture
    def world_from() -> str:
        """The world or snapshot from which ``world`` is forked; override it where tests share a preparation."""
        return "seeded"

    @pytest.fixture
    def world(request: pytest.FixtureRequest, emulator: Emulator, world_from: str):
        """A world for each test; a fault armed in it that never triggered fails the test."""
        fork = emulator.fork(source=world_from)
        request.node.stash[_WORLD] = fork
        try:
            yield fork
            missed = fork.faults.untriggered()
        finally:
            fork.close()
        if missed:
            pytest.fail(fork.faults.untriggered_text(missed), pytrace=False)

    @pytest.fixture
    def clock(world: World) -> Clock:
        """The clock of ``world``."""
        return world.clock

    @pytest.fixture
    def faults(world: World) -> Faults:
        """The faults of ``world``."""
        return world.faults

    _WORLD = pytest.StashKey()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
        """Adds what happened in the test's world to the report of a failure."""
        outcome = yield
        report = outcome.get_result()
        if report.failed and call.when == "call" and _WORLD in item.stash:
            report.sections.append(("last turns of the emulator", _journal_text(item.stash[_WORLD])))
