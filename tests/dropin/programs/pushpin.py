# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""pushpin: a proxy of four processes that speak over ZeroMQ; posts through it to a web server of ours."""
import hashlib
import http.client
import http.server
import threading
import time

from stage import Debs, free_port, listens

WHAT = "posts of 10 octets (20) and 3 MB (9) through the proxy and back; the time is the median of those of 3 MB"


class Echo(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = hashlib.sha256(body).hexdigest().encode() + body
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def make(home, build):
    return Debs(home, build, "pushpin")


def post(port, body, limit=60):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=limit)
    connection.request("POST", "/", body)
    answer = connection.getresponse()
    told = answer.read()
    connection.close()
    return answer.status == 200 and told == hashlib.sha256(body).hexdigest().encode() + body


def answers(port):
    try:
        return post(port, b"first", 3)
    except OSError:  # what comes before all four have met gets no answer
        return False


def run(stage):
    port, folder = free_port(), stage.folder
    ports = [free_port() for _ in range(5)]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    root = stage.source.root
    (folder / "routes").write_text(f"* 127.0.0.1:{server.server_port}\n")
    bins = f"{root}/usr/bin"
    # Debian's asks for a zurl that the machine runs.
    internal = (root / "usr/lib/pushpin/internal.conf").read_text()
    (folder / "internal.conf").write_text(internal.replace("/var/run/zurl/", "{rundir}/{ipc_prefix}"))
    (folder / "pushpin.conf").write_text(f"""[global]
include={folder}/internal.conf
rundir={folder}/run
libdir={root}/usr/lib/pushpin
ipc_prefix=pp-
port_offset=0
stats_connection_ttl=120
cdn_loop=
[runner]
services=condure,zurl,pushpin-proxy,pushpin-handler
http_port=127.0.0.1:{port}
https_ports=
local_ports=
logdir={folder}/log
log_level=2
client_buffer_size=8192
client_maxconn=1000
allow_compression=false
condure_bin={bins}/condure
zurl_bin={bins}/zurl
proxy_bin={bins}/pushpin-proxy
handler_bin={bins}/pushpin-handler
[proxy]
routesfile={folder}/routes
debug=false
auto_cross_origin=false
accept_x_forwarded_protocol=false
set_x_forwarded_protocol=proto-only
x_forwarded_for=
x_forwarded_for_trusted=
orig_headers_need_mark=
accept_pushpin_route=false
sig_iss=pushpin
sig_key=changeme
upstream_key=
sockjs_url=http://cdn.jsdelivr.net/sockjs/1/sockjs.min.js
updates_check=off
[handler]
push_in_spec=tcp://127.0.0.1:{ports[0]}
push_in_sub_specs=tcp://127.0.0.1:{ports[1]}
push_in_sub_connect=false
push_in_http_addr=127.0.0.1
push_in_http_port={ports[2]}
push_in_http_max_headers_size=10000
push_in_http_max_body_size=1000000
stats_spec=ipc://{{rundir}}/{{ipc_prefix}}stats
command_spec=tcp://127.0.0.1:{ports[3]}
message_rate=2500
message_hwm=25000
message_block_size=
message_wait=5000
id_cache_ttl=60
connection_subscription_max=20
subscription_linger=60
stats_format=tnetstring
""")
    for name in ("run", "log"):
        (folder / name).mkdir()
    stage.environment["PATH"] = f"{bins}:{stage.environment['PATH']}"
    stage.start(f"{root}/usr/bin/pushpin", f"--config={folder}/pushpin.conf", name="pushpin")
    stage.until(lambda: listens(port) and answers(port), "the first answer", 60)
    good = sum(post(port, b"%010d" % number) for number in range(20))
    stage.note_libraries()
    times = []
    for _ in range(9):
        began = time.monotonic()
        good += post(port, b"p" * 3000000)
        times.append(time.monotonic() - began)
    server.shutdown()
    return f"{good} of 29 came back", sorted(times)[4]
