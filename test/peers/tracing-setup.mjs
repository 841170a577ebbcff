import { vi } from "vitest";

// The suite was written for jest.
globalThis.jest = vi;
