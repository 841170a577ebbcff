export type Region = "us" | "eu";

/** A request to a target, independent of any HTTP library. */
export interface WireRequest {
  readonly region: Region;
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The reply of a target. */
export interface WireReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Header that names the world of an emulator; takes precedence over the base address. */
export const WORLD_HEADER = "x-emulator-world";

/** Sends a request; rejects when no reply is received. */
export type Send = (request: WireRequest) => Promise<WireReply>;
