// Runs before each test file, also where files share a process and with it the modules that they import.
import { afterEach } from "vitest";
import { endProcesses } from "./emulator-process.ts";

afterEach(endProcesses);
