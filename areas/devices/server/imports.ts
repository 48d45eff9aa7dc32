// Devices from a CSV file. A row is found by its id, or by what it is known by where a person has brought the device; what a program has brought stays its own,
// and the two become a conflict.

import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { findOrganisationsNamed } from '#areas/organisations/service.ts'
import { rightsLater } from '#areas/users/rights.ts'
import { findOwnUsernames } from '#areas/users/service.ts'
import { Id, Line, Paragraph } from '#core/contract/shapes.ts'
import { invalidField } from '#core/server/fault.ts'
import { importHandlers } from '#core/server/staged-import/import-handlers.ts'
import { importKind, type ImportFault, type RowOf } from '#core/server/staged-import/staged-import.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import { devices } from '../contract.ts'
import { importColumns } from '../import-columns.ts'
import { deviceStatuses, fixedType, identifierKinds, readHostname, readIdentifier, type IdentifierKind } from '../rules.ts'
import { deleteOfDevice, findClaimants, insertClaims, listClaims, lockClaims, type Identifier } from './claim-store.ts'
import { claimMany, settleConflicts, type Claiming } from './claims.ts'
import { listEndpoints } from './endpoint-store.ts'
import { countRunning } from './held-certificates.ts'
import { deleteDevice, findDevices, findKept, insertDevices, listTypes, lockDevices, updateDevices, type DeviceRecord } from './store.ts'

/** A cell of something that the rules read, in one spelling. */
const read = (reader: (text: string) => { value?: string | undefined; fault?: string | undefined }) =>
  z.string().transform((text, context) => {
    const { value, fault } = reader(text)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: fault ?? '' })
    return z.NEVER
  })
const identifier = (kind: IdentifierKind) => read((text) => readIdentifier(kind, text))

const columns = {
  name: { ...importColumns.name, synonyms: ['device', 'device name', 'display name'], required: true, shape: Line(120) },
  type: { ...importColumns.type, synonyms: ['type', 'kind', 'category'], shape: Line(60) },
  status: {
    ...importColumns.status,
    synonyms: ['state'],
    shape: z
      .string()
      .toLowerCase()
      .pipe(z.enum(deviceStatuses, `Use one of ${deviceStatuses.join(', ')}`)),
  },
  hostname: { ...importColumns.hostname, synonyms: ['host', 'fqdn', 'dns name'], shape: read(readHostname) },
  serial: { ...importColumns.serial, synonyms: ['serial', 'serial no', 'sn'], unique: true, shape: identifier('serial') },
  mac: { ...importColumns.mac, synonyms: ['mac', 'eui48', 'hardware address'], unique: true, shape: identifier('eui48') },
  uuid: { ...importColumns.uuid, synonyms: ['guid'], unique: true, shape: identifier('uuid') },
  imei: { ...importColumns.imei, unique: true, shape: identifier('imei') },
  asset: { ...importColumns.asset, synonyms: ['asset tag', 'asset', 'inventory number'], unique: true, shape: identifier('asset') },
  owner: { ...importColumns.owner, synonyms: ['user', 'username'], shape: Line(254) },
  organisation: { ...importColumns.organisation, synonyms: ['organization', 'department'], shape: Line(120) },
  note: { ...importColumns.note, synonyms: ['comment', 'remarks'], shape: Paragraph(500) },
  id: { ...importColumns.id, unique: true, shape: Id },
} as const

type Row = RowOf<typeof columns>

const kindsOf = { serial: 'serial', mac: 'eui48', uuid: 'uuid', imei: 'imei', asset: 'asset' } as const
const identifiersOf = (row: Row): Identifier[] =>
  Object.entries(kindsOf).flatMap(([column, kind]) => {
    const value = row[column as keyof typeof kindsOf]
    return value === undefined ? [] : [{ kind, value }]
  })

const Before = z.object({
  name: z.string(),
  hostname: z.string(),
  type: z.string(),
  status: z.enum(deviceStatuses),
  owner_user_id: z.union([Id, z.null()]),
  organisation_id: z.union([Id, z.null()]),
  note: z.string(),
})
type Values = z.output<typeof Before>
const Undo = z.object({
  made: Id.optional(),
  changed: z.object({ id: Id, before: Before, claims: z.array(z.object({ kind: z.enum(identifierKinds), value: z.string() })) }).optional(),
  /** Of the device after the import: where it has another one now, somebody has changed it since. */
  version: z.number().int().optional(),
})

/** What a batch of rows leads to, read together. */
async function resolve(tenancy: Tenancy, rows: readonly Row[]) {
  const people = await findOwnUsernames(
    tenancy.db,
    tenancy.tenantId,
    rows.flatMap(({ owner }) => owner ?? []),
  )
  const organisations = await findOrganisationsNamed(
    tenancy,
    rows.flatMap(({ organisation }) => organisation ?? []),
  )
  const types = await listTypes(tenancy)
  const claimants = await findClaimants(tenancy, rows.flatMap(identifiersOf))
  const ids = [...rows.flatMap(({ id }) => id ?? []), ...claimants.map(({ device_id }) => device_id)]
  const known = new Map((await findDevices(tenancy, ids)).map((one) => [one.id, one]))
  const claims = Map.groupBy(await listClaims(tenancy, [...known.keys()]), ({ device_id }) => device_id)

  return rows.map((row) => {
    const faults: ImportFault[] = []
    const identifiers = identifiersOf(row)
    const claimed = claimants.filter(
      ({ kind, value, source }) =>
        (source === 'typed' || source === 'csv') && identifiers.some((one) => one.kind === kind && one.value === value),
    )
    const matches = row.id === undefined ? [...new Set(claimed.map(({ device_id }) => device_id))] : [row.id]
    const found = known.get(matches[0] ?? '')
    if (row.id !== undefined && (found === undefined || found.merged_into !== null))
      faults.push({ column: 'id', says: say`There is no device with this id. Leave it empty to add one` })
    if (matches.length > 1) faults.push({ column: '', says: say`The identifiers of this row belong to two devices` })
    const typed = row.type?.toLowerCase()
    const type = typed === undefined ? (found?.type ?? fixedFallback(types)) : types.find((one) => one.toLowerCase() === typed)
    if (type === undefined) faults.push({ column: 'type', says: say`Use one of ${types.join(', ')}` })
    const owner = row.owner === undefined ? (found?.owner_user_id ?? null) : people.get(row.owner.toLowerCase())
    if (owner === undefined) faults.push({ column: 'owner', says: say`Nobody here has this username` })
    const organisation =
      row.organisation === undefined ? (found?.organisation_id ?? null) : organisations.get(row.organisation.toLowerCase())?.id
    if (organisation === undefined) faults.push({ column: 'organisation', says: say`There is no one organisation with this name` })
    const values: Values = {
      name: row.name,
      hostname: row.hostname ?? found?.hostname ?? '',
      type: type ?? '',
      status: row.status ?? found?.status ?? 'active',
      owner_user_id: owner ?? null,
      organisation_id: organisation ?? null,
      note: row.note ?? found?.note ?? '',
    }
    const own = found === undefined ? [] : (claims.get(found.id) ?? [])
    const kept = own.filter(({ source }) => source === 'typed' || source === 'csv')
    // A column that the file has replaces the identifiers of its kind; the others stay.
    const wanted = [...kept.filter(({ kind }) => !identifiers.some((one) => one.kind === kind)), ...identifiers]
    const fresh = identifiers.some(({ kind, value }) => !own.some((one) => one.kind === kind && one.value === value))
    const fields =
      found === undefined ? [] : Object.entries(values).flatMap(([field, value]) => (Reflect.get(found, field) === value ? [] : [field]))
    return {
      found,
      faults,
      values,
      wanted: wanted.map(({ kind, value }) => ({ kind, value })),
      kept,
      changed: fresh || fields.length > 0,
      fields,
    }
  })
}

/** The type of a row that names none. */
const fixedFallback = (types: readonly string[]): string => (types.includes('Other') ? 'Other' : fixedType)

const beforeOf = (row: DeviceRecord): Values => Before.parse(row)

export const deviceImport = importKind({
  kind: 'devices.devices',
  columns,
  needs: ['deviceAdd', 'deviceEdit'],
  rights: rightsLater,
  undoShape: Undo,

  check: async (rows, { tenancy }) =>
    (await resolve(tenancy, rows)).map(({ found, faults, changed }) =>
      faults.length > 0 ? { faults } : { effect: found === undefined ? 'new' : changed ? 'changed' : 'same' },
    ),

  async apply(rows, work) {
    const { tenancy, emitFor } = work
    const emit = emitFor(devices)
    const resolved = await resolve(tenancy, rows)
    const claimings: Claiming[] = []
    const made: Parameters<typeof insertDevices>[1][number][] = []
    const done: (z.output<typeof Undo> | undefined)[] = []
    for (const { found, faults, values, wanted, kept, changed, fields } of resolved) {
      const [first] = faults
      if (first !== undefined) throw invalidField(first.column, first.says)
      if (found === undefined) {
        const id = randomUUID()
        made.push({ ...values, id, serial: wanted.find(({ kind }) => kind === 'serial')?.value ?? '', source: 'csv' })
        claimings.push({ deviceId: id, source: 'csv', identifiers: wanted })
        emit('added', { deviceId: id, name: values.name, source: 'csv' }, id)
        done.push({ made: id })
      } else if (changed) {
        if (fields.length > 0) await updateDevices(tenancy, [found.id], values)
        claimings.push({ deviceId: found.id, source: 'csv', identifiers: wanted })
        emit('changed', { deviceId: found.id, name: values.name, fields }, found.id)
        done.push({ changed: { id: found.id, before: beforeOf(found), claims: kept.map(({ kind, value }) => ({ kind, value })) } })
      } else done.push(undefined)
    }
    await insertDevices(tenancy, made)
    await claimMany(tenancy, emit, claimings)
    const versions = new Map(
      (
        await findDevices(
          tenancy,
          claimings.map(({ deviceId }) => deviceId),
        )
      ).map(({ id, version }) => [id, version]),
    )
    return done.map((one) => one && { ...one, version: versions.get(one.made ?? one.changed?.id ?? '') })
  },

  async undo(rows, { tenancy, emitFor }) {
    const emit = emitFor(devices)
    const ids = rows.flatMap(({ made, changed }) => made ?? changed?.id ?? [])
    await lockClaims(tenancy)
    const known = new Map((await lockDevices(tenancy, ids)).map((one) => [one.id, one]))
    const kept = await findKept(tenancy, ids)
    for (const { made, changed, version } of rows) {
      const row = known.get(made ?? changed?.id ?? '')
      if (row === undefined) continue
      if (row.version !== version || row.merged_into !== null) throw invalidField('name', say`Somebody has changed it since, so it stays`)
      if (made !== undefined) {
        if (kept.has(made)) throw invalidField('name', say`Another device was merged into it since, so it stays`)
        if ((await listEndpoints(tenancy, [made])).length > 0) throw invalidField('name', say`It has endpoints by now, so it stays`)
        if ((await countRunning(tenancy, row)) > 0) throw invalidField('name', say`It has certificates that still run, so it stays`)
        await deleteOfDevice(tenancy, made)
        await deleteDevice(tenancy, made)
        await settleConflicts(tenancy, [made])
        emit('removed', { deviceId: made, name: row.name }, made)
      }
      if (changed !== undefined) {
        await updateDevices(tenancy, [changed.id], changed.before)
        await claimMany(tenancy, emit, [{ deviceId: changed.id, source: 'csv', identifiers: changed.claims }])
        emit('changed', { deviceId: changed.id, name: changed.before.name, fields: Object.keys(changed.before) }, changed.id)
      }
    }
  },
})

export const importing = importHandlers(deviceImport, devices.jobs.imports)

/** Puts devices in at once, for demonstrations and measurements. It leaves no event. */
export async function plantDevices(
  tenancy: Tenancy,
  planned: readonly (Values & {
    id: string
    source: 'typed' | 'csv' | 'scim' | 'mdm'
    seen_at?: Date
    identifiers: readonly Identifier[]
  })[],
): Promise<void> {
  await insertDevices(
    tenancy,
    planned.map(({ identifiers, ...row }) => ({ ...row, serial: identifiers.find(({ kind }) => kind === 'serial')?.value ?? '' })),
  )
  await insertClaims(
    tenancy,
    planned.flatMap(({ id, source, identifiers }) => identifiers.map((one) => ({ ...one, device_id: id, source }))),
  )
}
