// What migrations do to rows that are there already.

import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import { useHouse } from '#core/testing/house.ts'
import { listMigrations } from './migrate.ts'
import { migrationFolders } from './open.ts'
import { tenantTables } from './tenant-tables.ts'

const house = await useHouse()

/** Each did nothing for such an owner, and a later migration does it once more. */
const mended = ['devices/0002-who-claims.sql', 'discovery/0006-asks.sql']

test('A migration that reads or changes rows of tenancies lifts the row security that would hide them from an owner without further rights', async () => {
  const secured = new Set((await tenantTables(house.house.database)).flatMap(({ name, ofInstallation }) => (ofInstallation ? [] : [name])))
  const blind: string[] = []
  for (const { name, path } of await listMigrations(migrationFolders(rooms))) {
    const text = (await readFile(path, 'utf8')).replaceAll(/--.*$|\$\$[\s\S]*?\$\$/gm, '')
    const seen = new Set<string>()
    for (const statement of text
      .split(';')
      .filter((one) => /^\s*(update|delete|insert|with|create (temporary )?table \w+ .*as)\s/.test(one)))
      for (const [, table = ''] of statement.matchAll(/\b(?:update|from|join|into|using) (\w+)/g)) if (secured.has(table)) seen.add(table)
    const shown = (table: string) =>
      text.includes(`alter table ${table} no force row level security`) || text.includes(`create table ${table} (`)
    for (const table of seen) if (!shown(table) && !mended.includes(name)) blind.push(`${name}: ${table}`)
  }
  expect(blind).toEqual([])
})
