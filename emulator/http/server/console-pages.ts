import type express from "express";
import type { RequestHandler, Router } from "express";
import { CONSOLE_PATH } from "../../subjects/control-prefix.ts";
import { earlyRefusalReply } from "../refusal-reply.ts";
import type { Listener } from "./reply-to.ts";
import { send } from "./send.ts";

/**
 * Nothing runs or is shown on this origin that was not built with the emulator: no inline code, no other host, no
 * frame around it, and no text that becomes HTML.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // A newer build replaces these files under the same names.
  "cache-control": "no-cache",
};

/** Below the base path of a world too: the page works in the world that its address names. */
const PAGES = new RegExp(`^(?:/w/[^/]+)?${CONSOLE_PATH.slice(0, -1)}(?=/|$)`);

/** The files of the console, which the browser guard protects as it does all else. */
export function consolePages(
  { Router: createRouter, static: filesOf }: Pick<typeof express, "Router" | "static">,
  { guard, consoleFolder }: Listener,
): Router {
  const refuseForeign: RequestHandler = (request, response, next) => {
    const refusal = guard.refusalOf(request);
    if (!refusal) return next();
    return void send(earlyRefusalReply(refusal, CONSOLE_PATH), request, response);
  };
  const pages = createRouter();
  pages.get("/", refuseForeign, (request, response, next) => {
    if (request.accepts(["json", "html"]) === "html") response.redirect(303, CONSOLE_PATH);
    else next();
  });
  pages.use(
    PAGES,
    refuseForeign,
    filesOf(consoleFolder, { setHeaders: (response) => void response.set(HEADERS) }),
  );
  return pages;
}
