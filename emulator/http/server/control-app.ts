import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import type express from "express";
import type { ErrorRequestHandler, RequestHandler, Router } from "express";
import { refusalIn } from "../../kernel/system-refusal.ts";
import { CONSOLE_PATH } from "../../subjects/control-prefix.ts";
import { earlyRefusalReply } from "../refusal-reply.ts";
import { type Listener, replyTo } from "./reply-to.ts";
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
function consolePages(
  { Router: createRouter, static: filesOf }: Pick<typeof express, "Router" | "static">,
  { guard, consoleFolder }: Listener,
): Router {
  const refuseForeign: RequestHandler = (request, response, next) => {
    const refusal = guard.refusalOf(request, "console");
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
    compressedFiles(consoleFolder),
    filesOf(consoleFolder, { setHeaders: (response) => void response.set(HEADERS) }),
  );
  return pages;
}

/** The files that the build has compressed, as the client accepts them. */
function compressedFiles(root: string): RequestHandler {
  const gzipped = new Map<string, Buffer>();
  return (request, response, next) => {
    const name = /^\/((?:console|style)\.(?:js|css))$/.exec(request.path)?.[1];
    if (name === undefined || (request.method !== "GET" && request.method !== "HEAD")) return next();
    response.set(HEADERS).vary("accept-encoding").type(name);
    if (request.acceptsEncodings("br")) {
      const headers = { "content-encoding": "br" };
      return response.sendFile(`${name}.br`, { root, cacheControl: false, headers });
    }
    const content = () => brotliDecompressSync(readFileSync(join(root, `${name}.br`)));
    if (!request.acceptsEncodings("gzip")) return void response.send(content());
    const body = gzipped.get(name) ?? gzipSync(content());
    gzipped.set(name, body);
    return void response.set("content-encoding", "gzip").send(body);
  };
}

/**
 * The Express application in front of the console and of the control operations, which are rows of a table like
 * those of the API. Express is loaded with it.
 */
export async function createControlApp(listener: Listener): Promise<RequestListener> {
  const { default: express } = await import("express");
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", false);
  app.use(consolePages(express, listener));
  app.use(async (request, response) => send(await replyTo(listener, request), request, response));
  app.use(((error, request, response, next) => {
    const refusal = refusalIn(error);
    if (!refusal || response.headersSent) return next(error);
    return send(earlyRefusalReply(refusal, request.path), request, response);
  }) satisfies ErrorRequestHandler);
  return app;
}
