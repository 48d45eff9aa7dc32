// A key that is found to have been lost when its certificate is revoked already: the reason becomes key compromise, and the day of the revocation stays.

import { basename } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { approvals } from '#areas/approvals/contract.ts'
import { bulk } from '#areas/bulk/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openHouse } from '#core/server/open.ts'
import { audited } from '#core/testing/events.ts'
import { refusal } from '#core/testing/house.ts'
import { parseCrl } from '#standards/crl/parse.ts'
import { certIdFor } from '#standards/ocsp/cert-id.ts'
import { buildOcspRequest } from '#standards/ocsp/request.ts'
import { parseOcspResponse } from '#standards/ocsp/response.ts'
import { revocation } from '../contract.ts'
import { openRevocations, type Authority, type Leaf } from './revocation.fixture.ts'

const { revoke, options, siblings, vote, status, setPublication, makeList } = revocation.calls
const { house, acme, ada, grace, read, authority, issue, ask, fetchCrl, listShows, close } = await openRevocations()
afterAll(close)

const saidIn = (answer: ReturnType<typeof parseOcspResponse>) => {
  const said = 'responses' in answer ? answer.responses[0] : undefined
  return said?.status === 'revoked' ? said.reason : said?.status
}
const told = async (ca: Authority, leaf: Leaf) => {
  const response = await ask(ca, leaf.serial)
  return 'responses' in response ? response.responses[0] : undefined
}
const entryIn = async (ca: Authority, leaf: Leaf, part = '') => {
  const list = parseCrl(new Uint8Array(await (await house.fetch(`/pki/crl/${ca.publicId}${part}.crl`)).arrayBuffer()))
  return { number: list.crlNumber ?? 0n, entry: list.find(Buffer.from(leaf.serial, 'hex')) }
}
const certificateOf = async (leaf: Leaf) => (await ada.call(certificates.calls.info, { certId: leaf.id })).certificate

describe('A compromise that is found later', () => {
  test('becomes the reason: in the inventory, on the lists, and by OCSP of every server before the call is answered', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    await ada.call(setPublication, { caId: ca.caId, shards: 0, delta: true, deltaMinutes: 60, responderId: 'byKey' })
    await ada.call(revoke, { certId: leaf.id, reason: 'superseded' })
    await ada.call(makeList, { caId: ca.caId, part: 0 })
    const { revokedAt } = await certificateOf(leaf)
    const before = await entryIn(ca, leaf)
    expect(before.entry).toMatchObject({ reason: 'superseded' })
    const second = await openHouse({
      settings: house.house.settings,
      connection: house.connection,
      rooms: house.rooms,
      identify: async () => undefined,
      port: 0,
      migrated: true,
      background: false,
    })
    try {
      const request = Buffer.from(buildOcspRequest({ certIds: [certIdFor(ca.certificate, Buffer.from(leaf.serial, 'hex'))] }))
      const askSecond = async () =>
        saidIn(
          parseOcspResponse(
            new Uint8Array(
              await (
                await fetch(`http://localhost:${second.doors.port}/pki/ocsp/${ca.publicId}`, { method: 'POST', body: request })
              ).arrayBuffer(),
            ),
          ),
        )
      const everybody = async () => [await askSecond(), saidIn(await ask(ca, leaf.serial))]
      expect(await everybody()).toEqual(Array(2).fill('superseded'))
      house.clock.advance(3_600_000)
      const since = new Date(Math.floor(house.clock.now().getTime() / 1000) * 1000 - 1_800_000)
      expect(
        await ada.call(revoke, { certId: leaf.id, reason: 'keyCompromise', invalidityDate: since.toISOString(), note: 'Found in a dump' }),
      ).toMatchObject({ ok: true, status: 'revoked', siblings: 0 })
      expect(await everybody()).toEqual(Array(2).fill('keyCompromise'))
      expect(await told(ca, leaf)).toMatchObject({ reason: 'keyCompromise', revocationTime: new Date(revokedAt ?? '') })
      await expect
        .poll(async () => (await entryIn(ca, leaf, '/delta')).entry)
        .toMatchObject({ reason: 'keyCompromise', revocationDate: new Date(revokedAt ?? ''), invalidityDate: since })
      await ada.call(makeList, { caId: ca.caId, part: 0 })
      const after = await entryIn(ca, leaf)
      expect(after.entry).toMatchObject({ reason: 'keyCompromise', revocationDate: new Date(revokedAt ?? ''), invalidityDate: since })
      expect(after.number).toBeGreaterThan(before.number)
    } finally {
      await second.close()
    }
    expect(await certificateOf(leaf)).toMatchObject({ status: 'revoked', revocationReason: 'keyCompromise', revokedAt })
    expect((await ada.call(status, { certId: leaf.id })).revocation).toMatchObject({
      state: 'revoked',
      reason: 'keyCompromise',
      note: 'Found in a dump',
    })
    const events = (await audited(house, acme.id)).filter(({ area, about }) => area === 'revocation' && about === leaf.id)
    expect(events.map(({ name, body }) => [name, (JSON.parse(body) as { reason: string }).reason])).toEqual([
      ['revoked', 'superseded'],
      ['revoked', 'keyCompromise'],
    ])
  })

  test('blocks the key, and is told by its other certificates', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    const csr = read(basename(leaf.file).replace('.pem', '.csr')).toString()
    const name = (await certificateOf(leaf)).name
    const again = () =>
      ada.call(certificates.calls.requestForDevice, { templateId: ca.templateId, csr, values: { CommonName: [name], DNS: [name] } })
    const { certificateId: other = '' } = await again()
    await ada.call(revoke, { certId: leaf.id, reason: 'cessationOfOperation' })
    expect(await ada.call(siblings, { certId: leaf.id })).toMatchObject({ compromised: false, total: 1 })
    expect(await ada.call(revoke, { certId: leaf.id, reason: 'keyCompromise' })).toMatchObject({ siblings: 1 })
    expect(await ada.call(siblings, { certId: leaf.id })).toMatchObject({
      compromised: true,
      siblings: [{ certificateId: other, status: 'active' }],
    })
    expect(await refusal(again())).toMatchObject({
      status: 400,
      fields: [{ field: 'csr', says: expect.stringMatching(/revoked for key compromise/) }],
    })
  })

  test('is the last thing that can be said: nothing else follows a revocation for good, and nothing that', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    expect((await ada.call(options, { certId: leaf.id })).reasons).toContain('superseded')
    await ada.call(revoke, { certId: leaf.id, reason: 'superseded' })
    expect(await ada.call(options, { certId: leaf.id })).toMatchObject({ reasons: ['keyCompromise'], mayRevoke: true })
    for (const reason of ['superseded', 'privilegeWithdrawn', 'certificateHold'] as const)
      expect(await refusal(ada.call(revoke, { certId: leaf.id, reason }))).toMatchObject({ status: 409, code: 'alreadyRevoked' })
    const stranger = await acme.person({ permissions: ['certView'] })
    expect(await refusal(stranger.call(revoke, { certId: leaf.id, reason: 'keyCompromise' }))).toMatchObject({
      status: 403,
      code: 'notYours',
    })
    await ada.call(revoke, { certId: leaf.id, reason: 'keyCompromise' })
    expect((await ada.call(options, { certId: leaf.id })).reasons).toEqual([])
    for (const reason of ['keyCompromise', 'superseded'] as const)
      expect(await refusal(ada.call(revoke, { certId: leaf.id, reason }))).toMatchObject({ status: 409, code: 'alreadyRevoked' })
    await listShows(ca, leaf.serial, 'keyCompromise')
  })

  test('keeps the day since when nobody should trust it, where another is not said', async () => {
    const ca = await authority()
    const leaf = await issue(ca)
    const since = new Date(Math.floor(house.clock.now().getTime() / 1000) * 1000)
    house.clock.advance(60_000)
    await ada.call(revoke, { certId: leaf.id, reason: 'privilegeWithdrawn', invalidityDate: since.toISOString() })
    await ada.call(revoke, { certId: leaf.id, reason: 'keyCompromise' })
    await listShows(ca, leaf.serial, 'keyCompromise')
    expect(parseCrl(await fetchCrl(ca)).find(Buffer.from(leaf.serial, 'hex'))).toMatchObject({ invalidityDate: since })
  })

  test('waits for others where the template says so, and is called what it is', async () => {
    const ca = await authority('P-256', { revocationApprovers: 1 })
    const leaf = await issue(ca)
    const first = await ada.call(revoke, { certId: leaf.id, reason: 'superseded' })
    await grace.call(vote, { revocationId: first.revocationId, verdict: 'approve' })
    const { revocationId, status: state } = await ada.call(revoke, { certId: leaf.id, reason: 'keyCompromise' })
    expect(state).toBe('pending')
    expect((await certificateOf(leaf)).revocationReason).toBe('superseded')
    const { subject } = await ada.call(options, { certId: leaf.id })
    expect((await grace.call(approvals.calls.waiting, { size: 100 })).rows.map(({ title }) => title)).toContain(
      `Record that the key of ${subject} is compromised`,
    )
    expect(await grace.call(vote, { revocationId, verdict: 'approve' })).toMatchObject({ complete: true, status: 'revoked' })
    expect(await told(ca, leaf)).toMatchObject({ reason: 'keyCompromise' })
  })

  test('is recorded of many at once', async () => {
    const ca = await authority()
    const leaves = [await issue(ca), await issue(ca)]
    for (const leaf of leaves) await ada.call(revoke, { certId: leaf.id, reason: 'superseded' })
    const { runId } = await ada.call(bulk.calls.prepare, {
      action: 'revocation.revoke',
      selection: { selectAll: false, inclusionList: leaves.map(({ id }) => id), exclusionList: [] },
    })
    await ada.call(bulk.calls.start, { runId, count: 2, parameters: { reason: 'keyCompromise', note: '' } })
    await house.runJob(bulk.jobs.work)
    for (const leaf of leaves) expect((await certificateOf(leaf)).revocationReason).toBe('keyCompromise')
  })
})
