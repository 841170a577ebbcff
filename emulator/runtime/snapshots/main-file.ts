import type { Configuration } from "../../config/configuration.ts";
import { MAIN } from "../../http/world-choice.ts";
import { Refusal } from "../../kernel/refusal.ts";
import {
  ArchiveFileError,
  checkWritable,
  readArchiveFile,
  writeArchiveFile,
} from "../../storage/archive/archive-file.ts";
import type { Manifests } from "../../storage/pool/manifests.ts";
import type { MissingSecrets } from "../../subjects/snapshot-secrets.ts";
import { stateToResume } from "../worlds/world-state.ts";
import type { Worlds } from "../worlds/worlds.ts";
import { readSecretsFile } from "./secrets-file.ts";
import type { SnapshotFiles } from "./snapshot-files.ts";
import type { Snapshots } from "./snapshots.ts";

/** The snapshot of a file that was written at the end of a process. */
const AT_EXIT = "at-exit";

/** What reads and writes the file that the world main begins with or is exported to. */
export interface MainFileParts {
  readonly configuration: Configuration;
  readonly manifests: Manifests;
  readonly snapshotFiles: SnapshotFiles;
  readonly snapshots: Snapshots;
  readonly worlds: Worlds;
}

/** Starts the world `main` from a file; an export file that cannot be written is refused now, not at the end. */
export async function beginMain(parts: MainFileParts): Promise<MissingSecrets | undefined> {
  const { exportFile } = parts.configuration;
  if (exportFile !== null) await checkWritable(exportFile, true);
  return importMain(parts);
}

/** `--import`: existing data is never replaced. */
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
      `${dataFolder} has a world already, which --import would replace.`,
      "Leave --import out to go on with it, name another folder with --data, or take --ephemeral.",
    );
  const given = secretsFile === null ? undefined : await readSecretsFile(secretsFile);
  const chunks = await readArchiveFile(importFile);
  const { name, missing } = await snapshotFiles.import(chunks, { name: undefined, mayReplace: true });
  const stillMissing = given ? snapshots.giveSecrets(name, given) : missing;
  const { clock } = configuration;
  worlds.startFromSnapshot(MAIN, name, (image) => ({ ...stateToResume(image, configuration), clock }));
  return stillMissing;
}

/** `--export-on-exit`: the old file stays until the new one is complete. */
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
      `--export-on-exit: ${exportFile} was not written and stays as it was: ${message}`,
    );
  }
}
