// What this installation is made of, read from the files that came with it: the lock file names every package with its licence, and the
// documentation is a fixed list of Markdown files, so that no name from outside ever becomes a path.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Two steps: Vite takes an address made of import.meta.url in one for a file to serve.
const here = import.meta.url
const root = fileURLToPath(new URL('../../../', here))

export type Licence = { name: string; version: string; licence: string }
export type DocumentFile = { name: string; title: string }

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

let licences: Licence[] | undefined

/** The packages that run in production, by name. */
export function readLicences(): Licence[] {
  if (licences !== undefined) return licences
  const lock: unknown = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'))
  const packages = isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {}
  const found = new Map<string, Licence>()
  for (const [path, entry] of Object.entries(packages)) {
    if (path === '' || !isRecord(entry) || entry['dev'] === true) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const version = textOf(entry['version'])
    found.set(`${name} ${version}`, { name, version, licence: textOf(entry['license']) || 'see package' })
  }
  licences = [...found.values()].sort((a, b) => a.name.localeCompare(b.name))
  return licences
}

const front = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']

export function listDocuments(): DocumentFile[] {
  const docs = existsSync(`${root}docs`)
    ? readdirSync(`${root}docs`)
        .filter((name) => name.endsWith('.md'))
        .sort()
    : []
  return [...front.filter((name) => existsSync(root + name)), ...docs.map((name) => `docs-${name}`)].map((name) => ({
    name,
    title: titleOf(readFileSync(pathOf(name), 'utf8'), name),
  }))
}

export function readDocument(name: string): (DocumentFile & { text: string }) | undefined {
  const found = listDocuments().find((file) => file.name === name)
  return found && { ...found, text: readFileSync(pathOf(name), 'utf8') }
}

const pathOf = (name: string) => root + (name.startsWith('docs-') ? `docs/${name.slice('docs-'.length)}` : name)

const titleOf = (text: string, name: string): string =>
  /^#\s+(.+)$/m.exec(text)?.[1]?.trim() ?? name.replace(/^docs-/, '').replace(/\.md$/, '')
