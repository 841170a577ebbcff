import { rmSync } from "node:fs";
import {
  damagesOf,
  dataFilesIn,
  richFolders,
  wrongAfterRepair,
  wrongIn,
} from "../../storage/damage-sweep.ts";
import { soakPart } from "../soak.ts";

// One damage to one file at a time: it is refused and named, or nothing of it shows; a repair lets the folder start.

await soakPart(["damages", "repairs"], async (soak) => {
  const folders = await richFolders();
  const pick = <T>(from: readonly T[]): T => from[soak.random.integer(from.length)] as T;
  for (let nth = 0; soak.goesOn() || nth < 2; nth += 1) {
    const folder = pick(folders);
    const damage = pick(damagesOf(folder.folder, pick(dataFilesIn(folder.folder))));
    const isRepair = nth % 4 === 1;
    const wrong = await (isRepair ? wrongAfterRepair : wrongIn)(folder, damage);
    soak.count(isRepair ? "repairs" : "damages");
    if (wrong !== undefined) soak.find(`${damage.file}, ${damage.how}: ${wrong}`);
  }
  for (const { folder } of folders) rmSync(folder, { recursive: true });
});
