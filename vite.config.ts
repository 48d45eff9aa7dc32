import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { budgetsPlugin } from './core/console/build/budgets-plugin.ts'
import { chunkGroups } from './core/console/build/chunk-groups.ts'
import { contractsPlugin } from './core/console/build/contracts-plugin.ts'
import { eagerPlugin } from './core/console/build/eager-plugin.ts'
import { iconsPlugin } from './core/console/build/icons-plugin.ts'
import { messagesPlugin } from './core/console/build/messages-plugin.ts'
import { namedPlugin } from './core/console/build/named-plugin.ts'
import { pagesPlugin } from './core/console/build/pages-plugin.ts'
import { roomsPlugin } from './core/console/build/rooms-plugin.ts'
import { shapesPlugin } from './core/console/build/shapes-plugin.ts'
import { stylesPlugin } from './core/console/build/styles-plugin.ts'
import { translationsPlugin } from './core/console/build/translations-plugin.ts'

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
  plugins: [
    contractsPlugin(root),
    roomsPlugin(root),
    namedPlugin(root),
    messagesPlugin(root),
    shapesPlugin(),
    stylesPlugin(root),
    iconsPlugin(),
    translationsPlugin(root),
    gathering,
    react(),
    pagesPlugin(root),
    eagerPlugin(root),
    budgetsPlugin(root, {
      public: 165,
      console: 210,
      signIn: 165,
      own: 45,
      home: 18,
      css: 30,
      route: 45,
      routeMedian: 15,
      files: 50,
      filesMedian: 25,
    }),
  ],
  server: { proxy: { '/api': behind, '/api2': behind } },
  build: {
    outDir: `${root}/dist/console`,
    emptyOutDir: true,
    target: 'baseline-widely-available',
    assetsInlineLimit: 0,
    // Keeps the list of all files out of the first load, where each screen would name each file that it needs: the page that is opened names its own
    // (pages-plugin.ts), and later ones are fetched ahead when somebody reaches for a link. Styles stay, which a screen waits for.
    modulePreload: { polyfill: false, resolveDependencies: (_file, files, { hostType }) => (hostType === 'html' ? files : []) },
    sourcemap: false,
    chunkSizeWarningLimit: 1000,
    reportCompressedSize: false,
    // How long the plugins took is of no interest to who starts the product.
    rolldownOptions: { checks: { bundlerTimings: false }, output: { codeSplitting: { groups: await chunkGroups(root) } } },
  },
})
