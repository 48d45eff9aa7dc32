import { randomUUID } from 'node:crypto'
import { roleUses } from '#areas/roles/role-use-words.ts'
import { findRoles } from '#areas/roles/service.ts'
import { bearers } from '#areas/sessions/bearers.ts'
import { requireFreshProof } from '#areas/sessions/proof.ts'
import { refuseDisguised } from '#areas/tenancy/service.ts'
import { users } from '#areas/users/contract.ts'
import { deleteProgram, insertProgram, replaceProgramKeys } from '#areas/users/programs.ts'
import { findPeople, fullName } from '#areas/users/service.ts'
import type { InputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { isPermission } from '#core/contract/permission-labels.ts'
import { offer } from '#core/contract/slots.ts'
import { invalidField } from '#core/server/fault.ts'
import { readNetworks } from '#core/server/outward/addresses.ts'
import { makeTenantSecret } from '#core/server/secrets.ts'
import { on, serve, type Viewer } from '#core/server/serve.ts'
import { dependants } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import { applications } from '../contract.ts'
import { dependantKind, secretPrefix, stateOf } from '../rules.ts'
import { readBearer } from './bearer.ts'
import { tellOfEnds, tellOfLostOwner } from './ends.ts'
import {
  deleteApplication,
  deleteSecret,
  findApplication,
  insertApplication,
  insertSecret,
  listOwnedBy,
  listSecrets,
  lockApplication,
  pageOfApplications,
  updateApplication,
  updateSecretEnds,
  type ApplicationRecord,
} from './store.ts'

const hour = 3_600_000

export default serve(
  applications,
  {
    async search(question, { tenancy }) {
      const { rows, total } = await pageOfApplications(tenancy, question)
      return { rows: await presentRows(tenancy, rows), total }
    },

    async read({ id }, { tenancy, fault }) {
      const row = (await findApplication(tenancy, id)) ?? fault('missing')
      const [shown = fault('missing')] = await presentRows(tenancy, [row])
      const secrets = (await listSecrets(tenancy, id)).filter(({ ends_at }) => ends_at === null || ends_at > tenancy.now)
      return {
        ...shown,
        note: row.note,
        enabled: row.enabled,
        version: row.version,
        secrets: secrets.map((secret) => ({
          id: secret.id,
          madeAt: secret.made_at.toISOString(),
          ...(secret.ends_at === null ? {} : { endsAt: secret.ends_at.toISOString() }),
          ...(secret.last_used_at === null ? {} : { lastUsedAt: secret.last_used_at.toISOString() }),
          ...(secret.last_used_from === null ? {} : { lastUsedFrom: secret.last_used_from }),
        })),
      }
    },

    add: async (draft, { viewer, house, now, transact, fault }) =>
      transact(async ({ tenancy, emit }) => {
        await requireFreshProof(house, tenancy.db, viewer, now)
        if (beyond(viewer, draft.scopes)) fault('beyond')
        const columns = await columnsOf(tenancy, draft, fault)
        const id = randomUUID()
        await insertApplication(tenancy, { id, ...columns, enabled: true })
        await insertProgram(tenancy, { id, name: columns.name, scopes: columns.scopes, enabled: true, ends_at: columns.ends_at })
        const { secret } = await makeSecret(tenancy, id, viewer.userId)
        emit('added', { applicationId: id, name: columns.name, scopes: columns.scopes }, id)
        return { id, secret }
      }),

    async change({ id, enabled, version, ...draft }, { tenancy, viewer, house, now, emit, fault }) {
      await requireFreshProof(house, tenancy.db, viewer, now)
      const row = (await lockApplication(tenancy, id)) ?? fault('missing')
      if (version !== undefined && version !== row.version) fault('conflict')
      // Somebody with less could open a door again that was closed, or widen it: what it may do already counts as well.
      if (beyond(viewer, [...row.scopes, ...draft.scopes])) fault('beyond')
      const columns = await columnsOf(tenancy, draft, fault)
      const later = columns.ends_at?.getTime() !== row.ends_at?.getTime()
      await updateApplication(tenancy, id, { ...columns, enabled, ...(later ? { notice_sent: null } : {}) })
      await insertProgram(tenancy, { id, name: columns.name, scopes: columns.scopes, enabled, ends_at: columns.ends_at })
      emit('changed', { applicationId: id, name: columns.name, scopes: columns.scopes, enabled }, id)
      return {}
    },

    rotate: async ({ id, overlapHours }, { viewer, house, now, transact, fault }) =>
      transact(async ({ tenancy, emit }) => {
        await requireFreshProof(house, tenancy.db, viewer, now)
        const row = (await lockApplication(tenancy, id)) ?? fault('missing')
        // Who sees the secret can do what the application can.
        if (beyond(viewer, row.scopes)) fault('beyond')
        const othersEndAt = new Date(now.getTime() + overlapHours * hour)
        await updateSecretEnds(tenancy, id, othersEndAt)
        const { secret, secretId } = await makeSecret(tenancy, id, viewer.userId)
        emit('rotated', { applicationId: id, name: row.name, secretId, overlapHours }, id)
        return { id, secret, othersEndAt: othersEndAt.toISOString() }
      }),

    async removeSecret({ id, secretId }, { tenancy, emit, fault }) {
      const row = (await lockApplication(tenancy, id)) ?? fault('missing')
      if (!(await deleteSecret(tenancy, id, secretId))) fault('missing')
      await tellKeys(tenancy, id)
      emit('secretRevoked', { applicationId: id, name: row.name, secretId }, id)
      return {}
    },

    async remove({ id }, { tenancy, emit, fault }) {
      const row = (await lockApplication(tenancy, id)) ?? fault('missing')
      await deleteApplication(tenancy, id)
      await deleteProgram(tenancy, id)
      emit('removed', { applicationId: id, name: row.name }, id)
      return {}
    },
  },
  {
    jobs: { ends: { inTenancy: tellOfEnds } },
    subscriptions: [on(users.events.disabled, ({ tenantId, about }, house) => tellOfLostOwner(house, tenantId, about))],
    offers: [
      offer(bearers, readBearer),
      offer(dependants, {
        record: 'user',
        count: async (db, tenantId, userId) => {
          const owned = await listOwnedBy({ db, tenantId }, userId)
          return owned.length === 0 ? [] : [{ kind: dependantKind, count: owned.length, path: to(applications.screens.list) }]
        },
      }),
      offer(dependants, {
        record: 'role',
        count: async (db, tenantId, roleId) => [
          {
            kind: roleUses.applications.label,
            count: (await listOwnedBy({ db, tenantId }, roleId)).length,
            path: to(applications.screens.list),
          },
        ],
      }),
    ],
  },
)

const beyond = ({ permission }: Viewer, scopes: readonly string[]): boolean => scopes.some((scope) => !permission.api.includes(scope))

/** What a program began is judged by its secret again, in rooms that do not know this one. */
const tellKeys = async (tenancy: Tenancy, id: string): Promise<void> =>
  replaceProgramKeys(tenancy, 'applications', id, await listSecrets(tenancy, id))

async function makeSecret(tenancy: Tenancy, applicationId: string, madeBy: string): Promise<{ secret: string; secretId: string }> {
  const { text, hash } = makeTenantSecret(secretPrefix, tenancy.tenantId)
  const secretId = randomUUID()
  await insertSecret(tenancy, { id: secretId, application_id: applicationId, secret_hash: hash, made_by: madeBy })
  await tellKeys(tenancy, applicationId)
  return { secret: text, secretId }
}

async function columnsOf(
  { db, tenantId, now }: Tenancy,
  { name, note, owner, scopes, networks, endsAt }: InputOf<typeof applications.calls.add>,
  fault: (code: 'unknownOwner' | 'endsInThePast') => never,
) {
  refuseDisguised('name', name)
  const unknown = scopes.find((scope) => !isPermission(scope))
  if (unknown !== undefined) throw invalidField('scopes', say`There is no permission ${unknown}`)
  networks.forEach((network, at) => {
    if (readNetworks([network]) === undefined)
      throw invalidField(`networks.${at}`, say`Write a network such as 192.0.2.0/24 or 2001:db8::/32`)
  })
  const owners = owner.kind === 'person' ? await findPeople(db, tenantId, [owner.id]) : await findRoles(db, tenantId, [owner.id])
  if (owners.length === 0) fault('unknownOwner')
  const ends = endsAt === undefined ? null : new Date(endsAt)
  if (ends !== null && ends <= now) fault('endsInThePast')
  return {
    name,
    note,
    owner_kind: owner.kind,
    owner_id: owner.id,
    scopes: [...new Set(scopes)].toSorted(),
    networks: [...new Set(networks)],
    ends_at: ends,
  }
}

async function presentRows({ db, tenantId, now }: Tenancy, rows: readonly ApplicationRecord[]) {
  const idsOf = (kind: 'person' | 'role') => rows.filter(({ owner_kind }) => owner_kind === kind).map(({ owner_id }) => owner_id)
  const names = new Map([
    ...(await findPeople(db, tenantId, idsOf('person'))).map((person) => [person.id, fullName(person)] as const),
    ...(await findRoles(db, tenantId, idsOf('role'))).map((role) => [role.id, role.name] as const),
  ])
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    state: stateOf({ enabled: row.enabled, endsAt: row.ends_at ?? undefined, networks: row.networks }, now),
    owner: { kind: row.owner_kind, id: row.owner_id, name: names.get(row.owner_id) ?? '' },
    scopes: row.scopes,
    networks: row.networks,
    ...(row.ends_at === null ? {} : { endsAt: row.ends_at.toISOString() }),
    ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at.toISOString() }),
    addedAt: row.added_at.toISOString(),
  }))
}
