#!/usr/bin/env node
import process from "node:process";
import { run } from "./run.ts";

const { code, closed } = await run(process.argv.slice(2), process);
process.exitCode = code;
// Nobody reads on, so nothing that is still to come on standard input is worth waiting for.
if (closed) process.exit();
