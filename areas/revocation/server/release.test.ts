// A hold is the one revocation that can be taken back: what it takes to put it on and to end it, and what relying parties hear.

import { afterAll, describe, expect, test } from 'vitest'
import { bulk } from '#areas/bulk/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { audited } from '#core/testing/events.ts'
import { parseCrl } from '#standards/crl/parse.ts'
import { revocation } from '../contract.ts'
import { openRevocations, statusIn, type Authority, type Leaf } from './revocation.fixture.ts'
import { changeRevocation } from './store.ts'

const { revoke, release, retry, cancel, options, vote, view, search, setPublication, status } = revocation.calls
const { house, acme, ada, grace, authority, issue, ask, fetchCrl, listShows, run, close } = await openRevocations()
afterAll(close)

const hold = async (leaf: Leaf) => ada.call(revoke, { certId: leaf.id, reason: 'certificateHold', note: 'Laptop mislaid' })
const statusOf = async (leaf: Leaf) => (await ada.call(certificates.calls.info, { certId: leaf.id })).certificate.status
const entryIn = async (ca: Authority, leaf: Leaf, part = '') =>
  parseCrl(new Uint8Array(await (await house.fetch(`/pki/crl/${ca.publicId}${part}.crl`)).arrayBuffer())).find(
    Buffer.from(leaf.serial, 'hex'),
  )?.reason

describe('A certificate on hold', () => {
  test('is good again once it is released: in the inventory, by OCSP, on the list, and to OpenSSL', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    expect(await hold(leaf)).toMatchObject({ ok: true, status: 'revoked' })
    expect([await statusOf(leaf), statusIn(await ask(ca, leaf.serial))]).toEqual(['onHold', 'revoked'])
    await listShows(ca, leaf.serial, 'certificateHold')
    expect(await grace.call(options, { certId: leaf.id })).toMatchObject({ status: 'onHold', revoked: { reason: 'certificateHold' } })
    expect(await grace.call(release, { certId: leaf.id, note: 'Found it' })).toMatchObject({ ok: true, status: 'released', online: true })
    expect([await statusOf(leaf), statusIn(await ask(ca, leaf.serial))]).toEqual(['active', 'good'])
    await expect.poll(() => entryIn(ca, leaf)).toBeUndefined()
    expect(
      await run(
        'openssl',
        'ocsp',
        '-issuer',
        ca.file,
        '-cert',
        leaf.file,
        '-url',
        `${house.origin}/pki/ocsp/${ca.publicId}`,
        '-CAfile',
        ca.file,
      ),
    ).toContain(`${leaf.file}: good`)
    expect((await ada.call(status, { certId: leaf.id })).revocation).toMatchObject({
      state: 'released',
      reason: 'removeFromCRL',
      requester: 'grace',
      note: 'Found it',
    })
    expect((await ada.call(search, { states: ['released'] })).rows).toMatchObject([{ certificateId: leaf.id }])
    expect((await audited(house, acme.id)).filter((event) => event.area === 'revocation' && event.about === leaf.id)).toMatchObject([
      { name: 'held', actor: 'ada', body: expect.stringContaining('"note":"Laptop mislaid","reason":"certificateHold"') as string },
      { name: 'released', actor: 'grace', body: expect.stringContaining('"note":"Found it"') as string },
    ])
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
    await expect.poll(() => entryIn(ca, leaf, '/delta')).toBe('removeFromCRL')
  })

  test('can be revoked for good, and is not released then', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    await hold(leaf)
    const { revokedAt } = (await ada.call(certificates.calls.info, { certId: leaf.id })).certificate
    await expect(hold(leaf)).rejects.toMatchObject({ status: 409, code: 'alreadyRevoked' })
    const countOf = async (status: 'onHold' | 'revoked') =>
      (await ada.call(certificates.calls.search, { caId: [ca.caId], status: [status] })).total
    expect([await countOf('onHold'), await countOf('revoked')]).toEqual([1, 0])
    house.clock.advance(3_600_000)
    expect(await ada.call(revoke, { certId: leaf.id, reason: 'keyCompromise' })).toMatchObject({ ok: true, status: 'revoked' })
    expect([await countOf('onHold'), await countOf('revoked')]).toEqual([0, 1])
    // It counts as revoked since the hold began, here and on the list.
    expect((await ada.call(certificates.calls.info, { certId: leaf.id })).certificate).toMatchObject({
      revocationReason: 'keyCompromise',
      revokedAt,
    })
    await listShows(ca, leaf.serial, 'keyCompromise')
    expect(
      parseCrl(await fetchCrl(ca))
        .find(Buffer.from(leaf.serial, 'hex'))
        ?.revocationDate.toISOString(),
    ).toBe(revokedAt)
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
    expect(
      (await audited(house, acme.id)).filter((event) => event.area === 'revocation' && event.about === leaf.id).map(({ name }) => name),
    ).toEqual(['holdRequested', 'voted', 'held', 'releaseRequested'])
    expect([await statusOf(leaf), statusIn(await ask(ca, leaf.serial))]).toEqual(['onHold', 'revoked'])
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

  test('is released once by many at the same time: the others hear that it is not on hold, and leave nothing behind', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    await hold(leaf)
    const answers = await Promise.allSettled(Array.from({ length: 4 }, () => ada.call(release, { certId: leaf.id })))
    expect(answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.status] : []))).toEqual(['released'])
    expect(answers.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: 409, code: 'notOnHold' })),
    )
    expect((await ada.call(search, { text: leaf.serial, states: ['failed'] })).rows).toEqual([])
  })

  test('is not released by trying again a release that failed: that is asked for anew, of whoever may decide it now', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    await hold(leaf)
    const { revocationId } = await ada.call(release, { certId: leaf.id })
    // Installations have such rows from before.
    await inTenant(house.house.database, acme.id, (db) =>
      changeRevocation(db, acme.id, revocationId, { state: 'failed', failure_code: 'notOnHold' }),
    )
    await grace.call(revoke, { certId: leaf.id, reason: 'certificateHold', note: 'Stolen' })
    await expect(ada.call(release, { certId: leaf.id })).rejects.toMatchObject({ status: 403, code: 'own' })
    for (const person of [ada, grace])
      await expect(person.call(retry, { revocationId })).rejects.toMatchObject({ status: 409, code: 'askAnew' })
    expect([await statusOf(leaf), statusIn(await ask(ca, leaf.serial))]).toEqual(['onHold', 'revoked'])
  })
})

describe('A release that waits', () => {
  const waiting = async () => {
    const ca = await authority('P-256', { revocationApprovers: 1 })
    const leaf = await issue(ca)
    await grace.call(vote, { revocationId: (await hold(leaf)).revocationId, verdict: 'approve' })
    const { revocationId } = await ada.call(release, { certId: leaf.id })
    return { ca, leaf, revocationId }
  }

  test('gives way to a revocation for good, which takes its own approval', async () => {
    const { ca, leaf, revocationId } = await waiting()
    const { revocationId: forGood, status: asked } = await grace.call(revoke, { certId: leaf.id, reason: 'keyCompromise' })
    expect(asked).toBe('pending')
    await expect(grace.call(vote, { revocationId, verdict: 'approve' })).rejects.toMatchObject({ status: 409, code: 'decided' })
    expect((await ada.call(search, { text: leaf.serial, states: ['cancelled'] })).rows).toMatchObject([
      { revocationId, reason: 'removeFromCRL', decidedBy: 'grace' },
    ])
    expect(
      (await audited(house, acme.id))
        .filter((event) => event.area === 'revocation' && event.name === 'cancelled' && event.about === leaf.id)
        .map(({ actor }) => actor),
    ).toEqual(['grace'])
    await expect(grace.call(vote, { revocationId: forGood, verdict: 'approve' })).rejects.toMatchObject({ code: 'own' })
    expect((await ada.call(certificates.calls.info, { certId: leaf.id })).certificate.revocationReason).toBe('certificateHold')
    // Neither who asked for the revocation nor who asked for the certificate.
    await expect(ada.call(vote, { revocationId: forGood, verdict: 'approve' })).rejects.toMatchObject({ code: 'own' })
    const third = await acme.person({ permissions: 'all' })
    expect(await third.call(vote, { revocationId: forGood, verdict: 'approve' })).toMatchObject({ status: 'revoked' })
    await listShows(ca, leaf.serial, 'keyCompromise')
  })

  test('goes on where who asks for a revocation may not, or another hold is asked for', async () => {
    const { leaf, revocationId } = await waiting()
    const eve = await acme.person({ permissions: ['certView'] })
    await expect(eve.call(revoke, { certId: leaf.id, reason: 'keyCompromise' })).rejects.toMatchObject({ status: 403, code: 'notYours' })
    await expect(grace.call(revoke, { certId: leaf.id, reason: 'certificateHold' })).rejects.toMatchObject({
      status: 409,
      code: 'alreadyRevoked',
    })
    expect(await grace.call(vote, { revocationId, verdict: 'approve' })).toMatchObject({ status: 'released' })
  })

  test('gives way to bulk work, too, which asks others as one revocation does', async () => {
    const { leaf, revocationId } = await waiting()
    const { runId, facts } = await grace.call(bulk.calls.prepare, {
      action: 'revocation.revoke',
      selection: { selectAll: false, inclusionList: [leaf.id] },
    })
    expect(facts).toMatchObject({ already: 0, held: 1, approval: 1 })
    await grace.call(bulk.calls.start, { runId, count: 1, parameters: { reason: 'keyCompromise' } })
    await house.runJob(bulk.jobs.work)
    expect(await grace.call(bulk.calls.view, { runId })).toMatchObject({ failed: 0, outcomes: { pending: 1 } })
    expect((await ada.call(search, { text: leaf.serial, states: ['cancelled'] })).rows).toMatchObject([{ revocationId }])
    expect((await ada.call(certificates.calls.info, { certId: leaf.id })).certificate.revocationReason).toBe('certificateHold')
  })

  test('can be asked for again when the revocation for good was cancelled', async () => {
    const { leaf } = await waiting()
    const { revocationId: forGood } = await grace.call(revoke, { certId: leaf.id, reason: 'superseded' })
    await expect(ada.call(release, { certId: leaf.id })).rejects.toMatchObject({ status: 409, code: 'alreadyPending' })
    await grace.call(cancel, { revocationId: forGood })
    expect(await ada.call(release, { certId: leaf.id })).toMatchObject({ status: 'pending' })
  })
})

test('A certificate that ends on hold is found among those that have expired, says that it was on hold, and needs no release', async () => {
  const ca = await authority()
  const leaf = await issue(ca)
  await hold(leaf)
  const found = async (status: 'onHold' | 'expired') =>
    (await ada.call(certificates.calls.search, { caId: [ca.caId], status: [status] })).rows.map(({ certificateId, onHold }) => ({
      certificateId,
      onHold,
    }))
  expect([await found('onHold'), await found('expired')]).toEqual([[{ certificateId: leaf.id, onHold: true }], []])
  const { notAfter } = (await ada.call(certificates.calls.info, { certId: leaf.id })).certificate
  house.clock.advance(Date.parse(notAfter) + 1 - house.clock.now().getTime())
  expect([await found('onHold'), await found('expired')]).toEqual([[], [{ certificateId: leaf.id, onHold: true }]])
  const { facets } = await ada.call(certificates.calls.search, { caId: [ca.caId] })
  expect(facets?.status).toMatchObject({ onHold: 0, expired: 1 })
  expect((await ada.call(certificates.calls.info, { certId: leaf.id })).certificate).toMatchObject({
    status: 'expired',
    onHold: true,
    revocationReason: 'certificateHold',
  })
  expect(await ada.call(options, { certId: leaf.id })).toMatchObject({ status: 'expired', mayRelease: false })
  await expect(ada.call(release, { certId: leaf.id })).rejects.toMatchObject({ status: 409, code: 'over' })
  // That it was on hold stays on record.
  expect(await found('expired')).toEqual([{ certificateId: leaf.id, onHold: true }])
})

test('A release that others agree to when the certificate has ended fails, and says so', async () => {
  const ca = await authority('P-256', { revocationApprovers: 1 })
  const leaf = await issue(ca)
  await grace.call(vote, { revocationId: (await hold(leaf)).revocationId, verdict: 'approve' })
  expect(await ada.call(options, { certId: leaf.id })).toMatchObject({ mayRelease: true })
  const { revocationId } = await ada.call(release, { certId: leaf.id })
  expect(await ada.call(options, { certId: leaf.id })).toMatchObject({ mayRelease: false, pending: revocationId })
  const { notAfter } = (await ada.call(certificates.calls.info, { certId: leaf.id })).certificate
  house.clock.advance(Date.parse(notAfter) + 1 - house.clock.now().getTime())
  expect(await grace.call(vote, { revocationId, verdict: 'approve' })).toMatchObject({ status: 'failed', failureCode: 'over' })
  expect((await ada.call(certificates.calls.info, { certId: leaf.id })).certificate).toMatchObject({ status: 'expired', onHold: true })
})
