// How the engine opens a card: by its management key, its PUK, its PIN. What is about to be set is on record before the card gets it, so that the card always
// has one of two known values; and a value that may be wrong is tried once at most.

import type { House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import {
  authenticateManager,
  changePuk,
  managementAlgorithm,
  readMetadata,
  setManagementKey,
  type PivCard,
  verifyPin,
} from '#standards/piv/client.ts'
import { factory, pukReference, type ManagementAlgorithm } from '#standards/piv/identifiers.ts'
import { say } from '#standards/say/say.ts'
import { CardFault } from '../agents/readers.ts'
import { findCardRow, type CardRecord } from '../store.ts'
import { changeCard, inTenancy, type Holding } from './operation.ts'
import { managementKeyOf, newPuk, pukCandidates, sealPuk } from './secrets.ts'

/** Tries that a machine never uses: the last ones are a person's. */
const triesKept = 2

export class KeyNotTaken extends Error {
  override name = 'KeyNotTaken'
}
export class PukUnknown extends Error {
  override name = 'PukUnknown'
}

export async function cardRow(driving: Holding): Promise<CardRecord> {
  const row = await inTenancy(driving, (tenancy) => findCardRow(tenancy, driving.cardId))
  if (row === undefined) throw new CardFault('otherCard', { serial: driving.serial })
  return row
}

async function algorithmOf(card: PivCard): Promise<ManagementAlgorithm> {
  const algorithm = await managementAlgorithm(card)
  if (algorithm === undefined) throw new KeyNotTaken()
  return algorithm
}

/** Proves the management key: the one that is being set first, where there is one, then the one before. */
export async function openManager(
  driving: Holding,
  master: Uint8Array,
  card: PivCard,
): Promise<{ version: number; algorithm: ManagementAlgorithm }> {
  const row = await cardRow(driving)
  const algorithm = await algorithmOf(card)
  for (const version of row.key_next === null ? [row.key_version] : [row.key_next, row.key_version])
    if (await authenticateManager(card, managementKeyOf(master, algorithm, { serial: row.serial, version }))) return { version, algorithm }
  throw new KeyNotTaken()
}

/** Gives the card a management key of its own that nobody has seen. */
export async function ownManagementKey(driving: Holding, master: Uint8Array, card: PivCard): Promise<void> {
  const row = await cardRow(driving)
  // One that is being given back has the factory's next.
  const next = row.key_next === null || row.key_next <= row.key_version ? row.key_version + 1 : row.key_next
  if (row.key_next !== null && next !== row.key_next) await settleManagementKey(driving, master, card)
  if (row.key_next !== next) await inTenancy(driving, (tenancy) => changeCard(driving, tenancy, { key_next: next }))
  const { version, algorithm } = await openManager(driving, master, card)
  const key = managementKeyOf(master, algorithm, { serial: row.serial, version: next })
  if (version !== next) {
    await setManagementKey(card, key)
    if (!(await authenticateManager(card, key))) throw new KeyNotTaken()
  }
  await inTenancy(driving, (tenancy) =>
    changeCard(driving, tenancy, { key_version: next, key_next: null, management_algorithm: algorithm }),
  )
}

/** Finds out which of the two that it may have the card has. */
export async function settleManagementKey(driving: Holding, master: Uint8Array, card: PivCard): Promise<void> {
  const { version } = await openManager(driving, master, card)
  await inTenancy(driving, (tenancy) => changeCard(driving, tenancy, { key_version: version, key_next: null }))
}

/** Says what the card has from now on, once it has it. */
export const isFactoryKey = async (card: PivCard): Promise<boolean> =>
  authenticateManager(card, managementKeyOf(new Uint8Array(), await algorithmOf(card), { serial: '', version: 0 }))

const promote = (driving: Holding) =>
  inTenancy(driving, async (tenancy) => {
    const row = await findCardRow(tenancy, driving.cardId)
    if (row?.puk_next_sealed != null)
      await changeCard(driving, tenancy, {
        puk_sealed: row.puk_next_sealed,
        puk_key_id: row.puk_next_key_id,
        puk_next_sealed: null,
        puk_next_key_id: null,
      })
  })

/** Gives the card a PUK that is kept here: `wanted`, or a new one. One that an earlier try was about to set comes first. */
export async function ownPuk(driving: Holding, card: PivCard, wanted?: string): Promise<void> {
  const { house } = driving
  const before = await candidatesOf(house, driving)
  if (wanted !== undefined && before.next !== undefined && before.next !== wanted) {
    await ownPuk(driving, card)
    return ownPuk(driving, card, wanted)
  }
  // A card that was about to be given back is not left with the factory's.
  if (wanted === undefined && before.next === factory.puk) {
    await ownPuk(driving, card, factory.puk)
    return ownPuk(driving, card)
  }
  const puk = before.next ?? wanted ?? newPuk()
  if (before.next === undefined)
    await inTenancy(driving, async (tenancy) => changeCard(driving, tenancy, await sealPuk(house, tenancy, driving.cardId, puk)))
  const metadata = await readMetadata(card, pukReference)
  const left = metadata?.tries?.left
  const isFactory = metadata?.isFactory
  const setFrom = async (known: string): Promise<boolean> => (await changePuk(card, { before: known, after: puk })).ok
  // An earlier try may have set it. That is found out by one try, and only where enough are left.
  const mayBeSet = before.next !== undefined && isFactory !== true && (left === undefined || left > triesKept)
  if (mayBeSet && (await setFrom(puk))) return promote(driving)
  const known = before.current ?? (isFactory === false ? undefined : factory.puk)
  const tooFew = left !== undefined && left < triesKept
  if (known === undefined || tooFew || !(await setFrom(known))) throw new PukUnknown()
  await promote(driving)
}

/** Which of two it has is found out first, where an earlier try stopped between them. */
export async function settlePuk(driving: Holding, card: PivCard): Promise<void> {
  if ((await candidatesOf(driving.house, driving)).next !== undefined) await ownPuk(driving, card)
}

const candidatesOf = async (house: House, driving: Holding) => {
  const row = await cardRow(driving)
  return inTenancy(driving, (tenancy: Tenancy) => pukCandidates(house, tenancy, row))
}

/** The PUK that the card has, once it was set. */
export async function currentPuk(driving: Holding): Promise<string> {
  const { current } = await candidatesOf(driving.house, driving)
  if (current === undefined) throw new PukUnknown()
  return current
}

/** Of a PIN that was set a moment ago. */
export async function openPin(card: PivCard, pin: string): Promise<void> {
  if (!(await verifyPin(card, pin)).ok) throw new CardFault('cardRefused', { reason: say`The card does not take the PIN that was set` })
}
