import { type ControlClient, createControlClient } from "../emulator/client/control-client.ts";
import { ErrorReply, NoReply, sendTo } from "../emulator/client/send.ts";
import type { Status } from "../emulator/client/views.ts";
import {
  type Environment,
  EnvironmentError,
  type EnvironmentOptions,
  type Environments,
  type ReadParquet,
  replyOf,
} from "./environment.ts";
import { differences } from "./matching.ts";

const REPLY_TIMEOUT_MS = 10 * 60_000;

/** Worlds of the emulator at an address, one for each scenario; without worlds the whole of it serves, emptied. */
export async function openTarget(
  url: string,
  world: string | undefined,
  readParquet: ReadParquet,
): Promise<Environments> {
  if (world !== undefined)
    return openWorld(world === "main" ? url : `${url}/w/${encodeURIComponent(world)}`, readParquet);
  const hasWorlds = await asked(url, ({ worlds }) => worlds.list().then(() => true, isKnownPath));
  return hasWorlds ? openWorlds(url, readParquet) : openWorld(url, readParquet);
}

/** An emulator may refuse to list its worlds; without worlds, the path is not known. */
function isKnownPath(error: unknown): boolean {
  if (error instanceof ErrorReply) return error.status !== 404;
  throw error;
}

/** One world, which is emptied for each scenario. */
function openWorld(url: string, readParquet: ReadParquet): Environments {
  return {
    maxOpen: 1,
    keepsWorlds: true,
    async open(setting) {
      const initial = await asked(url, (client) => client.reset());
      await refuseMismatch(setting, initial, url);
      await freeze(url, initial);
      return environmentAt(url, initial, readParquet, async () => {});
    },
    close: async () => {},
  };
}

/** A world of its own for each scenario, removed behind it. */
function openWorlds(url: string, readParquet: ReadParquet): Environments {
  const open = new Set<string>();
  let isClosed = false;

  async function remove(id: string): Promise<void> {
    open.delete(id);
    // Somebody else may have removed it, or the emulator have ended: either way it is gone.
    await asked(url, ({ worlds }) => worlds.remove(id)).catch(() => undefined);
  }

  async function begin(setting: EnvironmentOptions, id: string): Promise<Environment> {
    const base = `${url}/w/${id}`;
    const initial = await asked(base, (client) => client.status());
    await refuseMismatch(setting, initial, url);
    await freeze(base, initial);
    return environmentAt(base, initial, readParquet, () => remove(id));
  }

  return {
    async open(setting) {
      if (isClosed) throw new EnvironmentError("the replay was ended");
      if (setting.isAlone)
        throw new EnvironmentError(
          "it works with what all worlds of an emulator share; play it without --target, or with --world main",
        );
      const { seed, now } = setting;
      const order = { from: "seeded", clock: "frozen", seed, now } as const;
      const { id } = await asked(url, ({ worlds }) => worlds.create(order));
      open.add(id);
      try {
        if (isClosed) throw new EnvironmentError("the replay was ended");
        return await begin(setting, id);
      } catch (error) {
        await remove(id);
        throw error;
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...open].map(remove));
    },
  };
}

/** Time that stands still already is left as it is: it would be a turn more than in this process. */
async function freeze(url: string, { clock }: Status): Promise<void> {
  if (clock.mode !== "frozen") await asked(url, (client) => client.clock.freeze());
}

async function refuseMismatch(
  { seed, now, settings }: EnvironmentOptions,
  initial: Status,
  url: string,
): Promise<void> {
  const unmet = await unmetSettings(settings, url);
  if (unmet.length > 0)
    throw new EnvironmentError(
      `it needs settings (${unmet.join(", ")}) that this emulator has not, and a running one cannot be given; play it without --target`,
    );
  if (now !== undefined && Date.parse(now) !== Date.parse(initial.now))
    throw new EnvironmentError(
      `it begins at ${now}, and ${url} begins at ${initial.now}; start that one with --clock frozen --now ${now}`,
    );
  if (seed !== undefined && seed !== initial.seed)
    throw new EnvironmentError(
      `it needs seed ${seed}, and ${url} has ${initial.seed}; start that one with --seed ${seed}`,
    );
}

/** Settings that the emulator was not started with. */
async function unmetSettings(
  settings: EnvironmentOptions["settings"],
  url: string,
): Promise<readonly string[]> {
  const unmet = Object.entries(settings);
  if (unmet.length === 0) return [];
  const { settings: had } = await asked(url, (client) => client.config<Configured>());
  const known: Readonly<Record<string, unknown>> = { ...had, rate_limits: had.rateLimits };
  return unmet.flatMap(([name, value]) =>
    differences(value, Object.hasOwn(known, name) ? known[name] : undefined).length === 0 ? [] : [name],
  );
}

interface Configured {
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The address that was given leads there, whatever the emulator calls itself. */
function environmentAt(
  base: string,
  { url, eu_url, s3_url, seed }: Status,
  readParquet: ReadParquet,
  close: Environment["close"],
): Environment {
  return {
    url,
    euUrl: eu_url,
    s3Url: s3_url,
    seed,
    async request({ region, method, path, headers, body }) {
      const reply = await fetch(`${region === "eu" ? eu_url : base}${path}`, {
        method,
        headers: { ...headers },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(REPLY_TIMEOUT_MS),
      });
      return replyOf(reply);
    },
    readParquet,
    close,
  };
}

/** Calls the emulator; what it refuses, and that nothing answers, is told with the address. */
async function asked<T>(url: string, act: (client: ControlClient) => Promise<T>): Promise<T> {
  try {
    return await act(createControlClient(sendTo(url)));
  } catch (error) {
    if (error instanceof NoReply) throw new EnvironmentError(error.message);
    if (!(error instanceof ErrorReply)) throw error;
    const isRefusal = error.code !== undefined;
    throw new EnvironmentError(
      isRefusal ? `${url}: ${error.explained}` : `${url}: ${error.message} Is it an emulator?`,
    );
  }
}
