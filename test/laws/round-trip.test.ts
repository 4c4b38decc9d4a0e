import { testLaws } from "./run.ts";

testLaws(["roundTrip", "roundTripWithoutTools"]);
