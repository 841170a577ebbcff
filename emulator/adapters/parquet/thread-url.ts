import { fileURLToPath, pathToFileURL } from "node:url";

const THREAD = "emulator/adapters/parquet/encoder-thread.js";
const BUILT = "/dist/";
const FROM_SOURCE = "../../../dist/";

/**
 * Where the encoding thread's built code is, seen from a module. Tests run from sources, which no Node
 * that must be supported can start a thread from; and a bundled module may be anywhere below `dist/`.
 */
export function encoderThreadUrl(moduleUrl: string): URL {
  if (moduleUrl.endsWith(".ts")) return new URL(FROM_SOURCE + THREAD, moduleUrl);
  const path = fileURLToPath(moduleUrl).replaceAll("\\", "/");
  const at = path.lastIndexOf(BUILT);
  if (at < 0) return new URL("./encoder-thread.js", moduleUrl);
  return pathToFileURL(path.slice(0, at) + BUILT + THREAD);
}
