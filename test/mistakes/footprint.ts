import type { Send, WireReply, WireRequest } from "../../contracts/engine/http-message.ts";
import { runCases } from "../../contracts/engine/run.ts";
import type { Target } from "../../contracts/engine/target.ts";
import type { Case } from "../../contracts/index.ts";
import type { Change, SendWrapper } from "./row.ts";

/** What a case sent to the emulator as it is, and the replies. */
type Footprint = (readonly [request: WireRequest, reply: WireReply])[];

/** By the id of the case. */
export type Footprints = ReadonlyMap<string, Footprint>;

export async function footprintsOf(target: Target, cases: readonly Case[]): Promise<Footprints> {
  const footprints = new Map<string, Footprint>();
  await runCases(target, {
    cases,
    observe({ id }, session) {
      const footprint: Footprint = [];
      footprints.set(id, footprint);
      const send: Send = async (request) => {
        const reply = await session.send(request);
        footprint.push([request, reply]);
        return reply;
      };
      return { ...session, send };
    },
  });
  return footprints;
}

/** The cases on which a change has an effect. */
export async function affected(
  { settings, among, objects, file, deliveries, send }: Change,
  cases: readonly Case[],
  footprints: Footprints,
): Promise<readonly Case[]> {
  const isAffected: boolean[] = [];
  for (const { id } of cases) {
    const footprint = footprints.get(id) ?? [];
    const hasExports = footprint.some(([{ path }]) => path.includes("/bulk-exports"));
    const hasWebhooks = footprint.some(([{ body }]) => body?.includes("webhook"));
    isAffected.push(
      (settings !== undefined && (!among || among.test(id))) ||
        ((objects || file) !== undefined && hasExports) ||
        (deliveries !== undefined && hasWebhooks) ||
        (send !== undefined && (await altersAny(send, footprint))),
    );
  }
  return cases.filter((_, index) => isAffected[index]);
}

/** Until its first effect a changed server answers as the unchanged one did. */
async function altersAny(send: SendWrapper, footprint: Footprint): Promise<boolean> {
  let lastRequest: WireRequest | undefined;
  let recordedReply: WireReply = { status: 0, headers: {}, text: "" };
  const replayed = send(async (request) => {
    lastRequest = request;
    return recordedReply;
  });
  for (const [request, reply] of footprint) {
    lastRequest = undefined;
    recordedReply = reply;
    const answer = await replayed(request);
    const isSame =
      answer.status === reply.status && answer.text === reply.text && answer.headers === reply.headers;
    if (!isSame || JSON.stringify(lastRequest) !== JSON.stringify(request)) return true;
  }
  return false;
}
