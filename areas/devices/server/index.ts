import { randomUUID } from 'node:crypto'
import { certificatesByFingerprint } from '#areas/certificates/service.ts'
import { findOrganisation } from '#areas/organisations/service.ts'
import { personMoves } from '#areas/users/moves.ts'
import { findPerson } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import { offer } from '#core/contract/slots.ts'
import { serve } from '#core/server/serve.ts'
import { dependants, personalData } from '#core/server/slots.ts'
import { countImport, importTurn } from '#core/server/staged-import/staged-import.ts'
import { devices } from '../contract.ts'
import { dependantKind, fixedType, readIdentifier } from '../rules.ts'
import { deleteOfDevice, findClaimants, listClaims, lockClaims, type Identifier } from './claim-store.ts'
import { claimMany, settleConflicts } from './claims.ts'
import { listOpen } from './conflict-store.ts'
import { deleteEndpoints, listEndpoints, listServed } from './endpoint-store.ts'
import { exportAll } from './export.ts'
import { countRunning, ofDevice } from './held-certificates.ts'
import { deviceImport, importing } from './imports.ts'
import { merging } from './merging.ts'
import { presentEndpoint, presentRows } from './presenter.ts'
import { readDraft, saveEndpoints } from './saving.ts'
import { scim } from './scim.ts'
import { sourceHandlers, syncDue } from './sources.ts'
import {
  countBy,
  countOfOrganisation,
  countOwned,
  deleteDevice,
  deleteOwner,
  deleteType,
  findDevice,
  findDevices,
  findNamed,
  findPage,
  insertDevices,
  insertTypes,
  listTypes,
  lockDevice,
  lockSelected,
  updateDevices,
  updateOwner,
} from './store.ts'

const mostTypes = 50
const mostAtOnce = 10_000

export default serve(
  devices,
  {
    ...importing,
    ...merging,
    ...sourceHandlers,

    async uploadStats({ importId }, { tenancy }) {
      const counts = await countImport(tenancy, { importId })
      const { effects, good, faulty, applied, failed } = counts
      return {
        csvUploadStats: {
          rows: good + applied + faulty + failed,
          ok: good + applied,
          created: effects['new'] ?? 0,
          updated: effects['changed'] ?? 0,
          unchanged: effects['same'] ?? 0,
          skipped: faulty,
          failed,
        },
      }
    },

    async search({ page, size, sort, direction, ...question }, { tenancy }) {
      const { rows, total } = await findPage(tenancy, question, { page, size, sort, direction })
      return {
        rows: await presentRows(tenancy, rows),
        total: Math.min(total, countedUpTo),
        more: total > countedUpTo,
        facets: { type: await countBy(tenancy, 'type', question), status: await countBy(tenancy, 'status', question) },
      }
    },

    async read({ id }, { tenancy, fault }) {
      const row = (await findDevice(tenancy, id)) ?? fault('missing')
      const [shown] = await presentRows(tenancy, [row])
      const claims = await listClaims(tenancy, [id])
      const claimants = await findClaimants(tenancy, claims)
      const into = row.merged_into === null ? undefined : await findDevice(tenancy, row.merged_into)
      const byValue = Map.groupBy(claims, ({ kind, value }) => `${kind} ${value}`)
      return {
        ...(shown ?? fault('missing')),
        ownerId: row.owner_user_id ?? '',
        organisationId: row.organisation_id ?? '',
        note: row.note,
        claims: [...byValue.values()].flatMap(([first, ...others]) =>
          first === undefined
            ? []
            : [
                {
                  kind: first.kind,
                  value: first.value,
                  sources: [...new Set([first, ...others].map(({ source }) => source))],
                  shared: claimants.some(({ kind, value, device_id }) => kind === first.kind && value === first.value && device_id !== id),
                },
              ],
        ),
        addedAt: row.added_at.toISOString(),
        modifiedAt: row.modified_at.toISOString(),
        version: row.version,
        ...(into === undefined ? {} : { mergedInto: { id: into.id, name: into.name } }),
      }
    },

    async endpoints({ id }, { tenancy, fault }) {
      if ((await findDevice(tenancy, id)) === undefined) fault('missing')
      const rows = await listEndpoints(tenancy, [id])
      const served = await listServed(
        tenancy,
        rows.map((row) => row.id),
      )
      const certificates = await certificatesByFingerprint(
        tenancy,
        served.map(({ fingerprint }) => fingerprint),
      )
      const certificatesAt = Map.groupBy(served, ({ endpoint_id }) => endpoint_id)
      return {
        deviceEndpoints: rows.map(presentEndpoint),
        deviceCertsEndpointMap: Object.fromEntries(
          rows.map((row) => [
            row.id,
            (certificatesAt.get(row.id) ?? []).map(({ fingerprint, should, seen_first, seen_last }) => {
              const certificate = certificates.get(fingerprint)
              return {
                fingerprint,
                should,
                ...(seen_first === null ? {} : { seenFirst: seen_first.toISOString() }),
                ...(seen_last === null ? {} : { seenLast: seen_last.toISOString() }),
                ...(certificate === undefined ? {} : { certificateId: certificate.id, notAfter: certificate.validTo.toISOString() }),
                name: certificate?.name ?? '',
              }
            }),
          ]),
        ),
      }
    },

    async certificates({ id }, { tenancy, fault }) {
      const device = (await findDevice(tenancy, id)) ?? fault('missing')
      const served = await listServed(
        tenancy,
        (await listEndpoints(tenancy, [id])).map((row) => row.id),
      )
      const atEndpoints = await certificatesByFingerprint(
        tenancy,
        served.map(({ fingerprint }) => fingerprint),
      )
      const all = new Map([...(await ofDevice(tenancy, device)), ...atEndpoints.values()].map((one) => [one.id, one]))
      return [...all.values()]
        .toSorted((a, b) => b.validTo.getTime() - a.validTo.getTime())
        .map((one) => ({
          id: one.id,
          name: one.name,
          issuer: one.caName,
          status: one.status,
          notBefore: one.validFrom.toISOString(),
          notAfter: one.validTo.toISOString(),
        }))
    },

    async add(draft, { tenancy, emit, fault }) {
      const { values, identifiers, endpoints } = await readDraft(tenancy, draft, fault)
      const id = randomUUID()
      await insertDevices(tenancy, [{ ...values, id, serial: '', source: 'typed' }])
      await saveEndpoints(tenancy, id, endpoints)
      emit('added', { deviceId: id, name: values.name, source: 'typed' }, id)
      return { id, conflicts: await claimMany(tenancy, emit, [{ deviceId: id, source: 'typed', identifiers }]) }
    },

    async change({ id, version, ...draft }, { tenancy, emit, fault }) {
      // Locked first, as a merge and a deletion do, so that none of them waits for the other.
      await lockClaims(tenancy)
      const row = (await lockDevice(tenancy, id)) ?? fault('missing')
      if (row.merged_into !== null) fault('missing')
      if (version !== undefined && version !== row.version) fault('conflict')
      const { values, identifiers, endpoints } = await readDraft(tenancy, draft, fault)
      const fields = Object.entries(values).flatMap(([field, value]) => (Reflect.get(row, field) === value ? [] : [field]))
      await updateDevices(tenancy, [id], values)
      await saveEndpoints(tenancy, id, endpoints)
      emit('changed', { deviceId: id, name: values.name, fields }, id)
      // What only a program says of it is not the person's word, though the form shows it.
      const claims = await listClaims(tenancy, [id])
      const isSaid = ({ kind, value }: Identifier, byProgram: boolean) =>
        claims.some((one) => one.kind === kind && one.value === value && (one.source === 'scim' || one.source === 'mdm') === byProgram)
      const own = identifiers.filter((one) => isSaid(one, false) || !isSaid(one, true))
      return { conflicts: await claimMany(tenancy, emit, [{ deviceId: id, source: 'typed', identifiers: own }]) }
    },

    async changeMany({ query, status, ownerId, organisationId, ...selected }, { tenancy, emit, fault }) {
      const { db, tenantId } = tenancy
      if (ownerId !== undefined && ownerId !== '' && (await findPerson(db, tenantId, ownerId)) === undefined) fault('unknownOwner')
      if (organisationId !== undefined && organisationId !== '' && (await findOrganisation(tenancy, organisationId)) === undefined)
        fault('unknownOrganisation')
      const values = {
        ...(status === undefined ? {} : { status }),
        ...(ownerId === undefined ? {} : { owner_user_id: ownerId === '' ? null : ownerId }),
        ...(organisationId === undefined ? {} : { organisation_id: organisationId === '' ? null : organisationId }),
      }
      const { page: _page, size: _size, sort: _sort, direction: _direction, ...question } = query
      const ids = Object.keys(values).length === 0 ? [] : await lockSelected(tenancy, selected, question, mostAtOnce)
      if (ids.length === 0) return { changed: 0 }
      await updateDevices(tenancy, ids, values)
      emit('changedMany', { devices: ids.length, fields: Object.keys(values) })
      return { changed: ids.length }
    },

    async dependants({ id }, { tenancy, fault }) {
      const device = (await findDevice(tenancy, id)) ?? fault('missing')
      const certificates = await countRunning(tenancy, device)
      return {
        certificates,
        endpoints: (await listEndpoints(tenancy, [id])).length,
        conflicts: (await listOpen(tenancy, [id])).length,
        blocks: certificates > 0,
      }
    },

    async remove({ id }, { tenancy, emit, fault }) {
      await lockClaims(tenancy)
      const device = (await lockDevice(tenancy, id)) ?? fault('missing')
      if ((await countRunning(tenancy, device)) > 0) fault('hasCertificates')
      await deleteEndpoints(
        tenancy,
        (await listEndpoints(tenancy, [id])).map((row) => row.id),
      )
      await deleteOfDevice(tenancy, id)
      await deleteDevice(tenancy, id)
      await settleConflicts(tenancy, [id])
      emit('removed', { deviceId: id, name: device.name }, id)
      return {}
    },

    async identifierInUse({ kind, value: typed }, { tenancy }) {
      const { value, fault } = readIdentifier(kind, typed)
      if (value === undefined) return { value: typed, ...(fault === undefined ? {} : { fault }), devices: [] }
      const ids = (await findClaimants(tenancy, [{ kind, value }])).map(({ device_id }) => device_id)
      return { value, devices: (await findDevices(tenancy, ids)).map(({ id, name }) => ({ id, name })) }
    },

    async types(_input, { tenancy }) {
      const counts = await countBy(tenancy, 'type', { text: '' })
      return {
        deviceTypes: (await listTypes(tenancy)).map((name) => ({ name, devices: counts[name] ?? 0, fixed: name === fixedType })),
      }
    },

    async addType({ name }, { tenancy, emit, fault }) {
      const names = await listTypes(tenancy)
      if (names.includes(name)) return {}
      if (names.length >= mostTypes) fault('tooMany')
      await insertTypes(tenancy, [...names, name])
      emit('typeAdded', { name })
      return {}
    },

    async removeType({ name }, { tenancy, emit, fault }) {
      const names = await listTypes(tenancy)
      if (!names.includes(name)) fault('missing')
      if (name === fixedType) fault('fixed')
      if (((await countBy(tenancy, 'type', { text: '' }))[name] ?? 0) > 0) fault('inUse')
      await insertTypes(tenancy, names)
      await deleteType(tenancy, name)
      emit('typeRemoved', { name })
      return {}
    },
  },
  {
    jobs: { imports: { inTenancy: importTurn(deviceImport) }, sync: { inTenancy: syncDue } },
    endpoints: { export: { handle: exportAll }, ...scim },
    offers: [
      offer(personMoves, {
        kind: 'devices',
        count: async (tenancy, fromId) => ({ moves: await countOwned(tenancy, fromId), stays: 0 }),
        move: updateOwner,
      }),
      offer(personalData, (db, tenantId, userId) => deleteOwner({ db, tenantId, now: new Date(0) }, userId)),
      offer(dependants, {
        record: 'organisation',
        count: async (db, tenantId, id, now) => {
          const count = await countOfOrganisation({ db, tenantId, now }, id)
          return count === 0
            ? []
            : [{ kind: dependantKind, count, path: to(searchScreen, { searchType: 'device' }, { organisationId: id }) }]
        },
      }),
    ],
    records: {
      device: {
        names: async (tenancy, ids) =>
          (await findDevices(tenancy, ids)).map(({ id, name, serial }) => ({ id, name, detail: serial, path: pathOf(id) })),
        seek: async (tenancy, { text, most }) => (await findNamed(tenancy, text, most)).map(({ id }) => id),
        search: async (tenancy, { text, most }) =>
          (await findNamed(tenancy, text, most)).map(({ id, name, type, serial, hostname }) => ({
            id,
            label: name,
            detail: [type, hostname, serial].filter((one) => one !== '').join(' · '),
            path: pathOf(id),
          })),
      },
    },
  },
)

const pathOf = (id: string): string => to(devices.screens.view, { id })
