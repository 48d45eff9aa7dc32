// What the two tenancies of the isolation test hold: one of each kind of thing, its ids, and all of it as digests.

import { sql } from 'kysely'
import { inTenant } from '#core/server/database.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { examplesOf } from '#core/testing/examples.ts'
import type { TestHouse } from '#core/testing/house.ts'
import { bulk } from './bulk/contract.ts'
import { certificates } from './certificates/contract.ts'
import type { IssuingFixture, OpenSsl } from './certificates/server/issuing.fixture.ts'
import { insertFinding } from './discovery/server/finding-store.ts'
import { enrolment } from './enrolment/contract.ts'
import { keys } from './keys/contract.ts'
import type { SoftHsm } from './keys/server/pkcs11/softhsm.fixture.ts'
import { order } from './order.ts'
import { revocation } from './revocation/contract.ts'
import { users } from './users/contract.ts'

type Surroundings = { house: TestHouse; tools: OpenSsl; hsm: SoftHsm }

/** One of each: a certificate, a request that waits, an invited person with a mail, a token. */
export async function furnish({ house, tools, hsm }: Surroundings, { tenancy, ada, template, addTemplate }: IssuingFixture): Promise<void> {
  const request = (templateId: string | undefined, dns: string) =>
    ada.call(certificates.calls.requestForDevice, {
      templateId: templateId ?? '',
      csr: tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] }).csr,
      values: { DNS: [dns] },
    })
  const { certificateId = '' } = await request(template['Device'], `device.${tenancy.id.slice(-6)}.example.org`)
  await request(template['TLSServer'], `waits.${tenancy.id.slice(-6)}.example.org`)
  const [label, keeper] = [`hsm ${tenancy.id.slice(-6)}`, await tenancy.person({ permissions: ['HSMAuthenticate'] })]
  hsm.token(label, '246810')
  const [{ module = '', tokens = [] } = {}] = (await keeper.call(keys.calls.found, {})).modules
  await keeper.call(keys.calls.register, {
    name: label,
    module,
    label,
    serial: tokens.find((one) => one.label === label)?.serial ?? '',
    pin: '246810',
  })
  const username = `invited.${tenancy.id.slice(-6)}`
  await tenancy.administrator.call(users.calls.add, {
    username,
    givenName: 'In',
    familyName: 'Vited',
    emailAddress: `${username}@example.org`,
  })
  await tenancy.administrator.call(revocation.calls.revoke, { certId: certificateId, reason: 'superseded' })
  await tenancy.administrator.call(revocation.calls.runDrill, { status: ['revoked'] })
  await tenancy.administrator.call(bulk.calls.prepare, {
    action: 'revocation.revoke',
    selection: { selectAll: true },
    query: { status: ['revoked'] },
  })
  const enrolled = await addTemplate('User', { class: 'AUTONENROLLUSER' })
  await tenancy.administrator.call(enrolment.calls.add, { name: 'Everybody', entity: 'user', templateId: enrolled })
  // Stores a finding of a scan directly, because a scan needs an allowed network with servers in it.
  await withTenancy(house.house, tenancy.id, (own) =>
    insertFinding(own, crypto.randomUUID(), {
      address: '192.0.2.1',
      port: 443,
      server_name: 'found.example.org',
      fingerprint: 'a'.repeat(64),
      certificate: Buffer.from([0]),
      subject: 'CN=found.example.org',
      issuer: 'CN=Somebody else',
      names: ['found.example.org'],
      not_before: own.now,
      not_after: own.now,
      protocol: 'TLSv1.3',
      key_type: 'P-256',
      reasons: [],
      provider: 'network',
      provider_id: '',
      place: '',
    }),
  )
  for (const area of order) for (const example of Object.values(await examplesOf(area)).flat()) await example(tenancy.administrator)
}

type Counted = { table: string; columns: string[] }

async function tenantTables({ house }: TestHouse): Promise<Counted[]> {
  const { rows } = await sql<{ table: string; column: string; type: string }>`
    select columns.table_name as "table", column_name as "column", data_type as type from information_schema.columns
    where table_schema = 'public' and exists (select from information_schema.columns own where own.table_schema = 'public' and own.table_name = columns.table_name and own.column_name = 'tenant_id')
      and columns.table_name not in ('usernames', 'public_addresses')`.execute(house.database)
  return [...new Set(rows.map(({ table }) => table))].map((table) => ({
    table,
    columns: rows.filter((row) => row.table === table && row.type === 'uuid' && row.column !== 'tenant_id').map(({ column }) => column),
  }))
}

/** An id of each kind that the tenancy holds, by table and column. */
export async function idsOf(house: TestHouse, tenantId: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const { table, columns } of await tenantTables(house)) {
    for (const column of columns) {
      const { rows } = await inTenant(house.house.database, tenantId, (db) =>
        sql<{
          id: string | null
        }>`select ${sql.ref(column)} as id from ${sql.table(table)} where ${sql.ref(column)} is not null limit 1`.execute(db),
      )
      if (typeof rows[0]?.id === 'string') found.set(`${table}.${column}`, rows[0].id)
    }
  }
  const { rows } = await inTenant(house.house.database, tenantId, (db) =>
    sql<{ reference: string }>`select ca_id || ':' || serial_hex as reference from certificates`.execute(db),
  )
  if (rows[0] !== undefined) found.set('certificates, as their address has them', rows[0].reference)
  return found
}

/** The ids without the references to records of which another one is tried: one of each kind is enough. */
export async function oneOfEach(house: TestHouse, tenantId: string, ids: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const records = new Set<string>()
  for (const { table, columns } of await tenantTables(house)) {
    if (!columns.includes('id')) continue
    const { rows } = await inTenant(house.house.database, tenantId, (db) =>
      sql<{ id: string }>`select id from ${sql.table(table)}`.execute(db),
    )
    for (const { id } of rows) records.add(id)
  }
  return new Map([...ids].filter(([kind, id]) => kind.endsWith('.id') || !records.has(id)))
}

/** One id stands in many tables: it is asked about once, for all of them. */
export const kindsById = (ids: ReadonlyMap<string, string>): Map<string, string[]> =>
  new Map([...Map.groupBy(ids, ([, id]) => id)].map(([id, kinds]) => [id, kinds.map(([kind]) => kind)]))

/** Everything that the tenancy holds, as one text; sign-ins by token are noted each minute and are not compared. */
export async function contentsOf(house: TestHouse, tenantId: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for (const { table } of await tenantTables(house)) {
    if (['events', 'api_tokens'].includes(table)) continue
    const { rows } = await inTenant(house.house.database, tenantId, (db) =>
      sql<{
        digest: string
      }>`select coalesce(md5(string_agg(md5(row::text), '' order by row::text)), '') as digest from ${sql.table(table)} as row`.execute(db),
    )
    contents[table] = rows[0]?.digest ?? ''
  }
  return contents
}
