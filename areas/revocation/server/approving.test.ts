// Revocations that others must agree to: who may, who may not, and what becomes of the certificate meanwhile.

import { afterAll, describe, expect, test } from 'vitest'
import { approvals } from '#areas/approvals/contract.ts'
import { plainSubject } from '#areas/certificates/plain-subject.ts'
import { inTenant } from '#core/server/database.ts'
import { revocation } from '../contract.ts'
import { openRevocations as countWaiting } from '../service.ts'
import { openRevocations, statusIn } from './revocation.fixture.ts'

const { revoke, options, vote, cancel, search, view } = revocation.calls

const { house, acme, ada, grace, authority, issue, ask, listShows, close } = await openRevocations()
afterAll(close)

describe('where the template asks for approval', () => {
  const pending = async (approvers = 1) => {
    const ca = await authority('P-256', { revocationApprovers: approvers })
    const leaf = await issue(ca)
    const { revocationId, status: state } = await ada.call(revoke, { certId: leaf.id, reason: 'superseded' })
    expect(state).toBe('pending')
    return { ca, leaf, revocationId }
  }

  test('nothing is revoked until another person agrees', async () => {
    const { ca, leaf, revocationId } = await pending()
    expect(statusIn(await ask(ca, leaf.serial))).toBe('good')
    await expect(ada.call(vote, { revocationId, verdict: 'approve' })).rejects.toMatchObject({ status: 403, code: 'own' })
    expect((await grace.call(approvals.calls.waiting, {})).rows.some(({ subjectId }) => subjectId === revocationId)).toBe(true)
    expect(await grace.call(vote, { revocationId, verdict: 'approve' })).toMatchObject({ ok: true, complete: true, status: 'revoked' })
    expect(statusIn(await ask(ca, leaf.serial))).toBe('revoked')
    await listShows(ca, leaf.serial, 'superseded')
    expect(await ada.call(view, { certId: leaf.id })).toMatchObject({ state: 'revoked', decidedBy: 'grace' })
    await expect(grace.call(vote, { revocationId, verdict: 'approve' })).rejects.toMatchObject({
      status: 409,
      code: 'decided',
      message: expect.stringContaining('it was approved, and the certificate is revoked (by grace)'),
    })
  })

  test('two must agree where two are asked for', async () => {
    const { revocationId } = await pending(2)
    expect(await grace.call(vote, { revocationId, verdict: 'approve' })).toMatchObject({
      complete: false,
      status: 'pending',
      approvals: 1,
      needed: 2,
    })
    await expect(grace.call(vote, { revocationId, verdict: 'approve' })).rejects.toMatchObject({ status: 409, code: 'twice' })
    const linus = await acme.person({ permissions: ['certRevokeView'] })
    expect(await linus.call(vote, { revocationId, verdict: 'approve' })).toMatchObject({ complete: true, status: 'revoked' })
  })

  test('a denial leaves the certificate as it is', async () => {
    const { ca, leaf, revocationId } = await pending()
    expect(await grace.call(vote, { revocationId, verdict: 'deny', comment: 'Still in use' })).toMatchObject({
      complete: true,
      status: 'denied',
    })
    expect(statusIn(await ask(ca, leaf.serial))).toBe('good')
    expect(await ada.call(view, { certId: leaf.id })).toMatchObject({
      state: 'denied',
      approval: { votes: [{ voter: 'grace', verdict: 'deny', comment: 'Still in use' }] },
    })
    expect(await ada.call(revoke, { certId: leaf.id, reason: 'superseded' })).toMatchObject({ status: 'pending' })
  })

  test('who asked can cancel, once, and then nobody can decide', async () => {
    const { leaf, revocationId } = await pending()
    const eve = await acme.person({ permissions: ['certView'] })
    await expect(eve.call(cancel, { revocationId })).rejects.toMatchObject({ status: 403, code: 'notYours' })
    expect(await ada.call(cancel, { revocationId })).toEqual({ ok: true })
    await expect(ada.call(cancel, { revocationId })).rejects.toMatchObject({ status: 409, code: 'decided' })
    await expect(grace.call(vote, { revocationId, verdict: 'approve' })).rejects.toMatchObject({ status: 409, code: 'decided' })
    expect((await ada.call(view, { certId: leaf.id })).state).toBe('cancelled')
  })

  test('whose certificate it is has no say in it: they neither vote nor cancel what another has asked for', async () => {
    // Ada asked for the certificate, so that it is hers; she decides revocations, too.
    for (const reason of ['keyCompromise', 'certificateHold'] as const) {
      const leaf = await issue(await authority('P-256', { revocationApprovers: 1 }))
      const { revocationId } = await grace.call(revoke, { certId: leaf.id, reason })
      expect((await ada.call(options, { certId: leaf.id })).mayCancel).toBe(false)
      expect(await ada.call(view, { certId: leaf.id })).toMatchObject({ mayCancel: false, approval: { mayVote: false } })
      for (const verdict of ['deny', 'approve'] as const)
        await expect(ada.call(vote, { revocationId, verdict })).rejects.toMatchObject({ status: 403, code: 'own' })
      await expect(ada.call(cancel, { revocationId })).rejects.toMatchObject({ status: 403, code: 'notYours' })
      const linus = await acme.person({ permissions: ['certRevokeView'] })
      expect(await linus.call(vote, { revocationId, verdict: 'approve' })).toMatchObject({ complete: true, status: 'revoked' })
    }
  })

  test('an approver whose certificate it is not can cancel what another has asked for', async () => {
    const { revocationId } = await pending()
    const linus = await acme.person({ permissions: ['certRevokeView'] })
    expect(await linus.call(cancel, { revocationId })).toEqual({ ok: true })
  })

  test('a second request waits for the first', async () => {
    const { leaf } = await pending()
    await expect(grace.call(revoke, { certId: leaf.id, reason: 'keyCompromise' })).rejects.toMatchObject({
      status: 409,
      code: 'alreadyPending',
    })
    expect((await ada.call(options, { certId: leaf.id })).pending).toBeDefined()
  })

  test('needs the permission of an approver', async () => {
    const { revocationId } = await pending()
    const eve = await acme.person({ permissions: ['certView'] })
    await expect(eve.call(vote, { revocationId, verdict: 'approve' })).rejects.toMatchObject({ status: 403, code: 'denied' })
  })

  test('holds and releases are called so where they wait, and found by what they are', async () => {
    const { leaf } = await pending()
    const held = await issue(await authority('P-256', { revocationApprovers: 1 }))
    const { revocationId } = await ada.call(revoke, { certId: held.id, reason: 'certificateHold' })
    const titles = async () => (await grace.call(approvals.calls.waiting, { size: 100 })).rows.map(({ title }) => title)
    const subject = (await ada.call(options, { certId: held.id })).subject
    expect(await titles()).toContain(`Put ${plainSubject(subject)} on hold`)
    const found = async (action: 'revocation' | 'hold' | 'release') =>
      (await ada.call(search, { size: 100, states: ['pending'], actions: [action] })).rows.map(({ certificateId }) => certificateId)
    expect(await found('hold')).toEqual([held.id])
    expect(await found('revocation')).toContain(leaf.id)
    expect(await found('revocation')).not.toContain(held.id)
    const voterOf = ({ id }: { id: string }) => ({ userId: id, permissions: ['certRevokeView'] })
    const waits = (person = grace) => inTenant(house.house.database, acme.id, (db) => countWaiting(db, acme.id, voterOf(person)))
    // Who asked decides nothing of it, and is not told that it waits.
    expect(await waits(ada)).toEqual({ hold: 0, release: 0, revocation: 0 })
    expect(await waits()).toEqual({ hold: 1, release: 0, revocation: (await found('revocation')).length })
    await grace.call(vote, { revocationId, verdict: 'approve' })
    await ada.call(revocation.calls.release, { certId: held.id })
    expect(await titles()).toContain(`Release ${plainSubject(subject)} from hold`)
    expect(await found('release')).toEqual([held.id])
    expect(await waits()).toMatchObject({ hold: 0, release: 1 })
  })

  test('the list finds by subject, serial and state', async () => {
    const { leaf } = await pending()
    const found = async (input: object) => (await ada.call(search, { size: 100, ...input })).rows.map(({ certificateId }) => certificateId)
    expect(await found({ text: leaf.serial.slice(0, 12).toUpperCase() })).toEqual([leaf.id])
    expect(await found({ states: ['pending'] })).toContain(leaf.id)
    expect(await found({ states: ['denied'] })).not.toContain(leaf.id)
  })
})
