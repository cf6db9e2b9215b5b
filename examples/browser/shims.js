// What jszmq takes from Node, for a page.
export { Buffer } from "buffer";
export * as process from "process/browser";
