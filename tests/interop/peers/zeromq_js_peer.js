// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A foreign peer on the package zeromq of npm, whose addon carries a libzmq of its own. It obeys the commands of
// ../peer_program.hpp that do not need a STREAM socket.
"use strict";
const zmq = require("zeromq");

const patience = 20000;
const types = {
  PAIR: "Pair", PUB: "Publisher", SUB: "Subscriber", REQ: "Request", REP: "Reply", DEALER: "Dealer",
  ROUTER: "Router", PULL: "Pull", PUSH: "Push", XPUB: "XPublisher", XSUB: "XSubscriber",
};

// ../seeded_content.hpp in JavaScript. The state is two halves of 32 bits: BigInt is too slow for 16 MB.
const seededFrame = (size, seed, number, part) => {
  const room = Buffer.alloc((size + 7) & ~7);
  const mask = (1n << 64n) - 1n;
  const start =
    (((BigInt(seed) + 1n) * 0x9e3779b97f4a7c15n) & mask) ^
    (((BigInt(number) + 1n) * 0xc2b2ae3d27d4eb4fn) & mask) ^
    ((BigInt(part) << 56n) & mask);
  let low = Number(start & 0xffffffffn) | 0;
  let high = Number(start >> 32n) | 0;
  let at = 0;
  if (part === 0 && size >= 8) {
    room.writeBigUInt64LE(BigInt(number), 0);
    at = 8;
  }
  const a0 = 0x7f2d, a1 = 0x4c95, factorLow = 0x4c957f2d, factorHigh = 0x5851f42d;
  for (; at < size; at += 8) {
    // The upper half of low * factorLow, by halves of 16 bits.
    const b0 = low & 0xffff, b1 = low >>> 16;
    const cross = a1 * b0 + ((a0 * b0) / 65536 >>> 0);
    const second = a0 * b1 + (cross % 65536);
    const carried = a1 * b1 + Math.floor(cross / 65536) + Math.floor(second / 65536);
    high = (carried + Math.imul(high, factorLow) + Math.imul(low, factorHigh)) | 0;
    const sum = (Math.imul(low, factorLow) >>> 0) + 0xf767814f;
    low = sum | 0;
    high = (high + 0x14057b7e + (sum > 0xffffffff ? 1 : 0)) | 0;
    room.writeInt32LE(low ^ ((low >>> 29) | (high << 3)), at);
    room.writeInt32LE(high ^ (high >>> 29), at + 4);
  }
  return room.subarray(0, size);
};
const seededMessage = (seed, number, sizes) => sizes.map((size, part) => seededFrame(size, seed, number, part));

// \xNN stands for any byte.
const bytes = (text) =>
  Buffer.from(text.replace(/\\x([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))), "latin1");
const shown = (frames) =>
  frames
    .map((frame) =>
      frame.length === 0
        ? "-"
        : frame
            .subarray(0, 100)
            .toString("latin1")
            .replace(/[^!-[\]-~]/g, (c) => "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0")),
    )
    .join(" ");
const framesOf = (words) => words.map((word) => (word === "-" ? Buffer.alloc(0) : bytes(word)));
const sizesOf = (text) => text.split(",").map(Number);
const same = (left, right) => left.length === right.length && left.every((frame, i) => frame.equals(right[i]));

const socket = new zmq[types[process.argv[2]]]({ linger: 0 });
if ("sendTimeout" in socket) socket.sendTimeout = patience;
if ("receiveTimeout" in socket) socket.receiveTimeout = patience;

let envelope = [];
let asked = [];
let handler = null;

// A ZAP handler (RFC 27) that answers every request in the same way.
const answer = async (status, user) => {
  handler = new zmq.Reply({ linger: 0 });
  await handler.bind("inproc://zeromq.zap.01");
  (async () => {
    for await (const request of handler) {
      asked = request;
      await handler.send(["1.0", "1", status, "", user, ""]);
    }
  })().catch(() => {});
};

const opened = (frames) => {
  if (!same(envelope, frames.slice(0, envelope.length))) throw Error(`without the envelope: ${shown(frames)}`);
  return frames.slice(envelope.length);
};
const expect = (wanted, got, number) => {
  if (!same(wanted, got)) {
    const found = got[0]?.length >= 8 ? `, number ${got[0].readBigUInt64LE(0)}` : "";
    throw Error(`wrong content instead of message ${number}: frames of ${got.map((frame) => frame.length)}${found}`);
  }
};
const send = (frames) => socket.send(frames);
// libzmq 4.3 wakes a server with a ZAP handler for the user's name, which comes down the queue before the first message.
// receive() then finds no message, and tells of a timeout long before one.
const receive = async () => {
  const end = Date.now() + patience;
  while (true) {
    try {
      return await socket.receive();
    } catch (error) {
      if (error.code !== "EAGAIN" || Date.now() >= end) throw error;
    }
  }
};
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const lines = [];
let wake = null;
let ended = false;

const commands = {
  library: () => `zeromq.js ${require("zeromq/package.json").version} on libzmq ${zmq.version}`,
  set: (option, value) => {
    socket.setInt32Option(Number(option), Number(value));
  },
  text: (option, value = "") => {
    socket.setStringOption(Number(option), bytes(value));
  },
  bind: async (endpoint) => {
    await socket.bind(endpoint);
    return socket.lastEndpoint;
  },
  connect: (endpoint) => socket.connect(endpoint),
  unbind: (endpoint) => socket.unbind(endpoint),
  disconnect: (endpoint) => socket.disconnect(endpoint),
  envelope: (...words) => {
    envelope = framesOf(words);
  },
  send: async (seed, first, count, sizes) => {
    for (let number = Number(first); number < Number(first) + Number(count); ++number) {
      await send([...envelope, ...seededMessage(seed, number, sizesOf(sizes))]);
    }
  },
  recv: async (seed, first, count, sizes) => {
    for (let number = Number(first); number < Number(first) + Number(count); ++number) {
      const got = opened(await receive());
      expect(seededMessage(seed, number, sizesOf(sizes)), got, number);
    }
  },
  run: async (seed, last, sizes) => {
    let first = null;
    let number = -1;
    let count = 0;
    while (number !== Number(last)) {
      const got = opened(await receive());
      const before = number;
      number = Number(got[0].readBigUInt64LE(0));
      expect(seededMessage(seed, number, sizesOf(sizes)), got, number);
      if (number <= before) throw Error(`${number} after ${before}`);
      first ??= number;
      ++count;
    }
    return `${first} ${count}`;
  },
  // Full means that it stays so for a while.
  flood: async (seed, sizes) => {
    const body = (number) => [...envelope, ...seededMessage(seed, number, sizesOf(sizes))];
    let count = 0;
    socket.sendTimeout = 200;
    try {
      for (; ; ++count) await send(body(count));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    } finally {
      socket.sendTimeout = patience;
    }
    return String(count);
  },
  echo: async (count) => {
    for (let i = 0; i < Number(count); ++i) await send(await receive());
  },
  post: (...words) => send(framesOf(words)),
  take: async () => shown(await receive()),
  until: async (prefix, forbidden) => {
    while (true) {
      const got = await receive();
      const first = got[0].toString("latin1");
      if (forbidden && first.startsWith(forbidden)) throw Error(`unwanted message: ${shown(got)}`);
      if (first.startsWith(bytes(prefix).toString("latin1"))) return shown(got);
    }
  },
  publish: async (...topics) => {
    let number = 0;
    while (lines.length === 0 && !ended) {
      for (let burst = 0; burst < 10; ++burst) {
        for (const topic of topics) await send([`${topic} ${number}`]);
        ++number;
      }
      await pause(1);
    }
    return String(number);
  },
  zap: answer,
  asked: () => shown(asked),
};

const serve = async () => {
  let unfinished = "";
  process.stdin.setEncoding("latin1");
  process.stdin.on("data", (text) => {
    const parts = (unfinished + text).split("\n");
    unfinished = parts.pop();
    lines.push(...parts);
    wake?.();
  });
  process.stdin.on("end", () => {
    ended = true;
    wake?.();
  });
  while (true) {
    while (lines.length === 0 && !ended) await new Promise((resolve) => (wake = resolve));
    if (lines.length === 0) break;
    const line = lines.shift();
    const [name, ...words] = line.split(" ").filter((word) => word);
    try {
      if (!(name in commands)) throw Error("no such command");
      const value = await commands[name](...words);
      process.stdout.write(`ok ${value ?? ""}\n`);
    } catch (error) {
      process.stdout.write(`failed ${line.slice(0, 80)}: ${String(error).replace(/\n/g, " ")}\n`);
    }
  }
  socket.close();
  handler?.close();
};

serve();
