import { integer, mapOf, maybe, object, oneOf, optional, text } from "../../contracts/spec/fields.ts";
import { formatInstant, type Instant } from "../kernel/instant.ts";
import { Refusal } from "../kernel/refusal.ts";
import { control, type Lines } from "../subjects/control-operation.ts";
import { CONTROL_PREFIX } from "../subjects/control-prefix.ts";
import type { HttpRequest } from "../subjects/message.ts";
import type { Recording, RecordingHeader } from "../subjects/recording.ts";
import type { LimitSettings } from "../subjects/settings.ts";
import {
  newSubstitutes,
  recordedHeaders,
  recordOf,
  type StoredRequest,
  storedRequest,
} from "./recorded-request.ts";

const MAX_SHOWN_CHARACTERS = 200;

/** A line of the recording. Streams and replies that were too long to record have no `reply`, and cannot be checked. */
const EXCHANGE = object({
  at: optional(text()),
  region: optional(oneOf(["us", "eu"])),
  method: text({ minLength: 1 }),
  path: text({ pattern: "^/" }),
  query: optional(text()),
  headers: optional(mapOf(text())),
  body: maybe(text()),
  status: integer({ minimum: 100, maximum: 599 }),
  reply: text(),
});

type RecordingLimits = Pick<LimitSettings, "recorded_requests" | "recorded_bytes" | "recorded_body_bytes">;

/** Retains the newest requests of a world, within the limits. */
export function createRecording(
  isFresh: boolean,
  { recorded_requests, recorded_bytes, recorded_body_bytes }: RecordingLimits,
): Recording {
  /** A ring: request n is at n modulo the capacity. */
  const ring: (StoredRequest | undefined)[] = [];
  let [first, next] = [0, 0];
  let headers: StoredRequest["headers"] = {};
  let bytes = 0;
  let arrivals = 0;
  let pendingCount = 0;

  function dropFirst(): void {
    bytes -= ring[first % recorded_requests]?.bytes ?? 0;
    ring[first % recorded_requests] = undefined;
    first += 1;
  }

  const inOrder = () => ring.flatMap((each) => each ?? []).sort((a, b) => a.arrival - b.arrival);

  return {
    begin(request, { now, lastTurn: turn }) {
      arrivals += 1;
      const arrival = arrivals;
      // No recording contains the reads of the control API, one of which reads it.
      const counted = isControlRead(request) ? 0 : 1;
      pendingCount += counted;
      return {
        store(reply) {
          headers = recordedHeaders(request, headers);
          const storedExchange = storedRequest(
            { arrival, at: now, turn, headers },
            request,
            reply,
            recorded_body_bytes,
          );
          bytes += storedExchange.bytes;
          while (next - first === recorded_requests || bytes > recorded_bytes) dropFirst();
          ring[next % recorded_requests] = storedExchange;
          next += 1;
        },
        end() {
          pendingCount -= counted;
        },
      };
    },
    facts: () => ({
      complete: isFresh && first === 0,
      dropped: first,
      pending: pendingCount,
      start_turn: inOrder()[0]?.turn ?? 0,
    }),
    requests() {
      const substitutes = newSubstitutes();
      return inOrder().map((each) => recordOf(each, substitutes));
    },
    summaries: () =>
      inOrder().map(({ arrival, at, method, path, status }) => ({
        number: arrival,
        at: formatInstant(at),
        method,
        path,
        status,
      })),
    find(number) {
      const request = inOrder().find(({ arrival }) => arrival === number);
      return request && recordOf(request, newSubstitutes());
    },
  };
}

/** The requests up to an instant, for reads of the history, which are not recorded themselves. */
export function recordingUpTo(recording: Recording, now: Instant): Recording {
  const until = formatInstant(now);
  return {
    ...recording,
    begin: () => ({ store: () => undefined, end: () => undefined }),
    requests: () => recording.requests().filter(({ at }) => at <= until),
    summaries: () => recording.summaries().filter(({ at }) => at <= until),
  };
}

/** The operation that returns the recorded requests. */
export const RECORDING_OPERATIONS = [
  control({
    method: "GET",
    path: "/recording",
    summary: "Return the latest requests and their replies as NDJSON; credentials are masked.",
    run: ({ recording, world }): Lines => ({ lines: linesOf(recording, world.seed) }),
  }),
  control({
    method: "POST",
    path: "/recording/check",
    recorded: false,
    summary:
      "Check one exchange (a request with its reply), given as a line of the recording, against the contract.",
    body: EXCHANGE,
    async run(context, { body }) {
      const verdict = await context.checkExchange({
        query: "",
        region: "us",
        headers: {},
        body: null,
        ...body,
      });
      if (verdict) return verdict;
      const call = `${body.method} ${body.path}`.slice(0, MAX_SHOWN_CHARACTERS);
      throw new Refusal(
        422,
        "not_of_this_api",
        `${call} is not an operation of the API, so it cannot be checked.`,
        "GET /openapi.json lists the operations.",
      );
    },
  }),
] as const;

async function* linesOf(recording: Recording, seed: number): AsyncIterable<string> {
  const requests = recording.requests();
  const { complete, ...facts } = recording.facts();
  const header: RecordingHeader = { seed, complete, requests: requests.length, ...facts };
  yield `${JSON.stringify(header)}\n`;
  for (const request of requests) yield `${JSON.stringify(request)}\n`;
}

function isControlRead({ method, path }: HttpRequest): boolean {
  return method === "GET" && path.startsWith(CONTROL_PREFIX);
}
