import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The exports of these sources, bundled: dist/ has no separate module for them. */
export async function fromSource(...files) {
  const { outputFiles } = await build({
    stdin: { contents: files.map((file) => `export * from "./${file}";`).join("\n"), resolveDir: ROOT },
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/** What an act of this process takes. */
export async function timedHere(items, act) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await act();
  const { user, system } = process.cpuUsage(cpu);
  return { items, wallMs: performance.now() - began, cpuMs: (user + system) / 1000 };
}
