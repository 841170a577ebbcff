export type Region = "us" | "eu";

/** A request on its way to a target: no sockets, no library's types. */
export interface WireRequest {
  readonly region: Region;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A reply as it came from a target. */
export interface WireReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Names the world of an emulator that a request is for, whatever its base address says. */
export const WORLD_HEADER = "x-emulator-world";

/** Rejects when the target gives no reply. */
export type Send = (request: WireRequest) => Promise<WireReply>;
