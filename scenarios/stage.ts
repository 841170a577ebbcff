/** A world for one scenario: fresh, with its clock frozen. */
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

/** A reply as it came; names of headers in lower case. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What a scenario wants to be played on. */
export interface Setting {
  readonly seed: number | undefined;
  readonly now: string | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
  /** True for one that works with what all worlds of an emulator share. */
  readonly isAlone: boolean;
}

/** Gives each scenario a fresh stage. */
export interface Stages {
  /** How many may be open at the same time; undefined for any number. */
  readonly atOnce?: number;
  /** True when the world of a scenario is still there when it was played. */
  readonly isLasting?: boolean;
  open(setting: Setting): Promise<Stage>;
  /** Closes what is still open, and opens no more. */
  close(): Promise<void>;
}

/** The stage cannot be what the scenario wants. */
export class StageProblem extends Error {
  override readonly name = "StageProblem";
}

/** What came back, as a scenario looks at it. */
export async function answerOf(reply: Response): Promise<Answer> {
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() };
}
