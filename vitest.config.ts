import { defineConfig } from 'vitest/config'
import { contractsPlugin } from './core/console/build/contracts-plugin.ts'
import { iconsPlugin } from './core/console/build/icons-plugin.ts'
import { roomsPlugin } from './core/console/build/rooms-plugin.ts'
import { translationsPlugin } from './core/console/build/translations-plugin.ts'
import { LongestFirst } from './core/testing/longest-first.ts'

const root = import.meta.dirname
/**
 * How long a test looks again for what must come, and how long it may take itself. Both guard against hanging alone and are far beyond what a busy
 * machine needs; who gives up looking has time left to say what was found. Nothing is judged by passed time (tools/clock.ts).
 */
const expecting = { poll: { timeout: 60_000 } }
const patience = { testTimeout: 240_000, hookTimeout: 240_000 }
/** Of browsers, products and tools. */
const longPatience = { testTimeout: 600_000, hookTimeout: 600_000 }
/** Each file's cost is noted, for the budget of its room. */
const setupFiles = ['core/testing/cost.ts']
/** Files of `e2e` that need the product and no browser. */
const programs = ['crash', 'real-clients', 'inert', 'bad-input'].map((name) => `e2e/${name}.test.ts`)
/** What makes the console runs in Node alone. */
const consoleBuild = 'core/console/build/**/*.test.ts'

export default defineConfig({
  test: {
    reporters: ['default'],
    // One for each core: a test waits for its database, its browser or a tool as often as it computes.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          expect: expecting,
          setupFiles,
          // Pure functions, and databases that each test starts for itself: one worker reads the modules once.
          isolate: false,
          include: [
            'standards/**/*.test.ts',
            'core/contract/**/*.test.ts',
            'core/database/**/*.test.ts',
            'core/agent-link/**/*.test.ts',
            'areas/*/*.test.ts',
            'apps/cli/**/*.test.ts',
            'apps/agent/**/*.test.ts',
            'tools/**/*.test.ts',
            consoleBuild,
          ],
          ...patience,
        },
      },
      {
        test: {
          name: 'server',
          expect: expecting,
          setupFiles,
          // Each file opens a house of its own and closes it: nothing of one is left for the next, so the rooms are read once a worker.
          isolate: false,
          include: ['core/server/**/*.test.ts', 'areas/*.test.ts', 'areas/*/server/**/*.test.ts', 'apps/server/**/*.test.ts'],
          globalSetup: ['core/testing/cluster.ts'],
          ...patience,
        },
      },
      {
        // What may differ between two versions of PostgreSQL, for the second one: everything on it takes `--every-engine`.
        test: {
          name: 'engine',
          expect: expecting,
          isolate: false,
          include: [
            'core/testing/engine/*.test.ts',
            'core/server/migrate.test.ts',
            'core/server/row-security.test.ts',
            'areas/main-job.test.ts',
          ],
          globalSetup: ['core/testing/cluster.ts'],
          ...patience,
        },
      },
      {
        plugins: [contractsPlugin(root), roomsPlugin(root), iconsPlugin(), translationsPlugin(root)],
        test: {
          name: 'console',
          expect: expecting,
          // Reading the rooms takes seconds, so a worker reads them once; before each file `setup.ts` empties the page that its files share.
          isolate: false,
          include: ['core/console/**/*.test.{ts,tsx}', 'areas/*/console/**/*.test.{ts,tsx}'],
          exclude: [consoleBuild],
          environment: 'jsdom',
          setupFiles: [...setupFiles, 'core/console/testing/setup.ts'],
          globalSetup: ['core/testing/cluster.ts', 'core/testing/shared.ts'],
          ...patience,
          css: { modules: { classNameStrategy: 'non-scoped' } },
        },
      },
      {
        // The product as people start it, used by programs alone: nothing is in the way of the other tests.
        test: {
          name: 'programs',
          expect: expecting,
          setupFiles,
          isolate: false,
          include: programs,
          ...longPatience,
        },
      },
      {
        // Journeys through a Chromium that the files of a worker share. Two side by side, because each of them waits for its browser and server.
        test: {
          name: 'e2e',
          expect: expecting,
          setupFiles,
          // Each file closes what it opened in the browser, so that and the modules are there once a worker.
          isolate: false,
          include: ['e2e/**/*.test.ts'],
          exclude: ['e2e/protocols/**', ...programs],
          ...longPatience,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Clients of enrolment protocols that people use, in every combination: minutes, so a check of its own (`npm run e2e:protocols`).
        test: {
          name: 'protocols',
          expect: expecting,
          setupFiles,
          globalSetup: ['core/testing/cluster.ts'],
          include: ['e2e/protocols/**/*.test.ts'],
          ...longPatience,
          fileParallelism: false,
        },
      },
    ],
  },
})
