import { testLaws } from "./run.ts";

testLaws(["loss"]);
