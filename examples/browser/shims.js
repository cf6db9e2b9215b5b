// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What jszmq takes from Node, for a page.
export { Buffer } from "buffer";
export * as process from "process/browser";
