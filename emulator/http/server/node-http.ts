/**
 * Makes HTTP servers. As an imported module node:http would load all that it offers only on demand too, since Node 22 a
 * client of web sockets among it: a third of what a start takes.
 */
export const { createServer } = process.getBuiltinModule("node:http");
