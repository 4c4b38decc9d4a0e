import { testLaws } from "./run.ts";

testLaws(["siblings", "lostQuote"]);
