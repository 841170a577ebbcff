import { type ControlClient, createControlClient } from "../emulator/client/control-client.ts";
import { ErrorReply, NoReply } from "../emulator/client/send.ts";
import { replyOverHttp, sendOverHttp } from "../emulator/client/send-over-http.ts";
import type { Status } from "../emulator/client/views.ts";
import {
  type Environment,
  EnvironmentError,
  type EnvironmentOptions,
  type Environments,
  type ReadParquet,
  refuseGone,
} from "./environment.ts";
import { differences } from "./matching.ts";

/** Creates a world for each scenario at a running emulator; one that refuses worlds is reset and used whole. */
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

/** Whether the emulator supports worlds: without them the path is unknown. */
function isKnownPath(error: unknown): boolean {
  if (error instanceof ErrorReply) return error.status !== 404;
  throw error;
}

/** One world, reset for each scenario. */
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

/** A new world for each scenario, removed afterwards. */
function openWorlds(url: string, readParquet: ReadParquet): Environments {
  const open = new Set<string>();
  let isClosed = false;

  async function remove(id: string): Promise<void> {
    open.delete(id);
    // Another client may have removed it, or the emulator may have stopped.
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
      if (isClosed) throw new EnvironmentError("the replay was interrupted");
      if (setting.isAlone)
        throw new EnvironmentError(
          "it uses what all worlds of an emulator share; play it without --target, or with --world main",
        );
      const { seed, now } = setting;
      const order = { from: "seeded", clock: "frozen", seed, now } as const;
      const { id } = await asked(url, ({ worlds }) => worlds.create(order));
      open.add(id);
      try {
        if (isClosed) throw new EnvironmentError("the replay was interrupted");
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

/** Freezes the clock unless it is frozen: freezing again would add a turn to the journal. */
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
      `it needs settings (${unmet.join(", ")}) that this emulator does not have; play it without --target`,
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
  const actualSettings: Readonly<Record<string, unknown>> = { ...had, rate_limits: had.rateLimits };
  return unmet.flatMap(([name, value]) =>
    differences(value, Object.hasOwn(actualSettings, name) ? actualSettings[name] : undefined).length === 0
      ? []
      : [name],
  );
}

interface Configured {
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Uses the given address, whatever address the emulator reports. */
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
      const request = { method, headers, ...(body !== undefined && { body }) };
      const reply = await answered(replyOverHttp(region === "eu" ? eu_url : base, path, request));
      return refuseGone(reply, base.split("/w/")[1] ?? "main");
    },
    readParquet,
    close,
  };
}

/** Calls the emulator; throws `EnvironmentError` with the address when it refuses or does not answer. */
async function asked<T>(url: string, act: (client: ControlClient) => Promise<T>): Promise<T> {
  try {
    return await answered(act(createControlClient(sendOverHttp(url))));
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
    const isRefusal = error.code !== undefined;
    throw new EnvironmentError(
      isRefusal ? `${url}: ${error.description}` : `${url}: ${error.message} Is it an emulator?`,
    );
  }
}

function answered<T>(reply: Promise<T>): Promise<T> {
  return reply.catch((error: unknown) => {
    throw error instanceof NoReply ? new EnvironmentError(error.message) : error;
  });
}
