import { testLaws } from "./run.ts";

testLaws(["problems"]);
