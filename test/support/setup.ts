import fc from "fast-check";

/** The same tries in every run, so that a change is what makes a test fail. `FC_SEED=7 npm test` tries others. */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20310504) });
