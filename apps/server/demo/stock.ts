// The demonstration's stock of cards, two counts of it, and its applets: the identifiers are real, no file is, and the key
// of the card managers is a random one that no card has.

import { randomBytes, randomUUID } from 'node:crypto'
import { applets } from '#areas/applets/contract.ts'
import { cardAppletId } from '#areas/applets/rules.ts'
import { insertApplet, insertConfig } from '#areas/applets/server/store.ts'
import { masterPurpose } from '#areas/applets/server/upload.ts'
import { sealForTenant } from '#areas/keys/sealing.ts'
import { stock } from '#areas/stock/contract.ts'
import { rangeOf, type StockState } from '#areas/stock/rules.ts'
import { insertCards, insertCount, insertPlace, updateCards } from '#areas/stock/server/store.ts'
import type { House } from '#core/server/house.ts'
import { keyCheckValue } from '#standards/globalplatform/scp03.ts'
import type { FoundTenancy } from './found.ts'
import { houseAt } from './then.ts'

const day = 86_400_000
const places = [
  { name: 'Safe, card office', first: 'NW-00001', last: 'NW-00400', missing: 0 },
  { name: 'Drawer, reception', first: 'NW-00401', last: 'NW-00450', missing: 1 },
  { name: 'Regional office, Lyon', first: 'NW-00451', last: 'NW-00500', missing: 0 },
] as const
const became: readonly { first: string; last: string; state: StockState; reason: string }[] = [
  { first: 'NW-00401', last: 'NW-00423', state: 'issued', reason: '' },
  { first: 'NW-00424', last: 'NW-00425', state: 'returned', reason: '' },
  { first: 'NW-00411', last: 'NW-00411', state: 'destroyed', reason: 'Chip broken' },
]
const programs = [
  { id: cardAppletId, name: 'PIV', version: '1.0', enabled: true },
  { id: 'A0000006472F000101', name: 'FIDO2', version: '2.1', enabled: true },
  { id: 'D27600012401', name: 'OpenPGP', version: '3.4', enabled: false },
]
const hardware = 'Java cards, card office'
const noFile = { file: null, package_id: '', sha256: '' }

export async function writeStock(house: House, tenancies: readonly FoundTenancy[]): Promise<void> {
  for (const { id: tenantId, members } of tenancies) {
    const administrator = members.find(({ role }) => role === 'administrator')
    const custodians = members.filter((member) => member !== administrator && member.activated)
    if (administrator === undefined) continue
    const actor = { userId: administrator.id, name: administrator.username }
    const then = (ago: number) => houseAt(house, new Date(house.now().getTime() - ago * day))
    const ids = places.map(() => randomUUID())
    await then(90).work(tenantId, actor, async ({ tenancy, emitFor }) => {
      for (const [at, { name, first, last }] of places.entries()) {
        const id = ids[at] ?? ''
        const custodian = custodians[at % Math.max(1, custodians.length)]
        await insertPlace(tenancy, { id, name, custodian_id: custodian?.id ?? null })
        emitFor(stock)('placeAdded', { placeId: id, name, ...(custodian === undefined ? {} : { custodianId: custodian.id }) }, id)
        const cards = rangeOf(first, last) ?? []
        await insertCards(tenancy, id, cards)
        emitFor(stock)('takenIn', { first, last, placeId: id, count: cards.length }, id)
      }
      for (const { id, ...program } of programs) {
        await insertApplet(tenancy, { applet_id: id, ...program, ...noFile })
        emitFor(applets)('added', { appletId: id })
      }
      const plain = randomBytes(16)
      const { db, now } = tenancy
      const { sealed, tenantKeyId } = await sealForTenant(db, house, { tenantId, purpose: masterPurpose(hardware), plain, now })
      const checkValue = keyCheckValue(plain)
      await insertConfig(tenancy, {
        hardware,
        master_sealed: sealed,
        tenant_key_id: tenantKeyId,
        check_value: checkValue,
        key_version: 1,
      })
      emitFor(applets)('configAdded', { hardware, checkValue })
    })
    for (const { first, last, state, reason } of became)
      await then(20).work(tenantId, actor, async ({ tenancy, emitFor }) => {
        const serials = (rangeOf(first, last) ?? []).map(({ serial }) => serial)
        await updateCards(tenancy, serials, { state })
        if (state === 'issued') for (const serial of serials) emitFor(stock)('followed', { serial, state })
        else emitFor(stock)('moved', { first, last, placeId: ids[1] ?? '', count: serials.length, state, reason }, ids[1])
      })
    for (const [at, { name, missing }] of places.slice(0, 2).entries())
      await then(6 - at).work(tenantId, actor, async ({ tenancy, emitFor }) => {
        const [id, placeId] = [randomUUID(), ids[at] ?? '']
        const expected = at === 0 ? 400 : 26
        await insertCount(tenancy, {
          id,
          place_id: placeId,
          place_name: name,
          by_name: administrator.username,
          expected,
          found: expected - missing,
          missing,
          surplus: 0,
        })
        emitFor(stock)('counted', { countId: id, placeId, missing, surplus: 0 }, id)
      })
  }
}
