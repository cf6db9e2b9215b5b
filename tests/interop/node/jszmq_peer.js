// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The foreign peer that is jszmq, which browsers use, on Node's WebSocket. One socket at a time.
"use strict";
const http = require("http");
const zmq = require("jszmq");
const { serve, toFrames, toText } = require("./calls.js");

let socket = null;
let server = null;
let come = [];
let waits = null;

const close = () => {
  socket?.close();
  server?.close();
  socket = server = null;
};

serve({
  open: (type, options) => {
    close();
    come = [];
    waits = null;
    socket = new zmq[type]();
    Object.assign(socket.options, options);
    socket.on("message", (...frames) => {
      if (options.echo) return void socket.send(frames);
      come.push(frames);
      waits?.();
    });
  },
  close,
  // A wildcard is for the HTTP server to find.
  bind: (path) =>
    new Promise((resolve) => {
      server = http.createServer();
      server.listen(0, "127.0.0.1", () => {
        const endpoint = `ws://127.0.0.1:${server.address().port}${path}`;
        socket.bind(endpoint, server);
        resolve(endpoint);
      });
    }),
  connect: (endpoint) => socket.connect(endpoint),
  subscribe: (topic) => socket.subscribe(topic),
  send: (frames) => void socket.send(toFrames(frames)),
  receive: async () => {
    if (come.length === 0) await new Promise((resolve) => (waits = resolve));
    return toText(come.shift());
  },
});
