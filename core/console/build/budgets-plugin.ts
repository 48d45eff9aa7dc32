// How much a first visit loads, measured on the finished chunks and held to the budget: the build fails over it. The files are also
// compressed here with brotli, once, so that the server never compresses.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin, Rollup } from 'vite'

type Chunk = Rollup.OutputChunk
type Budget = { name: string; limit: number; size: number }

const kilobytes = (bytes: number) => bytes / 1000
const gzipSize = (content: string | Uint8Array) => kilobytes(gzipSync(content, { level: 9 }).length)

/** A chunk with everything that it loads at once. */
function withImports(chunks: Map<string, Chunk>, names: Iterable<string>, found = new Set<string>()): Set<string> {
  for (const name of names) {
    const chunk = chunks.get(name)
    if (chunk === undefined || found.has(name)) continue
    found.add(name)
    withImports(chunks, chunk.imports, found)
  }
  return found
}

/** The style files that these chunks bring. */
function cssOf(names: Set<string>, chunks: Map<string, Chunk>, files: readonly (Chunk | Rollup.OutputAsset)[]): number {
  const wanted = new Set([...names].flatMap((name) => [...(chunks.get(name)?.viteMetadata?.importedCss ?? [])]))
  return files.reduce((sum, file) => (file.type === 'asset' && wanted.has(file.fileName) ? sum + gzipSize(file.source) : sum), 0)
}

export type BudgetLimits = { public: number; console: number; css: number; route: number; routeMedian: number }

export function budgetsPlugin(limits: BudgetLimits): Plugin {
  let folder = ''
  return {
    name: 'chancery:budgets',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir
    },
    writeBundle(_options, bundle) {
      const files = Object.values(bundle)
      const chunks = new Map(files.filter((file): file is Chunk => file.type === 'chunk').map((chunk) => [chunk.fileName, chunk]))
      const sizes = new Map([...chunks].map(([name, chunk]) => [name, gzipSize(chunk.code)]))
      const total = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0)
      const byModule = (ending: string) => [...chunks.values()].filter((chunk) => chunk.facadeModuleId?.endsWith(ending) === true).map((chunk) => chunk.fileName)

      const entry = [...chunks.values()].filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName)
      const open = withImports(chunks, [...entry, ...byModule('shell/PublicShell.tsx')])
      const closed = withImports(chunks, [...entry, ...byModule('shell/ConsoleShell.tsx'), ...byModule('apps/console/house.ts')])
      const css = cssOf(closed, chunks, files)
      // An island is loaded when somebody asks for it: a graph, an editor. Its screen works without.
      const screens = [...chunks.values()].filter((chunk) => /\/areas\/[^/]+\/console\/(?!.*\.island\.tsx$)/.test(chunk.facadeModuleId ?? '')).map((chunk) => ({ name: chunk.fileName, size: sizes.get(chunk.fileName) ?? 0 }))
      const bySize = screens.toSorted((a, b) => a.size - b.size)

      const budgets: Budget[] = [
        { name: 'first load, public', limit: limits.public, size: total(open) },
        { name: 'first load, console', limit: limits.console, size: total(closed) },
        { name: 'first load, styles', limit: limits.css, size: css },
        { name: 'screen, median', limit: limits.routeMedian, size: bySize[Math.floor(bySize.length / 2)]?.size ?? 0 },
        { name: `screen, largest (${bySize.at(-1)?.name ?? 'none'})`, limit: limits.route, size: bySize.at(-1)?.size ?? 0 },
      ]
      for (const { name, size, limit } of budgets) this.info(`${size > limit ? 'over ' : ''}${name}: ${size.toFixed(1)} of ${limit} kB gzip`)
      compress(folder)
      const over = budgets.filter((budget) => budget.size > budget.limit)
      if (over.length > 0) this.error(`Over budget: ${over.map(({ name, size, limit }) => `${name} ${size.toFixed(1)} kB of ${limit}`).join(', ')}`)
    },
  }
}

function compress(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|svg|json|txt|webmanifest)$/.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const content = readFileSync(path)
    if (content.length > 1000) writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }))
  }
}
