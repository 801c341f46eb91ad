import { defineConfig } from "vitest/config";

// CI reads the numbers from a file; a person reads the screen.
const results = process.env.TOOLPOOL_TEST_RESULTS;

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: results === undefined ? ["default"] : ["default", ["json", { outputFile: results }]],
  },
});
