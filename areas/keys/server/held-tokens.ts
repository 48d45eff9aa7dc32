// The tokens that this server is logged in to. Every use of one comes through here: what is found out about it is written to its row, once for
// each change, so that every process and every screen says the same, and so that a PIN which was refused is not tried after a restart either.

import { basename } from 'node:path'
import { inTenant } from '#core/server/database.ts'
import { KeyOutOfReach } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { keys } from '../contract.ts'
import { isBlocking, isUnavailable, unavailableReasons, type TokenState, type UnavailableReason } from '../tokens.ts'
import { connectToken, TokenFailure, type TokenConnection } from './pkcs11/connection.ts'
import type { TokenRow } from './store.ts'
import { earlierTenantKey } from './tenant-key.ts'
import { findToken, noteTokenState } from './token-store.ts'

/** Nothing is wrong with what was asked: it waits until the key is there again. */
export class KeyUnavailable extends KeyOutOfReach {
  override name = 'KeyUnavailable'
  readonly reason: UnavailableReason
  constructor(reason: UnavailableReason, options?: ErrorOptions) {
    super(unavailableReasons[reason], options)
    this.reason = reason
  }
}

export const unavailableText = (reason: UnavailableReason): string => new KeyUnavailable(reason).message

type Held = { row: Pick<TokenRow, 'tenant_id' | 'id' | 'sealed'>; connection: TokenConnection; state: TokenState }
const held = new WeakMap<House, Map<string, Held>>()

const heldBy = (house: House): Map<string, Held> => {
  const found = held.get(house) ?? new Map<string, Held>()
  held.set(house, found)
  return found
}

export const modulePathOf = (house: House, module: string): string | undefined =>
  house.settings.pkcs11Modules.find((path) => basename(path) === module)

async function hold(house: House, tenantId: string, tokenId: string): Promise<Held> {
  const known = heldBy(house).get(tokenId)
  if (known !== undefined && known.row.tenant_id === tenantId) return known
  const { row, pin } = await inTenant(house.database, tenantId, async (db) => {
    const found = await findToken(db, tenantId, tokenId)
    if (found === undefined) throw new Error(`There is no token ${tokenId} in the tenancy ${tenantId}`)
    return {
      row: found,
      pin: (await earlierTenantKey(db, house, tenantId, found.tenant_key_id))
        .unseal(found.sealed, pinPurpose(tenantId, tokenId))
        .toString('utf8'),
    }
  })
  if (isUnavailable(row.state) && isBlocking(row.state)) throw new KeyUnavailable(row.state)
  const modulePath = modulePathOf(house, row.module)
  const { label, serial } = row
  const made: Held = {
    row,
    state: row.state,
    connection: modulePath === undefined ? noModule : connectToken({ modulePath, label, serial, pin }),
  }
  // Another that asked at the same time was first: one process for a token.
  const first = heldBy(house).get(tokenId)
  if (first !== undefined) return first
  heldBy(house).set(tokenId, made)
  return made
}

const missing = () => Promise.reject(new TokenFailure('moduleMissing', 'The module is not named in CHANCERY_PKCS11_MODULES'))
const noModule: TokenConnection = { open: missing, ask: missing, tryAgainNow() {}, drop() {}, close() {}, pid: () => undefined }

export const pinPurpose = (tenantId: string, tokenId: string) => `token-pin:${tenantId}:${tokenId}`

/** Throws KeyUnavailable with the reason. Not inside a transaction. */
export async function withToken<T>(
  house: House,
  tenantId: string,
  tokenId: string,
  use: (connection: TokenConnection) => Promise<T>,
): Promise<T> {
  const token = await hold(house, tenantId, tokenId)
  try {
    const value = await use(token.connection)
    await note(house, token, 'available')
    return value
  } catch (error) {
    if (!(error instanceof TokenFailure)) throw error
    // One that was let go meanwhile has another PIN, or the house closes.
    if (heldBy(house).get(tokenId) === token) await note(house, token, error.reason)
    // From now on the row says it; a connection with another PIN begins anew.
    if (isBlocking(error.reason) && token.state === error.reason) letGo(house, tokenId)
    throw new KeyUnavailable(error.reason, { cause: error })
  }
}

/** The process is ended; the next use starts another with what the row says then. */
export function letGo(house: House, tokenId: string): void {
  heldBy(house).get(tokenId)?.connection.close()
  heldBy(house).delete(tokenId)
}

export const letGoOfAll = (house: House): void => {
  for (const tokenId of heldBy(house).keys()) letGo(house, tokenId)
}

/** Of the process that holds the token's module, where there is one. */
export const processOf = (house: House, tokenId: string): number | undefined => heldBy(house).get(tokenId)?.connection.pid()

async function note(house: House, token: Held, state: TokenState): Promise<void> {
  if (token.state === state) return
  const { tenant_id: tenantId, id: tokenId } = token.row
  try {
    await house.work(tenantId, { name: 'Keys' }, async ({ db, emitFor }) => {
      const before = await noteTokenState(db, token.row, state, house.now())
      if (before === undefined) return
      if (isUnavailable(state)) emitFor(keys)('tokenUnavailable', { tokenId, reason: state }, tokenId)
      else emitFor(keys)('tokenAvailable', { tokenId }, tokenId)
    })
    token.state = state
  } catch (error) {
    house.log.error({ error, token: tokenId }, 'the state of a token could not be written; it is tried again with its next use')
  }
}
