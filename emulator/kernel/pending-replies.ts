import { withResolvers } from "./deferred.ts";

/** Requests that wait for the reply of a later turn; kept in this process only. */
export type PendingReplies = ReturnType<typeof createPendingReplies>;

/** A reply for a request that is no longer waiting is dropped. */
export function createPendingReplies() {
  const open = new Map<number, ReturnType<typeof withResolvers<unknown>>>();
  return {
    open: (number: number) => void open.set(number, withResolvers()),
    resolve: (number: number, value: unknown) => open.get(number)?.resolve(value),
    async awaitReply(number: number): Promise<unknown> {
      const answer = await open.get(number)?.promise;
      open.delete(number);
      return answer;
    },
    resolveAll(value: unknown): void {
      for (const { resolve } of open.values()) resolve(value);
      open.clear();
    },
  };
}
