# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Programs of libzmq's users, unchanged, with zlink in libzmq's place. Each runs in a process of its own, which must
find zlink loaded, do its work and end by itself. The Python ones use Debian's python3-zmq."""
import zlink_python

zlink_python.start()

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

LIMIT = 60  # seconds for one program


def python(program, **options):
    """Starts a Python program on zlink."""
    return subprocess.Popen([sys.executable, "-W", "ignore::ResourceWarning", "-c", textwrap.dedent(program)],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


class StockProgramTest(unittest.TestCase):
    def finish(self, process, status=0):
        """The output of a process that ends by itself in time, with this status."""
        try:
            out, err = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail(f"hangs; so far: {out}\n{err}")
        self.assertEqual(status, process.returncode, f"{out}\n{err}")
        return out

    def expect(self, wanted, program):
        self.assertEqual(wanted, self.finish(python(program)).strip())

    def test_zlink_is_what_runs(self):
        out = self.finish(python("""
            import zmq
            print(zmq.zmq_version())
            for line in open("/proc/self/maps"):
                if "libzmq" in line.split("/")[-1]:
                    print(line.split()[-1])
        """)).split()
        self.assertEqual("4.3.5", out[0])
        self.assertEqual({os.path.realpath(os.environ["ZLINK_LIB_DIR"] + "/libzmq.so.5")},
                         {os.path.realpath(path) for path in out[1:]})

    def test_request_and_reply(self):
        self.expect("World 999", """
            import threading, zmq
            context = zmq.Context.instance()

            def serve(socket):
                while (question := socket.recv_string()) != "stop":
                    socket.send_string(question.replace("Hello", "World"))
                socket.send(b"")
                socket.close()

            server = context.socket(zmq.REP)
            port = server.bind_to_random_port("tcp://127.0.0.1")
            thread = threading.Thread(target=serve, args=(server,))
            thread.start()
            client = context.socket(zmq.REQ)
            client.connect(f"tcp://127.0.0.1:{port}")
            for number in range(1000):
                client.send_string(f"Hello {number}")
                answer = client.recv_string()
            client.send(b"stop")
            client.recv()
            thread.join()
            print(answer)
        """)

    def test_publish_and_subscribe_to_a_topic(self):
        self.expect("100 readings of 10001", """
            import threading, zmq
            context = zmq.Context()
            publisher = context.socket(zmq.XPUB)
            publisher.sndhwm = 0
            port = publisher.bind_to_random_port("tcp://127.0.0.1")

            def subscribe():
                with context.socket(zmq.SUB) as subscriber:
                    subscriber.setsockopt_string(zmq.SUBSCRIBE, "10001")
                    subscriber.rcvhwm = 0
                    subscriber.connect(f"tcp://127.0.0.1:{port}")
                    readings = [subscriber.recv_string().split()[0] for _ in range(100)]
                    print(len(readings), "readings of", *set(readings))

            thread = threading.Thread(target=subscribe)
            thread.start()
            assert publisher.recv() == b"\\x0110001"
            for number in range(2000):
                publisher.send_string(f"{10000 + number % 20} {number}")
            thread.join()
            publisher.close()
            context.term()
        """)

    def test_ventilator_workers_sink(self):
        self.expect("3000 results, sum of squares 8995500500", """
            import threading, zmq
            context = zmq.Context()
            tasks = context.socket(zmq.PUSH)
            tasks_port = tasks.bind_to_random_port("tcp://127.0.0.1")
            sink = context.socket(zmq.PULL)
            sink_port = sink.bind_to_random_port("tcp://127.0.0.1")

            def work():
                source, target = context.socket(zmq.PULL), context.socket(zmq.PUSH)
                source.connect(f"tcp://127.0.0.1:{tasks_port}")
                target.connect(f"tcp://127.0.0.1:{sink_port}")
                while (task := source.recv_json()) is not None:
                    target.send_json(task ** 2)
                source.close()
                target.close()

            workers = [threading.Thread(target=work) for _ in range(3)]
            for worker in workers:
                worker.start()
            for number in range(3000):
                tasks.send_json(number)
            results = [sink.recv_json() for _ in range(3000)]
            for worker in workers:
                while worker.is_alive():
                    try:
                        tasks.send_json(None, zmq.DONTWAIT)
                    except zmq.Again:
                        pass
                    worker.join(0.01)
            print(len(results), "results, sum of squares", sum(results))
            tasks.close(0)
            sink.close()
            context.term()
        """)

    def test_a_broker_of_router_and_dealer(self):
        self.expect("400 answers", """
            import threading, zmq
            context = zmq.Context()
            frontend, backend = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
            front = frontend.bind_to_random_port("tcp://127.0.0.1")
            backend.bind("ipc://*")
            back = backend.last_endpoint
            answers = []

            def serve():
                with context.socket(zmq.REP) as socket:
                    socket.connect(back)
                    try:
                        while True:
                            socket.send_multipart(socket.recv_multipart())
                    except zmq.ContextTerminated:
                        pass

            def ask(name):
                with context.socket(zmq.REQ) as socket:
                    socket.connect(f"tcp://127.0.0.1:{front}")
                    for number in range(100):
                        socket.send_multipart([name, b"%d" % number])
                        answers.append(socket.recv_multipart() == [name, b"%d" % number])

            servers = [threading.Thread(target=serve) for _ in range(3)]
            clients = [threading.Thread(target=ask, args=(b"%d" % n,)) for n in range(4)]
            for thread in servers + clients:
                thread.start()
            poller = zmq.Poller()
            poller.register(frontend, zmq.POLLIN)
            poller.register(backend, zmq.POLLIN)
            while any(client.is_alive() for client in clients):
                ready = dict(poller.poll(50))
                if frontend in ready:
                    backend.send_multipart(frontend.recv_multipart())
                if backend in ready:
                    frontend.send_multipart(backend.recv_multipart())
            frontend.close()
            backend.close()
            context.term()
            for server in servers:
                server.join()
            print(answers.count(True), "answers")
        """)

    def test_proxies(self):
        self.expect("captured 100, passed 100, in [100, 200, 0, 0]", """
            import struct, threading, zmq
            context = zmq.Context()

            def opened(kind, endpoint=None):
                socket = context.socket(kind)
                if endpoint:
                    socket.connect(endpoint)
                return socket

            frontend, backend = opened(zmq.PULL), opened(zmq.PUSH)
            front, back = (s.bind_to_random_port("tcp://127.0.0.1") for s in (frontend, backend))
            captured, control = opened(zmq.PULL), opened(zmq.PAIR)
            captured.bind("inproc://capture")
            control.bind("inproc://control")
            capture, controlled = opened(zmq.PUSH, "inproc://capture"), opened(zmq.PAIR, "inproc://control")
            proxy = threading.Thread(target=zmq.proxy_steerable, args=(frontend, backend, capture, controlled))
            proxy.start()
            source = opened(zmq.PUSH, f"tcp://127.0.0.1:{front}")
            target = opened(zmq.PULL, f"tcp://127.0.0.1:{back}")
            for number in range(100):
                source.send(b"%02d" % number)
            passed = [target.recv() for _ in range(100)]
            seen = [captured.recv() for _ in range(100)]
            assert passed == seen == [b"%02d" % number for number in range(100)]
            control.send(b"STATISTICS")
            figures = [struct.unpack("Q", frame)[0] for frame in control.recv_multipart()]
            control.send(b"TERMINATE")
            proxy.join()
            print(f"captured {len(seen)}, passed {len(passed)}, in {figures[:4]}")
            context.destroy(linger=0)
        """)

    def test_zmq_proxy_ends_with_its_context(self):
        self.expect("b'hello' Context was terminated", """
            import threading, zmq
            context, ends = zmq.Context(), []
            frontend, backend = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
            front, back = (s.bind_to_random_port("tcp://127.0.0.1") for s in (frontend, backend))

            def run():
                try:
                    zmq.proxy(frontend, backend)
                except zmq.ContextTerminated as end:
                    ends.append(str(end))
                frontend.close()
                backend.close()

            proxy = threading.Thread(target=run)
            proxy.start()
            other = zmq.Context()
            server, client = other.socket(zmq.REP), other.socket(zmq.REQ)
            server.connect(f"tcp://127.0.0.1:{back}")
            client.connect(f"tcp://127.0.0.1:{front}")
            client.send(b"hello")
            server.send(server.recv())
            answer = client.recv()
            context.term()
            proxy.join()
            print(answer, *ends)
        """)

    def test_a_device_of_one_socket_returns_what_comes(self):
        self.expect("b'echo'", """
            import zmq, zmq.devices
            device = zmq.devices.ThreadDevice(zmq.QUEUE, zmq.REP, -1)
            port = device.bind_in_to_random_port("tcp://127.0.0.1")
            device.start()
            client = zmq.Context.instance().socket(zmq.REQ)
            client.connect(f"tcp://127.0.0.1:{port}")
            client.send(b"echo")
            print(client.recv())
            client.close()
        """)

    def test_poller_over_sockets_and_files(self):
        self.expect("socket pipe both none", """
            import os, zmq
            context = zmq.Context()
            read_end, write_end = os.pipe()
            first, second = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
            port = first.bind_to_random_port("tcp://127.0.0.1")
            second.connect(f"tcp://127.0.0.1:{port}")
            poller = zmq.Poller()
            poller.register(first, zmq.POLLIN)
            poller.register(read_end, zmq.POLLIN)
            said = []
            second.send(b"x")
            said += ["socket"] if dict(poller.poll(10000)) == {first: zmq.POLLIN} else []
            first.recv()
            os.write(write_end, b"x")
            said += ["pipe"] if dict(poller.poll(10000)) == {read_end: zmq.POLLIN} else []
            second.send(b"x")
            first.poll(10000)
            said += ["both"] if len(poller.poll(10000)) == 2 else []
            first.recv()
            os.read(read_end, 1)
            said += ["none"] if poller.poll(10) == [] else []
            print(*said)
        """)

    def test_monitor(self):
        self.expect("LISTENING ACCEPTED HANDSHAKE_SUCCEEDED DISCONNECTED MONITOR_STOPPED", """
            import zmq
            from zmq.utils.monitor import recv_monitor_message
            context = zmq.Context()
            server, client = context.socket(zmq.REP), context.socket(zmq.REQ)
            monitor = server.get_monitor_socket()
            port = server.bind_to_random_port("tcp://127.0.0.1")
            client.connect(f"tcp://127.0.0.1:{port}")
            client.send(b"x")
            server.send(server.recv())
            client.recv()
            client.close()
            names = []
            while not names or names[-1] != "DISCONNECTED":
                names.append(recv_monitor_message(monitor)["event"].name.replace("EVENT_", "", 1))
            server.monitor(None, 0)
            names.append(recv_monitor_message(monitor)["event"].name)
            print(*(name.replace("EVENT_", "") for name in names))
        """)

    def test_sending_and_receiving_without_a_copy(self):
        self.expect("all buffers given back", """
            import os, zmq
            context = zmq.Context()
            first, second = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
            for endpoint in ("tcp://127.0.0.1:*", "ipc://*", "inproc://x"):
                first, second = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
                first.bind(endpoint)
                second.connect(first.last_endpoint)
                trackers = []
                for number in range(20):
                    buffer = bytearray(os.urandom(1000)) * 4000
                    trackers.append(first.send(buffer, copy=False, track=True))
                    frame = second.recv(copy=False)
                    assert frame.buffer == buffer and len(frame) == 4000000
                    second.send(frame, copy=False)
                    assert first.recv(copy=False).bytes == buffer
                    del frame
                for tracker in trackers:
                    tracker.wait(30)
                    assert tracker.done
                first.send_multipart([b"a" * 100000, b"b", b""], copy=False)
                assert [f.bytes for f in second.recv_multipart(copy=False)] == [b"a" * 100000, b"b", b""]
                first.close()
                second.close()
            context.term()
            print("all buffers given back")
        """)

    def test_fork_leaves_the_parent_alone(self):
        self.expect("child 0, parent 2000 b'from the child'", """
            import os, zmq
            context = zmq.Context()
            first, second = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
            second.connect(f"tcp://127.0.0.1:{first.bind_to_random_port('tcp://127.0.0.1')}")
            results = context.socket(zmq.PULL)
            port = results.bind_to_random_port("tcp://127.0.0.1")
            first.send(b"before")
            second.recv()
            child = os.fork()
            if child == 0:
                own = zmq.Context()
                report = own.socket(zmq.PUSH)
                report.connect(f"tcp://127.0.0.1:{port}")
                report.send(b"from the child")
                report.close()
                own.term()
                first.close(0)   # what was inherited may be closed
                second.close(0)
                os._exit(0)
            count = 0
            for number in range(2000):
                first.send(b"%d" % number)
                count += second.recv() == b"%d" % number
            message = results.recv()
            print(f"child {os.waitpid(child, 0)[1]}, parent {count} {message}")
        """)

    def test_multiprocessing(self):
        self.expect("[0, 1, 4, 9, 16, 25]", """
            import multiprocessing, pickle, zmq

            def work(endpoint):
                context = zmq.Context()
                with context.socket(zmq.REQ) as socket:
                    socket.connect(endpoint)
                    socket.send(b"")
                    while (task := socket.recv_pyobj()) is not None:
                        socket.send_pyobj((task, task ** 2))
                context.term()

            context = zmq.Context()
            server = context.socket(zmq.ROUTER)
            server.bind("ipc://*")
            multiprocessing.set_start_method("fork")
            workers = [multiprocessing.Process(target=work, args=(server.last_endpoint,)) for _ in range(2)]
            for worker in workers:
                worker.start()
            tasks, results, idle = list(range(6)), {}, 0
            while idle < 2:
                identity, _, answer = server.recv_multipart()
                if answer:
                    number, square = pickle.loads(answer)
                    results[number] = square
                task = tasks.pop() if tasks else None
                idle += task is None
                server.send_multipart([identity, b"", pickle.dumps(task)])
            for worker in workers:
                worker.join()
                assert worker.exitcode == 0
            print([results[n] for n in sorted(results)])
        """)

    def test_control_c_interrupts_a_blocked_call(self):
        for call in ("socket.recv()", "socket.recv(copy=False)", "socket.poll()", "zmq.select([socket], [], [])",
                     "blocked.send(b'x')", "zmq.proxy(socket, other)"):
            with self.subTest(call=call):
                process = python(f"""
                    import zmq
                    context = zmq.Context()
                    socket, other = context.socket(zmq.DEALER), context.socket(zmq.DEALER)
                    socket.bind("tcp://127.0.0.1:*")
                    blocked = context.socket(zmq.PUSH)
                    print("blocking", flush=True)
                    try:
                        while True:
                            {call}
                    except KeyboardInterrupt:
                        print("interrupted")
                """)
                self.assertEqual("blocking\n", process.stdout.readline())
                self.wait_until_asleep(process.pid)
                process.send_signal(signal.SIGINT)
                self.assertEqual("interrupted\n", self.finish(process))

    def wait_until_asleep(self, pid):
        """Waits until the main thread of a process has slept for a while without a pause."""
        asleep = 0
        deadline = time.monotonic() + LIMIT
        while asleep < 5 and time.monotonic() < deadline:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                state = stat.read().rpartition(")")[2].split()[0]
            asleep = asleep + 1 if state == "S" else 0
            time.sleep(0.02)  # a program that sleeps tells nobody

    def test_programs_that_forget_to_clean_up_end_all_the_same(self):
        self.expect("done", """
            import zmq
            context = zmq.Context()
            sockets = [context.socket(kind) for kind in (zmq.PUSH, zmq.PULL, zmq.PUB, zmq.SUB, zmq.DEALER, zmq.ROUTER)]
            for socket in sockets:
                socket.linger = 0
                socket.bind("tcp://127.0.0.1:*")
                socket.connect("tcp://127.0.0.1:9")
            sockets[0].send(b"for nobody", zmq.DONTWAIT)
            print("done")
        """)
        self.expect("done", """
            import os, threading, zmq
            socket = zmq.Context.instance().socket(zmq.PULL)
            socket.bind("inproc://x")
            threading.Thread(target=socket.recv, daemon=True).start()
            socket.get(zmq.TYPE)
            print("done", flush=True)
            os._exit(0)
        """)

    def test_a_peer_on_libzmq_notices_that_we_hang(self):
        peer = zlink_python.Peer()
        self.addCleanup(peer.close)
        for options in ({"HEARTBEAT_IVL": 50, "HEARTBEAT_TIMEOUT": 300}, {}):
            peer.open("PULL", **options)
            peer.monitor()
            endpoint = peer.bind("tcp://127.0.0.1:*")
            # What goes into a dead connection is lost, so every word is repeated until it has been heard.
            process = python(f"""
                import select, sys, zmq
                context = zmq.Context()
                socket = context.socket(zmq.PUSH)
                socket.heartbeat_ivl, socket.heartbeat_ttl, socket.linger = 50, 300, 0
                socket.connect("{endpoint}")
                for word in (b"first", b"second"):
                    while not select.select([sys.stdin], [], [], 0.05)[0]:
                        socket.send(word)
                    sys.stdin.readline()
            """)
            self.assertEqual(["first"], peer.take())
            for _ in range(10):
                process.send_signal(signal.SIGSTOP)
                noticed = peer.await_event("EVENT_DISCONNECTED", timeout_ms=2000)
                process.send_signal(signal.SIGCONT)
                if noticed:
                    break
                time.sleep(0.2)  # it may have hung before its first heartbeat, which tells the time to live
            self.assertTrue(noticed)
            self.assertTrue(peer.await_event("EVENT_HANDSHAKE_SUCCEEDED"))
            process.stdin.write("go on\n")
            process.stdin.flush()
            while (words := peer.take()) != ["second"]:
                self.assertEqual(["first"], words)
            self.finish(process)
            peer.close_socket()

    def test_a_program_linked_to_libzmq_runs_without_a_rebuild(self):
        """libzmq_peer is compiled against the distribution's header and library."""
        program = os.path.join(os.environ["ZLINK_TEST_BIN_DIR"], "libzmq_peer")
        everything = "1 0 500 0,1,40,255,256,8191,8192,65536"
        for sender, receiver in (("PAIR", "PAIR"), ("PUSH", "PULL"), ("DEALER", "DEALER"), ("REQ", "REP")):
            count = 1 if sender == "REQ" else 500
            commands = everything.replace("500", str(count))
            first = subprocess.Popen([program, sender], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            second = subprocess.Popen([program, receiver], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            first.stdin.write("library\nbind tcp://127.0.0.1:*\n")
            first.stdin.flush()
            self.assertEqual("ok zlink 4.3.5\n", first.stdout.readline())
            endpoint = first.stdout.readline().split()[1]
            first.stdin.write(f"send {commands}\n")
            second.stdin.write(f"library\nconnect {endpoint}\nrecv {commands}\n")
            first.stdin.flush()
            second.stdin.flush()
            self.assertEqual("ok zlink 4.3.5\nok \nok \n", self.finish(second))
            self.assertEqual("ok \n", self.finish(first))

    def test_a_c_program_compiled_against_libzmqs_header(self):
        source = r"""
            #include <zmq.h>
            #include <assert.h>
            #include <stdio.h>
            #include <string.h>

            static int released;

            static void release(void *data, void *hint)
            {
                (void) data;
                (void) hint;
                ++released;
            }

            int main(void)
            {
                int major, minor, patch;
                zmq_version(&major, &minor, &patch);
                void *context = zmq_ctx_new();
                void *server = zmq_socket(context, ZMQ_REP);
                void *client = zmq_socket(context, ZMQ_REQ);
                assert(zmq_bind(server, "tcp://127.0.0.1:*") == 0);
                char endpoint[100];
                size_t size = sizeof endpoint;
                assert(zmq_getsockopt(server, ZMQ_LAST_ENDPOINT, endpoint, &size) == 0);
                assert(zmq_connect(client, endpoint) == 0);

                static char body[100000];
                memset(body, 'x', sizeof body);
                zmq_msg_t message;
                assert(zmq_msg_init_data(&message, body, sizeof body, release, NULL) == 0);
                assert(zmq_msg_send(&message, client, ZMQ_SNDMORE) == sizeof body);
                assert(zmq_send(client, "end", 3, 0) == 3);

                zmq_pollitem_t item = {server, 0, ZMQ_POLLIN, 0};
                assert(zmq_poll(&item, 1, 10000) == 1);
                assert(zmq_msg_init(&message) == 0);
                assert(zmq_msg_recv(&message, server, 0) == sizeof body && zmq_msg_more(&message));
                assert(memcmp(zmq_msg_data(&message), body, sizeof body) == 0);
                assert(strcmp(zmq_msg_gets(&message, "Socket-Type"), "REQ") == 0);
                char text[10];
                assert(zmq_recv(server, text, sizeof text, 0) == 3 && memcmp(text, "end", 3) == 0);
                assert(zmq_msg_send(&message, server, 0) == sizeof body);
                assert(zmq_recv(client, body, sizeof body, 0) == sizeof body);
                assert(zmq_close(server) == 0 && zmq_close(client) == 0 && zmq_ctx_term(context) == 0);
                printf("%d.%d.%d released %d\n", major, minor, patch, released);
                return 0;
            }
        """
        with tempfile.TemporaryDirectory() as directory:
            program = directory + "/program"
            environment = zlink_python.foreign_environment()
            # An installed zlink comes first otherwise, in /usr/local/include and in the loader's cache.
            chosen = ["-include", "/usr/include/zmq.h",
                      "-Wl,--enable-new-dtags,-rpath," + os.environ["ZLINK_BUILD_DIR"] +
                      "/distribution"]
            subprocess.run([os.environ.get("CC") or "cc", *chosen, "-x", "c", "-", "-x", "none", "-o", program,
                            os.environ["ZLINK_SYSTEM_LIBZMQ"]], input=source, text=True, check=True, env=environment)
            elsewhere = subprocess.run([program], capture_output=True, text=True, timeout=LIMIT, env=environment)
            self.assertNotIn("4.3.5 ", elsewhere.stdout, "built for the distribution's own libzmq")
            here = subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual("4.3.5 released 1\n", self.finish(here))


if __name__ == "__main__":
    unittest.main(verbosity=2)
