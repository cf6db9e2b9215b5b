# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""zlink env shows every knob and option with the value in force."""
import unittest

from zlink_cli import run

KNOBS = ["ZMQ_ASIO_IN_BATCH_SIZE", "ZMQ_ASIO_OUT_BATCH_SIZE", "ZMQ_ASIO_OUT_BATCH_SIZE_SMALL",
         "ZMQ_ASIO_OUT_WRITEV_THRESHOLD", "ZMQ_ASIO_TCP_MAX_TRANSFER"]


def rows(result):
    assert result.status == 0, result
    return {line.split()[0]: line for line in result.out.decode().splitlines() if line.startswith("  ")}


class Env(unittest.TestCase):
    def test_all_knobs_are_there(self):
        table = rows(run("env"))
        for knob in KNOBS:
            self.assertIn(knob, table)
            self.assertIn("default", table[knob])

    def test_every_suffix_is_named(self):
        shown = run("env", "in_batch").out.decode()
        heading = shown.splitlines()[0]
        with_tls = ("_TLS", "_WSS") if b" tls" in run("version").out else ()
        for suffix in ("_TCP", "_IPC", "_INPROC", "_WS", *with_tls):
            self.assertIn(f"ZMQ_ASIO_IN_BATCH_SIZE{suffix} ", shown)
            self.assertRegex(heading, rf" {suffix}\b")

    def test_a_variable_shows_as_the_value_in_force(self):
        row = rows(run("env", "out_batch", env={"ZMQ_ASIO_OUT_BATCH_SIZE": "12345"}))["ZMQ_ASIO_OUT_BATCH_SIZE"]
        self.assertIn(" 12345 ", row)
        self.assertIn("environment", row)

    def test_options_have_their_defaults(self):
        table = rows(run("env"))
        for name, value in {"SNDHWM": "1000", "RCVHWM": "1000", "LINGER": "-1", "IO_THREADS": "1",
                            "MAX_SOCKETS": "1023", "BACKLOG": "100", "RECONNECT_IVL": "100", "MAXMSGSIZE": "-1",
                            "ROUTING_ID": '""'}.items():
            self.assertEqual(table[name].split()[1], value, table[name])
        self.assertIn("(set only)", table["SUBSCRIBE"])

    def test_options_that_a_socket_takes_are_there_and_no_others(self):
        table = rows(run("env"))
        for name in ("IPV4ONLY", "TCP_ACCEPT_FILTER", "IPC_FILTER_UID", "MULTICAST_MAXTPDU", "LOOPBACK_FASTPATH"):
            self.assertIn(name, table)
        self.assertIn("XSUB_VERBOSE_UNSUBSCRIBE", table)
        self.assertNotIn("NORM_MODE", table)
        self.assertNotIn("VMCI_BUFFER_SIZE", table)
        for name in ("IN_BATCH_SIZE", "OUT_BATCH_SIZE"):
            self.assertIn("(the knobs')", table[name])

    def test_sections_without_a_match_are_left_out(self):
        out = run("env", "hwm").out.decode()
        self.assertIn("SNDHWM", out)
        self.assertNotIn("Context options", out)

    def test_one_type_and_a_part_of_names(self):
        table = rows(run("env", "--type", "router", "HWM"))
        self.assertEqual({name for name in table if not name.startswith("ZMQ_")},
                         {"SNDHWM", "RCVHWM", "SNDHWM_BYTES", "RCVHWM_BYTES"})


if __name__ == "__main__":
    unittest.main()
