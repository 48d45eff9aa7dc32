// Gives a card back as from the factory: its keys and objects are gone, and PIN, PUK and management key are those that everybody knows. Repeated after a cut it
// goes on.

import { randomInt } from 'node:crypto'
import type { Tenancy } from '#core/server/tenancy.ts'
import {
  deleteKey,
  generateKey,
  managementAlgorithm,
  resetApplication,
  resetPin,
  setManagementKey,
  verifyPin,
  writeObject,
  type PivCard,
} from '#standards/piv/client.ts'
import { factory, objects, slotNamed } from '#standards/piv/identifiers.ts'
import { moreSteps } from '../../rules.ts'
import { listUsedSlots } from '../operation-store.ts'
import { cardRow, currentPuk, isFactoryKey, KeyNotTaken, openManager, ownPuk, settlePuk } from './access.ts'
import { atCard, changeCard, inTenancy, runStep, type Driving } from './operation.ts'
import { managementKeyOf, masterKey, sealPuk } from './secrets.ts'

/** More tries than any card has (SP 800-73-5 allows ten). */
const mostTries = 16
const numbers = { clear: 7, reset: 8 } as const
/** The identifier of the holder is the last: some cards have no other name. */
const cleared = [objects.security, objects.face, objects.printed, objects.keyHistory, objects.capability]

export async function wipeCard(driving: Driving): Promise<void> {
  const { kind } = await cardRow(driving)
  const master = await masterKey(driving.house, driving.viewer.tenantId)
  // What is on the card is known again when this ends, also where it is given up in the middle.
  await inTenancy(driving, (tenancy) => changeCard(driving, tenancy, { status: 'UNKNOWN' }))
  if (kind === 'yubico') return void (await runStep(driving, { n: numbers.reset, name: moreSteps.reset }, () => resetWhole(driving)))
  await runStep(driving, { n: numbers.clear, name: moreSteps.clear }, () =>
    atCard(driving, moreSteps.clear, (card) => clear(driving, master, card, kind)),
  )
  await runStep(driving, { n: numbers.reset, name: moreSteps.reset }, () => giveBack(driving, master))
}

const noDigits = () => String(randomInt(10_000_000, 100_000_000))

/** These cards begin anew when PIN and PUK are both blocked, whoever has taken their keys. */
async function resetWhole(driving: Driving): Promise<void> {
  await inTenancy(driving, async (tenancy) =>
    changeCard(driving, tenancy, { key_next: 0, ...(await sealPuk(driving.house, tenancy, driving.cardId, factory.puk)) }),
  )
  await atCard(driving, moreSteps.reset, async (card) => {
    await block((digits) => verifyPin(card, digits))
    await block((digits) => resetPin(card, { puk: digits, pin: digits }))
    await resetApplication(card)
    if (!(await isFactoryKey(card))) throw new KeyNotTaken()
    const algorithm = await managementAlgorithm(card)
    await noteFactory(driving, algorithm ?? '')
  })
}

async function block(tryOnce: (digits: string) => Promise<{ ok: true } | { ok: false; left: number }>): Promise<void> {
  for (let count = 0; count < mostTries; count += 1) {
    const tried = await tryOnce(noDigits())
    if (!tried.ok && tried.left === 0) return
  }
}

/** A key that a card cannot delete gets another in its place, which has no certificate. */
async function clear(driving: Driving, master: Uint8Array, card: PivCard, kind: string): Promise<void> {
  await openManager(driving, master, card)
  for (const { slot: name, algorithm } of await inTenancy(driving, (tenancy) => listUsedSlots(tenancy, driving.cardId))) {
    const slot = slotNamed(name)
    if (slot === undefined) continue
    await writeObject(card, slot.object, new Uint8Array())
    if ((await deleteKey(card, slot)) === undefined) await generateKey(card, slot, algorithm)
  }
  for (const tag of cleared) await writeObject(card, tag, new Uint8Array())
  if (kind !== 'guid') await writeObject(card, objects.chuid, new Uint8Array())
}

async function giveBack(driving: Driving, master: Uint8Array): Promise<void> {
  const row = await cardRow(driving)
  await inTenancy(driving, (tenancy) => changeCard(driving, tenancy, { key_next: 0 }))
  await atCard(driving, moreSteps.reset, async (card) => {
    await openManager(driving, master, card)
    await settlePuk(driving, card)
    await ownPuk(driving, card, factory.puk)
    await resetPin(card, { puk: await currentPuk(driving), pin: factory.pin })
    const { version, algorithm } = await openManager(driving, master, card)
    if (version !== 0) {
      await setManagementKey(card, managementKeyOf(master, algorithm, { serial: row.serial, version: 0 }))
      if (!(await isFactoryKey(card))) throw new KeyNotTaken()
    }
    await noteFactory(driving, algorithm)
  })
}

const noteFactory = (driving: Driving, algorithm: string): Promise<void> =>
  inTenancy(driving, (tenancy: Tenancy) =>
    changeCard(driving, tenancy, {
      key_version: 0,
      key_next: null,
      management_algorithm: algorithm,
      puk_sealed: null,
      puk_key_id: null,
      puk_next_sealed: null,
      puk_next_key_id: null,
    }),
  )
