// Writes a room that works as it stands, from the model in tools/model-room: a record with list, form and page, calls, events, a job, a subscription and
// the tests of all of them. Whoever builds a room changes what is there instead of joining pieces from an empty file.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { translationsOf } from '#core/console/build/extract-text.ts'
import { isPermission } from '#core/contract/permission-labels.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const [, , area = '', areas = at('../areas')] = process.argv
if (!/^[a-z][a-zA-Z]+$/.test(area)) {
  console.error('Usage: npm run new-area NAME, in letters, beginning small')
  process.exit(2)
}
const folder = join(areas, area)
if (existsSync(folder)) {
  console.error(`areas/${area} exists`)
  process.exit(1)
}

const apart = (camel: string, between: string): string => camel.replaceAll(/[A-Z]/g, (letter) => `${between}${letter.toLowerCase()}`)
const capital = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase())

const thing = area.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
const one = apart(thing, ' ')
const many = area === thing ? `${one}s` : apart(area, ' ')
const withArticle = `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`
const permission = (verb: string): string => (isPermission(`${thing}${verb}`) ? `${thing}${verb}` : 'infrastructureConfig')

/** What stands for each name of the model. In identifiers a name is in camel case, in sentences in words. */
const names: Readonly<Record<string, string>> = {
  area,
  Service: capital(area),
  Area: capital(apart(area, ' ')),
  thing,
  Thing: capital(thing),
  one,
  One: capital(one),
  many,
  Many: capital(many),
  aOne: withArticle,
  AOne: capital(withArticle),
  path: apart(area, '-'),
  file: apart(area, '-'),
  table: many.replaceAll(' ', '_'),
  view: permission('View'),
  add: permission('Add'),
  edit: permission('Edit'),
}
const filled = (text: string): string => text.replaceAll(/__([A-Za-z]+?)__/g, (whole, name: string) => names[name] ?? whole)

const model = at('model-room')
for (const entry of readdirSync(model, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue
  const source = join(entry.parentPath, entry.name)
  const file = join(folder, filled(source.slice(model.length)).replace(/\.txt$/, ''))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, filled(readFileSync(source, 'utf8')))
}
// Leaves out the German of texts that other rooms show as well: core has that.
const german = join(folder, 'console/de.json')
const { rooms } = translationsOf(dirname(areas), 'de')
const own = new Set(rooms.find(({ place }) => place === join('areas', area, 'console/de.json'))?.texts)
const translation: Record<string, string> = JSON.parse(readFileSync(german, 'utf8'))
const entries = Object.entries(translation).filter(([text]) => own.has(text))
const sorted = Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(german, `${JSON.stringify(sorted, undefined, 2)}\n`)

// Names of other lengths than the model's break lines elsewhere.
spawnSync(process.execPath, [at('../node_modules/oxfmt/bin/oxfmt'), folder], { stdio: 'ignore' })
console.log(
  `areas/${area} is made. Put '${area}' into areas/order.ts where it belongs, and npm test passes. Its German texts stand in console/de.json.`,
)
