import { handleControl, replacementOf } from "../control/gateway.ts";
import { createGateway, type Gateway } from "../http/gateway.ts";
import { CODECS } from "../http/otlp/protobuf.ts";
import { createS3Front } from "../s3/front/front.ts";
import type { HttpReply, HttpRequest } from "../subjects/message.ts";
import type { MissingSecrets } from "../subjects/snapshot-secrets.ts";
import type { ComparisonProgress } from "../subjects/work-progress.ts";
import { controlContextOf, type SharedContext } from "./control-context.ts";
import { HANDLERS } from "./handlers.ts";
import { exportMain, startMain } from "./snapshots/main-file.ts";
import { createSnapshotFiles, type SnapshotFilesParts } from "./snapshots/snapshot-files.ts";
import type { NamedWorld } from "./worlds/open-worlds.ts";

/** What the ready line of a process does not wait for: all that answers requests, and snapshot files. */
export interface OnDemand {
  readonly gateway: Gateway;
  /** Answers a test-only operation; `record` is called with the reply to a request that recordings include. */
  control(
    openWorld: NamedWorld,
    request: HttpRequest,
    record: (reply: HttpReply) => void,
  ): Promise<HttpReply>;
  readonly replacementOf: typeof replacementOf;
  readonly createS3Front: typeof createS3Front;
  /** Starts the world `main` from the file of `--import`. */
  startMain(): Promise<MissingSecrets | undefined>;
  /** Writes the file of `--export-on-exit`. */
  exportMain(): Promise<void>;
}

export type OnDemandParts = Omit<SharedContext, "openStreams" | "snapshotFiles" | "comparisons"> &
  SnapshotFilesParts;

export function createOnDemand(parts: OnDemandParts): OnDemand {
  const gateway = createGateway(HANDLERS, CODECS);
  const shared = {
    ...parts,
    snapshotFiles: createSnapshotFiles(parts),
    openStreams: gateway.openStreams,
    comparisons: new Set<ComparisonProgress>(),
  };
  return {
    gateway,
    control: (openWorld, request, record) =>
      handleControl(controlContextOf(openWorld, shared), request, record),
    replacementOf,
    createS3Front,
    startMain: () => startMain(shared),
    exportMain: () => exportMain(shared),
  };
}
