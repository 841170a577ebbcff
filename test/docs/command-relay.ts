import { once } from "node:events";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { run } from "../support/command-line.ts";

/** Has the commands of pages run in the process that commands share, which spares the start of one for each. */
export interface CommandRelay {
  /** Puts a program that asks for it in the place of the command line, in a folder of commands. */
  install(bin: string): void;
  close(): void;
}

/** The program: it writes folder, words and environment to a file, and prints the answer from the file next to it. */
const programFor = (port: number) => `#!/bin/bash
at="$0.$$"
{ printf '%s\\0' "$PWD" $# "$@"; env -0; } > "$at"
exec 3<> /dev/tcp/127.0.0.1/${port}
echo "$at" >&3
read -r code <&3
cat "$at.stdout"
cat "$at.stderr" >&2
exit "$code"
`;

export async function openRelay(): Promise<CommandRelay> {
  const server = createServer((socket) => void answer(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    install(bin) {
      const program = join(bin, "emulator");
      rmSync(program);
      writeFileSync(program, programFor(port));
      chmodSync(program, 0o755);
    },
    close: () => void server.close(),
  };
}

async function answer(socket: Socket): Promise<void> {
  const [at] = (await once(createInterface(socket), "line")) as [string];
  const [cwd = "", count, ...rest] = readFileSync(at, "utf8").split("\0");
  const words = rest.slice(0, Number(count));
  const variables = rest.slice(words.length, -1).map((text) => {
    const name = text.slice(0, text.indexOf("="));
    return [name, text.slice(name.length + 1)] as const;
  });
  const { code, stdout, stderr } = await run(words, { cwd, env: Object.fromEntries(variables) });
  writeFileSync(`${at}.stdout`, stdout);
  writeFileSync(`${at}.stderr`, stderr);
  socket.end(`${code}\n`);
}
