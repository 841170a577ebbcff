import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const script = (name, seconds) => ({
  figure: `npm run ${name}`,
  per: "run",
  rounds: 1,
  warmUps: 0,
  sides: ["wall"],
  targets: [{ atMost: seconds * 1000 }],
  open: async () => ({
    async round() {
      const began = performance.now();
      const child = spawn("npm", ["run", name], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
      const [code] = await once(child, "exit");
      if (code !== 0) throw new Error(`it ended with ${code}`);
      return { items: 1, wallMs: performance.now() - began };
    },
  }),
});

export const figures = [script("test", 120)];
