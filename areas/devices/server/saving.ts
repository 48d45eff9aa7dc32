// Writes a device as a person has typed it. Faults name the field; what belongs to another tenancy is told as missing.

import { randomUUID } from 'node:crypto'
import { findOrganisation } from '#areas/organisations/service.ts'
import { findPerson } from '#areas/users/service.ts'
import type { InputOf } from '#core/contract/contract.ts'
import { commonFault } from '#core/server/fault.ts'
import { readAddress } from '#core/server/outward/addresses.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import type { devices } from '../contract.ts'
import { readHostname, readIdentifier, type IdentifierKind } from '../rules.ts'
import type { Identifier } from './claim-store.ts'
import { deleteEndpoints, insertEndpoints, listEndpoints, updateEndpoint, type EndpointRecord } from './endpoint-store.ts'
import { listTypes, type DeviceValues } from './store.ts'

type Draft = InputOf<typeof devices.calls.add>
type DraftFault = (code: 'unknownType' | 'unknownOwner' | 'unknownOrganisation') => never

export type ReadDraft = {
  values: Omit<DeviceValues, 'serial'>
  identifiers: Identifier[]
  endpoints: (Omit<EndpointRecord, 'tenant_id' | 'moved_from' | 'device_id' | 'id'> & { id?: string | undefined })[]
}

/** Reads a draft, with all that is wrong with it at once. */
export async function readDraft(tenancy: Tenancy, draft: Draft, fault: DraftFault): Promise<ReadDraft> {
  const fields: { field: string; says: string }[] = []
  const take = (field: string, read: { value?: string | undefined; fault?: string | undefined }): string => {
    if (read.fault !== undefined) fields.push({ field, says: read.fault })
    return read.value ?? ''
  }
  const hostname = draft.hostname === '' ? '' : take('hostname', readHostname(draft.hostname))
  const identifiers = draft.identifiers.map(({ kind, value }, at) => ({
    kind,
    value: take(`identifiers.${at}.value`, readIdentifier(kind, value)),
  }))
  const repeated = identifiers.findIndex(({ kind, value }, at) => identifiers.some((one, other) => other < at && one.kind === kind && one.value === value && value !== '')) // prettier-ignore
  if (repeated >= 0) fields.push({ field: `identifiers.${repeated}.value`, says: say`This stands here twice` })
  const endpoints = draft.endpoints.map((endpoint, at) => ({
    id: endpoint.id,
    name: endpoint.name,
    mac: endpoint.mac === '' ? '' : take(`endpoints.${at}.mac`, readIdentifier('eui48', endpoint.mac)),
    address: endpoint.address === '' ? '' : take(`endpoints.${at}.address`, readIpAddress(endpoint.address)),
    port: endpoint.port,
    protocol: endpoint.protocol,
    server_name: endpoint.serverName === '' ? '' : take(`endpoints.${at}.serverName`, readHostname(endpoint.serverName)),
  }))
  if (fields.length > 0) throw commonFault('invalid', { fields })
  const { db, tenantId } = tenancy
  if (!(await listTypes(tenancy)).includes(draft.type)) fault('unknownType')
  if (draft.ownerId !== '' && (await findPerson(db, tenantId, draft.ownerId)) === undefined) fault('unknownOwner')
  if (draft.organisationId !== '' && (await findOrganisation(tenancy, draft.organisationId)) === undefined) fault('unknownOrganisation')
  return {
    values: {
      name: draft.name,
      hostname,
      type: draft.type,
      status: draft.status,
      owner_user_id: draft.ownerId === '' ? null : draft.ownerId,
      organisation_id: draft.organisationId === '' ? null : draft.organisationId,
      note: draft.note,
    },
    identifiers,
    endpoints,
  }
}

function readIpAddress(text: string): { value?: string; fault?: string } {
  const address = readAddress(text)
  return address === undefined ? { fault: say`Enter an IPv4 or an IPv6 address` } : { value: address.text }
}

/** Identifiers that a column of a file or a field of a protocol gives; what cannot be one is left out. */
export const readable = (given: readonly (readonly [IdentifierKind, string | undefined])[]): Identifier[] =>
  given.flatMap(([kind, text]) => {
    const { value } = readIdentifier(kind, text ?? '')
    return value === undefined ? [] : [{ kind, value }]
  })

/** Writes the endpoints: those that have an id keep it, with what is known of them. */
export async function saveEndpoints(tenancy: Tenancy, deviceId: string, endpoints: ReadDraft['endpoints']): Promise<void> {
  const known = new Set((await listEndpoints(tenancy, [deviceId])).map(({ id }) => id))
  const rows = endpoints.map(({ id, ...values }) => ({
    ...values,
    device_id: deviceId,
    id: id !== undefined && known.has(id) ? id : randomUUID(),
  }))
  await deleteEndpoints(
    tenancy,
    [...known].filter((id) => !rows.some((row) => row.id === id)),
  )
  for (const row of rows) if (known.has(row.id)) await updateEndpoint(tenancy, row)
  await insertEndpoints(
    tenancy,
    rows.filter((row) => !known.has(row.id)),
  )
}
