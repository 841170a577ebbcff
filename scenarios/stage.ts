/** One emulator, or one world of one, for one scenario: fresh, with its clock frozen. */
export interface Stage {
  readonly url: string;
  readonly euUrl: string;
  readonly s3Url: string;
  readonly seed: number;
  request(asked: Asked): Promise<Answer>;
  close(): Promise<void>;
}

/** A request as a scenario words it. */
export interface Asked {
  readonly region: "us" | "eu";
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What a scenario wants to be played on. */
interface Setting {
  readonly seed: number | undefined;
  readonly now: string | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Gives each scenario a fresh stage; the one place to change when there are cheaper ones. */
export type OpenStage = (setting: Setting) => Promise<Stage>;

/** The stage cannot be what the scenario wants. */
export class StageProblem extends Error {
  override readonly name = "StageProblem";
}

const DEFAULT_NOW = "2026-01-01T00:00:00Z";
const REPLY_TIMEOUT_MS = 10 * 60_000;

/** An emulator of its own in this process for each scenario. */
export const openInProcess: OpenStage = async ({ seed, now, settings }) => {
  const { startEmulator } = await import("../emulator/index.ts");
  const options = { ...settings, clock: "frozen" as const, now: now ?? DEFAULT_NOW };
  const emulator = await startEmulator(seed === undefined ? options : { ...options, seed }).catch((error) => {
    throw new StageProblem((error as Error).message);
  });
  return {
    url: emulator.url,
    euUrl: emulator.euUrl,
    s3Url: emulator.s3Url,
    seed: emulator.seed,
    async request({ region, method, path, headers, body }) {
      const init = { region, method, headers, ...(body !== undefined && { body }) };
      return answerOf(await emulator.request(path, init));
    },
    close: () => emulator.close(),
  };
};

interface TargetStatus {
  readonly url: string;
  readonly eu_url: string;
  readonly s3_url: string;
  readonly seed: number;
  readonly now: string;
  readonly clock: { readonly mode: string };
}

/** The emulator that runs at an address; it is emptied for each scenario. */
export function openTarget(url: string): OpenStage {
  return async ({ seed, now, settings }) => {
    await control(url, "POST", "/clock/freeze");
    const status = await control<TargetStatus>(url, "POST", "/reset", {});
    const wishes = Object.keys(settings);
    if (wishes.length > 0)
      throw new StageProblem(
        `it needs settings (${wishes.join(", ")}) that a running emulator cannot be given; play it without --target`,
      );
    if (now !== undefined && Date.parse(now) !== Date.parse(status.now))
      throw new StageProblem(
        `it begins at ${now}, and ${url} begins at ${status.now}; start that one with --clock frozen --now ${now}`,
      );
    if (seed !== undefined && seed !== status.seed)
      throw new StageProblem(
        `it needs seed ${seed}, and ${url} has ${status.seed}; start that one with --seed ${seed}`,
      );
    return {
      url: status.url,
      euUrl: status.eu_url,
      s3Url: status.s3_url,
      seed: status.seed,
      async request({ region, method, path, headers, body }) {
        const reply = await fetch(`${region === "eu" ? status.eu_url : url}${path}`, {
          method,
          headers: { ...headers },
          ...(body !== undefined && { body }),
          signal: AbortSignal.timeout(REPLY_TIMEOUT_MS),
        });
        return answerOf(reply);
      },
      close: async () => {},
    };
  };
}

async function control<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const init = { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const reply = await fetch(`${url}/_emulator/v1${path}`, init).catch(() => undefined);
  if (reply === undefined)
    throw new StageProblem(`${url}: nothing answers there; start it with \`emulator start\``);
  if (!reply.ok)
    throw new StageProblem(`${url}: ${method} ${path} answered ${reply.status}; is it an emulator?`);
  return (await reply.json()) as T;
}

async function answerOf(reply: Response): Promise<Answer> {
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
}
