// The suite `s3-tests` of Ceph, by the Python of the system with boto3 and pytest.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { XMLParser } from "fast-xml-parser";

const FILES = ["s3tests/functional/test_s3.py", "s3tests/functional/test_headers.py"];
const PACKAGES = ["boto3", "pytest", "munch", "isodate", "pytz", "requests", "httplib2", "lxml"];
/** The users that the suite's configuration names; the emulator's key pairs all have the same rights. */
const USERS = ["s3 main", "s3 alt", "s3 tenant", "iam", "iam root", "iam alt root"];

/** What the library says of a call that it does not make, for example because it is too old for a parameter. */
const OF_THE_CLIENT =
  /ParamValidationError|unexpected keyword argument|AwsCrtError|\(name,value\) pairs expected/;

/** Runs the tests in scope; `inScope` says by name which are. */
export async function run({ folder, emulator, inScope }) {
  const python = findPython();
  const scratch = mkdtempSync(join(tmpdir(), "s3-tests-"));
  try {
    // The suite expects a store without buckets.
    await fetch(`${emulator.url}/_emulator/v1/s3/buckets/traces`, { method: "DELETE" });
    const keys = await makeUsers(emulator);
    const configuration = join(scratch, "s3tests.conf");
    writeFileSync(configuration, configurationOf(emulator.s3_url, keys));
    const env = { ...process.env, S3TEST_CONF: configuration, PYTHONDONTWRITEBYTECODE: "1" };
    const pytest = (...words) =>
      spawnSync(python, ["-m", "pytest", "-p", "no:cacheprovider", "-q", ...words], {
        cwd: folder,
        env,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        maxBuffer: 1 << 28,
      });
    const collected = pytest("--collect-only", ...FILES);
    const ids = collected.stdout.split("\n").filter((line) => line.includes("::"));
    if (ids.length === 0) throw new Error(`pytest found no tests:\n${collected.stdout}${collected.stderr}`);
    const report = join(scratch, "report.xml");
    const { stdout, stderr } = pytest(
      "--tb=line",
      `--junitxml=${report}`,
      ...ids.filter((id) => inScope(id.split("::")[1])),
    );
    return resultsIn(report, `${stdout.slice(-2000)}${stderr.slice(-2000)}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function findPython() {
  const imports = `import ${PACKAGES.join(", ")}`;
  for (const python of [process.env.PYTHON, "python3", "/usr/bin/python3"].filter(Boolean)) {
    try {
      execFileSync(python, ["-c", imports], { stdio: "ignore" });
      return python;
    } catch {}
  }
  throw new Error(
    `No Python that has ${PACKAGES.join(", ")}; name one in PYTHON (Debian: python3-boto3, …).`,
  );
}

async function makeUsers({ url }) {
  const keys = new Map();
  for (const user of USERS) {
    const key = { access_key_id: user.replaceAll(" ", "-"), secret_access_key: "secret-of-a-suite" };
    const reply = await fetch(`${url}/_emulator/v1/s3/credentials`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(key),
    });
    if (!reply.ok) throw new Error(`The key pair of ${user} was refused: ${await reply.text()}`);
    keys.set(user, key);
  }
  return keys;
}

function configurationOf(s3Url, keys) {
  const { hostname, port } = new URL(s3Url);
  const head = [
    "[DEFAULT]",
    `host = ${hostname}`,
    `port = ${port}`,
    "is_secure = False",
    "ssl_verify = False",
  ];
  const users = [...keys].flatMap(([user, { access_key_id, secret_access_key }]) => [
    `[${user}]`,
    ...["display_name", "user_id", "email"].map((name) => `${name} = emulator`),
    `access_key = ${access_key_id}`,
    `secret_key = ${secret_access_key}`,
    ...(user === "s3 tenant" ? ["tenant = emulator"] : []),
  ]);
  return [...head, "[fixtures]", "bucket prefix = peer-{random}-", ...users, ""].join("\n");
}

function resultsIn(report, output) {
  let text;
  try {
    text = readFileSync(report, "utf8");
  } catch {
    throw new Error(`pytest left no report:\n${output}`);
  }
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    isArray: (name) => name === "testcase",
  });
  const { testsuites } = parser.parse(text);
  const results = new Map();
  for (const { name, failure, error, skipped } of testsuites.testsuite.testcase) {
    const trouble = failure ?? error;
    const isClients = trouble && OF_THE_CLIENT.test(trouble.message);
    const outcome =
      trouble && !isClients ? "failed" : skipped === undefined && !isClients ? "passed" : "skipped";
    results.set(name, { outcome, message: trouble?.message ?? "" });
  }
  return results;
}
