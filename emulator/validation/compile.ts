import { Ajv2020 } from "ajv/dist/2020.js";
import { createCompiler } from "./compiler.ts";

/** The compiler for those who check something at once. */
export const compile = createCompiler(Ajv2020);
