import { isSecretHeader } from "../spec/secrets.ts";
import { createCleanup } from "./cleanup.ts";
import { Lacking } from "./contract.ts";
import { type Exchange, exchangeOf } from "./exchange.ts";
import type { WireReply, WireRequest } from "./http-message.ts";
import type { Identity, Session } from "./target.ts";

/** A request that was answered. */
interface Sent {
  readonly reply: WireReply;
  readonly shown: Exchange;
  /** The server does not have the operation. */
  readonly isAbsent: boolean;
}

/** Sends the requests of a case; records the newest exchange, secrets, and what to clean up. */
export interface Wire {
  /** Throws `Lacking` when the server does not have the operation, unless it may lack it. */
  send(request: WireRequest, mayLack?: boolean): Promise<Sent>;
  /** The newest exchange. */
  readonly last: Exchange | undefined;
  readonly requests: number;
  readonly secrets: Set<string>;
  close(): Promise<void>;
}

/** Called before each request; rejects when the budget is spent. */
type Spend = () => Promise<void>;

/** `close` removes what was created through it on a shared server. */
export function openWire(session: Session, spend: Spend): Wire {
  const secrets = new Set(secretsOf(session.identity));
  const { apiKey, isKeyPublic } = session.identity;
  const publicKey = isKeyPublic ? apiKey : undefined;
  const cleanup = createCleanup();
  let last: Exchange | undefined;
  let requests = 0;
  return {
    async send(request, mayLack = false) {
      const { surface } = session;
      if (!mayLack) endWithout(surface?.absent(request));
      await spend();
      requests += 1;
      const reply = await session.send(request);
      const absent = await surface?.absentAfter(request, reply);
      if (!mayLack) endWithout(absent);
      cleanup.record(request, reply);
      const base = session.addressOf(request) ?? "";
      const safeExchange = exchangeOf(request, reply, base + request.path, secrets, publicKey);
      last = safeExchange;
      return { reply, shown: safeExchange, isAbsent: absent !== undefined };
    },
    get last() {
      return last;
    },
    get requests() {
      return requests;
    },
    secrets,
    async close() {
      if (session.shared) await cleanup.run(session.send);
      await session.close();
    },
  };
}

/** Ends the case when an operation is absent. */
function endWithout(operation: string | undefined): void {
  if (operation !== undefined) throw new Lacking(`${operation}, which the server does not have`);
}

function secretsOf({ apiKey, isKeyPublic, bucket, headers = {} }: Identity): readonly string[] {
  const { accessKeyId, secretAccessKey, sessionToken } = bucket;
  // The usual key id is an ordinary word that names other things as well.
  const keyId = accessKeyId.length > 10 ? [accessKeyId] : [];
  const secretHeaders = Object.entries(headers).filter(([name]) => isSecretHeader(name));
  return [
    ...(isKeyPublic ? [] : [apiKey]),
    secretAccessKey,
    ...keyId,
    ...(sessionToken ? [sessionToken] : []),
    // Of `Bearer abc` the server may send back the token alone.
    ...secretHeaders.flatMap(([, value]) => [value, value.slice(value.lastIndexOf(" ") + 1)]),
  ];
}
