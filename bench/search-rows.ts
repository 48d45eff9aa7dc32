// The inventory of the search bench: a million certificates in two hundred tenancies, spread as customers are, one large, a few middling, many small. The
// rows are made here and go in by COPY, past the product; what they are found by is made by the product's own code. Names look like names of
// machines and people, since what people type matches few of them or very many, and both must be quick.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { termsOfCertificate } from '#areas/certificates/server/inventory/search-terms.ts'
import { unchanged, type CertificateRecord } from '#areas/certificates/server/store.ts'
import { traitsNumber } from '#areas/certificates/traits.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { makeTenantSecret } from '#core/server/secrets.ts'

export type Tenant = { id: string; rows: number; token: string; templateIds: string[]; caIds: string[] }

const tenants = 200
const middling = 4
const day = 86_400_000
const rowsOfAFile = 40_000

/** Of a thousand rows: 140 in the first, 50 in each of the next four, the rest ever fewer. */
export function sizesOf(rows: number): number[] {
  const [large, middle] = [Math.round(rows * 0.14), Math.round(rows * 0.05)]
  const weights = Array.from({ length: tenants - 1 - middling }, (_one, at) => 1 / (at + 20))
  const share = (rows - large - middling * middle) / weights.reduce((sum, weight) => sum + weight, 0)
  const rest = weights.map((weight) => Math.floor(weight * share))
  return [
    large + (rows - large - middling * middle - rest.reduce((sum, some) => sum + some, 0)),
    ...Array.from({ length: middling }, () => middle),
    ...rest,
  ]
}

type Site = { tenantId: string; token: string; caIds: string[]; certificate: Uint8Array; folder: string; connection: pg.ClientConfig }

/** Fills the tables, and returns the tenancies that can be asked, the largest first. */
export async function fillInventory(
  { tenantId, token, caIds, certificate, folder, connection }: Site,
  rows: number,
  say: (sentence: string) => void,
): Promise<Tenant[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const began = performance.now()
    const { rows: templates } = await client.query<{ id: string; name: string }>(
      'select id, display_name as name from templates where tenant_id = $1 and enabled order by id limit 12',
      [tenantId],
    )
    const all: Tenant[] = []
    for (const [at, size] of sizesOf(rows).entries())
      all.push(
        at === 0
          ? { id: tenantId, rows: size, token, templateIds: templates.map(({ id }) => id), caIds }
          : await addTenancy(client, tenantId, at, size, caIds),
      )
    const indexes = await withoutIndexes(client)
    let written = 0
    for (const tenant of all) {
      for (let from = 0; from < tenant.rows; from += rowsOfAFile) {
        const some = Math.min(rowsOfAFile, tenant.rows - from)
        await copyRows(
          client,
          folder,
          Array.from({ length: some }, (_row, at) => recordOf(tenant, templates, certificate, from + at)),
        )
        written += some
      }
      if (tenant.rows >= rows / 50)
        say(`${written.toLocaleString('en-GB')} certificates are loaded, ${((performance.now() - began) / 1000).toFixed(0)} s`)
    }
    for (const statement of indexes) await client.query(statement)
    for (const table of ['certificates', 'certificate_words', 'certificate_count_changes']) await client.query(`vacuum analyze ${table}`)
    await client.query('checkpoint')
    const { rows: sizes } = await client.query<{ size: string }>('select pg_size_pretty(pg_database_size(current_database())) as size')
    say(
      `${written.toLocaleString('en-GB')} certificates in ${all.length} tenancies, ${sizes[0]?.size}, loaded in ${((performance.now() - began) / 1000).toFixed(0)} s`,
    )
    return all.slice(0, 1 + middling)
  } finally {
    await client.end()
  }
}

/** A tenancy with the same people, roles and templates as the first, and a token of its own. */
async function addTenancy(client: pg.Client, from: string, at: number, size: number, caIds: string[]): Promise<Tenant> {
  const id = timeOrderedId(new Date())
  await client.query(
    `insert into tenancies (id, name, sign_in_suffix, kind, banner_colour, created_at) values ($1, $2, $3, 'tenant', '#204060', now())`,
    [id, `Customer ${at}`, `customer-${at}`],
  )
  const secret = makeTenantSecret('chy_', id)
  if (at > middling) return { id, rows: size, token: '', templateIds: [], caIds }
  for (const table of ['users', 'roles', 'role_members', 'templates'])
    await client.query(
      `insert into ${table} select (json_populate_record(row, json_build_object('tenant_id', $2::text))).* from ${table} row where tenant_id = $1`,
      [from, id],
    )
  await client.query(
    `insert into api_tokens (tenant_id, id, user_id, name, secret_hash, scopes, created_at, expires_at) select $2, gen_random_uuid(), user_id, 'bench', $3, scopes, now(), now() + interval '30 days' from api_tokens where tenant_id = $1 order by created_at limit 1`,
    [from, id, secret.hash],
  )
  const { rows } = await client.query<{ id: string }>('select id from templates where tenant_id = $1 and enabled order by id limit 12', [
    id,
  ])
  return { id, rows: size, token: secret.text, templateIds: rows.map((row) => row.id), caIds }
}

/** Building an index at the end takes a fraction of keeping it. Returns what brings them back. */
async function withoutIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string; key: string | null; table: string }>(
    `select class.relname as name, pg_get_indexdef(indexrelid) as definition, pg_get_constraintdef(found.oid) as key, indrelid::regclass::text as table
     from pg_index join pg_class class on class.oid = indexrelid left join pg_constraint found on found.conindid = indexrelid
     where indrelid in ('certificates'::regclass, 'certificate_words'::regclass)`,
  )
  for (const { name, key, table } of rows)
    await client.query(key === null ? `drop index ${name}` : `alter table ${table} drop constraint ${name}`)
  await client.query(`set maintenance_work_mem = '512MB'`)
  return rows.map(({ name, definition, key, table }) => (key === null ? definition : `alter table ${table} add constraint ${name} ${key}`))
}

const services = [
  'web',
  'mail',
  'db',
  'vpn',
  'proxy',
  'ldap',
  'dns',
  'print',
  'files',
  'git',
  'build',
  'cache',
  'queue',
  'search',
  'metrics',
  'backup',
  'voice',
  'camera',
  'door',
  'sensor',
  'gateway',
  'switch',
  'access',
  'radius',
  'node',
  'edge',
]
const places = [
  'london',
  'leeds',
  'dublin',
  'paris',
  'lyon',
  'berlin',
  'munich',
  'vienna',
  'zurich',
  'milan',
  'madrid',
  'lisbon',
  'oslo',
  'stockholm',
  'helsinki',
  'warsaw',
  'prague',
  'athens',
  'boston',
  'chicago',
]
const companies = ['northwind', 'contoso', 'fabrikam', 'tailspin', 'wingtip', 'adventure', 'litware', 'proseware']
const given = [
  'ada',
  'grace',
  'alan',
  'edsger',
  'barbara',
  'donald',
  'frances',
  'john',
  'margaret',
  'niklaus',
  'radia',
  'tim',
  'vint',
  'whitfield',
  'hedy',
  'claude',
]
const family = [
  'adams',
  'baker',
  'carter',
  'davies',
  'evans',
  'fischer',
  'garcia',
  'hughes',
  'ivanov',
  'jones',
  'king',
  'lewis',
  'martin',
  'novak',
  'owens',
  'patel',
  'quinn',
  'rossi',
  'smith',
  'taylor',
  'unger',
  'vance',
  'walker',
  'young',
  'zimmer',
]

const pick = <T>(from: readonly T[], by: number): T => from[by % from.length] as T

/** Numbers that look like chance and are the same each time. */
const mixed = (seed: number, turn: number): number => {
  let value = Math.imul(seed ^ Math.imul(turn + 1, 0x9e3779b1), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

export const hostName = (at: number): string =>
  `${pick(services, mixed(at, 1))}-${String(at).padStart(6, '0')}.${pick(places, mixed(at, 2))}.${pick(companies, mixed(at, 3))}.example`

export const subjectOf = (name: string, at: number): string => `CN=${name},O=${pick(companies, mixed(at, 3))}`

export const serialOf = (tenantId: string, at: number): string => {
  const part = (turn: number) =>
    mixed(at ^ Number.parseInt(tenantId.slice(-7), 16), turn)
      .toString(16)
      .padStart(8, '0')
  return `7f${part(11).slice(0, 6)}${part(12)}${part(13)}${part(14)}`
}

const validities = [30, 47, 90, 90, 200, 365, 365, 398]

function recordOf(
  tenant: Tenant,
  templates: readonly { id: string; name: string }[],
  certificate: Uint8Array,
  at: number,
): CertificateRecord {
  const now = Date.now()
  // Issued over 400 days, one after the other.
  const issued = new Date(now - 400 * day + Math.floor(((at + 1) / (tenant.rows + 1)) * 400 * day))
  const ends = new Date(issued.getTime() + pick(validities, mixed(at, 4)) * day)
  const revoked = mixed(at, 5) % 50 === 0 ? new Date(Math.min(now - 1000, issued.getTime() + (mixed(at, 6) % 20) * day)) : null
  const person = mixed(at, 7) % 5 === 0
  const names = [pick(given, mixed(at, 1)), pick(family, mixed(at, 2))].map((name) => name.charAt(0).toUpperCase() + name.slice(1))
  const name = person ? `${names.join(' ')} ${at}` : hostName(at)
  const email = person ? `${names.join('.').toLowerCase()}.${at}@${pick(companies, mixed(at, 3))}.example` : ''
  const template = mixed(at, 8)
  const id = timeOrderedId(issued)
  return {
    tenant_id: tenant.id,
    id,
    ca_id: pick(tenant.caIds, mixed(at, 9) % 8 === 0 ? 1 : 0),
    ca_name: 'Crash issuing',
    serial_hex: serialOf(tenant.id, at),
    request_id: id,
    template_id: tenant.templateIds.length === 0 ? pick(templates, template).id : pick(tenant.templateIds, template),
    template_name: pick(templates, template).name,
    class: 'USER',
    entity: person ? 'user' : 'device',
    name,
    subject: subjectOf(name, at),
    sans: [person ? email : name],
    email,
    holder_user_id: null,
    holder: person ? names.join(' ') : '',
    device_name: person ? '' : name,
    device_serial: '',
    requester_id: null,
    requester: 'requester',
    friendly_name: '',
    contact_email: '',
    renewal_mode: 'NONE',
    revocation_approvers: 0,
    not_before: issued,
    not_after: ends,
    issued_at: issued,
    revoked_at: revoked,
    revocation_reason: revoked === null ? null : 'superseded',
    fingerprint_sha256: [21, 22, 23, 24, 25, 26, 27, 28]
      .map((turn) =>
        mixed(at ^ Number.parseInt(tenant.id.slice(-7), 16), turn)
          .toString(16)
          .padStart(8, '0'),
      )
      .join(''),
    // Each of bytes of its own, as fingerprints are made of them.
    certificate: Buffer.concat([certificate, Buffer.from(id)]),
    notices_sent: [],
    ...unchanged,
    traits: traitsNumber({
      key: pick(['RSA-2048', 'RSA-4096', 'P-256', 'P-384'] as const, mixed(at, 12)),
      source: 'requested',
      lint: mixed(at, 13) % 20 === 0 ? 'warnings' : 'clean',
      usages: person ? ['clientAuth'] : ['serverAuth'],
    }),
  }
}

/** One value as COPY reads it. No text here holds a tab, a line break or a backslash. */
function copied(value: unknown): string {
  if (value === null) return '\\N'
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\\\x${value.toString('hex')}`
  return Array.isArray(value) ? `{${value.map((one) => `"${one}"`).join(',')}}` : String(value)
}

async function copyRows(client: pg.Client, folder: string, records: readonly CertificateRecord[]): Promise<void> {
  const columns = Object.keys(records[0] ?? {}) as (keyof CertificateRecord)[]
  await copyFile(
    client,
    folder,
    `certificates (${columns.join(', ')})`,
    records.map((record) => columns.map((column) => copied(record[column])).join('\t')),
  )
  await copyFile(
    client,
    folder,
    'certificate_words (tenant_id, word, certificate_id)',
    records.flatMap((record) => termsOfCertificate(record).map((word) => `${record.tenant_id}\t${word}\t${record.id}`)),
  )
}

/** By a file, which the database reads itself. */
async function copyFile(client: pg.Client, folder: string, into: string, lines: readonly string[]): Promise<void> {
  const file = join(folder, 'rows.tsv')
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 })
  try {
    await client.query(`copy ${into} from '${file}'`)
  } finally {
    rmSync(file)
  }
}
