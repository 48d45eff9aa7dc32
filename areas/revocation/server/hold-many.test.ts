// Many certificates put on hold and released at once; and a second look at one that was revoked meanwhile.

import { afterAll, expect, test } from 'vitest'
import { bulk } from '#areas/bulk/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuingHouse } from '#areas/certificates/server/issuing.fixture.ts'
import { refusal } from '#core/testing/house.ts'
import { revocation } from '../contract.ts'
import { holdAction, releaseAction } from '../early-paths.ts'

const { house, tools, pki, close } = await openIssuingHouse()
const grace = await pki.tenancy.person({ permissions: 'all' })
afterAll(close)

const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 0, revocationApprovers: 0 })

async function issued(): Promise<string> {
  const { certificateId = '' } = await grace.call(certificates.calls.request, { entity: 'device', templateId, csr: tools.csr().csr })
  return certificateId
}

async function doneTo(action: string, ids: readonly string[]) {
  const selection = { selectAll: false, inclusionList: [...ids], exclusionList: [] }
  const { runId, total } = await grace.call(bulk.calls.prepare, { action, selection, query: {} })
  await grace.call(bulk.calls.start, { runId, count: total, parameters: { note: 'Audit' } })
  await house.runJob(bulk.jobs.work)
  return grace.call(bulk.calls.view, { runId })
}

const statusOf = async (certId: string) => (await grace.call(certificates.calls.info, { certId })).certificate.status

test('Many are put on hold and released, and what cannot be is told', async () => {
  const ids = [await issued(), await issued()]
  expect(await doneTo(holdAction, ids)).toMatchObject({ outcomes: { revoked: 2 }, failed: 0 })
  expect(await Promise.all(ids.map(statusOf))).toEqual(['onHold', 'onHold'])
  const third = await issued()
  expect(await doneTo(releaseAction, [...ids, third])).toMatchObject({ outcomes: { released: 2 }, failed: 1 })
  expect(await Promise.all(ids.map(statusOf))).not.toContain('onHold')
})

test('Many are downloaded in one file', async () => {
  const ids = [await issued(), await issued()]
  const selection = { selectAll: false, inclusionList: ids, exclusionList: [] }
  const { content } = await grace.call(certificates.calls.downloadMany, { selection })
  expect(
    Buffer.from(content, 'base64')
      .toString()
      .match(/BEGIN CERTIFICATE/g),
  ).toHaveLength(2)
})

test('Who looked at a certificate before it was revoked is told so, and the reason stays', async () => {
  const certId = await issued()
  const order = { certId, seen: 'none' } as const
  await grace.call(revocation.calls.revoke, { ...order, reason: 'superseded' })
  expect(await refusal(grace.call(revocation.calls.revoke, { ...order, reason: 'keyCompromise' }))).toMatchObject({
    status: 409,
    code: 'revokedMeanwhile',
  })
  expect((await grace.call(certificates.calls.info, { certId })).certificate.revocationReason).toBe('superseded')
  await grace.call(revocation.calls.revoke, { certId, seen: 'superseded', reason: 'keyCompromise' })
  expect((await grace.call(certificates.calls.info, { certId })).certificate.revocationReason).toBe('keyCompromise')
})
