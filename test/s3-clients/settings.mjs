// Settings of each client: the lines that `emulator env --for` prints. The settings of your account are not used.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLI } from "../../bench/harness/processes.mjs";

/** The environment of a client, the shell lines that it needs first, and its first words. */
export function settingsOf(name, { folder, url }) {
  const lines = execFileSync(process.execPath, [CLI, "env", "--for", name, "--url", url], {
    encoding: "utf8",
  });
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    NO_PROXY: "127.0.0.1",
    RCLONE_CONFIG: "/dev/null",
  };
  return { env, lines, words: name === "s3cmd" ? s3cmdWords(folder) : [] };
}

/** Smaller parts than usual, so that a copy of 200 MB has several. */
function s3cmdWords(folder) {
  const path = join(folder, "s3cfg");
  writeFileSync(path, "[default]\nmultipart_copy_chunk_size_mb = 50\n");
  return ["--config", path, "--no-progress"];
}
