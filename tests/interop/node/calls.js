// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Reads calls and writes answers as JSON lines, like ../pyzmq_peer.py: serve(functions by name). One call at a time.
"use strict";
const readline = require("readline");

exports.serve = async (calls) => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [name, parameters, named] = JSON.parse(line);
    let answer;
    try {
      answer = { value: (await calls[name](...parameters, named)) ?? null };
    } catch (error) {
      answer = { error: `${name}: ${error.stack}` };
    }
    process.stdout.write(JSON.stringify(answer) + "\n");
  }
  process.exit(0);
};

// Frames travel as base64.
exports.toText = (frames) => frames.map((frame) => Buffer.from(frame).toString("base64"));
exports.toFrames = (texts) => texts.map((text) => Buffer.from(text, "base64"));
