import type { Blame, Finding } from "../engine/verdict.ts";

const FIXES: Readonly<Record<Blame, string>> = {
  target: "change the server",
  caller: "change the request",
  specification: "none needed; the specification does not define this, and the emulator behaves differently",
  harness: "please report this bug of the contract suites",
};

/** Who has to change what to resolve a finding. */
export function fixOf({ blame, exchange }: Finding): string {
  if (blame !== "target" || !exchange) return FIXES[blame];
  const { pathname } = URL.canParse(exchange.url) ? new URL(exchange.url) : { pathname: exchange.url };
  return `change the server's reply to ${exchange.method} ${pathname}`;
}
