import type { RequestListener } from "node:http";
import type { ErrorRequestHandler } from "express";
import { refusalIn } from "../../kernel/system-refusal.ts";
import { earlyRefusalReply } from "../refusal-reply.ts";
import { consolePages } from "./console-pages.ts";
import { type Listener, replyTo } from "./reply-to.ts";
import { send } from "./send.ts";

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
