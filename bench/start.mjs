import { fileURLToPath } from "node:url";
import { launch, launchEmulator, median, memoryOf } from "./measure.mjs";

const PAIRS = 15;
const BARE = fileURLToPath(new URL("./peers/bare-server.mjs", import.meta.url));

/** From the start of the process to the ready line, in turn with a bare server so that drift hits both. */
export async function* run() {
  const bare = [];
  const ours = [];
  const resident = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const peer = await launch(BARE);
    bare.push(peer.ms);
    await peer.stop();
    const emulator = await launchEmulator("--ephemeral");
    ours.push(emulator.ms);
    resident.push(memoryOf(emulator.child.pid).resident);
    await emulator.stop();
  }
  const ratio = median(ours.map((ms, index) => ms / bare[index]));
  yield {
    figure: "ready to serve, against a bare node:http server",
    measured: `${ratio.toFixed(2)} × (${median(ours).toFixed(0)} ms against ${median(bare).toFixed(0)} ms)`,
    target: "≤ 2 ×",
  };
  yield {
    figure: "resident memory when ready",
    measured: `${median(resident).toFixed(0)} MB`,
    target: "≤ 90 MB",
  };
}
