import { readFileSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { Refusal } from "../../kernel/refusal.ts";
import { MAX_FILES } from "../../storage/pool/open-files.ts";

/** At least so many are for the process itself, its threads, bodies that are read or written, and calls to other servers. */
const MIN_RESERVED = 64;
const MAX_RESERVED = 65_536;
const MIN_DESCRIPTORS = 128;
/** With more of them clients cannot use up those that are reserved. */
const MAX_FEW = 4096;

/** Divides what the system permits to have open at a time; throws a `Refusal` when that is too little to work with. */
export function divideDescriptors(permitted = permittedDescriptors()) {
  if (permitted < MIN_DESCRIPTORS)
    throw new Refusal(
      422,
      "too_few_descriptors",
      `This process may open ${permitted} files and connections, but it needs at least ${MIN_DESCRIPTORS}.`,
      "Raise the limit (`ulimit -n 1024`), then start again.",
    );
  /** Files of worlds: journals, rows and their indexes. */
  const files = Math.min(MAX_FILES, Math.floor(permitted / 4));
  const reserved = Math.max(MIN_RESERVED, Math.floor(Math.min(permitted, MAX_RESERVED * 4) / 4));
  return {
    /** Whether they may run out however they are divided. */
    areFew: permitted < MAX_FEW,
    files,
    /** Of all servers together. */
    connections: permitted - files - reserved,
  };
}

/** Infinite where the system does not say: those have no limit that a process would meet. */
function permittedDescriptors(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Refuses connections beyond a number, because files could no longer be opened. */
export function boundConnections(servers: readonly Server[], connections: number): void {
  let open = 0;
  const accept = (socket: Socket): void => {
    open += 1;
    socket.once("close", () => {
      open -= 1;
    });
    if (open > connections) turnAway(socket, connections);
  };
  for (const server of servers) server.prependListener("connection", accept);
}

function turnAway(socket: Socket, connections: number): void {
  const text = `The maximum of ${connections} connections is open. Close some, or raise the limit (ulimit -n).\n`;
  const headers = "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nContent-Type: text/plain";
  socket.on("error", () => undefined);
  socket.end(`${headers}\r\nContent-Length: ${text.length}\r\n\r\n${text}`, () => socket.destroy());
}
