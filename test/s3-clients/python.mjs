// Python packages that read and write S3, installed into an environment of their own.

import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** The packages, by the client whose settings they use. */
const PACKAGES = { aws: "boto3", polars: "polars", pyarrow: "pyarrow" };
const INSTALL_MS = 300_000;

/** A program for each client. The bucket traces exists in a new world. */
export const PYTHON_CHECKS = Object.entries({
  aws: `
import boto3
s3 = boto3.client("s3")
s3.put_object(Bucket="traces", Key="from/boto3", Body=b"three")
assert s3.get_object(Bucket="traces", Key="from/boto3")["Body"].read() == b"three"
`,
  polars: `
import polars
polars.DataFrame({"n": [1, 2, 3]}).write_parquet("s3://traces/from/polars.parquet")
assert polars.scan_parquet("s3://traces/from/polars.parquet").collect().height == 3
`,
  pyarrow: `
import os, pyarrow, pyarrow.fs, pyarrow.parquet
pyarrow.parquet.write_table(pyarrow.table({"n": [1, 2, 3]}), "s3://traces/from/pyarrow.parquet")
assert pyarrow.parquet.read_table("s3://traces/from/pyarrow.parquet").num_rows == 3
store = pyarrow.fs.S3FileSystem(endpoint_override=os.environ["AWS_ENDPOINT_URL_S3"])
assert pyarrow.parquet.read_table("traces/from/pyarrow.parquet", filesystem=store).num_rows == 3
`,
});

/** Python with the packages in a folder; throws with the reason if they cannot be installed. */
export function findPython(folder) {
  const place = join(folder, "python");
  const path = join(place, "bin/python");
  try {
    const options = { stdio: ["ignore", "ignore", "pipe"], timeout: INSTALL_MS };
    execFileSync("python3", ["-m", "venv", place], options);
    const words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    execFileSync(path, [...words, ...Object.values(PACKAGES)], options);
  } catch (error) {
    throw new Error(
      String(error.stderr || error.message)
        .trim()
        .split("\n")
        .at(-1),
    );
  }
  const versionOf = (client) => {
    const code = `import importlib.metadata as m; print(m.version("${PACKAGES[client]}"))`;
    return `(${PACKAGES[client]} ${execFileSync(path, ["-c", code], { encoding: "utf8" }).trim()})`;
  };
  return { path, versionOf };
}
