import pickle
import socket
import threading

import numpy as np
import pytest

from gangplan.solvers.backends import wire


@pytest.fixture
def line() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair()


def test_what_is_written_is_read_whatever_its_size(
    line: tuple[socket.socket, socket.socket],
) -> None:
    left, right = line
    sent = (
        np.arange(1_000_000, dtype=np.float64),
        np.zeros(0, dtype=np.int64),
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.arange(10)[::2],
    )
    writer = threading.Thread(target=wire.write, args=(left, wire.pack(("word", *sent))))
    with left, right:
        writer.start()
        word, *read = wire.read(right)
        writer.join()
    assert word == "word"
    for array, expected in zip(read, sent, strict=True):
        assert array.dtype == expected.dtype
        assert np.array_equal(array, expected)


def test_messages_keep_their_order(line: tuple[socket.socket, socket.socket]) -> None:
    left, right = line
    with left, right:
        for number in range(3):
            wire.write(left, wire.pack(("number", number)))
        assert [wire.read(right)[1] for _ in range(3)] == [0, 1, 2]


def test_arrays_are_not_copied_to_be_written() -> None:
    column = np.arange(1000)
    packed = wire.pack(column)
    column[0] = 77
    assert any(
        part.nbytes == column.nbytes and part.cast("q")[0] == 77 for part in packed.parts[1:]
    )


def test_the_end_in_the_middle_of_a_message_is_an_end(
    line: tuple[socket.socket, socket.socket],
) -> None:
    left, right = line
    head = wire.pack(np.arange(100)).parts[0]
    with right:
        left.sendall(b"\x02" + bytes(7) + head.nbytes.to_bytes(8, "little"))
        left.close()
        with pytest.raises(EOFError):
            wire.read(right)


def test_what_cannot_be_pickled_is_refused_before_anything_is_written() -> None:
    with pytest.raises((pickle.PicklingError, AttributeError)):
        wire.pack(lambda: None)
