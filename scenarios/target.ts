import {
  type Environment,
  EnvironmentError,
  type EnvironmentOptions,
  type Environments,
  replyOf,
} from "./environment.ts";
import { differences } from "./matching.ts";

const REPLY_TIMEOUT_MS = 10 * 60_000;

/** What an emulator says of a world. */
interface World {
  readonly url: string;
  readonly eu_url: string;
  readonly s3_url: string;
  readonly seed: number;
  readonly now: string;
  readonly clock: { readonly mode: string };
}

type MadeWorld = Omit<World, "seed"> & { readonly id: string };

/** Worlds of the emulator at an address, one for each scenario; without worlds the whole of it serves, emptied. */
export async function openTarget(url: string, world: string | undefined): Promise<Environments> {
  if (world !== undefined) return openWorld(world === "main" ? url : `${url}/w/${encodeURIComponent(world)}`);
  const { status } = await ask(url, "GET", "/worlds");
  return status === 404 ? openWorld(url) : openWorlds(url);
}

/** One world, which is emptied for each scenario. */
function openWorld(url: string): Environments {
  return {
    maxOpen: 1,
    keepsWorlds: true,
    async open(setting) {
      const initial = await control<World>(url, "POST", "/reset", {});
      await refuseMismatch(setting, initial, url);
      await freeze(url, initial);
      return environmentAt(url, initial, async () => {});
    },
    close: async () => {},
  };
}

/** A world of its own for each scenario, removed behind it. */
function openWorlds(url: string): Environments {
  const open = new Set<string>();
  let isClosed = false;

  async function remove(id: string): Promise<void> {
    open.delete(id);
    // Somebody else may have removed it, or the emulator have ended: either way it is gone.
    await ask(url, "DELETE", `/worlds/${id}`).catch(() => undefined);
  }

  async function begin(setting: EnvironmentOptions, made: MadeWorld): Promise<Environment> {
    const base = `${url}/w/${made.id}`;
    const { seed } = await control<World>(base, "GET", "/status");
    const initial = { ...made, seed };
    await refuseMismatch(setting, initial, url);
    await freeze(base, initial);
    return environmentAt(base, initial, () => remove(made.id));
  }

  return {
    async open(setting) {
      if (isClosed) throw new EnvironmentError("the replay was ended");
      if (setting.isAlone)
        throw new EnvironmentError(
          "it works with what all worlds of an emulator share; play it without --target, or with --world main",
        );
      const { seed, now } = setting;
      const request = { from: "seeded", clock: "frozen", seed, now };
      const made = await control<MadeWorld>(url, "POST", "/worlds", request);
      open.add(made.id);
      try {
        if (isClosed) throw new EnvironmentError("the replay was ended");
        return await begin(setting, made);
      } catch (error) {
        await remove(made.id);
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
async function freeze(url: string, { clock }: World): Promise<void> {
  if (clock.mode !== "frozen") await control(url, "POST", "/clock/freeze");
}

async function refuseMismatch(
  { seed, now, settings }: EnvironmentOptions,
  initial: World,
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
  const { settings: had } = await control<Configured>(url, "GET", "/config");
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
  { url, eu_url, s3_url, seed }: World,
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
    close,
  };
}

async function control<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const reply = await ask(url, method, path, body);
  if (reply.ok) return (await reply.json()) as T;
  const answer = (await reply.json().catch(() => undefined)) as Partial<Refused> | undefined;
  const { message: why = "is it an emulator?", hint = "" } = answer?.error ?? {};
  throw new EnvironmentError(
    `${url}: ${method} ${path} answered ${reply.status}: ${`${why} ${hint}`.trimEnd()}`,
  );
}

interface Refused {
  readonly error: { readonly message?: string; readonly hint?: string };
}

async function ask(url: string, method: string, path: string, body?: unknown): Promise<Response> {
  const init = { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const reply = await fetch(`${url}/_emulator/v1${path}`, init).catch(() => undefined);
  if (reply) return reply;
  throw new EnvironmentError(`${url}: nothing answers there; start it with \`emulator start\``);
}
