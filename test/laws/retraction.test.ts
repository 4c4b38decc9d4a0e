import { testLaws } from "./run.ts";

testLaws(["retraction"]);
