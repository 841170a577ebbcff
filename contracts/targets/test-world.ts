import type { Region, Send } from "../engine/http-message.ts";
import { isMembers, jsonOf } from "../engine/json.ts";
import { createRandom } from "../engine/random.ts";
import type { Addresses } from "./addresses.ts";
import { REACH } from "./reach.ts";
import { createSender, type Sender, Unreachable } from "./send.ts";

/** The world that an emulator begins with; it needs no path. */
const MAIN = "main";
const IN_WORLD = /^(.*)\/w\/([^/]+)$/;
const JSON_TYPE = { "content-type": "application/json" };

/** Base addresses of a server, which may end with `/w/<world>`. */
interface Bases {
  readonly us: string;
  readonly eu?: string | undefined;
  readonly agent?: string | undefined;
}

/** The same as a caller gives them. */
type AddressInput = Pick<Addresses, "url" | "euUrl" | "agentUrl">;

/** The world of an emulator under test. */
export interface TestWorld extends Sender {
  readonly s3Url: string;
  /** Its name, where it was made for the run. */
  readonly createdId?: string;
  /** Keeps time from moving by itself while cases move it. */
  freeze(): Promise<void>;
  /** A created world is removed with its content; in any other world, time continues as before. */
  release(): Promise<void>;
}

/** What an emulator says of one of its worlds. */
interface WorldStatus {
  readonly s3_url: string;
  readonly clock: { readonly mode: string };
}

/** The requested world, or a new one for the run; undefined without an emulator. */
export async function openTestWorld(
  addresses: AddressInput,
  requestedWorld: string | undefined,
): Promise<TestWorld | undefined> {
  const bases = basesOf(addresses);
  const worldName = requestedWorldIn(addresses, requestedWorld);
  const root = withoutWorld(bases);
  const controlSender = senderTo(inWorld(root, worldName ?? MAIN));
  try {
    const status = await statusOf(controlSender.send, "us");
    if (status)
      return (
        (worldName === undefined && (await createdWorld(root, controlSender))) ||
        existingWorld(controlSender, status)
      );
    if (requestedWorld !== undefined)
      throw new Unreachable(
        `${bases.us} is not an emulator; only emulators have worlds such as ${requestedWorld}; leave out --world`,
      );
  } catch (error) {
    controlSender.close();
    throw error;
  }
  controlSender.close();
  return undefined;
}

/** One call of the test-only surface. */
export function control(method: string, path: string, body?: unknown, region: Region = "us") {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  return { region, method, path: `/_emulator/v1${path}`, headers: JSON_TYPE, ...text } as const;
}

function existingWorld(controlSender: Sender, { s3_url, clock }: WorldStatus): TestWorld {
  return {
    ...controlSender,
    s3Url: s3_url,
    freeze: async () => void (await controlSender.send(control("POST", "/clock/freeze"))),
    async release() {
      if (clock.mode === "flowing") await controlSender.send(control("POST", "/clock/flow", {}));
    },
  };
}

/** Undefined where an emulator has no worlds but its own. */
async function createdWorld(root: Bases, controlSender: Sender): Promise<TestWorld | undefined> {
  const id = `contract-${createRandom("world", REACH.now()).word()}`;
  const order = { id, from: "seeded", clock: "frozen" };
  const { status, text } = await controlSender.send(control("POST", "/worlds", order));
  if (status === 404) return undefined;
  const world = jsonOf(text);
  if (status !== 200 || !isMembers(world))
    throw new Unreachable(
      `${root.us} could not create a world for the run: ${errorTextIn(text)} To test an existing world, give --world ${MAIN}.`,
    );
  const sender = senderTo(inWorld(root, id));
  // Another client may have removed it, or the emulator may have stopped.
  const release = async () =>
    void (await controlSender.send(control("DELETE", `/worlds/${id}`)).catch(() => undefined));
  try {
    await refuseOtherEu(root, sender.send);
  } catch (error) {
    await release();
    sender.close();
    throw error;
  }
  return {
    ...sender,
    s3Url: String(world.s3_url),
    createdId: id,
    freeze: async () => undefined,
    release,
    close() {
      sender.close();
      controlSender.close();
    },
  };
}

/** What is asked in the EU region would stay behind in the world of another emulator. */
async function refuseOtherEu({ us, eu }: Bases, send: Send): Promise<void> {
  if (eu === undefined || (await statusOf(send, "eu").catch(() => undefined)) !== undefined) return;
  throw new Unreachable(
    `${eu} is not the EU address of the emulator at ${us}; run \`emulator status\` to see it`,
  );
}

/** An emulator shows itself by its test-only surface; any other server has none. */
async function statusOf(send: Send, region: Region): Promise<WorldStatus | undefined> {
  const { status, text } = await send(control("GET", "/status", undefined, region));
  const body = jsonOf(text);
  if (status === 404 && text.includes('"unknown_world"')) throw new Unreachable(errorTextIn(text));
  const isStatus = isMembers(body) && typeof body.s3_url === "string" && isMembers(body.clock);
  // There are servers that answer every path with 200.
  return status === 200 && isStatus ? (body as never) : undefined;
}

/** Why the test-only surface refused something, and what to do about it. */
function errorTextIn(text: string): string {
  const body = jsonOf(text);
  const { message, hint = "" } = isMembers(body) && isMembers(body.error) ? body.error : { message: text };
  return `${message} ${hint}`.trim();
}

function senderTo({ us, eu, agent }: Bases): Sender {
  return createSender({ us, eu }, agent);
}

/** The worlds that are wanted, or that addresses end with: more than one is too many. */
export function worldIdsIn(
  { url, euUrl, agentUrl }: AddressInput,
  requestedWorld: string | undefined,
): readonly string[] {
  const mentioned = [requestedWorld, ...[url, euUrl, agentUrl].map((base) => IN_WORLD.exec(base ?? "")?.[2])];
  return [...new Set(mentioned.filter((world) => world !== undefined))];
}

function requestedWorldIn(addresses: AddressInput, requestedWorld: string | undefined): string | undefined {
  const [worldName, another] = worldIdsIn(addresses, requestedWorld);
  if (another === undefined) return worldName;
  throw new Unreachable(`${worldName} and ${another} are different worlds; give one`);
}

function basesOf({ url, euUrl, agentUrl }: AddressInput): Bases {
  return { us: url ?? agentUrl ?? "", eu: euUrl, agent: agentUrl };
}

function withoutWorld({ us, eu, agent }: Bases): Bases {
  const withoutSuffix = (base: string | undefined) => base?.replace(IN_WORLD, "$1");
  return { us: us.replace(IN_WORLD, "$1"), eu: withoutSuffix(eu), agent: withoutSuffix(agent) };
}

/** An agent server apart has no such world. */
function inWorld({ us, eu, agent }: Bases, world: string): Bases {
  if (world === MAIN) return { us, eu, agent };
  const worldUrl = (base: string) => `${base}/w/${world}`;
  return {
    us: worldUrl(us),
    eu: eu === undefined ? undefined : worldUrl(eu),
    agent: agent === us || agent === eu ? agent && worldUrl(agent) : agent,
  };
}
