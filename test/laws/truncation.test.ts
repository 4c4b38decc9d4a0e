import { testLaws } from "./run.ts";

testLaws(["truncation", "cut"]);
