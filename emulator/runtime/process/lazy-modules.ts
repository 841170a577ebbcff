import { createSchedules } from "../../subjects/crons/schedules.ts";

/**
 * What requests and effects load when they first need it. Node keeps a failed load for good: where a process may run out of
 * descriptors, all of it is loaded before it serves.
 */
const LAZY: readonly (() => Promise<unknown>)[] = [
  () => import("../engine.ts"),
  () => import("../on-demand.ts"),
  () => import("../../../contracts/targets/expect.ts"),
  () => import("../../storage/parquet/footer.ts"),
  () => import("@aws-sdk/client-s3"),
  () => import("@aws-sdk/credential-provider-env"),
  () => import("@aws-sdk/credential-provider-http"),
  () => import("@aws-sdk/credential-provider-ini"),
  () => import("@aws-sdk/credential-provider-web-identity"),
  () => import("@hpcc-js/wasm-zstd"),
  () => import("@smithy/core/config"),
  () => import("ajv/dist/2020.js"),
  () => import("express"),
  () => import("fast-xml-parser"),
  () => import("fzstd"),
  () => import("hyparquet"),
  () => import("hyparquet-writer"),
  () => import("protobufjs/light.js"),
  () => import("tar-stream"),
  async () => createSchedules().next("@daily", null, 0),
];

/** Loads it one after the other, since each load has files open. */
export async function loadLazyModules(): Promise<void> {
  for (const load of LAZY) await load();
}
