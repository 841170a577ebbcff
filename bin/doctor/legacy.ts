import { counted } from "../../contracts/report/counted.ts";
import type { Operation } from "../../contracts/spec/operation.ts";
import type { RecordedRequest, RecordingHeader } from "../../emulator/client/control-client.ts";
import { routeOf } from "../../emulator/http/route.ts";
import type { Settings } from "../../emulator/subjects/settings.ts";
import type { Finding } from "./findings.ts";

interface Use {
  readonly operation: Operation;
  readonly count: number;
  readonly firstAt: string;
}

/** A finding for each operation that recorded requests use and that the service removes, with its replacement. */
export function legacyFindings(
  [header, ...requests]: readonly [RecordingHeader, ...RecordedRequest[]],
  assumptions: Settings["assumptions"],
): readonly Finding[] {
  const uses = new Map<Operation, Use>();
  for (const { method, path, at } of requests) {
    const route = routeOf(method, path, assumptions);
    if (route.kind !== "operation" || !route.operation.legacy) continue;
    const { operation } = route;
    const { count = 0, firstAt = at } = uses.get(operation) ?? {};
    uses.set(operation, { operation, count: count + 1, firstAt });
  }
  const retained = header.complete ? "" : "; earlier requests are no longer retained";
  const clean: Finding = {
    ok: true,
    what: `${counted(requests.length, "recorded request")} of this world: all of them work after the legacy endpoints end${retained}`,
  };
  return uses.size === 0 ? [clean] : [...uses.values()].map(findingOf);
}

function findingOf({ operation: { method, path, legacy }, count, firstAt }: Use): Finding {
  return {
    ok: false,
    what: `${counted(count, "recorded request")} to ${method} ${path} (first at ${firstAt}): removed after 2027-01-31`,
    fix: `use ${legacy?.replacement}; in clients, ${legacy?.clients}`,
  };
}
