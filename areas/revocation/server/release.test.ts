// A hold is the one revocation that can be taken back: what it takes to put it on and to end it, and what relying parties hear.

import { afterAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { audited } from '#core/testing/events.ts'
import { parseCrl } from '#standards/crl/parse.ts'
import { revocation } from '../contract.ts'
import { openRevocations, statusIn, type Authority, type Leaf } from './revocation.fixture.ts'

const { revoke, release, options, vote, view, search, setPublication, status } = revocation.calls
const { house, acme, ada, grace, authority, issue, ask, fetchCrl, listShows, run, close } = await openRevocations()
afterAll(close)

const hold = async (leaf: Leaf) => ada.call(revoke, { certId: leaf.id, reason: 'certificateHold', note: 'Laptop mislaid' })
const statusOf = async (leaf: Leaf) => (await ada.call(certificates.calls.info, { certId: leaf.id })).certificate.status
const entryIn = async (ca: Authority, leaf: Leaf, part = '') => parseCrl(new Uint8Array(await (await house.fetch(`/pki/crl/${ca.publicId}${part}.crl`)).arrayBuffer())).find(Buffer.from(leaf.serial, 'hex'))?.reason

describe('A certificate on hold', () => {
  test('is good again once it is released: in the inventory, by OCSP, on the list, and to OpenSSL', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    expect(await hold(leaf)).toMatchObject({ ok: true, status: 'revoked' })
    expect([await statusOf(leaf), statusIn(await ask(ca, leaf.serial))]).toEqual(['revoked', 'revoked'])
    await listShows(ca, leaf.serial, 'certificateHold')
    expect(await grace.call(options, { certId: leaf.id })).toMatchObject({ revoked: { reason: 'certificateHold' } })
    expect(await grace.call(release, { certId: leaf.id, note: 'Found it' })).toMatchObject({ ok: true, status: 'released', online: true })
    expect([await statusOf(leaf), statusIn(await ask(ca, leaf.serial))]).toEqual(['active', 'good'])
    await expect.poll(() => entryIn(ca, leaf), { timeout: 10_000 }).toBeUndefined()
    expect(await run('openssl', 'ocsp', '-issuer', ca.file, '-cert', leaf.file, '-url', `${house.origin}/pki/ocsp/${ca.publicId}`, '-CAfile', ca.file)).toContain(`${leaf.file}: good`)
    expect((await ada.call(status, { certId: leaf.id })).revocation).toMatchObject({ state: 'released', reason: 'removeFromCRL', requester: 'grace', note: 'Found it' })
    expect((await ada.call(search, { states: ['released'] })).rows).toMatchObject([{ certificateId: leaf.id }])
    expect((await audited(house, acme.id)).some((event) => event.area === 'revocation' && event.name === 'released' && event.about === leaf.id && event.actor === 'grace')).toBe(true)
    // And it can be put on hold again.
    await hold(leaf)
    expect(statusIn(await ask(ca, leaf.serial))).toBe('revoked')
    await listShows(ca, leaf.serial, 'certificateHold')
  })

  test('is taken off by the delta list, for those who hold the whole list that has it', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    await ada.call(setPublication, { caId: ca.caId, shards: 0, delta: true, deltaMinutes: 60, responderId: 'byKey' })
    await hold(leaf)
    await ada.call(revocation.calls.makeList, { caId: ca.caId, part: 0 })
    expect(await entryIn(ca, leaf)).toBe('certificateHold')
    await ada.call(release, { certId: leaf.id })
    await expect.poll(() => entryIn(ca, leaf, '/delta'), { timeout: 10_000 }).toBe('removeFromCRL')
  })

  test('can be revoked for good, and is not released then', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    await hold(leaf)
    const { revokedAt } = (await ada.call(certificates.calls.info, { certId: leaf.id })).certificate
    await expect(hold(leaf)).rejects.toMatchObject({ status: 409, code: 'alreadyRevoked' })
    house.clock.advance(3_600_000)
    expect(await ada.call(revoke, { certId: leaf.id, reason: 'keyCompromise' })).toMatchObject({ ok: true, status: 'revoked' })
    // It counts as revoked since the hold began, here and on the list.
    expect((await ada.call(certificates.calls.info, { certId: leaf.id })).certificate).toMatchObject({ revocationReason: 'keyCompromise', revokedAt })
    await listShows(ca, leaf.serial, 'keyCompromise')
    expect(parseCrl(await fetchCrl(ca)).find(Buffer.from(leaf.serial, 'hex'))?.revocationDate.toISOString()).toBe(revokedAt)
    await expect(ada.call(release, { certId: leaf.id })).rejects.toMatchObject({ status: 409, code: 'notOnHold' })
  })

  test('is released by as many as its revocation takes, and never by who asks alone', async () => {
    const ca = await authority('P-256', { revocationApprovers: 1 })
    const leaf = await issue(ca)
    const held = await hold(leaf)
    await grace.call(vote, { revocationId: held.revocationId, verdict: 'approve' })
    expect(statusIn(await ask(ca, leaf.serial))).toBe('revoked')
    const { revocationId, status: asked } = await ada.call(release, { certId: leaf.id })
    expect(asked).toBe('pending')
    expect([await statusOf(leaf), statusIn(await ask(ca, leaf.serial))]).toEqual(['revoked', 'revoked'])
    await expect(ada.call(vote, { revocationId, verdict: 'approve' })).rejects.toMatchObject({ code: 'own' })
    await expect(grace.call(release, { certId: leaf.id })).rejects.toMatchObject({ status: 409, code: 'alreadyPending' })
    expect(await grace.call(vote, { revocationId, verdict: 'approve' })).toMatchObject({ ok: true, complete: true, status: 'released' })
    expect([await statusOf(leaf), statusIn(await ask(ca, leaf.serial))]).toEqual(['active', 'good'])
    expect(await ada.call(view, { certId: leaf.id })).toMatchObject({ state: 'released', decidedBy: 'grace' })
  })

  test('stays on hold where the release is denied', async () => {
    const ca = await authority('P-256', { revocationApprovers: 1 })
    const leaf = await issue(ca)
    await grace.call(vote, { revocationId: (await hold(leaf)).revocationId, verdict: 'approve' })
    const { revocationId } = await ada.call(release, { certId: leaf.id })
    expect(await grace.call(vote, { revocationId, verdict: 'deny' })).toMatchObject({ status: 'denied' })
    expect(statusIn(await ask(ca, leaf.serial))).toBe('revoked')
  })

  test('is not released by the person against whom it was put on hold, nor without the permission, nor from another tenancy', async () => {
    const ca = await authority()
    const own = await issue(ca)
    // Ada asked for it, so it is hers; Grace has a reason to stop it.
    await grace.call(revoke, { certId: own.id, reason: 'certificateHold' })
    await expect(ada.call(release, { certId: own.id })).rejects.toMatchObject({ status: 403, code: 'own' })
    const eve = await acme.person({ permissions: ['certView'] })
    await expect(eve.call(release, { certId: own.id })).rejects.toMatchObject({ status: 403 })
    const mallory = await (await house.tenancy('Other')).person({ permissions: 'all' })
    await expect(mallory.call(release, { certId: own.id })).rejects.toMatchObject({ status: 404, code: 'notFound' })
    expect(statusIn(await ask(ca, own.serial))).toBe('revoked')
    expect(await grace.call(release, { certId: own.id })).toMatchObject({ status: 'released' })
  })

  test('is all that can be released', async () => {
    const leaf = await issue(await authority())
    await expect(ada.call(release, { certId: leaf.id })).rejects.toMatchObject({ status: 409, code: 'notOnHold' })
    await ada.call(revoke, { certId: leaf.id, reason: 'superseded' })
    await expect(ada.call(release, { certId: leaf.id })).rejects.toMatchObject({ status: 409, code: 'notOnHold' })
  })
})
