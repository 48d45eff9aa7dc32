// How much a first visit loads, measured on the finished chunks and held to the budget: the build fails over it. The files are also
// compressed here with brotli, once, so that the server never compresses.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin, Rollup } from 'vite'
import { homePath } from '#core/contract/pages.ts'
import { readContracts } from './contracts-plugin.ts'
import { chunksByModule, chunksOf, drawFile, filesOfPages, readPages, shellFiles, withImports } from './pages-plugin.ts'

type Chunk = Rollup.OutputChunk
type Budget = { name: string; limit: number; size: number; unit?: string }

/** The files (chunk-groups.ts) that tables, forms, details and menus are made of: who has been to one page has them for the next. */
const sharedKits: ReadonlySet<string> = new Set(['shapes', 'kit', 'details', 'floating', 'form', 'choices', 'list', 'panels', 'parts'])

/** As the specification has it. */
const signInPath = '/login'

const kilobytes = (bytes: number) => bytes / 1000
const gzipSize = (content: string | Uint8Array) => kilobytes(gzipSync(content, { level: 9 }).length)

/** The style files that these chunks bring. */
function cssOf(names: Set<string>, chunks: Map<string, Chunk>, files: readonly (Chunk | Rollup.OutputAsset)[]): number {
  const wanted = new Set([...names].flatMap((name) => [...(chunks.get(name)?.viteMetadata?.importedCss ?? [])]))
  return files.reduce((sum, file) => (file.type === 'asset' && wanted.has(file.fileName) ? sum + gzipSize(file.source) : sum), 0)
}

export type BudgetLimits = {
  /** All that the sign-in page loads beside React DOM, which comes last, while the rest is at work. */
  signIn: number
  /** All that a page loads beside the first load and what tables and forms share. */
  own: number
  /** The same of the home page, which a dozen rooms draw. */
  home: number
  public: number
  console: number
  css: number
  route: number
  routeMedian: number
  files: number
  filesMedian: number
}

export function budgetsPlugin(root: string, limits: BudgetLimits): Plugin {
  let folder = ''
  return {
    name: 'chancery:budgets',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir
    },
    async writeBundle(_options, bundle) {
      const files = Object.values(bundle)
      const chunks = chunksOf(bundle)
      const sizes = new Map([...chunks].map(([name, chunk]) => [name, gzipSize(chunk.code)]))
      const total = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0)
      const byModule = chunksByModule(chunks)
      const shell = (kind: keyof typeof shellFiles) => shellFiles[kind].flatMap((file) => byModule.get(join(root, file)) ?? [])

      const entry = [...chunks.values()].filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName)
      const open = withImports(chunks, [...entry, ...shell('public')])
      const closed = withImports(chunks, [...entry, ...shell('console')])
      const css = cssOf(closed, chunks, files)
      // An island is loaded when somebody asks for it: a graph, an editor. Its screen works without.
      const screens = [...chunks.values()]
        .filter((chunk) => /\/areas\/[^/]+\/console\/(?!.*\.island\.tsx$)/.test(chunk.facadeModuleId ?? ''))
        .map((chunk) => ({ name: chunk.fileName, size: sizes.get(chunk.fileName) ?? 0 }))
      const bySize = screens.toSorted((a, b) => a.size - b.size)

      // Every file is a turn on the line, of which six go at a time.
      const drawn = filesOfPages(root, chunks, readPages(root, await readContracts(root)))
      const pages = drawn.map((page) => ({ name: page.path, size: withImports(chunks, entry).size + page.files.length }))
      const scriptsOf = (files: readonly string[]): string[] => files.map((file) => file.slice(1)).filter((file) => chunks.has(file))
      const signIn = new Set([...withImports(chunks, entry), ...scriptsOf(drawn.find(({ path }) => path === signInPath)?.files ?? [])])
      const drawing = byModule.get(join(root, drawFile)) ?? ''
      const isShared = (file: string): boolean => closed.has(file) || sharedKits.has(chunks.get(file)?.name ?? '')
      const sizeOfOwn = (all: readonly string[]): number => total(scriptsOf(all).filter((file) => !isShared(file)))
      const inConsole = drawn
        .filter(({ shell: kind }) => kind === 'console')
        .map((page) => ({ name: page.path, size: sizeOfOwn(page.files) }))
      const home = inConsole.find(({ name }) => name === homePath)
      const largestOwn = inConsole.filter((one) => one !== home).toSorted((a, b) => b.size - a.size)[0]
      const byFiles = pages.toSorted((a, b) => a.size - b.size)

      const budgets: Budget[] = [
        { name: 'first load, public', limit: limits.public, size: total(open) },
        { name: 'first load, console', limit: limits.console, size: total(closed) },
        { name: 'sign-in page, beside React DOM', limit: limits.signIn, size: total([...signIn].filter((file) => file !== drawing)) },
        { name: `page's own, largest (${largestOwn?.name ?? 'none'})`, limit: limits.own, size: largestOwn?.size ?? 0 },
        { name: "page's own, home", limit: limits.home, size: home?.size ?? 0 },
        { name: 'first load, styles', limit: limits.css, size: css },
        { name: 'screen, median', limit: limits.routeMedian, size: bySize[Math.floor(bySize.length / 2)]?.size ?? 0 },
        { name: `screen, largest (${bySize.at(-1)?.name ?? 'none'})`, limit: limits.route, size: bySize.at(-1)?.size ?? 0 },
        { name: 'page, median', limit: limits.filesMedian, size: byFiles[Math.floor(byFiles.length / 2)]?.size ?? 0, unit: 'files' },
        { name: `page, largest (${byFiles.at(-1)?.name ?? 'none'})`, limit: limits.files, size: byFiles.at(-1)?.size ?? 0, unit: 'files' },
      ]
      for (const { name, size, limit, unit = 'kB gzip' } of budgets)
        this.info(`${size > limit ? 'over ' : ''}${name}: ${Number(size.toFixed(1))} of ${limit} ${unit}`)
      compress(folder)
      const over = budgets.filter((budget) => budget.size > budget.limit)
      if (over.length > 0)
        this.error(
          `Over budget: ${over.map(({ name, size, limit, unit = 'kB' }) => `${name} ${Number(size.toFixed(1))} ${unit} of ${limit}`).join(', ')}`,
        )
    },
  }
}

function compress(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|svg|json|txt|webmanifest)$/.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const content = readFileSync(path)
    if (content.length > 1000)
      writeFileSync(
        `${path}.br`,
        brotliCompressSync(content, {
          params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
        }),
      )
  }
}
