import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HEADERS, launch, launchEmulator, median } from "./measure.mjs";
import { postOf, uuidOf } from "./rows.mjs";

const ROWS_PER_REQUEST = 100;
const REQUESTS = 40;
const ROUNDS = 5;
const IN_FLIGHT = 4;
const PROJECT = uuidOf(9, 1);
const BOUNDARY = "----BenchFormBoundary0123456789";
const MEMBERS = ["inputs", "outputs", "extra"];
const PEER = fileURLToPath(new URL("./peers/form-server.mjs", import.meta.url));

/** Durable multipart ingest over HTTP, against a server that only parses the same bodies. */
export async function* run() {
  const folder = await mkdtemp(join(tmpdir(), "emulator-bench-"));
  const emulator = await launchEmulator("--data", folder, "--rate-limits", "off");
  const peer = await launch(PEER);
  const bare = `http://127.0.0.1:${JSON.parse(peer.line).port}`;
  try {
    const speeds = { ours: [], bare: [] };
    for (let round = -1; round < ROUNDS; round += 1) {
      const bodies = Array.from({ length: REQUESTS }, (_, n) =>
        formOf((round * REQUESTS + n + REQUESTS) * ROWS_PER_REQUEST),
      );
      const alone = await rateOf(bare, bodies);
      const ours = await rateOf(emulator.ready.url, bodies);
      // The first round warms both up.
      if (round < 0) continue;
      speeds.bare.push(alone);
      speeds.ours.push(ours);
    }
    const ratio = median(speeds.ours.map((speed, index) => speed / speeds.bare[index]));
    const shown = (list) => Math.round(median(list)).toLocaleString("en");
    yield {
      figure: "ingest, POST /runs/multipart of 100 rows, against a server that only parses the bodies",
      measured: `${ratio.toFixed(2)} × (${shown(speeds.ours)} against ${shown(speeds.bare)} rows/s)`,
      target: "≥ 0.5 ×",
    };
  } finally {
    await peer.stop();
    await emulator.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function rateOf(origin, bodies) {
  const headers = { ...HEADERS, "content-type": `multipart/form-data; boundary=${BOUNDARY}` };
  const began = performance.now();
  let next = 0;
  const client = async () => {
    while (next < bodies.length) {
      const reply = await fetch(`${origin}/runs/multipart`, {
        method: "POST",
        headers,
        body: bodies[next++],
      });
      const text = await reply.text();
      if (reply.status !== 202) throw new Error(`${reply.status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, client));
  return (bodies.length * ROWS_PER_REQUEST) / ((performance.now() - began) / 1000);
}

/** The rows as multipart, with large members in separate parts. */
function formOf(from) {
  const parts = [];
  for (let number = from; number < from + ROWS_PER_REQUEST; number += 1) {
    const row = postOf(number, PROJECT);
    const rest = Object.fromEntries(Object.entries(row).filter(([name]) => !MEMBERS.includes(name)));
    parts.push(
      partOf(`post.${row.id}`, rest),
      ...MEMBERS.map((name) => partOf(`post.${row.id}.${name}`, row[name])),
    );
  }
  return `${parts.join("")}--${BOUNDARY}--\r\n`;
}

function partOf(name, value) {
  const json = JSON.stringify(value);
  const lines = [
    `--${BOUNDARY}`,
    `Content-Disposition: form-data; name="${name}"`,
    `Content-Type: application/json; length=${Buffer.byteLength(json)}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${json}\r\n`;
}
