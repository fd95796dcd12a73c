"""Messages between a process and its worker: pickle 5, arrays written as they lie in memory.

On the wire: the number of parts and the size of each (64-bit, native), then the parts: the pickle,
and after it the arrays that it refers to. Nothing is copied on the sender's side, and the receiver
reads every array to where it stays.
"""

import pickle
import socket
import struct
from typing import Any, NamedTuple


class Packed(NamedTuple):
    """A message ready to be written; refers to the arrays of the objects inside."""

    parts: tuple[memoryview, ...]


def pack(message: object) -> Packed:
    """Pickle a message.

    Raises
    ------
    pickle.PicklingError, AttributeError, TypeError : something in it cannot be pickled.
    """
    arrays: list[pickle.PickleBuffer] = []
    head = pickle.dumps(message, protocol=5, buffer_callback=arrays.append)
    return Packed((memoryview(head), *(array.raw() for array in arrays)))


def write(line: socket.socket, packed: Packed) -> None:
    """Write a message; waits for a reader that is slow.

    Raises
    ------
    OSError : nobody reads any more.
    """
    sizes = [part.nbytes for part in packed.parts]
    line.sendall(struct.pack(f"={1 + len(sizes)}Q", len(sizes), *sizes))
    for part in packed.parts:
        line.sendall(part)


def read(line: socket.socket) -> Any:
    """Wait for the next message.

    Raises
    ------
    EOFError : the other side closed, perhaps in the middle of a message.
    """
    (count,) = struct.unpack("=Q", _exactly(line, 8))
    sizes = struct.unpack(f"={count}Q", _exactly(line, 8 * count))
    head, *arrays = (_exactly(line, size) for size in sizes)
    return pickle.loads(head, buffers=arrays)


def _exactly(line: socket.socket, size: int) -> bytearray:
    room = bytearray(size)
    view = memoryview(room)
    while len(view):
        got = line.recv_into(view, len(view), socket.MSG_WAITALL)
        if not got:
            raise EOFError
        view = view[got:]
    return room
