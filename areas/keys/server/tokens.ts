// The calls about tokens: what is there, registering one with its PIN, and how it is. A token is claimed by its row before its PIN is tried, so that
// nobody of another tenancy can try PINs on a token that is in use.

import { basename } from 'node:path'
import { inTenant } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Handlers } from '#core/server/serve.ts'
import { say } from '#standards/say/say.ts'
import { keyIdentifier } from '#standards/x509/public-key.ts'
import type { keys } from '../contract.ts'
import { keysOnToken } from '../places.ts'
import { unavailableReasons, type TokenState } from '../tokens.ts'
import { KeyUnavailable, letGo, modulePathOf, pinPurpose, withToken } from './held-tokens.ts'
import { TokenFailure, tokensOf } from './pkcs11/connection.ts'
import { algorithmsOf } from './pkcs11/mechanisms.ts'
import type { TokenSeen } from './pkcs11/protocol.ts'
import type { TokenRow } from './store.ts'
import { openTenantKey } from './tenant-key.ts'
import { allTokens, changeToken, deleteToken, findToken, insertToken, keyCounts, keysOfToken } from './token-store.ts'

const shown = (row: TokenRow, count: number) => ({
  id: row.id,
  name: row.name,
  label: row.label,
  serial: row.serial,
  manufacturer: row.manufacturer,
  model: row.model,
  module: row.module,
  algorithms: row.algorithms,
  state: row.state,
  stateSince: row.state_since.toISOString(),
  keys: count,
  registeredAt: row.made_at.toISOString(),
})

const presentToken = ({ label, serial, manufacturer, model, mechanisms }: TokenSeen) => ({
  label,
  serial,
  manufacturer,
  model,
  algorithms: algorithmsOf(mechanisms),
})

export const tokenHandlers: Handlers<typeof keys> = {
  async list({ page, size, text }, { db, viewer }) {
    const sought = text.trim().toLowerCase()
    const counts = await keyCounts(db, viewer.tenantId)
    const fitting = (await allTokens(db, viewer.tenantId)).filter(({ name, label, serial }) =>
      [name, label, serial].some((each) => each.toLowerCase().includes(sought)),
    )
    return {
      rows: fitting.slice((page - 1) * size, page * size).map((row) => shown(row, counts.get(row.id) ?? 0)),
      total: fitting.length,
      more: false,
    }
  },

  async view({ tokenId }, { db, viewer, fault }) {
    const row = (await findToken(db, viewer.tenantId, tokenId)) ?? fault('missing')
    return shown(row, (await keyCounts(db, viewer.tenantId)).get(tokenId) ?? 0)
  },

  async found(_input, { house }) {
    const modules = await Promise.all(
      house.settings.pkcs11Modules.map(async (path) => {
        try {
          return { module: basename(path), tokens: (await tokensOf(path)).map(presentToken), problem: '' }
        } catch (error) {
          if (!(error instanceof TokenFailure)) throw error
          return { module: basename(path), tokens: [], problem: unavailableReasons[error.reason] }
        }
      }),
    )
    return { modules }
  },

  async register({ name, module, label, serial, pin }, { viewer, house, now, transact }) {
    const { tenantId } = viewer
    const path = modulePathOf(house, module)
    if (path === undefined) throw invalidField('module', say`Choose one of the modules that this installation allows`)
    const seen = (await tokensThere(path)).find((token) => token.label === label && token.serial === serial)
    if (seen === undefined) throw invalidField('label', say`The module sees no such token`)
    const tokenId = timeOrderedId(now)
    await transact(async ({ db }) => {
      const sealed = await sealPin(db, house, tenantId, tokenId, pin, now)
      const { manufacturer, model, mechanisms } = seen
      await insertToken(db, {
        tenant_id: tenantId,
        id: tokenId,
        name,
        module,
        label,
        serial,
        manufacturer,
        model,
        algorithms: algorithmsOf(mechanisms),
        ...sealed,
        state: 'unchecked',
        state_since: now,
        made_at: now,
      })
    })
    const state = await check(house, tenantId, tokenId)
    if (state !== 'available') {
      letGo(house, tokenId)
      await transact(({ db }) => deleteToken(db, tenantId, tokenId))
      throw invalidField(pinReasons.has(state) ? 'pin' : 'label', textOf(state))
    }
    await transact(async ({ emit }) => emit('tokenRegistered', { tokenId, name, label, serial, module }, tokenId))
    return { tokenId }
  },

  async change({ tokenId, name, pin }, { viewer, house, now, transact, fault }) {
    const { tenantId } = viewer
    const before = await transact(async ({ db, emit }) => {
      const row = (await findToken(db, tenantId, tokenId)) ?? fault('missing')
      await changeToken(db, tenantId, tokenId, {
        name,
        ...(pin === undefined ? {} : { ...(await sealPin(db, house, tenantId, tokenId, pin, now)), state: 'unchecked', state_since: now }),
      })
      emit('tokenChanged', { tokenId, name, newPin: pin !== undefined }, tokenId)
      return row
    })
    if (pin === undefined) return { state: before.state }
    letGo(house, tokenId)
    const state = await check(house, tenantId, tokenId)
    if (pinReasons.has(state)) throw invalidField('pin', textOf(state))
    return { state }
  },

  async check({ tokenId }, { viewer, house, transact, fault }) {
    const { tenantId } = viewer
    if ((await transact(({ db }) => findToken(db, tenantId, tokenId))) === undefined) fault('missing')
    return { state: await check(house, tenantId, tokenId) }
  },

  async keysOn({ tokenId }, { viewer, house, transact, fault }) {
    const { tenantId } = viewer
    if ((await transact(({ db }) => findToken(db, tenantId, tokenId))) === undefined) fault('missing')
    try {
      const found = await keysOnToken(house, tenantId, tokenId)
      return {
        keys: found.map(({ objectId, label, algorithm, spki, keyId }) => ({
          objectId,
          label,
          algorithm,
          keyIdentifier: Buffer.from(keyIdentifier(spki)).toString('hex'),
          inUse: keyId !== undefined,
        })),
      }
    } catch (error) {
      if (error instanceof KeyUnavailable) return fault('outOfReach', { params: { reason: unavailableReasons[error.reason] } })
      throw error
    }
  },

  async remove({ tokenId }, { db, viewer, house, emit, afterCommit, fault }) {
    const { name, label, serial } = (await findToken(db, viewer.tenantId, tokenId)) ?? fault('missing')
    if ((await keysOfToken(db, viewer.tenantId, tokenId)).length > 0) fault('inUse')
    await deleteToken(db, viewer.tenantId, tokenId)
    afterCommit(() => letGo(house, tokenId))
    emit('tokenRemoved', { tokenId, name, label, serial }, tokenId)
    return {}
  },
}

const pinReasons = new Set<TokenState>(['pinRefused', 'pinLocked', 'pinFinalTry'])
const textOf = (state: TokenState): string => {
  const text = state === 'available' || state === 'unchecked' ? 'the token does not answer' : unavailableReasons[state]
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

async function tokensThere(path: string): Promise<TokenSeen[]> {
  try {
    return await tokensOf(path)
  } catch (error) {
    throw error instanceof TokenFailure ? invalidField('module', textOf(error.reason)) : error
  }
}

async function sealPin(db: Parameters<typeof openTenantKey>[0], house: House, tenantId: string, tokenId: string, pin: string, now: Date) {
  const tenantKey = await openTenantKey(db, house, tenantId, now)
  return { sealed: tenantKey.key.seal(Buffer.from(pin, 'utf8'), pinPurpose(tenantId, tokenId)), tenant_key_id: tenantKey.id }
}

/**
 * Whether the token is there and its PIN is good. That it is there is asked in a process of its own: modules learn of tokens when they begin, and one
 * that is logged in may answer from memory for a token that is gone.
 */
export async function check(house: House, tenantId: string, tokenId: string): Promise<TokenState> {
  try {
    const row = await inTenant(house.database, tenantId, (db) => findToken(db, tenantId, tokenId))
    const path = row && modulePathOf(house, row.module)
    await withToken(house, tenantId, tokenId, async (connection) => {
      connection.tryAgainNow()
      if (row === undefined || path === undefined) return connection.open()
      const there = (await tokensOf(path)).some(({ label, serial }) => label === row.label && serial === row.serial)
      if (!there) {
        connection.drop()
        throw new TokenFailure('tokenAbsent', 'The module does not see the token')
      }
      return connection.open()
    })
    return 'available'
  } catch (error) {
    if (error instanceof KeyUnavailable) return error.reason
    throw error
  }
}
