import type { Configuration } from "../../config/configuration.ts";
import { MAIN } from "../../http/world-choice.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Manifests } from "../../storage/pool/manifests.ts";
import type { MissingSecrets } from "../../subjects/snapshot-secrets.ts";
import { clockToResume, stateToResume, withOwnTime } from "../worlds/world-state.ts";
import type { Worlds } from "../worlds/worlds.ts";
import { ArchiveFileError, checkWritable, readArchiveFile, writeArchiveFile } from "./archive-file.ts";
import { readSecretsFile } from "./secrets-file.ts";
import type { SnapshotFiles } from "./snapshot-files.ts";
import type { Snapshots } from "./snapshots.ts";

/** The name of the snapshot in a file written at exit. */
const AT_EXIT = "at-exit";

/** The parts that import and export the world `main`. */
export interface MainFileParts {
  readonly configuration: Configuration;
  readonly manifests: Manifests;
  readonly snapshotFiles: SnapshotFiles;
  readonly snapshots: Snapshots;
  readonly worlds: Worlds;
}

/** Starts the world `main` from a file. Refuses an export file that cannot be written now, not at exit. */
export async function startMain(parts: MainFileParts): Promise<MissingSecrets | undefined> {
  const { exportFile } = parts.configuration;
  if (exportFile !== null) await checkWritable(exportFile, true);
  return importMain(parts);
}

/** `--import`; never replaces existing data. */
async function importMain({
  configuration,
  manifests,
  snapshotFiles,
  snapshots,
  worlds,
}: MainFileParts): Promise<MissingSecrets | undefined> {
  const { importFile, secretsFile, dataFolder } = configuration;
  if (importFile === null) return undefined;
  const main = manifests.worlds.get(MAIN);
  if (main && main.manifest.state !== null && !main.isFilling)
    throw new Refusal(
      409,
      "data_is_there",
      `${dataFolder} already has a world, which --import would replace.`,
      "Remove --import to continue with that world, select another folder with --data, or use --ephemeral.",
    );
  const suppliedSecrets = secretsFile === null ? undefined : await readSecretsFile(secretsFile);
  const chunks = await readArchiveFile(importFile);
  const { name, missing } = await snapshotFiles.import(chunks, {
    name: undefined,
    mayReplace: true,
    isAbandoned: undefined,
  });
  const stillMissing = suppliedSecrets ? snapshots.supplySecrets(name, suppliedSecrets) : missing;
  await worlds.startFromSnapshot(MAIN, name, (source) => ({
    ...source,
    image: stateToResume(source.image, configuration),
    clock: clockToResume(withOwnTime(source.image.clock), configuration.clock),
  }));
  return stillMissing;
}

/** `--export-on-exit`; the old file stays until the new file is complete. */
export async function exportMain({ configuration, snapshotFiles, worlds }: MainFileParts): Promise<void> {
  const { exportFile } = configuration;
  const main = worlds.find(MAIN);
  if (exportFile === null || !main) return;
  try {
    const { chunks } = await snapshotFiles.exportWorld(main.runtime, MAIN, AT_EXIT);
    await writeArchiveFile(exportFile, chunks, true);
  } catch (error) {
    const { message } = error as Error;
    throw new ArchiveFileError(
      `--export-on-exit: ${exportFile} was not written and is unchanged: ${message}`,
    );
  }
}
