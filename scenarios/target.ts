import { differences } from "./matching.ts";
import { answerOf, type Setting, type Stage, StageProblem, type Stages } from "./stage.ts";

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
export async function openTarget(url: string, world: string | undefined): Promise<Stages> {
  if (world !== undefined) return openWorld(world === "main" ? url : `${url}/w/${encodeURIComponent(world)}`);
  const { status } = await ask(url, "GET", "/worlds");
  return status === 404 ? openWorld(url) : openWorlds(url);
}

/** One world, which is emptied for each scenario. */
function openWorld(url: string): Stages {
  return {
    atOnce: 1,
    isLasting: true,
    async open(setting) {
      const begun = await control<World>(url, "POST", "/reset", {});
      await refuse(setting, begun, url);
      await freeze(url, begun);
      return stageIn(url, begun, async () => {});
    },
    close: async () => {},
  };
}

/** A world of its own for each scenario, removed behind it. */
function openWorlds(url: string): Stages {
  const open = new Set<string>();
  let isClosed = false;

  async function remove(id: string): Promise<void> {
    open.delete(id);
    // Somebody else may have removed it, or the emulator have ended: either way it is gone.
    await ask(url, "DELETE", `/worlds/${id}`).catch(() => undefined);
  }

  async function begin(setting: Setting, made: MadeWorld): Promise<Stage> {
    const base = `${url}/w/${made.id}`;
    const { seed } = await control<World>(base, "GET", "/status");
    const begun = { ...made, seed };
    await refuse(setting, begun, url);
    await freeze(base, begun);
    return stageIn(base, begun, () => remove(made.id));
  }

  return {
    async open(setting) {
      if (isClosed) throw new StageProblem("the replay was ended");
      if (setting.isAlone)
        throw new StageProblem(
          "it works with what all worlds of an emulator share; play it without --target, or with --world main",
        );
      const { seed, now } = setting;
      const order = { from: "seeded", clock: "frozen", seed, now };
      const made = await control<MadeWorld>(url, "POST", "/worlds", order);
      open.add(made.id);
      try {
        if (isClosed) throw new StageProblem("the replay was ended");
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

async function refuse({ seed, now, settings }: Setting, begun: World, url: string): Promise<void> {
  const wishes = await unmetWishes(settings, url);
  if (wishes.length > 0)
    throw new StageProblem(
      `it needs settings (${wishes.join(", ")}) that this emulator has not, and a running one cannot be given; play it without --target`,
    );
  if (now !== undefined && Date.parse(now) !== Date.parse(begun.now))
    throw new StageProblem(
      `it begins at ${now}, and ${url} begins at ${begun.now}; start that one with --clock frozen --now ${now}`,
    );
  if (seed !== undefined && seed !== begun.seed)
    throw new StageProblem(
      `it needs seed ${seed}, and ${url} has ${begun.seed}; start that one with --seed ${seed}`,
    );
}

/** Settings that the emulator was not started with. */
async function unmetWishes(settings: Setting["settings"], url: string): Promise<readonly string[]> {
  const wishes = Object.entries(settings);
  if (wishes.length === 0) return [];
  const { settings: had } = await control<Configured>(url, "GET", "/config");
  const known: Readonly<Record<string, unknown>> = { ...had, rate_limits: had.rateLimits };
  return wishes.flatMap(([name, value]) =>
    differences(value, Object.hasOwn(known, name) ? known[name] : undefined).length === 0 ? [] : [name],
  );
}

interface Configured {
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The address that was given leads there, whatever the emulator calls itself. */
function stageIn(base: string, { url, eu_url, s3_url, seed }: World, close: Stage["close"]): Stage {
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
      return answerOf(reply);
    },
    close,
  };
}

async function control<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const reply = await ask(url, method, path, body);
  if (reply.ok) return (await reply.json()) as T;
  const said = (await reply.json().catch(() => undefined)) as Partial<Refused> | undefined;
  const { message: why = "is it an emulator?", hint = "" } = said?.error ?? {};
  throw new StageProblem(`${url}: ${method} ${path} answered ${reply.status}: ${`${why} ${hint}`.trimEnd()}`);
}

interface Refused {
  readonly error: { readonly message?: string; readonly hint?: string };
}

async function ask(url: string, method: string, path: string, body?: unknown): Promise<Response> {
  const init = { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const reply = await fetch(`${url}/_emulator/v1${path}`, init).catch(() => undefined);
  if (reply) return reply;
  throw new StageProblem(`${url}: nothing answers there; start it with \`emulator start\``);
}
