import { rmSync } from "node:fs";
import {
  damagesOf,
  dataFilesIn,
  richFolders,
  wrongAfterReset,
  wrongIn,
  wrongInReport,
} from "../../full/storage/damage-sweep.ts";
import { soakPart } from "../soak.ts";

// One damage to one file at a time: it is refused and named, or nothing of it shows; the doctor names it, and a reset ends it.

await soakPart(["damages", "reports", "resets"], async (soak) => {
  const folders = await richFolders();
  const pick = <T>(from: readonly T[]): T => from[soak.random.integer(from.length)] as T;
  const checks = [
    ["damages", wrongIn],
    ["resets", wrongAfterReset],
    ["damages", wrongIn],
    ["reports", wrongInReport],
  ] as const;
  for (let nth = 0; soak.goesOn() || nth < checks.length; nth += 1) {
    const folder = pick(folders);
    const damage = pick(damagesOf(folder, pick(dataFilesIn(folder.folder))));
    const [count, check] = checks[nth % checks.length] ?? ["damages", wrongIn];
    const wrong = await check(folder, damage);
    soak.count(count);
    if (wrong !== undefined) soak.find(`${damage.file}, ${damage.how}: ${wrong}`);
  }
  for (const { folder, others } of folders)
    for (const each of [folder, ...Object.values(others)]) rmSync(each, { recursive: true, force: true });
});
