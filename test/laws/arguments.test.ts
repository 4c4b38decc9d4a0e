import { testLaws } from "./run.ts";

testLaws(["arguments", "verbatim", "coercion"]);
