import { defineConfig, type Plugin } from 'vite'
import react from '@vitejs/plugin-react'
import { budgetsPlugin } from './core/console/build/budgets-plugin.ts'
import { contractsPlugin } from './core/console/build/contracts-plugin.ts'
import { iconsPlugin } from './core/console/build/icons-plugin.ts'

const root = import.meta.dirname
const server = process.env['CHANCERY_DEV_SERVER'] ?? 'http://localhost:8080'

/** The server believes its own address alone, and a page of this one comes from another port. */
const behind = { target: server, ws: true, headers: { origin: new URL(server).origin } }

/** The one file that only gathers names: marked as such, so that a screen takes the fields it uses and not all of them. */
const gathering: Plugin = {
  name: 'chancery:gathering',
  transform: (_code, id) => (id.endsWith('/core/console/kit/fields.tsx') ? { moduleSideEffects: false } : undefined),
}

export default defineConfig({
  root: `${root}/apps/console`,
  cacheDir: `${root}/node_modules/.vite`,
  plugins: [contractsPlugin(root), iconsPlugin(), gathering, react(), budgetsPlugin({ public: 165, console: 195, css: 30, route: 45, routeMedian: 15 })],
  server: { proxy: { '/api': behind, '/api2': behind } },
  build: {
    outDir: `${root}/dist/console`,
    emptyOutDir: true,
    target: 'baseline-widely-available',
    assetsInlineLimit: 0,
    sourcemap: false,
    chunkSizeWarningLimit: 1000,
    reportCompressedSize: false,
    // One chunk for what every page needs: it compresses better than twenty, and stays cached when only our own code changes. And one each for the
    // small things that most pages share: in a file of its own each would cost a turn on the line.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', test: /(?<!@xyflow\/react\/)node_modules\/(react|react-dom|scheduler|react-router|cookie-es|@remix-run|@lingui|@messageformat|moo|zustand)\//, priority: 1 },
            { name: 'icons', test: /@tabler\/icons-react/, minShareCount: 6 },
            { name: 'mantine', test: /@mantine\/(hooks|core\/esm\/core)\//, minShareCount: 6 },
          ],
        },
      },
    },
  },
})
