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
    // CI runs on a machine whose speed nobody knows; a test that needed a second try is named in the report.
    retry: process.env.CI === undefined ? 0 : 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: results === undefined ? ["default"] : ["default", ["json", { outputFile: results }]],
  },
});
