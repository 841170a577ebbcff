import { CaseEnded, type Contract, Lacking } from "./contract.ts";
import { instantOf, iso } from "./instant.ts";
import { jsonOrText, type Members } from "./json.ts";
import { NEEDS, type Need } from "./needs.ts";
import type { Session, TargetClock } from "./target.ts";
import type { Wire } from "./wire.ts";

const CONTROL = "/_emulator/v1";

/** The test-only operations of an emulator, and the time of any target. */
export function controlCalls(
  wire: Wire,
  { clock, reach }: Session,
  offers: ReadonlySet<Need>,
): Pick<Contract, "control" | "advance" | "now"> {
  async function control<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { "content-type": "application/json" };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const { reply } = await wire.send({ region: "us", method, path: CONTROL + path, headers, ...text });
    if (reply.status === 200) return jsonOrText(reply.text) as T;
    throw new CaseEnded(`${method} ${CONTROL}${path} returned ${reply.status}: ${reply.text.slice(0, 300)}`);
  }

  return {
    control,
    async advance(target) {
      if (!offers.has("clock")) throw new Lacking(`a target that ${NEEDS.clock}`);
      const body = typeof target === "string" ? { by: target } : target;
      return clock ? advanceTo(clock, body) : advanceFully(control, body);
    },
    async now() {
      if (clock) return clock.now();
      return offers.has("clock")
        ? instantOf((await control<{ now: string }>("GET", "/clock")).now)
        : reach.now();
    },
  };
}

/** An emulator on a busy machine stops an advance while an effect is in flight; this bounds how often the rest is requested. */
const MAX_ADVANCES = 30;

async function advanceFully(control: Contract["control"], body: Members): Promise<Members> {
  const advance = (rest: Members) => control<Members>("POST", "/clock/advance", rest);
  const first = await advance(body);
  let reply = first;
  for (let count = 1; reply.settled === false && count < MAX_ADVANCES; count++)
    reply = await advance("by" in body ? { to: endOf(first, body) } : body);
  return reply;
}

const endOf = ({ from }: Members, { by }: Members) => iso(instantOf(from) + millisecondsOf(String(by)));

async function advanceTo(clock: TargetClock, { by, to }: Members): Promise<Members> {
  const instant = by === undefined ? instantOf(to) : (await clock.now()) + millisecondsOf(String(by));
  await clock.advanceTo(instant);
  return { now: iso(instant) };
}

const DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/;

/** The duration of an advance, in milliseconds. */
function millisecondsOf(text: string): number {
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = (DURATION.exec(text) ?? [])
    .slice(1)
    .map((part) => Number(part ?? 0));
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
}
