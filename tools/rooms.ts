// The order of the rooms, checked over every import (ARCHITECTURE.md says it in words), and that no test looks at the clock. Prints each breach as
// file:line and what to do; exits 1 where there is one.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { order } from '#areas/order.ts'
import { readContracts } from '#core/console/build/contracts-plugin.ts'
import { placeFaults } from '#core/contract/places.ts'
import { checkClock, type Breach } from './clock.ts'
import { tableOwners } from './table-owners.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const aliases: Record<string, string> = { '#apps/': 'apps/', '#areas/': 'areas/', '#core/': 'core/', '#standards/': 'standards/' }
const floors = ['standards', 'core', 'areas', 'apps']
const nodeFree = /^areas\/[^/]+\/(contract|rules|shapes)\.ts$|\/console\/|^core\/contract\//
/** They gather what rooms offer through slots and import none of them, so that any of those can go. */
const gatherers = ['audit', 'search', 'home']
const browserPackages = /^(react|react-dom|react-router|@mantine\/|@tanstack\/|@lingui\/react|zustand)/

type Import = { from: string; specifier: string; line: number }

export function checkRooms(files: readonly string[], read: (file: string) => string): Breach[] {
  return files.flatMap((file) => importsOf(file, read(file)).flatMap((one) => judge(one)))
}

function judge({ from, specifier, line }: Import): Breach[] {
  const breach = (says: string): Breach[] => [{ file: from, line, says }]
  const isTest = /\.test\.tsx?$|\.fixture\.tsx?$|^core\/testing\/|^core\/console\/(testing|build)\/|^e2e\/|^bench\/|^tools\//.test(from)
  const target = resolve(from, specifier)
  if (target === undefined) {
    if (!isTest && nodeFree.test(from) && specifier.startsWith('node:'))
      return breach(`${specifier} is Node's; this file is read by the browser too`)
    if (/^areas\/[^/]+\/server\//.test(from) && browserPackages.test(specifier))
      return breach(`${specifier} belongs to the console; this is a server file`)
    return []
  }
  if (isTest) return []
  const [floor, otherFloor] = [from.split('/')[0] ?? '', target.split('/')[0] ?? '']
  if (floors.includes(floor) && floors.indexOf(otherFloor) > floors.indexOf(floor))
    return breach(`${floor} may not look up at ${otherFloor}: ${target}`)
  if (nodeFree.test(from) && /^areas\/[^/]+\/(server\/|service\.ts)|^core\/(server|database)\//.test(target))
    return breach(`this file is read by the browser; ${target} is for the server`)
  if (/^areas\/[^/]+\/server\//.test(from) && /\/console\//.test(target)) return breach(`a server file may not see the console: ${target}`)
  const [, room] = /^areas\/([^/]+)\//.exec(from) ?? []
  const [, otherRoom, rest = ''] = /^areas\/([^/]+)\/(.+)$/.exec(target) ?? []
  if (room === undefined || otherRoom === undefined || room === otherRoom) return []
  if (gatherers.includes(room)) return breach(`${room} gathers through slots and imports no room: let ${otherRoom} offer it`)
  if (rest.includes('/')) return breach(`${otherRoom} is reached only by the files at its root, not ${rest}`)
  const [mine, theirs] = [order.findIndex((name) => name === room), order.findIndex((name) => name === otherRoom)]
  if (mine < 0) return breach(`the room ${room} is not in areas/order.ts`)
  if (theirs < 0 || theirs > mine)
    return breach(`${room} may use only rooms listed before it; ${otherRoom} stands above. Go up by an event`)
  return []
}

function importsOf(file: string, text: string): Import[] {
  const { module } = parseSync(file, text)
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length
  const statics = [
    ...module.staticImports.map((one) => ({ at: one.start, specifier: one.moduleRequest.value })),
    ...module.staticExports.flatMap((one) =>
      one.entries.flatMap((entry) => (entry.moduleRequest === null ? [] : [{ at: one.start, specifier: entry.moduleRequest.value }])),
    ),
  ]
  const dynamics = module.dynamicImports.map((one) => ({
    at: one.start,
    specifier: text.slice(one.moduleRequest.start, one.moduleRequest.end).replace(/^['"`]|['"`]$/g, ''),
  }))
  return [...statics, ...dynamics].map(({ at, specifier }) => ({ from: file, specifier, line: lineOf(at) }))
}

function resolve(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier))
  const alias = Object.keys(aliases).find((prefix) => specifier.startsWith(prefix))
  return alias === undefined ? undefined : `${aliases[alias]}${specifier.slice(alias.length)}`
}

const isStore = /^areas\/[^/]+\/server\/(?:store|(?:[\w-]+\/)?[\w-]+-store)\.ts$/
const statement =
  /\.(?:withTables|selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\b|\bsql(?:<[^>]*>)?`|(?<!\boutward)\.query\(|\btext: ?[`'"](?:select|insert|update|delete|with)\b/
const builtOn = /(?:selectFrom|insertInto|updateTable|deleteFrom|[jJ]oin)\(\s*'(\w+)(?: as \w+)?'/g
const writtenOut = /\b(?:from|join|into|update)\s+(\w+)/g
const comments = /\/\*[\s\S]*?\*\/|\/\/.*$/gm

/** Statements stand in `server/store.ts`, or beside it in `server/<noun>-store.ts`; a room in folders keeps the latter in them, `server/<folder>/<noun>-store.ts`. */
export function checkStores(files: readonly string[], read: (file: string) => string): Breach[] {
  return files.flatMap((file): Breach[] => {
    if (!/^areas\/[^/]+\/.*\.tsx?$/.test(file) || /\.(test|fixture)\.tsx?$/.test(file) || isStore.test(file)) return []
    const text = read(file)
    const at = text.search(statement)
    return at < 0
      ? []
      : [
          {
            file,
            line: text.slice(0, at).split('\n').length,
            says: 'a statement stands in the store of its room, server/store.ts or server/<noun>-store.ts, which may lie in a folder of server',
          },
        ]
  })
}

/** Only a room's own store names that room's tables: every table that a room's migrations make is looked for in the other rooms' text, in their stores also where a statement is written out. */
export function checkTables(files: readonly string[], read: (file: string) => string): Breach[] {
  const owners = tableOwners(files, read)
  return files.flatMap((file) => {
    const [, room] = /^areas\/([^/]+)\/.*\.ts$/.exec(file) ?? []
    if (room === undefined || /\.test\.tsx?$/.test(file)) return []
    // What is said of tables is no statement; the lines stay where they are.
    const text = read(file).replace(comments, (comment) => comment.replace(/[^\n]/g, ' '))
    const named = [...text.matchAll(builtOn), ...(isStore.test(file) ? text.matchAll(writtenOut) : [])]
    return named.flatMap((match) => {
      const owner = owners.get(match[1] ?? '')
      return owner === undefined || owner === room
        ? []
        : [
            {
              file,
              line: text.slice(0, match.index).split('\n').length,
              says: `the table ${match[1]} belongs to ${owner}; ask its service`,
            },
          ]
    })
  })
}

const pathInText = /(?<!\bpath: |\bolderPath: |Path = )(['"`])\/[a-zA-Z][\w-]*(?:[/?].*)?\1/
const holdsPaths = /\/(?:contract|route-table|[\w-]*paths?)\.ts$/

/** The path of a screen, a call or an endpoint is written in a contract, or beside it where a room below needs it; all else says `to(...)`. */
export function checkPaths(files: readonly string[], read: (file: string) => string): Breach[] {
  return files.flatMap((file): Breach[] => {
    if (!/^areas\/[^/]+\/.*\.tsx?$/.test(file) || /\.(test|fixture)\.tsx?$/.test(file) || holdsPaths.test(file)) return []
    const text = read(file).replace(comments, (comment) => comment.replace(/[^\n]/g, ' '))
    return text
      .split('\n')
      .flatMap((line, at) =>
        pathInText.test(line) ? [{ file, line: at + 1, says: 'a path is written in the contract alone; link to it with to(...)' }] : [],
      )
  })
}

/** Who may open connections to other places beside `core/server/outward`, and why. */
const reachesOut: Record<string, string> = {
  'areas/mail/server/send.ts': 'the mail server of the installation, by nodemailer',
  'areas/health/server/probe.ts': "the installation's own public address",
  'core/agent-link/client.ts': 'the agent, on the machine of a person, calls its own server',
  'apps/agent/ask-server.ts': 'the agent, on the machine of a person, asks its own server where it may call',
  'apps/agent/ipp-printers.ts': 'the agent, on the machine of a person, asks the printers that the person named at its start',
  'apps/cli/tpm-device.ts': 'the command, on the machine of a person, speaks to the software TPM that the person named',
  'apps/cli/tpm.ts': 'the command, on the machine of a person, calls the server that the person named',
  'apps/server/bootstrap.ts': 'the server itself, on loopback',
  'areas/directories/server/connection.ts': 'speaks LDAP on a connection that house.outward opened',
}
const wayOut: Record<string, RegExp> = {
  'node:net': /^(connect|createConnection|Socket|Stream|default)$/,
  'node:tls': /^(connect|TLSSocket|default)$/,
  'node:http': /^(request|get|Agent|ClientRequest|default)$/,
  'node:https': /^(request|get|Agent|default)$/,
  'node:http2': /^(connect|default)$/,
  'node:dgram': /./,
  'node:dns': /./,
  'node:dns/promises': /./,
  undici: /./,
  nodemailer: /./,
  ldapts: /^Client$/,
}
const asksByItself = /(?<![.\w$]|async )fetch\(|\bglobalThis\.fetch\b|\bnew (?:WebSocket|EventSource)\(/

/** Whatever leaves the server leaves through `core/server/outward`, which judges where it goes. */
export function checkOutward(files: readonly string[], read: (file: string) => string): Breach[] {
  return files.flatMap((file): Breach[] => {
    if (
      !/^(core\/(server|database|agent-link)|areas|apps|standards)\/.*\.ts$/.test(file) ||
      /\.(test|fixture|types)\.ts$|\/console\//.test(file)
    )
      return []
    if (file.startsWith('core/server/outward/') || Object.hasOwn(reachesOut, file)) return []
    const text = read(file)
    const says = 'only core/server/outward connects to other places; use house.outward, or say in tools/rooms.ts why not'
    const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
    const { module } = parseSync(file, text)
    const imported = module.staticImports.flatMap(({ moduleRequest, entries, start }) =>
      entries.some(
        ({ isType, importName }) =>
          !isType && wayOut[moduleRequest.value]?.test(importName.kind === 'Name' ? (importName.name ?? '') : 'default') === true,
      )
        ? [{ file, line: lineAt(start), says }]
        : [],
    )
    const bare = text.replace(comments, (comment) => comment.replace(/[^\n]/g, ' '))
    const at = bare.search(asksByItself)
    return at < 0 ? imported : [...imported, { file, line: lineAt(at), says }]
  })
}

/** Who parses JSON beside `standards/json`, and why nobody else has written it. */
const parsesJson: Record<string, string> = {
  'standards/json/read.ts': 'bounds it',
  'core/server/refusals.ts': 'the body of an event of ours',
  'core/server/bus-refusals.ts': 'the body of an event of ours',
  'areas/audit/server/index.ts': 'the body of an event of ours',
  'areas/sso/server/index.ts': 'the body of an event of ours',
  'areas/workflow/server/transactions.ts': 'the body of an event of ours',
  'core/server/repeats.ts': 'an answer of ours, which was sealed',
  'areas/profiles/server/sealed.ts': 'a row of ours, which was sealed',
  'areas/smartcards/server/agents/processes.ts': 'the word of another process of ours, which was sealed',
  'areas/smartcards/server/agents/agents.ts': 'a ticket of ours, which was sealed',
  'areas/questions/service.ts': 'a row of ours, written from a shape',
  'areas/tickets/server/clock-store.ts': 'a row of ours, written from a shape',
  'areas/groupPolicy/server/index.ts': 'a row of ours, written from what a reader has bounded',
  'areas/printing/server/faces.ts': 'what our own process has drawn',
  'areas/printing/server/draw-face.ts': 'what our own server asks that process for',
  'areas/home/server/about.ts': 'a file of this product',
  'core/server/open.ts': 'a file of this product',
  'core/server/static.ts': 'a file of this product',
  'core/server/openapi.ts': 'a document of ours, to copy it',
  'core/server/data-folder.ts': 'a file of the data folder',
  'core/server/address-memory.ts': 'a file of the data folder',
  'core/database/embedded.ts': 'a file of the data folder',
  'core/database/binaries.ts': 'a file of a package',
  'core/server/backup/load.ts': 'the backup that the operator gives at the terminal',
  'core/server/backup/container.ts': 'the backup that the operator gives at the terminal',
  'apps/server/bootstrap.ts': 'the answer of our own server, on loopback',
  'apps/server/demo.ts': 'a file of the data folder',
  'apps/server/draft-file.ts': 'the file that the operator gives at the terminal',
  'apps/agent/ask-server.ts': 'the agent, on the machine of a person, asks its own server',
  'apps/agent/memory.ts': 'a file of the agent, on the machine of a person',
  'apps/agent/main.ts': 'a file of this product',
  'apps/cli/tpm.ts': 'the command, on the machine of a person, asks the server that the person named',
}
const parsesByItself = /\bJSON\.parse\b|\.json\(\)/

/** What others have written is counted before it is parsed: JSON.parse makes whatever it is given, and each value costs whoever walks it. */
export function checkJson(files: readonly string[], read: (file: string) => string): Breach[] {
  return files.flatMap((file): Breach[] => {
    if (
      !/^(core\/(server|database|agent-link)|areas|apps|standards)\/.*\.ts$/.test(file) ||
      /\.(test|fixture|types)\.ts$|\/console\//.test(file) ||
      Object.hasOwn(parsesJson, file)
    )
      return []
    const lines = read(file)
      .replace(comments, (comment) => comment.replace(/[^\n]/g, ' '))
      .split('\n')
    const says = 'JSON of others is read by readJson (standards/json), which bounds it; or say in tools/rooms.ts why not'
    return lines.flatMap((line, at) => (parsesByItself.test(line) ? [{ file, line: at + 1, says }] : []))
  })
}

function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? listFiles(path) : [path]
  })
}

export function checkHouse(): { files: number; breaches: Breach[] } {
  const files = ['standards', 'core', 'areas', 'apps'].flatMap(listFiles)
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const code = files.filter((file) => /\.(ts|tsx|mts)$/.test(file))
  return {
    files: code.length,
    breaches: [
      ...checkRooms(code, read),
      ...checkStores(code, read),
      ...checkPaths(code, read),
      ...checkOutward(code, read),
      ...checkClock([...code, ...['e2e', 'tools'].flatMap(listFiles)], read),
      ...checkJson(code, read),
      ...checkTables(
        files.filter((file) => /\.(ts|tsx|sql)$/.test(file)),
        read,
      ),
    ],
  }
}

/** Each screen has its place on the map of the navigation: the contracts themselves are read. */
export async function checkPlaces(): Promise<Breach[]> {
  const { screens } = await readContracts(root)
  return placeFaults(screens).map((says) => ({ file: `areas/${says.split('.')[0] ?? ''}/contract.ts`, line: 1, says }))
}

if (process.argv[1] !== undefined && relative(fileURLToPath(import.meta.url), process.argv[1]) === '') {
  const { files, breaches: found } = checkHouse()
  const breaches = [...found, ...(await checkPlaces())]
  for (const { file, line, says } of breaches) console.error(`${file}:${line}: ${says}`)
  console.log(
    breaches.length === 0 ? `${files} files keep the order of the rooms` : `${breaches.length} places break the order of the rooms`,
  )
  process.exit(breaches.length === 0 ? 0 : 1)
}
