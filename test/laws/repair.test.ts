import { testLaws } from "./run.ts";

testLaws(["repair"]);
