// Says of the files that pages name themselves that what stands in them is used at once. The browser then reads them whole while they arrive, beside
// the main thread; without it each of some two thousand functions is read when it is first called, a third of a second on a slow telephone.
// https://v8.dev/blog/explicit-compile-hints: a comment to browsers that do not know it.

import type { Plugin } from 'vite'
import { readContracts } from './contracts-plugin.ts'
import { chunksOf, filesOfPages, readPages, withImports } from './pages-plugin.ts'

const hint = '//# allFunctionsCalledOnLoad\n'

export function eagerPlugin(root: string): Plugin {
  return {
    name: 'chancery:eager',
    apply: 'build',
    async generateBundle(_options, bundle) {
      const chunks = chunksOf(bundle)
      const entry = [...chunks.values()].filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName)
      const named = filesOfPages(root, chunks, readPages(root, await readContracts(root))).flatMap(({ files }) =>
        files.map((file) => file.slice(1)),
      )
      for (const name of new Set([...withImports(chunks, entry), ...named])) {
        const chunk = chunks.get(name)
        if (chunk !== undefined) chunk.code = hint + chunk.code
      }
    },
  }
}
