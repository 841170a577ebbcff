import { CONTROL_PATH } from "../../client/control-client.ts";
import { quoted } from "../../client/shell.ts";
import type { Call } from "./actions.ts";
import { baseOf } from "./client.ts";

/** A call as a line for a shell. */
export function asCurl({ method, path, body, file, headers = {} }: Call): string {
  const allHeaders = { ...headers, ...(body !== undefined && { "content-type": "application/json" }) };
  const parts = [
    `curl -s -X ${method} ${quoted(baseOf(path) + path)}`,
    ...Object.entries(allHeaders).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body))}`]),
    ...(file === undefined ? [] : [`--data-binary ${quoted(`@${file}`)}`]),
  ];
  return parts.join(" ");
}

/** A call with the library. `emulator` is the result of `startEmulator`. */
export function asTypeScript({ method, path, body, file, headers = {} }: Call): string {
  if (file !== undefined) return `await emulator.snapshots.import(${JSON.stringify(file)});`;
  const bodyArgument = body === undefined ? "" : `, ${JSON.stringify(body, null, 2)}`;
  const controlPath = controlPathOf(path);
  if (controlPath !== undefined)
    return `await emulator.control("${method}", ${JSON.stringify(controlPath)}${bodyArgument});`;
  const allHeaders = { ...headers, ...(body !== undefined && { "content-type": "application/json" }) };
  const bodyOption = body === undefined ? "" : `\n  body: JSON.stringify(${JSON.stringify(body)}),`;
  return `await emulator.request(${JSON.stringify(path)}, {
  method: "${method}",
  headers: ${JSON.stringify(allHeaders)},${bodyOption}
});`;
}

/** A call as a step of a scenario (JSON is YAML too). Steps cannot send files, so an import is a comment. */
export function asStep(call: Call): string {
  const { method, path, body = {}, file, headers = {} } = call;
  if (file !== undefined)
    return `# Steps send no files. Before the replay: emulator snapshot import ${quoted(file)}`;
  const controlPath = controlPathOf(path);
  if (controlPath === "/clock/advance") return `- advance: ${JSON.stringify(body)}`;
  if (isArming(call)) return `- fault: ${JSON.stringify(body)}`;
  const verb = controlPath === undefined ? `request: ${method} ${path}` : `control: ${method} ${controlPath}`;
  const lines = [`- ${verb}`];
  if (Object.keys(headers).length > 0) lines.push(`  headers: ${JSON.stringify(headers)}`);
  if (method !== "DELETE" && method !== "GET") lines.push(`  body: ${JSON.stringify(body)}`);
  return lines.join("\n");
}

/** Whether a call arms a fault. */
export function isArming({ method, path }: Call): boolean {
  return method === "POST" && controlPathOf(path) === "/faults";
}

function controlPathOf(path: string): string | undefined {
  return path.startsWith(CONTROL_PATH) ? path.slice(CONTROL_PATH.length) : undefined;
}
