// What each page loads, found when the console is built: the shell, the rooms and the screen of an address, with all they import. The server
// writes it into the page, so that the browser fetches everything at once and not one wave after another as each file names the next.
// A list that stands in the search, and the panels of the home page, are part of their page though no import says so: the room's face does.

import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync, type ESTree, type Plugin, type Rollup } from 'vite'
import { homePath, pagesFile, type PageFiles } from '#core/contract/pages.ts'
import { fillPath } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { readContracts, type ContractData } from './contracts-plugin.ts'

type Chunk = Rollup.OutputChunk

/** The files of a room's face, by the name of the screen or the list that they draw, and those of its panels of the home page. */
type Drawn = { screens: Record<string, string>; lists: Record<string, string>; panels: string[] }

type Node = ESTree.Node
type Objects = ESTree.ObjectExpression

const keyOf = ({ key }: ESTree.ObjectProperty): string =>
  key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : ''
const propertiesOf = (object: Objects): [string, Node][] =>
  object.properties.flatMap((property): [string, Node][] => (property.type === 'Property' ? [[keyOf(property), property.value]] : []))

/** `lazy(() => import('./X.tsx'))`, or the name of one that stands above. */
function fileOf(node: Node | undefined, named: ReadonlyMap<string, Node>): string | undefined {
  if (node?.type === 'Identifier') return fileOf(named.get(node.name), new Map())
  if (node?.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'lazy') return undefined
  const [load] = node.arguments
  const asked = load?.type === 'ArrowFunctionExpression' ? load.body : undefined
  return asked?.type === 'ImportExpression' && asked.source.type === 'Literal' && typeof asked.source.value === 'string'
    ? asked.source.value
    : undefined
}

/** The objects of `offer(name, { ... }, { ... })` among the offers. */
const offeredTo = (name: string, offers: Node | undefined): Objects[] =>
  offers?.type !== 'ArrayExpression'
    ? []
    : offers.elements.flatMap((one) =>
        one?.type === 'CallExpression' && one.arguments[0]?.type === 'Identifier' && one.arguments[0].name === name
          ? one.arguments.filter((argument): argument is Objects => argument.type === 'ObjectExpression')
          : [],
      )

/** Reads a face as it is written: `show('tickets', { screens }, { lists, offers: [offer(homePanels, { key, load })] })`. */
function readConsoleModule(code: string, name = 'index.ts'): Drawn {
  const { body } = parseSync(name, code).program
  const named = new Map<string, Node>()
  const drawn: Drawn = { screens: {}, lists: {}, panels: [] }
  const take = (into: Record<string, string>, object: Node | undefined, pick: (value: Node) => Node | undefined): void => {
    if (object?.type !== 'ObjectExpression') return
    for (const [key, value] of propertiesOf(object)) {
      const file = fileOf(pick(value), named)
      if (file !== undefined) into[key] = file
    }
  }
  for (const statement of body) {
    if (statement.type === 'VariableDeclaration')
      for (const { id, init } of statement.declarations) if (id.type === 'Identifier' && init !== null) named.set(id.name, init)
    if (statement.type !== 'ExportDefaultDeclaration' || statement.declaration.type !== 'CallExpression') continue
    const [, screens, extras] = statement.declaration.arguments
    take(drawn.screens, screens, (value) => value)
    if (extras?.type !== 'ObjectExpression') continue
    const extra = new Map(propertiesOf(extras))
    take(drawn.lists, extra.get('lists'), (value) => value)
    for (const panel of offeredTo('homePanels', extra.get('offers'))) {
      const file = fileOf(new Map(propertiesOf(panel)).get('load'), named)
      if (file !== undefined) drawn.panels.push(file)
    }
  }
  return drawn
}

/** Every page that can be opened: its address, its shell, and the modules that draw it. */
export type DrawnPage = { path: string; shell: 'public' | 'console'; modules: string[] }

export function readPages(root: string, { screens }: Pick<ContractData, 'screens'>): DrawnPage[] {
  const consoleModules = new Map<string, Drawn>()
  for (const area of new Set(screens.map((screen) => screen.area))) {
    const consoleModule = join(root, `areas/${area}/console/index.ts`)
    if (!existsSync(consoleModule)) continue
    const whole = (files: Record<string, string>) =>
      Object.fromEntries(Object.entries(files).map(([key, file]) => [key, join(dirname(consoleModule), file)]))
    const { screens: own, lists, panels } = readConsoleModule(readFileSync(consoleModule, 'utf8'), consoleModule)
    consoleModules.set(area, { screens: whole(own), lists: whole(lists), panels: panels.map((file) => join(dirname(consoleModule), file)) })
  }
  const all = [...consoleModules.values()]
  const panels = all.flatMap((consoleModule) => consoleModule.panels)
  const words = globSync('areas/*/console/{first-steps,waiting-work}.ts', { cwd: root }).map((file) => join(root, file))
  const pages = screens.flatMap(({ area, name, path, needs, shell }): DrawnPage[] => {
    const file = consoleModules.get(area)?.screens[name]
    if (file === undefined) return []
    const modules = path === homePath ? [file, ...panels, ...words] : [file]
    return [{ path, shell: (shell ?? needs) === 'public' ? 'public' : 'console', modules }]
  })
  const search = pages.find(({ path }) => path === searchScreen.path)
  if (search === undefined) return pages
  const lists = all.flatMap((consoleModule) => Object.entries(consoleModule.lists))
  // Before the screens: some of them are a tab of the search with an address of its own.
  return [
    ...lists.map(([searchType, file]): DrawnPage => ({
      path: fillPath(searchScreen.path, { searchType }),
      shell: 'console',
      modules: [...search.modules, file],
    })),
    ...pages,
  ]
}

/** What the home page is drawn by: its cards, and the words of what rooms have waiting and of the first steps, which it asks for at once. */
export const modulesOfHome = (root: string, contracts: Pick<ContractData, 'screens'>): string[] =>
  readPages(root, contracts).find(({ path }) => path === homePath)?.modules ?? []

/** A chunk with everything that it loads at once, each after what it builds on: that is the order of their styles. */
export function withImports(chunks: ReadonlyMap<string, Chunk>, names: Iterable<string>): Set<string> {
  const met = new Set<string>()
  const found = new Set<string>()
  const take = (name: string): void => {
    const chunk = chunks.get(name)
    if (chunk === undefined || met.has(name)) return
    met.add(name)
    chunk.imports.forEach(take)
    found.add(name)
  }
  for (const name of names) take(name)
  return found
}

/** The chunks of a build by file name. */
export const chunksOf = (bundle: Rollup.OutputBundle): Map<string, Chunk> =>
  new Map(Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])))

/** Where each module went. */
export const chunksByModule = (chunks: ReadonlyMap<string, Chunk>): Map<string, string> =>
  new Map([...chunks.values()].flatMap((chunk) => chunk.moduleIds.map((module): [string, string] => [module, chunk.fileName])))

export const drawFile = 'core/console/draw.ts'
export const shellFiles = {
  public: ['core/console/shell/PublicShell.tsx', drawFile],
  console: ['core/console/shell/ConsoleShell.tsx', 'apps/console/all-rooms.ts', drawFile],
} as const

/** What a page loads beside the entry, styles among it. */
export function filesOfPages(root: string, chunks: ReadonlyMap<string, Chunk>, pages: readonly DrawnPage[]): PageFiles[] {
  const byModule = chunksByModule(chunks)
  const styles = (names: Iterable<string>): string[] =>
    [...names].flatMap((name) => [...(chunks.get(name)?.viteMetadata?.importedCss ?? [])])
  const entry = withImports(
    chunks,
    [...chunks.values()].filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName),
  )
  const there = new Set([...entry, ...styles(entry)])
  return pages.map(({ path, shell, modules }) => {
    // What draws goes last: the others can be at work before it is there.
    const heads = [...shellFiles[shell].map((file) => join(root, file)), ...modules]
      .toSorted((a, b) => Number(a.endsWith(drawFile)) - Number(b.endsWith(drawFile)))
      .map((module) => {
        const file = byModule.get(module)
        if (file === undefined) throw new Error(`${module}, which draws ${path}, has no chunk`)
        return file
      })
    const scripts = withImports(chunks, heads)
    return {
      path,
      shell,
      files: [...new Set([...styles(scripts), ...scripts])].filter((file) => !there.has(file)).map((file) => `/${file}`),
    }
  })
}

export function pagesPlugin(root: string): Plugin {
  let folder = ''
  return {
    name: 'chancery:pages',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir
    },
    async transformIndexHtml() {
      const { doors } = await readContracts(root)
      const { bootstrap } = doors
      // The one request that every page makes starts with the page, in the words that `send` will use: the browser hands the answer over once. The server
      // adds the one that the asked page reads first.
      return bootstrap === undefined
        ? []
        : [
            {
              tag: 'link',
              attrs: { rel: 'preload', as: 'fetch', href: bootstrap.path, crossorigin: 'use-credentials' },
              injectTo: 'head-prepend',
            },
          ]
    },
    async writeBundle(_options, bundle) {
      const contracts = await readContracts(root)
      const pages = filesOfPages(root, chunksOf(bundle), readPages(root, contracts))
      writeFileSync(join(folder, pagesFile), JSON.stringify(pages.map((page) => ({ ...page, asks: contracts.asks.get(page.path) }))))
    },
  }
}
