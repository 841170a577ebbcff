import { withResolvers } from "./deferred.ts";

/** Requests that wait for a later turn's answer; only this process knows them. */
export interface Tickets {
  open(number: number): void;
  answer(number: number, value: unknown): void;
  answerTo(number: number): Promise<unknown>;
  answerAll(value: unknown): void;
}

/** An answer to a ticket that is not open is dropped: whoever waited for it is gone. */
export function createTickets(): Tickets {
  const open = new Map<number, ReturnType<typeof withResolvers<unknown>>>();
  return {
    open: (number) => void open.set(number, withResolvers()),
    answer: (number, value) => open.get(number)?.resolve(value),
    async answerTo(number) {
      const answer = await open.get(number)?.promise;
      open.delete(number);
      return answer;
    },
    answerAll(value) {
      for (const { resolve } of open.values()) resolve(value);
      open.clear();
    },
  };
}
