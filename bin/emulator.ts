#!/usr/bin/env node
import module from "node:module";
import { fileURLToPath } from "node:url";

/** Since Node 22.1. */
type CompileCache = { enableCompileCache?(folder: string): unknown };

// Compiled code is kept beside the code, where nobody else can put any. NODE_DISABLE_COMPILE_CACHE=1 turns it off.
(module as CompileCache).enableCompileCache?.(fileURLToPath(new URL("../.compiled", import.meta.url)));
await (await import("./main.ts")).runCommandLine();
