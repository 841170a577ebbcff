import { withResolvers } from "./deferred.ts";

/** Requests that wait for the reply of a later turn; kept in this process only. */
export interface PendingReplies {
  open(number: number): void;
  resolve(number: number, value: unknown): void;
  awaitReply(number: number): Promise<unknown>;
  resolveAll(value: unknown): void;
}

/** A reply for a request that is no longer waiting is dropped. */
export function createPendingReplies(): PendingReplies {
  const open = new Map<number, ReturnType<typeof withResolvers<unknown>>>();
  return {
    open: (number) => void open.set(number, withResolvers()),
    resolve: (number, value) => open.get(number)?.resolve(value),
    async awaitReply(number) {
      const answer = await open.get(number)?.promise;
      open.delete(number);
      return answer;
    },
    resolveAll(value) {
      for (const { resolve } of open.values()) resolve(value);
      open.clear();
    },
  };
}
