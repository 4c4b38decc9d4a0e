import { testLaws } from "./run.ts";

testLaws(["chunking", "frontier"]);
