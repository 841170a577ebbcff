import type { Operation } from "../spec/operation.ts";
import { OPERATIONS } from "../spec/operations.ts";
import { createRouter, segmentsOf } from "../spec/path.ts";
import type { Send, WireReply, WireRequest } from "./http-message.ts";

/** Which operations a server has, as far as its replies have shown. */
export interface Surface {
  /** Whether the server is said to implement a section or an operation. */
  isClaimed(word: string): boolean;
  /** The operation that the server is known not to have: `POST /threads`. */
  absent(request: WireRequest): string | undefined;
  /** The same, after the reply to the request. */
  absentAfter(request: WireRequest, reply: WireReply): Promise<string | undefined>;
}

/** An operation at one of its paths. */
interface ListedOperation extends Pick<Operation, "section" | "server"> {
  /** `POST /threads` */
  readonly name: string;
}

const LISTED: readonly (ListedOperation & { readonly method: string; readonly path: string })[] =
  Object.values<Operation>(OPERATIONS).flatMap(({ method, path, alsoAt = [], section, server }) =>
    [path, ...alsoAt].map((at) => ({ name: `${method} ${at}`, method, path: at, section, server })),
  );

const TEMPLATES = createRouter(() => LISTED.map((row) => ({ methods: [row.method], path: row.path, row })));

/** Whether a word names this operation: by its method and path, or by its section. */
const isNamed = ({ name, section }: ListedOperation, word: string) => word === name || word === section;

/** The words that name no operation. */
export function unknownOperations(words: readonly string[]): readonly string[] {
  return words.filter((word) => !LISTED.some((row) => isNamed(row, word)));
}

const NOT_ALLOWED = 405;
const NOT_IMPLEMENTED = 501;
const NOT_FOUND = 404;

/**
 * Learns from the replies of a server. An operation is absent when it answers 405 or 501, or when its 404 is the
 * one that a path gets which no server has. An operation that ever answered otherwise is there, and so are those
 * that the server is said to implement: sections such as 4.8, or operations such as `POST /runs/stream`.
 */
export function createSurface(send: Send, implemented: readonly string[] = []): Surface {
  const present = new Set<string>();
  const missingPaths = new Set<string>();
  const unknown = new Map<string, Promise<string>>();

  /** The reply to a path that no server has. */
  function unknownReply(
    { region, method, headers, body }: WireRequest,
    { server }: ListedOperation,
  ): Promise<string> {
    const key = `${region} ${server} ${method}`;
    // The agent server may have an address of its own, which is found by the path.
    const path = `${server === "agent" ? "/threads-" : "/api/v1/"}no-such-path-of-any-server`;
    const request = { region, method, path, headers, body };
    const earlierReply = unknown.get(key) ?? send(request).then((reply) => plainOf(reply, path));
    unknown.set(key, earlierReply);
    // A connection that fails once may work for the next case.
    earlierReply.catch(() => unknown.delete(key));
    return earlierReply;
  }

  async function isMissing(
    request: WireRequest,
    reply: WireReply,
    operation: ListedOperation,
  ): Promise<boolean> {
    if (reply.status !== NOT_FOUND) return [NOT_ALLOWED, NOT_IMPLEMENTED].includes(reply.status);
    return plainOf(reply, request.path) === (await unknownReply(request, operation));
  }

  function operationOf(request: WireRequest): ListedOperation | undefined {
    const operation = listedOperation(request);
    return operation && implemented.some((word) => isNamed(operation, word)) ? undefined : operation;
  }

  return {
    isClaimed: (word) => implemented.includes(word),
    absent(request) {
      const name = operationOf(request)?.name;
      return name !== undefined && missingPaths.has(keyOf(request, name)) ? name : undefined;
    },
    async absentAfter(request, reply) {
      const operation = operationOf(request);
      if (operation === undefined) return undefined;
      const { name } = operation;
      const key = keyOf(request, name);
      if (present.has(key)) return undefined;
      if (!(await isMissing(request, reply, operation))) {
        present.add(key);
        return undefined;
      }
      // An unknown id may get the same 404, so that only paths without one are settled for good.
      if (!name.includes("{")) missingPaths.add(key);
      return name;
    },
  };
}

function keyOf({ region }: WireRequest, name: string): string {
  return `${region} ${name}`;
}

/** The operation that a request calls, also at its other paths. */
function listedOperation({ method, path }: WireRequest): ListedOperation | undefined {
  const route = TEMPLATES.find(method, segmentsOf(path.split("?")[0] ?? ""));
  return route && "row" in route ? route.row : undefined;
}

/** A reply without what differs between two requests: the path, numbers and ids. */
function plainOf({ status, headers, text }: WireReply, path: string): string {
  const [bare = ""] = path.split("?");
  const body = text
    .replaceAll(path, "")
    .replaceAll(bare, "")
    .replace(/[0-9a-f-]{8,}|\d+/gi, "");
  return `${status} ${headers["content-type"] ?? ""} ${body}`;
}
