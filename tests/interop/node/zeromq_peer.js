// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The foreign peer that is libzmq with its drafts, so with ws: the package zeromq. One socket at a time.
"use strict";
const zmq = require("zeromq");
const { serve, toFrames, toText } = require("./calls.js");

const patience = 20000;
let socket = null;

// Those of the draft API warn when they are loaded.
const typeNamed = (name) => zmq[name] ?? require("zeromq/draft")[name];

const close = () => {
  socket?.close();
  socket = null;
};

// A ZAP handler (RFC 27) for this one user.
const admit = async (user, password) => {
  const handler = new zmq.Reply({ linger: 0 });
  await handler.bind("inproc://zeromq.zap.01");
  (async () => {
    for await (const [version, request, , , , mechanism, ...given] of handler) {
      const good = String(mechanism) === "PLAIN" && String(given[0]) === user && String(given[1]) === password;
      await handler.send([version, request, good ? "200" : "400", "", good ? user : "", ""]);
    }
  })();
};

serve({
  admit,
  library: () => [zmq.version, zmq.capability.draft],
  open: (type, options) => {
    close();
    socket = new (typeNamed(type))(options);
    const waits = { linger: 0, sendTimeout: patience, receiveTimeout: patience };
    const marks = { sendHighWaterMark: 0, receiveHighWaterMark: 0 };
    for (const [name, value] of Object.entries({ ...waits, ...marks })) if (name in socket) socket[name] = value;
  },
  close,
  bind: async (endpoint) => {
    await socket.bind(endpoint);
    return socket.lastEndpoint;
  },
  connect: (endpoint) => socket.connect(endpoint),
  disconnect: (endpoint) => socket.disconnect(endpoint),
  subscribe: (topic) => socket.subscribe(topic),
  send: (frames) => socket.send(toFrames(frames)),
  receive: async () => toText(await socket.receive()),
  // Of the draft API's types: a message has one frame, and { routingId } or { group } with some of them.
  join: (group) => socket.join(group),
  sendTo: (frame, address) => socket.send(...toFrames([frame]), ...(address ? [address] : [])),
  receiveFrom: async () => {
    const [frame, address] = await socket.receive();
    return [...toText([frame]), address?.group ? { group: String(address.group) } : (address ?? null)];
  },
  // There and back, so often.
  echo: async (count) => {
    for (let i = 0; i < count; ++i) await socket.send(await socket.receive());
  },
  // Resolves once an event of this type has come; the ones before are passed over.
  awaitEvent: async (type) => {
    for (let event = await socket.events.receive(); event.type !== type; event = await socket.events.receive()) {
      if (event.type === "end") throw new Error(`no ${type}`);
    }
  },
});
