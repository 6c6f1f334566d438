"""The other end of a connection, from the kernel's table and in a real computer."""

import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from computerd.peer import Row, find, is_inside
from tests.unit.container.computer import Computer

TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 100 1
   1: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 101 1
   2: 0100007F:D431 0100007F:1F90 01 00000000:00000000 00:00000000 00000000 65534        0 102 1
"""


def test_the_row_with_both_ends_is_found() -> None:
    assert find(TABLE, ("127.0.0.1", 0xD431), ("127.0.0.1", 8080)) == Row(65534, 102)
    assert find(TABLE, ("10.0.0.2", 0xD431), ("127.0.0.1", 8080)) is None


def test_who_holds_the_other_end_is_inside() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        served, _ = server.accept()
        with served:
            assert not is_inside(served, list, outside_is_us=True)
            assert is_inside(served, lambda: [_own_pid()], outside_is_us=True)
            assert is_inside(served, list, outside_is_us=False)
            client.close()
            assert is_inside(served, list, outside_is_us=True)


def _own_pid() -> int:
    with open("/proc/self/stat") as file:
        return int(file.read().split()[0])


HOLD = """
import ctypes, socket, sys, threading
def hold():
    assert ctypes.CDLL(None, use_errno=True).unshare(0x400) == 0
    client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    sys.stdin.read()
thread = threading.Thread(target=hold)
thread.start()
thread.join()
"""


def test_a_socket_in_the_table_of_one_thread_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        holder = subprocess.Popen([sys.executable, "-c", HOLD, port], stdin=subprocess.PIPE)
        with holder:
            served, _ = server.accept()
            with served:
                assert is_inside(served, lambda: [holder.pid], outside_is_us=True)
            holder.communicate()


CALL = """
import socket
client = socket.create_connection(("127.0.0.1", {port}))
client.sendall(b"GET /health HTTP/1.1\\r\\n\\r\\n")
try:
    print(client.recv(1000))
except ConnectionResetError:
    print(b"")
"""


def test_a_command_cannot_call_computerd(sandbox: Computer) -> None:
    (sandbox.workspace / "call.py").write_text(CALL.format(port=sandbox.port))
    assert sandbox.run("python3 call.py").stdout == "b''\n"


def test_a_process_that_hides_cannot_call_computerd(sandbox: Computer) -> None:
    hiding = "import ctypes; ctypes.CDLL(None).prctl(4, 0)\n"
    (sandbox.workspace / "hide.py").write_text(hiding + CALL.format(port=sandbox.port))
    assert sandbox.run("python3 hide.py").stdout == "b''\n"


THREAD = """
import ctypes, threading
def call():
    assert ctypes.CDLL(None, use_errno=True).unshare(0x400) == 0
{call}
thread = threading.Thread(target=call)
thread.start()
thread.join()
"""


def test_a_thread_with_files_of_its_own_cannot_call_computerd(sandbox: Computer) -> None:
    call = CALL.format(port=sandbox.port).replace("\n", "\n    ")
    (sandbox.workspace / "thread.py").write_text(THREAD.format(call=call))
    assert sandbox.run("python3 thread.py").stdout == "b''\n"


def test_who_sends_and_goes_starts_nothing(sandbox: Computer) -> None:
    body = '{"id":"from-inside","command":"touch started"}'
    request = f"POST /commands HTTP/1.1\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n{body}"
    send = f"printf '{request}' > /dev/tcp/127.0.0.1/{sandbox.port}"
    sandbox.run(f"for i in $(seq 50); do {send}; done 2>/dev/null; true")
    for _ in range(30):
        sandbox.run(f"exec 2>/dev/null; {send}")
    assert sandbox.call("GET", "/commands/from-inside").status == 404
    assert not (sandbox.workspace / "started").exists()


def test_the_world_outside_is_served_while_commands_run(sandbox: Computer) -> None:
    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(sandbox.run, "sleep 0.5; echo ok") for _ in range(3)]
        for _ in range(20):
            assert sandbox.call("GET", "/health").status == 200
        assert [ran.result().stdout for ran in running] == ["ok\n"] * 3
