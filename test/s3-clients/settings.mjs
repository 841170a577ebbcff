// Settings of each client: the store's address and the credentials. The settings of your account are not used.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

const KEY = "emulator";
const SECRET = "emulator-secret";

/** Environment and first words of each client. */
export function settingsOf(name, { folder, s3Url }) {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    NO_PROXY: "127.0.0.1",
  };
  return { aws, s3cmd, rclone }[name]({ env, folder, s3Url });
}

function aws({ env, folder, s3Url }) {
  const path = join(folder, "aws-config");
  writeFileSync(
    path,
    "[default]\nregion = us-east-1\ns3 =\n  signature_version = s3v4\n  addressing_style = path\n",
  );
  const own = {
    AWS_CONFIG_FILE: path,
    AWS_ACCESS_KEY_ID: KEY,
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_EC2_METADATA_DISABLED: "true",
  };
  return { env: { ...env, ...own }, words: ["--endpoint-url", s3Url] };
}

function s3cmd({ env, folder, s3Url }) {
  const { host } = new URL(s3Url);
  const path = join(folder, "s3cfg");
  const rows = {
    access_key: KEY,
    secret_key: SECRET,
    host_base: host,
    host_bucket: host,
    use_https: "False",
    signature_v2: "False",
    bucket_location: "us-east-1",
    multipart_copy_chunk_size_mb: "50",
  };
  writeFileSync(
    path,
    `[default]\n${Object.entries(rows)
      .map((row) => row.join(" = "))
      .join("\n")}\n`,
  );
  return { env, words: ["--config", path, "--no-progress"] };
}

function rclone({ env, s3Url }) {
  const rows = {
    TYPE: "s3",
    PROVIDER: "Other",
    ENDPOINT: s3Url,
    ACCESS_KEY_ID: KEY,
    SECRET_ACCESS_KEY: SECRET,
    REGION: "us-east-1",
  };
  const own = Object.entries(rows).map(([name, value]) => [`RCLONE_CONFIG_EMULATOR_${name}`, value]);
  return { env: { ...env, ...Object.fromEntries(own), RCLONE_CONFIG: "/dev/null" }, words: [] };
}
