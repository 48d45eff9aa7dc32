// The calls about those who come: accounts, orders, and the keys of external accounts.

import { randomBytes, randomUUID } from 'node:crypto'
import { sealForTenant } from '#areas/keys/sealing.ts'
import type { FieldFault } from '#core/contract/faults.ts'
import type { Handlers } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { actorOf } from '#core/server/visiting.ts'
import { base64url } from '#standards/acme/base64url.ts'
import type { Problem } from '#standards/acme/problem.ts'
import { authorizationStatus } from '#standards/acme/states.ts'
import { say } from '#standards/say/say.ts'
import type { acme } from '../contract.ts'
import { patternFault } from '../rules.ts'
import { countAccounts, endAccount, endAccountsOfEab, findAccount, findAccountPage } from './account-store.ts'
import { countOrders, findAuthorizations, findChallenges, findOrder, findOrderPage } from './order-store.ts'
import { statusOf, timed } from './presenter.ts'
import { sealingPurpose } from './sealing.ts'
import {
  endEab,
  findDirectory,
  findEab,
  findEabPage,
  findEabs,
  insertEab,
  listDirectories,
  revokeEab,
  type AccountRecord,
  type AuthorizationRecord,
  type EabRecord,
  type OrderRecord,
} from './store.ts'
import { directoryUrl } from './wire.ts'

const directoryNames = async (tenancy: Tenancy): Promise<Map<string, string>> =>
  new Map((await listDirectories(tenancy)).map(({ id, name }) => [id, name]))

const said = (problem: Problem | null): { type: string; detail: string } | undefined =>
  problem === null ? undefined : { type: problem.type, detail: problem.detail }

const keyTypeOf = ({ jwk }: AccountRecord): string => (jwk.kty === 'RSA' ? 'RSA' : (jwk.crv ?? ''))

const presentRow = (
  order: OrderRecord,
  names: Map<string, string>,
  { authorizations, failure, now }: { authorizations: readonly AuthorizationRecord[]; failure: Problem | undefined; now: Date },
) => ({
  id: order.id,
  directoryName: names.get(order.directory_id) ?? '',
  accountId: order.account_id,
  status: statusOf(order, authorizations, now),
  names: order.identifiers.map(({ value }) => value),
  profile: order.profile,
  error: said(order.error ?? failure ?? null),
  certificateId: order.certificate_id ?? undefined,
  createdAt: order.created_at.toISOString(),
})

const eabState = ({ revoked_at, expires_at, uses_left }: EabRecord, now: Date) =>
  revoked_at !== null
    ? ('revoked' as const)
    : expires_at !== null && expires_at <= now
      ? ('expired' as const)
      : uses_left === 0
        ? ('used' as const)
        : ('active' as const)

type ClientCalls = Pick<Handlers<typeof acme>, 'accounts' | 'deactivateAccount' | 'orders' | 'order' | 'eabs' | 'addEab' | 'revokeEab'>

export const clientCalls: ClientCalls = {
  async accounts(question, { tenancy }) {
    const { rows, total } = await findAccountPage(tenancy, question)
    const names = await directoryNames(tenancy)
    const orders = await countOrders(tenancy, 'account_id')
    const eabs = new Map(
      (await findEabs(tenancy, [...new Set(rows.flatMap(({ eab_id: id }) => id ?? []))])).map(({ id, name }) => [id, name]),
    )
    return {
      rows: rows.map((row) => ({
        id: row.id,
        directoryId: row.directory_id,
        directoryName: names.get(row.directory_id) ?? '',
        status: row.status,
        contact: row.contact,
        keyType: keyTypeOf(row),
        thumbprint: row.thumbprint,
        eabName: row.eab_id === null ? undefined : eabs.get(row.eab_id),
        address: row.address,
        createdAt: row.created_at.toISOString(),
        lastSeenAt: row.last_seen_at.toISOString(),
        orders: orders.get(row.id) ?? 0,
      })),
      total,
    }
  },

  async deactivateAccount({ id }, { tenancy, emit, fault, viewer }) {
    if ((await findAccount(tenancy, id)) === undefined) return fault('missing')
    if (!(await endAccount(tenancy, id, 'revoked'))) return fault('ended')
    emit('accountEnded', { accountId: id, status: 'revoked', reason: say`${actorOf(viewer)} ended it` }, id)
    return {}
  },

  async orders(question, { tenancy }) {
    const { rows, total } = await findOrderPage(tenancy, question)
    const names = await directoryNames(tenancy)
    const ids = rows.flatMap(({ authorization_ids: all }) => all)
    const authorizations = new Map((await findAuthorizations(tenancy, [...new Set(ids)])).map((one) => [one.id, one]))
    const failed = [...authorizations.values()].filter(({ status }) => status === 'invalid').map(({ id }) => id)
    // Why a name was not proven is why its order came to nothing.
    const failures = new Map(
      (await findChallenges(tenancy, failed)).flatMap(({ authorization_id: id, error }) => (error === null ? [] : [[id, error]])),
    )
    return {
      rows: rows.map((row) =>
        presentRow(row, names, {
          authorizations: row.authorization_ids.flatMap((id) => authorizations.get(id) ?? []),
          failure: row.authorization_ids.map((id) => failures.get(id)).find((one) => one !== undefined),
          now: tenancy.now,
        }),
      ),
      total,
    }
  },

  async order({ id }, { tenancy, fault }) {
    const row = (await findOrder(tenancy, id)) ?? fault('missing')
    const authorizations = await findAuthorizations(tenancy, row.authorization_ids)
    const challenges = Map.groupBy(await findChallenges(tenancy, row.authorization_ids), ({ authorization_id: of }) => of)
    return {
      ...presentRow(row, await directoryNames(tenancy), { authorizations, failure: undefined, now: tenancy.now }),
      expiresAt: row.expires_at.toISOString(),
      address: row.address,
      requestId: row.request_id ?? undefined,
      replaces: row.replaces ?? undefined,
      authorizations: authorizations.map((one) => ({
        id: one.id,
        name: one.value,
        wildcard: one.wildcard,
        status: authorizationStatus(timed(one), tenancy.now),
        expiresAt: one.expires_at.toISOString(),
        challenges: (challenges.get(one.id) ?? []).map((challenge) => ({
          type: challenge.type,
          status: challenge.status,
          token: challenge.token,
          attempts: challenge.attempts,
          validatedAt: challenge.validated_at?.toISOString(),
          error: said(challenge.error),
          evidence: challenge.evidence.map(({ problem, ...seen }) => ({ ...seen, problem: said(problem ?? null) })),
        })),
      })),
    }
  },

  async eabs(question, { tenancy }) {
    const { rows, total } = await findEabPage(tenancy, question)
    const names = await directoryNames(tenancy)
    const accounts = await countAccounts(tenancy, 'eab_id')
    return {
      rows: rows.map((row) => ({
        id: row.id,
        directoryId: row.directory_id,
        directoryName: names.get(row.directory_id) ?? '',
        name: row.name,
        names: row.names,
        usesLeft: row.uses_left ?? undefined,
        expiresAt: row.expires_at?.toISOString(),
        state: eabState(row, tenancy.now),
        accounts: accounts.get(row.id) ?? 0,
        createdAt: row.created_at.toISOString(),
        createdBy: row.created_by,
      })),
      total,
    }
  },

  async addEab({ directoryId, name, names, uses, expiresAt, replaces }, { transact, viewer, house, fault }) {
    const faults = names.flatMap((pattern, at): FieldFault[] => {
      const says = patternFault(pattern)
      return says === undefined ? [] : [{ field: `names.${at}`, says }]
    })
    if (expiresAt !== undefined && new Date(expiresAt) <= house.now()) faults.push({ field: 'expiresAt', says: say`Choose a time to come` })
    if (faults.length > 0) return fault('invalid', { fields: faults })
    const id = randomUUID()
    const mac = randomBytes(32)
    return transact(async ({ tenancy, emit }) => {
      const directory = (await findDirectory(tenancy, directoryId)) ?? fault('missing')
      if (replaces !== undefined) {
        const before = await findEab(tenancy, replaces)
        if (before?.directory_id !== directoryId) return fault('missing')
        // Rotation: the old secret makes no more accounts, and those that it made go on.
        await endEab(tenancy, replaces)
        emit('eabReplaced', { eabId: replaces, name: before.name, by: id }, replaces)
      }
      const { sealed, tenantKeyId } = await sealForTenant(tenancy.db, house, {
        tenantId: tenancy.tenantId,
        purpose: sealingPurpose(id),
        plain: mac,
        now: tenancy.now,
      })
      await insertEab(tenancy, {
        tenant_id: tenancy.tenantId,
        id,
        directory_id: directoryId,
        name,
        mac_sealed: sealed,
        tenant_key_id: tenantKeyId,
        names: names.map((pattern) => pattern.toLowerCase()),
        uses_left: uses ?? null,
        expires_at: expiresAt === undefined ? null : new Date(expiresAt),
        revoked_at: null,
        created_at: tenancy.now,
        created_by: actorOf(viewer),
      })
      emit('eabAdded', { eabId: id, directoryId, name }, id)
      return { id, kid: id, hmacKey: base64url(mac), directoryUrl: directoryUrl(house, directory.public_id) }
    })
  },

  async revokeEab({ id }, { tenancy, emit, fault }) {
    if ((await findEab(tenancy, id)) === undefined) return fault('missing')
    const name = (await revokeEab(tenancy, id)) ?? fault('ended')
    const ended = await endAccountsOfEab(tenancy, id)
    emit('eabRevoked', { eabId: id, name, accounts: ended.length }, id)
    for (const { id: accountId } of ended)
      emit('accountEnded', { accountId, status: 'revoked', reason: say`The key of its external account was revoked` }, accountId)
    return { accounts: ended.length }
  },
}
