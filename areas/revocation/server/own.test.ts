// The certificates of people who see no others: they hold one, or asked for it, and have no permission for certificates at all.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bulk } from '#areas/bulk/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuingHouse } from '#areas/certificates/server/issuing.fixture.ts'
import { mail } from '#areas/mail/contract.ts'
import { addToken } from '#areas/sessions/service.ts'
import { inTenant } from '#core/server/database.ts'
import { caller } from '#core/testing/caller.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { revocation } from '../contract.ts'
import { revokeAction } from '../early-paths.ts'
import { tellHolders } from './mail.ts'

const { options, revoke, cancel, view, vote } = revocation.calls

const { house, pki, close } = await openIssuingHouse()
afterAll(close)

let holder: TestPerson
let other: TestPerson
let officer: TestPerson
let atOnce: string
let agreed: string

beforeAll(async () => {
  ;[holder, other, officer] = await Promise.all([
    pki.tenancy.person({ permissions: ['selfServicePortal'] }),
    pki.tenancy.person({ permissions: ['selfServicePortal'] }),
    pki.tenancy.person({ permissions: 'all' }),
  ])
  atOnce = await pki.addTemplate('User', { issueApprovers: 0, revocationApprovers: 0, selfServiceEligible: true })
  agreed = await pki.addTemplate('User', { issueApprovers: 0, revocationApprovers: 1, selfServiceEligible: true })
})

/** Made and collected by the person itself. */
async function issue(templateId = atOnce): Promise<string> {
  const { requestId } = await holder.call(certificates.calls.request, { entity: 'user', templateId })
  return (await holder.call(certificates.calls.collectKey, { requestId, password: 'correct horse' })).certificateId
}

const statusOf = async (certId: string) => (await officer.call(certificates.calls.info, { certId })).certificate.status

describe('a holder who sees no certificates', () => {
  test('revokes the own one', async () => {
    const certId = await issue()
    expect(await holder.call(options, { certId })).toMatchObject({ certificateId: certId, approvals: 0 })
    expect(await holder.call(revoke, { certId, reason: 'keyCompromise' })).toMatchObject({ ok: true, status: 'revoked' })
    expect(await statusOf(certId)).toBe('revoked')
  })

  test('revokes one that somebody else asked for', async () => {
    const { requestId } = await officer.call(certificates.calls.requestForUser, { templateId: atOnce, userId: holder.id })
    const { certificateId: certId } = await holder.call(certificates.calls.collectKey, { requestId, password: 'correct horse' })
    expect(await holder.call(revoke, { certId, reason: 'superseded' })).toMatchObject({ status: 'revoked' })
  })

  test('revokes, withdraws and puts on hold nothing by a token that only sees', async () => {
    const sees = await pki.tenancy.person({ permissions: ['selfServicePortal', 'certView'] })
    const scoped = async (...scopes: string[]) => {
      const expiresAt = new Date(house.clock.now().getTime() + 86_400_000)
      const draft = { tenantId: sees.tenantId, userId: sees.id, name: scopes.join(), scopes, expiresAt }
      const { token } = await inTenant(house.house.database, sees.tenantId, (db) => addToken(db, draft, house.clock.now()))
      return caller(house.origin, { authorization: `Bearer ${token}` })
    }
    const [looks, serves] = [await scoped('certView'), await scoped('selfServicePortal')]
    const { requestId } = await sees.call(certificates.calls.request, { entity: 'user', templateId: agreed })
    const { certificateId: certId } = await sees.call(certificates.calls.collectKey, { requestId, password: 'correct horse' })
    expect(await looks.call(options, { certId })).toMatchObject({ mayRevoke: false, mayRelease: false, mayCancel: false })
    await expect(looks.call(revoke, { certId, reason: 'superseded' })).rejects.toMatchObject({ status: 403, code: 'denied' })
    await expect(looks.call(revoke, { certId, reason: 'certificateHold' })).rejects.toMatchObject({ status: 403, code: 'denied' })
    const prepared = looks.call(bulk.calls.prepare, { action: revokeAction, selection: { inclusionList: [certId] } })
    await expect(prepared).rejects.toMatchObject({ status: 403, code: 'denied' })
    expect(await serves.call(options, { certId })).toMatchObject({ mayRevoke: true })
    const { revocationId } = await serves.call(revoke, { certId, reason: 'superseded' })
    await expect(looks.call(cancel, { revocationId })).rejects.toMatchObject({ status: 403, code: 'denied' })
    expect(await serves.call(cancel, { revocationId })).toEqual({ ok: true })
  })

  test('asks where others must agree, takes that back, and decides nothing', async () => {
    const certId = await issue(agreed)
    const { status, revocationId } = await holder.call(revoke, { certId, reason: 'superseded' })
    expect(status).toBe('pending')
    expect(await holder.call(options, { certId })).toMatchObject({ pending: revocationId, mayCancel: true })
    await expect(holder.call(vote, { revocationId, verdict: 'approve' })).rejects.toMatchObject({ status: 403 })
    await expect(holder.call(view, { certId })).rejects.toMatchObject({ status: 403 })
    expect(await holder.call(cancel, { revocationId })).toEqual({ ok: true })
    expect(await statusOf(certId)).toBe('active')
  })

  test('reaches no certificate of anybody else, by whichever address: it looks like one that is not there', async () => {
    const certId = await issue(agreed)
    const { caId, serialNumber } = await holder.call(options, { certId })
    for (const reference of [{ certId }, { certId: `${caId}:${serialNumber}` }, { certId: serialNumber, caId }, { certId: serialNumber }]) {
      await expect(other.call(options, reference)).rejects.toMatchObject({ status: 404, code: 'notFound' })
      await expect(other.call(revoke, { ...reference, reason: 'superseded' })).rejects.toMatchObject({ status: 404, code: 'notFound' })
    }
    const { revocationId } = await holder.call(revoke, { certId, reason: 'superseded' })
    await expect(other.call(cancel, { revocationId })).rejects.toMatchObject({ status: 404, code: 'missing' })
    expect(await holder.call(options, { certId })).toMatchObject({ pending: revocationId })
  })

  test('reaches none of another tenancy', async () => {
    const certId = await issue()
    const stranger = await (await house.tenancy('Elsewhere')).person({ permissions: ['selfServicePortal'] })
    await expect(stranger.call(options, { certId })).rejects.toMatchObject({ status: 404 })
    await expect(stranger.call(revoke, { certId, reason: 'superseded' })).rejects.toMatchObject({ status: 404 })
    expect(await statusOf(certId)).toBe('active')
  })
})

test('who sees certificates and holds none of them is told that it is not theirs', async () => {
  const certId = await issue()
  const auditor = await pki.tenancy.person({ permissions: ['certView'] })
  expect(await auditor.call(options, { certId })).toMatchObject({ certificateId: certId })
  await expect(auditor.call(revoke, { certId, reason: 'superseded' })).rejects.toMatchObject({ status: 403, code: 'notYours' })
})

test('a holder is told by mail when somebody else puts the own certificate on hold, and when it is released; not of what the holder did', async () => {
  const certId = await issue()
  const { administrator } = pki.tenancy
  const heard = async (name: 'held' | 'released', { id: actorId, username: actor }: TestPerson) => {
    for (const { event, hear } of tellHolders)
      if (event.name === name)
        await hear(
          {
            tenantId: pki.tenancy.id,
            id: certId,
            at: house.clock.now(),
            area: 'revocation',
            name,
            about: certId,
            body: {},
            actor,
            actorId,
            sequence: 1,
          },
          house.house,
        )
  }
  await heard('held', officer)
  await heard('released', officer)
  await heard('held', holder)
  const rows = (await administrator.call(mail.calls.outbox, { size: 200 })).rows.filter(({ kind }) => kind === 'certificateChanged')
  expect(rows.map(({ to, subject }) => [to, subject.split(':')[0]]).toSorted()).toEqual([
    [`${holder.username}@example.org`, 'On hold'],
    [`${holder.username}@example.org`, 'Released from hold'],
  ])
  const held = rows.find(({ subject }) => subject.startsWith('On hold'))
  expect((await administrator.call(mail.calls.read, { id: held?.id ?? '' })).text).toContain(
    `was put on hold by ${officer.username}. Whoever verifies it refuses it until it is released.`,
  )
})
