/**
 * Creates HTTP servers. Importing node:http as a module would also load its lazy parts, such as the WebSocket client of
 * Node 22, which takes a third of a start.
 */
export const { createServer } = process.getBuiltinModule("node:http");
