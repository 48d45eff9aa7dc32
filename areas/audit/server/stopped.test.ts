// Somebody who owns the database rewrites the log: edits a row, rebuilds the tree over it and deletes the checkpoints that tell of it. The server
// must not sign what it finds then.

import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { roles } from '#areas/roles/contract.ts'
import { openHouse } from '#core/server/open.ts'
import { allSigned } from '#core/testing/events.ts'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { appendLeaf, EMPTY_FRONTIER, leafHash, type NodePosition } from '#standards/audit-log/merkle.ts'
import { leafBytes } from './leaf.ts'
import { numberedRows } from './store.ts'

let house: TestHouse
let ada: TestPerson

beforeEach(async () => {
  house = await openTestHouse()
  ada = (await house.tenancy('Acme')).administrator
  for (let at = 0; at < 5; at += 1) await addRole()
  await allSigned(house)
})
afterEach(() => house.close())

let count = 0
const addRole = () => ada.call(roles.calls.add, { name: `Role ${(count += 1)}`, description: '', view: [], menu: [], api: [] })
const readiness = async () => {
  const response = await house.fetch('/readyz')
  return { status: response.status, body: await response.json() }
}

async function asOwner<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(house.connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Changes the rows as told, hashes the log anew and leaves no checkpoint but the first, so that the log verifies by itself. */
const rewrite = (statement: string) =>
  asOwner(async (client) => {
    await client.query(statement)
    const nodes: (NodePosition & { hash: Uint8Array })[] = []
    let frontier = EMPTY_FRONTIER
    for (const { sequence: _, hash: __, ...row } of await numberedRows(house.house.auditor.database, undefined, 10_000))
      frontier = appendLeaf(frontier, leafHash(leafBytes(row)), (position, hash) => void nodes.push({ ...position, hash }))
    await client.query('begin')
    await client.query('delete from audit_tree')
    await client.query('insert into audit_tree (level, position, hash) select * from unnest($1::smallint[], $2::bigint[], $3::bytea[])', [
      nodes.map(({ level }) => level),
      nodes.map(({ index }) => index),
      nodes.map(({ hash }) => hash),
    ])
    await client.query('delete from audit_checkpoints')
    await client.query('commit')
  })

const checkpoints = () =>
  asOwner(async (client) => (await client.query<{ note: string }>('select note from audit_checkpoints')).rows.map(({ note }) => note))

/** Until every change is refused; what was asked for before may still have been recorded. */
async function stopped(): Promise<void> {
  const outcome = () =>
    addRole().then(
      () => 200,
      (error: { status: number; code: string }) => [error.status, error.code],
    )
  await expect.poll(outcome).toEqual([503, 'audit_failed'])
}

const edit = `update events set actor = 'nobody' where sequence = 2`

describe('A log that was rewritten', () => {
  test('is not signed by the server that runs: every change answers 503, and it says that it is not ready', async () => {
    await rewrite(edit)
    await stopped()
    expect(await checkpoints()).toEqual([])
    await expect.poll(readiness).toMatchObject({ status: 503, body: { status: 'waiting', waitingFor: 'audit' } })
    // Whoever reads is still answered.
    await ada.call(roles.calls.search, {})
  })

  test('is recorded and signed again once it is put back as it was', async () => {
    const actor = await asOwner(
      async (client) => (await client.query<{ actor: string }>('select actor from events where sequence = 2')).rows[0]?.actor,
    )
    await rewrite(edit)
    await stopped()
    await rewrite(`update events set actor = '${actor}' where sequence = 2`)
    await expect
      .poll(() =>
        addRole().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
    await allSigned(house)
    await expect.poll(readiness).toEqual({ status: 200, body: { status: 'ready' } })
  })

  test.each([
    ['rewritten', () => rewrite(edit)],
    ['rolled back', () => rewrite('delete from events where sequence > 3')],
    ['made anew with another key', () => rewrite(edit).then(() => house.asOwner('delete from audit_key'))],
  ])('while the server was away, %s, is not signed by the next one', async (_how, tamper) => {
    await house.rooms.find(({ area }) => area === 'audit')?.stop?.(house.house)
    await tamper()
    const next = await openHouse({
      settings: house.house.settings,
      connection: house.connection,
      rooms: house.rooms,
      identify: async () => undefined,
      port: 0,
      migrated: true,
      background: false,
    })
    try {
      await stopped()
      expect(await checkpoints()).toEqual([])
    } finally {
      await next.close()
    }
  })
})
