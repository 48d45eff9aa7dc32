// An authority that is revoked while one of its certificates is under way.

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { keys } from '#areas/keys/contract.ts'
import { latchOf, type Latch } from '#areas/keys/server/latch.fixture.ts'
import { openSoftHsm, type SoftHsm } from '#areas/keys/server/pkcs11/softhsm.fixture.ts'
import { audited } from '#core/testing/events.ts'
import { openTestHouse, refusal, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { revocation } from '../contract.ts'

const { create, renew, crossCertify, life, list, view, setIssuing } = authorities.calls
const { authorityOptions, revokeAuthority } = revocation.calls

let house: TestHouse
let hsm: SoftHsm
let ada: TestPerson
let looker: pg.Client
let slowRoot: string
let key: Latch

beforeAll(async () => {
  hsm = openSoftHsm()
  hsm.token('vault', '246810')
  house = await openTestHouse({ settings: { CHANCERY_PKCS11_MODULES: hsm.modulePath } })
  ada = await (await house.tenancy('Acme')).person({ permissions: 'all' })
  looker = new pg.Client(house.connection)
  await looker.connect()
  slowRoot = await authority('root', 'Slow Root')
  key = await latchOf(house, slowRoot)
})
afterAll(async () => {
  await looker.end()
  await house.close()
  hsm.close()
})

const authority = async (kind: 'root' | 'subordinate', CN: string, more = {}) =>
  (await ada.call(create, { kind, friendlyName: CN, subject: { CN }, ...more })).caId
const revoke = (caId: string, confirm: string) => ada.call(revokeAuthority, { caId, reason: 'cACompromise', confirm })
const reasons = async (caId: string) => (await ada.call(life, { caId })).certificates.map(({ revocation: taken }) => taken?.reason)
const states = async (caId: string) =>
  (
    await looker.query<{ state: string }>(
      'select s.state from authority_certificates h join serials s on s.ca_id = h.issuer_id and s.serial = h.serial where h.ca_id = $1 order by h.made_at',
      [caId],
    )
  ).rows.map(({ state }) => state)
const told = async (event: string, caId: string): Promise<unknown[]> =>
  (await audited(house, ada.tenantId)).filter(({ name, about }) => name === event && about === caId).map(({ body }) => JSON.parse(body))
/** Something is on record, and the key signs. */
const underWay = async (caId: string) => {
  await expect.poll(() => states(caId), { interval: 5 }).toContain('reserved')
}

describe('An authority that is revoked while a slow key signs', () => {
  test('gets no renewed certificate: its serial is void', async () => {
    const caId = await authority('subordinate', 'Renewed too late', { issuerId: slowRoot, validityPeriod: 1 })
    key.hold()
    const renewal = refusal(ada.call(renew, { caId, validityPeriod: 2 }))
    await underWay(caId)
    expect(await revoke(caId, 'Renewed too late')).toEqual({ certificates: 1 })
    key.release()
    expect(await renewal).toMatchObject({ status: 409, code: 'revoked' })
    expect(await reasons(caId)).toEqual(['cACompromise'])
    expect(await states(caId)).toEqual(['signed', 'void'])
    expect(await ada.call(view, { caId })).toMatchObject({ issuing: false, revocation: { reason: 'cACompromise' } })
    expect(await told('authorityRevoked', caId)).toMatchObject([{ voided: [expect.stringMatching(/^[0-9a-f]{32}$/)] }])
    expect(await refusal(revoke(caId, 'Renewed too late'))).toMatchObject({ status: 409, code: 'revoked' })
  })

  test('certifies nobody any more: the one below it is given up, and who asked is told why', async () => {
    const root = await authority('root', 'Over the revoked')
    const issuerId = await authority('subordinate', 'Revoked while it signs', {
      issuerId: root,
      pathLength: 1,
    })
    const own = await latchOf(house, issuerId)
    own.hold()
    const below = refusal(authority('subordinate', 'Below the revoked', { issuerId }))
    const reserved = () =>
      looker.query('select 1 from serials where ca_id = $1 and state = $2', [issuerId, 'reserved']).then(({ rowCount }) => rowCount)
    await expect.poll(reserved, { interval: 5 }).toBe(1)
    await revoke(issuerId, 'Revoked while it signs')
    own.release()
    expect(await below).toMatchObject({
      status: 400,
      fields: [{ field: 'issuerId', says: expect.stringContaining('Revoked while it signs is revoked') }],
    })
    expect((await ada.call(list, { text: 'Below the revoked' })).rows).toEqual([])
    const { rows } = await looker.query<{ state: string }>('select state from serials where ca_id = $1', [issuerId])
    expect(rows.filter(({ state }) => state !== 'signed')).toEqual([{ state: 'void' }])
  })

  test('gets no cross-certificate either', async () => {
    const other = await authority('root', 'Quick Root')
    const caId = await authority('subordinate', 'Crossed too late', { issuerId: other })
    key.hold()
    const crossing = refusal(ada.call(crossCertify, { caId: slowRoot, otherCaId: caId }))
    await underWay(caId)
    await revoke(caId, 'Crossed too late')
    key.release()
    expect(await crossing).toMatchObject({
      status: 400,
      fields: [{ field: 'otherCaId', says: 'CN=Crossed too late was revoked, and what is revoked is certified no more' }],
    })
    expect(await reasons(caId)).toEqual(['cACompromise'])
    expect((await ada.call(life, { caId: slowRoot })).given).toEqual([])
  })

  test('is one case; nobody is certified by an authority either that was switched off meanwhile', async () => {
    const caId = await authority('subordinate', 'Below the stopped', { issuerId: slowRoot, validityPeriod: 1 })
    key.hold()
    const renewal = refusal(ada.call(renew, { caId, validityPeriod: 2 }))
    await underWay(caId)
    await ada.call(setIssuing, { caId: slowRoot, issuing: false })
    key.release()
    expect(await renewal).toMatchObject({
      status: 400,
      fields: [{ field: 'validityPeriod', says: 'Issuing by Slow Root is switched off' }],
    })
    await ada.call(setIssuing, { caId: slowRoot, issuing: true })
    expect(await states(caId)).toEqual(['signed', 'void'])
    expect(await told('furtherVoided', caId)).toMatchObject([{ issuerId: slowRoot, role: 'main' }])
  })
})

test('A renewal that waits for a token is never signed once its authority is revoked', async () => {
  const { modules } = await ada.call(keys.calls.found, {})
  const [{ module = '', tokens = [] } = {}] = modules
  const { tokenId } = await ada.call(keys.calls.register, {
    name: 'Vault',
    module,
    label: 'vault',
    serial: tokens.find(({ label }) => label === 'vault')?.serial ?? '',
    pin: '246810',
  })
  const rootId = await authority('root', 'Vaulted Root', { tokenId })
  const caId = await authority('subordinate', 'Below the vault', { issuerId: rootId, validityPeriod: 1 })
  hsm.takeAway()
  try {
    await house.runJob(keys.jobs.tokens)
    await ada.call(renew, { caId, validityPeriod: 2 })
    expect(await states(caId)).toEqual(['signed', 'reserved'])
    expect(await revoke(caId, 'Below the vault')).toEqual({ certificates: 1 })
    expect(await states(caId)).toEqual(['signed', 'void'])
    hsm.putBack()
    await house.runJob(keys.jobs.tokens)
    house.clock.advance(61_000)
    await house.runJob(authorities.jobs.finish)
  } catch (error) {
    hsm.restore()
    throw error
  }
  expect(await reasons(caId)).toEqual(['cACompromise'])
})

test('A revoked authority that still has a good certificate can be revoked again, and then no more', async () => {
  const rootId = await authority('root', 'Root of the half revoked')
  const caId = await authority('subordinate', 'Half revoked', { issuerId: rootId, validityPeriod: 1 })
  const { certificateId } = await ada.call(renew, { caId, validityPeriod: 2 })
  await revoke(caId, 'Half revoked')
  // As versions before this one could leave it.
  await house.asOwner(
    `update serials set revoked_at = null, revocation_reason = null from authority_certificates held where held.id = '${certificateId}' and serials.ca_id = held.issuer_id and serials.serial = held.serial`,
  )
  expect(await reasons(caId)).toEqual(['cACompromise', undefined])
  const options = await ada.call(authorityOptions, { caId })
  expect(options).toMatchObject({ certificates: 1, revocation: { reason: 'cACompromise' } })
  expect(options.refusal).toBeUndefined()
  expect(await revoke(caId, 'Half revoked')).toEqual({ certificates: 1 })
  expect(await reasons(caId)).toEqual(['cACompromise', 'cACompromise'])
  expect(await refusal(revoke(caId, 'Half revoked'))).toMatchObject({ status: 409, code: 'revoked' })
})
