// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A page that subscribes, requests and answers: three sockets of jszmq, each over ws to a socket of server.c.
import { Rep, Req, Sub } from "jszmq";

const address = (port) => `ws://${location.hostname || "127.0.0.1"}:${port}/`;
const show = (id, text) => {
  document.getElementById(id).textContent = text;
};

const sub = new Sub();
sub.subscribe("time");
sub.on("message", (topic, text) => show("subscribed", `${topic}: ${text}`));
sub.connect(address(5561));

const req = new Req();
req.on("message", (answer) => show("requested", `the server says: ${answer}`));
req.connect(address(5562));
req.send("hello from the page");

const rep = new Rep();
rep.on("message", (question) => {
  show("answered", `the server asked: ${question}`);
  rep.send(`${question} is ${question.toString().length} letters long`);
});
rep.connect(address(5563));
