import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    reporters: ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['standards/**/*.test.ts', 'core/contract/**/*.test.ts', 'core/database/**/*.test.ts', 'areas/*/*.test.ts', 'areas/*.test.ts', 'tools/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'server',
          include: ['core/server/**/*.test.ts', 'areas/*/server/**/*.test.ts'],
          globalSetup: ['core/testing/cluster.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
