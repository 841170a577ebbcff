import { CONTROL_PATH } from "../../client/control-client.ts";
import { formatInstant } from "../../kernel/instant.ts";
import type { Call, Done } from "./actions.ts";
import { worldUrl } from "./place.ts";

/** A call as a line for a shell. */
export function asCurl({ method, path, body, file, headers = {} }: Call): string {
  const all = { ...headers, ...(body !== undefined && { "content-type": "application/json" }) };
  const parts = [
    `curl -s -X ${method} ${quoted(worldUrl + path)}`,
    ...Object.entries(all).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body))}`]),
    ...(file === undefined ? [] : [`--data-binary ${quoted(`@${file}`)}`]),
  ];
  return parts.join(" ");
}

/** A call with the library: `emulator` is what `startEmulator` resolves with. */
export function asTypeScript({ method, path, body, file, headers = {} }: Call): string {
  if (file !== undefined) return `await emulator.snapshots.import(${JSON.stringify(file)});`;
  const given = body === undefined ? "" : `, ${JSON.stringify(body, null, 2)}`;
  const below = belowControl(path);
  if (below !== undefined) return `await emulator.control("${method}", ${JSON.stringify(below)}${given});`;
  const all = { ...headers, ...(body !== undefined && { "content-type": "application/json" }) };
  const sent = body === undefined ? "" : `\n  body: JSON.stringify(${JSON.stringify(body)}),`;
  return `await emulator.request(${JSON.stringify(path)}, {
  method: "${method}",
  headers: ${JSON.stringify(all)},${sent}
});`;
}

/** A call as a step of a scenario; JSON is YAML too. Steps send no files: for an import it is what to do before. */
export function asStep({ method, path, body = {}, file, headers = {} }: Call): string {
  if (file !== undefined)
    return `# Steps send no files. Before the replay: emulator snapshot import ${quoted(file)}`;
  const below = belowControl(path);
  if (below === "/clock/advance") return `- advance: ${JSON.stringify(body)}`;
  if (below === "/faults" && method === "POST") return `- fault: ${JSON.stringify(body)}`;
  const verb = below === undefined ? `request: ${method} ${path}` : `control: ${method} ${below}`;
  const lines = [`- ${verb}`];
  if (Object.keys(headers).length > 0) lines.push(`  headers: ${JSON.stringify(headers)}`);
  if (method !== "DELETE" && method !== "GET") lines.push(`  body: ${JSON.stringify(body)}`);
  return lines.join("\n");
}

/** What was done by hand as a scenario file; `seed` is that of the world, so that ids are drawn alike. */
export function asScenario(title: string, done: readonly Done[], seed: number): string {
  const steps = done.flatMap(({ label, call }) => {
    const [first = "", ...rest] = asStep(call).split("\n");
    const note = call.file === undefined ? [`  note: ${JSON.stringify(label)}`] : [];
    return [first, ...note, ...rest].map((line) => `  ${line}`);
  });
  return `${[
    `scenario: ${JSON.stringify(title)}`,
    `seed: ${seed}`,
    `now: ${formatInstant(done[0]?.at ?? 0)}`,
    "when:",
    ...steps,
  ].join("\n")}\n`;
}

function belowControl(path: string): string | undefined {
  return path.startsWith(CONTROL_PATH) ? path.slice(CONTROL_PATH.length) : undefined;
}

/** Quoted for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
