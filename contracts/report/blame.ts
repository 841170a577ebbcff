import type { Blame, Finding } from "../engine/verdict.ts";

const CHANGES: Readonly<Record<Blame, string>> = {
  target: "the server",
  caller: "the request",
  specification: "nothing: the specification is silent, and the emulator chose otherwise",
  harness: "this harness; please report it",
};

/** Who has to change what, so that the finding is gone. */
export function whoChanges({ blame, exchange }: Finding): string {
  if (blame !== "target" || !exchange) return CHANGES[blame];
  const { pathname } = URL.canParse(exchange.url) ? new URL(exchange.url) : { pathname: exchange.url };
  return `the server, in what it answers to ${exchange.method} ${pathname}`;
}
