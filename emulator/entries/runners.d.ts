// The parts of other test runners that the fixtures use. The runner of a project provides these modules.

interface RunnerExpect {
  extend(matchers: object): void;
  getState(): { readonly currentTestName?: string; readonly testPath?: string };
}

declare module "@jest/globals" {
  export function afterAll(close: () => Promise<void>): void;
  export const expect: RunnerExpect;
}

declare module "bun:test" {
  export function afterAll(close: () => Promise<void>): void;
  export const expect: RunnerExpect;
}
