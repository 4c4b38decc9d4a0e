import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    setupFiles: ["test/support/setup.ts"],
    include: ["test/**/*.test.ts"],
    pool: "threads",
    maxWorkers: 2,
    // Generous on purpose: no test measures time by failing, and a slow or busy machine must not break one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
