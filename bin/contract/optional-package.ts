import { UsageError } from "../command.ts";

/** Loads code that imports an optional peer dependency, such as `testcontainers@11`. Throws `UsageError` if it is missing. */
export async function loadOptional<T>(flag: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const bare = name.replace(/@[^@/]*$/, "");
    throw new UsageError(
      `${flag}: the package ${bare} is not installed; run "npm install --save-dev ${name}"`,
    );
  }
}
