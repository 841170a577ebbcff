// Makes a base image of this machine's own Node, for places without an image registry.
// node test/container/base-image.mjs [name]

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The same programs make the same image, which is then made once. */
export const BASE_IMAGE = `trace-platform-emulator-base:node-${process.versions.node}-${process.arch}`;

/** What the Dockerfile calls, and what those who look into a container reach for. */
const PROGRAMS = ["sh", "cat", "chmod", "cp", "env", "find", "ls", "ln", "mkdir", "mv", "rm"];

const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** Makes the image unless it is there, and answers with its name. */
export function makeBaseImage(name = BASE_IMAGE) {
  if (run("docker", ["images", "--quiet", name]).trim() !== "") return name;
  const root = mkdtempSync(join(tmpdir(), "base-image-"));
  try {
    fill(root);
    importFrom(root, name);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return name;
}

function fill(root) {
  for (const folder of ["etc/ssl/certs", "root", "usr/local/bin", "usr/local/lib", "var"])
    mkdirSync(join(root, folder), { recursive: true });
  for (const folder of ["tmp", "var/tmp"]) {
    mkdirSync(join(root, folder));
    chmodSync(join(root, folder), 0o1777);
  }
  for (const folder of ["bin", "lib", "lib64"]) placeAsHere(root, folder);
  addProgram(root, process.execPath, "/usr/local/bin/node");
  for (const program of PROGRAMS) addProgram(root, pathOf(program), `/usr/bin/${program}`);
  const npm = dirname(dirname(realpathSync(pathOf("npm"))));
  cpSync(npm, join(root, "usr/local/lib/npm"), { recursive: true });
  symlinkSync("../lib/npm/bin/npm-cli.js", join(root, "usr/local/bin/npm"));
  if (existsSync(CERTIFICATES)) cpSync(realpathSync(CERTIFICATES), join(root, CERTIFICATES));
  writeFileSync(
    join(root, "etc/passwd"),
    "root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/tmp:/bin/sh\nnobody:x:65534:65534::/tmp:/bin/sh\n",
  );
  writeFileSync(join(root, "etc/group"), "root:x:0:\nnode:x:1000:\nnogroup:x:65534:\n");
}

/** `/bin` and its like are links into `/usr` on most machines, and folders on others. */
function placeAsHere(root, folder) {
  if (!existsSync(`/${folder}`)) return;
  const linked = linkOf(`/${folder}`);
  mkdirSync(join(root, linked ?? folder), { recursive: true });
  mkdirSync(join(root, "usr/bin"), { recursive: true });
  if (linked !== undefined) symlinkSync(linked, join(root, folder));
}

function linkOf(path) {
  try {
    return readlinkSync(path).replace(/^\//, "");
  } catch {
    return undefined;
  }
}

/** A program with the shared libraries that it names, each at the place where the loader looks for it. */
function addProgram(root, from, to) {
  cpSync(realpathSync(from), join(root, to), { dereference: true });
  for (const [library] of run("ldd", [from]).matchAll(/\/\S+/g)) {
    const place = join(root, library);
    if (existsSync(place)) continue;
    mkdirSync(dirname(place), { recursive: true });
    cpSync(realpathSync(library), place);
  }
}

function pathOf(program) {
  return run("sh", ["-c", `command -v ${program}`]).trim();
}

function importFrom(root, name) {
  const changes = ["ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"];
  // A machine behind a gateway of its own trusts more than Node does by itself.
  if (existsSync(CERTIFICATES)) changes.push(`ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`);
  const archive = `${root}.tar`;
  try {
    run("tar", ["-C", root, "--owner=0", "--group=0", "--numeric-owner", "-cf", archive, "."]);
    run("docker", ["import", ...changes.flatMap((one) => ["--change", one]), archive, name]);
  } finally {
    rmSync(archive, { force: true });
  }
}

function run(program, words) {
  return execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(`${makeBaseImage(process.argv[2])}\n`);
