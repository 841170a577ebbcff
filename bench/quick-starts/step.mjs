let calls = 0;
const failed = [];

/** Runs one call of a client. A failed call is reported at the end, and the next one runs. */
export async function step(title, call) {
  calls += 1;
  try {
    return await call();
  } catch (error) {
    failed.push(`${title}: ${String(error?.message ?? error).split("\n")[0]}`);
    return undefined;
  }
}

process.on("exit", () => console.log(JSON.stringify({ calls, failed })));
