"""Lines over pipes: what arrives is what was written, and what does not arrive never blocks for ever."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import pytest
import pytest_asyncio

from mcp_tasks_conformance.events import JsonValue, SeenKind
from mcp_tasks_conformance.wire.stdio import StdioTransport


@dataclass
class Recorder:
    """A sink that keeps what it gets, and lets a test wait for the next of it."""

    messages: list[str] = field(default_factory=list)
    notes: list[tuple[SeenKind, Mapping[str, JsonValue], str]] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def received(self, stream: str, text: str) -> None:
        assert stream == "stdio"
        self.messages.append(text)
        self.changed.set()

    def noted(self, stream: str, kind: SeenKind, detail: Mapping[str, JsonValue], text: str = "") -> None:
        assert stream == "stdio"
        self.notes.append((kind, detail, text))
        self.changed.set()

    def closed(self, reason: str) -> None:
        self.reasons.append(reason)
        self.changed.set()

    @property
    def noise(self) -> list[tuple[JsonValue, str]]:
        return [(detail["noise"], text) for kind, detail, text in self.notes if kind is SeenKind.NOISE]

    async def until_messages(self, count: int) -> None:
        await self._until(lambda: len(self.messages) >= count)

    async def until_closed(self) -> None:
        await self._until(lambda: bool(self.reasons))

    async def _until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(5):
            while not holds():
                self.changed.clear()
                await self.changed.wait()


class OtherSide:
    """Both far ends of the pipes, unbuffered."""

    def __init__(self, reads: int, writes: int) -> None:
        self.reads = reads
        self.writes = writes

    def say(self, data: bytes) -> None:
        assert os.write(self.writes, data) == len(data)

    async def say_much(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[await asyncio.to_thread(os.write, self.writes, rest) :]

    def end(self) -> None:
        os.close(self.writes)
        self.writes = -1

    def close(self) -> None:
        for descriptor in (self.reads, self.writes):
            if descriptor >= 0:
                os.close(descriptor)
        self.reads = self.writes = -1


Wired: TypeAlias = tuple[StdioTransport, Recorder, OtherSide]


async def connected(**caps: int) -> Wired:
    loop = asyncio.get_running_loop()
    their_output, our_input = os.pipe()
    our_output, their_input = os.pipe()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(their_output, "rb", 0))
    pipe, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(their_input, "wb", 0)
    )
    writer = asyncio.StreamWriter(pipe, protocol, None, loop)
    sink = Recorder()
    return StdioTransport(reader, writer, sink, **caps), sink, OtherSide(our_output, our_input)


@pytest_asyncio.fixture
async def wired() -> AsyncIterator[Wired]:
    transport, sink, other = await connected()
    yield transport, sink, other
    await transport.close()
    other.close()


async def test_each_line_is_a_message_whatever_ends_it(wired: Wired) -> None:
    _, sink, other = wired
    other.say(b'{"a": 1}\n{"b": 2}\r\n\n\r\n{"c"')
    await sink.until_messages(2)
    other.say(b": 3}\n")
    await sink.until_messages(3)
    assert sink.messages == ['{"a": 1}', '{"b": 2}', '{"c": 3}']
    assert sink.notes == []


async def test_a_line_of_several_megabytes_arrives_whole(wired: Wired) -> None:
    _, sink, other = wired
    line = b'{"long": "' + b"x" * 5_000_000 + b'"}'
    await other.say_much(line + b"\n")
    await sink.until_messages(1)
    assert sink.messages == [line.decode()]


async def test_a_character_split_between_two_reads_is_kept(wired: Wired) -> None:
    _, sink, other = wired
    first, second = '{"é": 1}\n'.encode()[:3], '{"é": 1}\n'.encode()[3:]
    other.say(first)
    await asyncio.sleep(0.01)
    other.say(second)
    await sink.until_messages(1)
    assert sink.messages == ['{"é": 1}']


@pytest.mark.parametrize("line", ["Server ready", "[INFO] Server ready", "   ", "null and void", "\x1b[32mok\x1b[0m"])
async def test_a_line_that_is_no_json_is_noise(wired: Wired, line: str) -> None:
    _, sink, other = wired
    other.say(line.encode() + b"\n{}\n")
    await sink.until_messages(1)
    assert sink.messages == ["{}"]
    assert sink.noise == [("not JSON", line)]


@pytest.mark.parametrize(
    "line", ['{"jsonrpc": "2.0", "id":', "{oops}", '[{"jsonrpc": "2.0"}]', '  {"a": 1}', "42", '"hello"', "\ufeff{}"]
)
async def test_a_line_that_was_meant_as_a_message_is_received_as_it_came(wired: Wired, line: str) -> None:
    _, sink, other = wired
    other.say(line.encode() + b"\n")
    await sink.until_messages(1)
    assert sink.messages == [line]
    assert sink.noise == []


async def test_bytes_that_are_no_utf8_are_noted_and_the_message_is_received_all_the_same(wired: Wired) -> None:
    _, sink, other = wired
    other.say(b'{"caf\xe9": 1}\n')
    await sink.until_messages(1)
    assert sink.messages == ['{"caf\ufffd": 1}']
    assert sink.noise == [("not UTF-8", '{"caf\ufffd": 1}')]
    assert sink.notes[0][1]["problem"] == "not UTF-8: byte 0xe9 at offset 5"


async def test_garbage_that_is_no_utf8_is_noted_once(wired: Wired) -> None:
    _, sink, other = wired
    other.say(b"\xff\xfe\n{}\n")
    await sink.until_messages(1)
    assert [noise for noise, _ in sink.noise] == ["not UTF-8"]


async def test_a_long_line_of_garbage_is_noted_by_its_beginning(wired: Wired) -> None:
    _, sink, other = wired
    await other.say_much(b"z" * 100_000 + b"\n{}\n")
    await sink.until_messages(1)
    ((_, detail, text),) = sink.notes
    assert detail["length"] == 100_000
    assert text == "z" * 4000


async def test_the_end_of_the_output_closes_the_connection_once(wired: Wired) -> None:
    transport, sink, other = wired
    other.say(b"{}\n")
    other.end()
    await sink.until_closed()
    await transport.close()
    assert sink.messages == ["{}"]
    assert sink.reasons == ["the other side closed its output (end of file)"]


async def test_a_message_without_a_line_end_before_the_end_of_the_output_is_received(wired: Wired) -> None:
    _, sink, other = wired
    other.say(b'{"last": 1}')
    other.end()
    await sink.until_closed()
    assert sink.messages == ['{"last": 1}']


async def test_half_a_message_before_the_end_of_the_output_is_no_noise(wired: Wired) -> None:
    _, sink, other = wired
    other.say(b'{"jsonrpc": "2.0", "res')
    other.end()
    await sink.until_closed()
    assert sink.messages == []
    assert sink.notes == [(SeenKind.STREAM, {"ended": True, "unfinished": 23}, '{"jsonrpc": "2.0", "res')]


async def test_after_close_nothing_is_told_any_more() -> None:
    transport, sink, other = await connected()
    await transport.close()
    await transport.close()
    other.end()
    await asyncio.sleep(0)
    assert sink.reasons == []
    assert os.read(other.reads, 10) == b""
    other.close()


async def test_what_is_sent_is_one_line_in_utf8(wired: Wired) -> None:
    transport, _, other = wired
    assert await transport.send('{"é": "\\n"}') == "stdio"
    assert os.read(other.reads, 100) == '{"é": "\\n"}\n'.encode()


async def test_a_lone_surrogate_can_be_sent(wired: Wired) -> None:
    transport, _, other = wired
    await transport.send('"\ud800"')
    assert os.read(other.reads, 100) == b'"\xed\xa0\x80"\n'


async def test_sending_to_one_that_does_not_read_ends_with_the_callers_deadline() -> None:
    transport, sink, other = await connected()
    for _ in range(2):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await transport.send("x" * 1_000_000)
    # The second message never got in: what waits is less than one message.
    assert transport._writer.transport.get_write_buffer_size() < 1_000_000
    async with asyncio.timeout(1):
        await transport.close()
    assert sink.reasons == []
    other.close()


async def test_sending_into_a_broken_pipe_is_a_connection_error(wired: Wired) -> None:
    transport, _, other = wired
    os.close(other.reads)
    other.reads = -1

    async def send_on() -> None:
        while True:
            await transport.send("{}")

    with pytest.raises(ConnectionError):
        await asyncio.wait_for(send_on(), 5)


async def test_whoever_waits_to_send_is_told_when_the_connection_is_closed() -> None:
    transport, _, other = await connected()
    sending = asyncio.create_task(transport.send("x" * 1_000_000))
    await asyncio.sleep(0.01)
    await transport.close()
    with pytest.raises(ConnectionError):
        await sending
    other.close()


async def test_sending_after_the_end_of_the_output_is_a_connection_error(wired: Wired) -> None:
    transport, sink, other = wired
    other.end()
    await sink.until_closed()
    with pytest.raises(ConnectionError):
        await transport.send("{}")


async def test_a_line_without_end_is_given_up() -> None:
    transport, sink, other = await connected(line_cap=100_000)
    writing = asyncio.create_task(other.say_much(b"y" * 150_000))
    await sink.until_closed()
    assert sink.reasons == ["a line has more than 100000 bytes and no end"]
    assert [noise for noise, _ in sink.noise] == ["endless line"]
    await writing
    await transport.close()
    other.close()


async def test_a_flood_is_given_up() -> None:
    transport, sink, other = await connected(flood_cap=100_000)
    writing = asyncio.create_task(other.say_much(b"{}\n" * 40_000))
    await sink.until_closed()
    assert "a flood" in sink.reasons[0]
    assert [noise for noise, _ in sink.noise] == ["flood"]
    await writing
    await transport.close()
    other.close()


async def test_much_that_was_asked_for_is_no_flood() -> None:
    transport, sink, other = await connected(flood_cap=100_000)
    for count in range(1, 5):
        await transport.send("{}")
        other.say(b'"' + b"x" * 50_000 + b'"\n')
        await sink.until_messages(count)
    assert sink.reasons == []
    await transport.close()
    other.close()


async def test_a_sink_that_fails_is_heard_of() -> None:
    transport, sink, other = await connected()

    def fails(stream: str, text: str) -> None:
        raise ZeroDivisionError

    sink.received = fails  # type: ignore[method-assign]
    other.say(b"{}\n")
    await sink.until_closed()
    assert sink.reasons == ["the harness failed while it was reading"]
    with pytest.raises(ZeroDivisionError):
        await transport.close()
    other.close()
