// An issuing authority whose key is on a token, and what becomes of requests while the token is away.

import { sql } from 'kysely'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { keys } from '#areas/keys/contract.ts'
import { openSoftHsm, type SoftHsm } from '#areas/keys/server/pkcs11/softhsm.fixture.ts'
import { inTenant } from '#core/server/database.ts'
import { openTestHouse, refusal, type TestHouse } from '#core/testing/house.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { certificates } from '../../contract.ts'
import { openIssuing, openSsl, type IssuingFixture, type OpenSsl } from '../issuing.fixture.ts'

const { calls } = certificates

let hsm: SoftHsm
let house: TestHouse
let pki: IssuingFixture
let tools: OpenSsl
let caId: string
let template: { atOnce: string; approved: string }

beforeAll(async () => {
  hsm = openSoftHsm()
  hsm.token('issuing', '246810')
  house = await openTestHouse({ settings: { CHANCERY_PKCS11_MODULES: hsm.modulePath } })
  tools = openSsl()
  pki = await openIssuing(house, tools, 'Acme')
  const keeper = await pki.tenancy.person({ permissions: 'all' })
  const [{ module = '', tokens = [] } = {}] = (await keeper.call(keys.calls.found, {})).modules
  const { tokenId } = await keeper.call(keys.calls.register, {
    name: 'HSM',
    module,
    label: 'issuing',
    serial: tokens[0]?.serial ?? '',
    pin: '246810',
  })
  caId = (
    await pki.ada.call(authorities.calls.create, {
      kind: 'subordinate',
      friendlyName: 'On the token',
      subject: { CN: 'On the token' },
      issuerId: pki.rootId,
      tokenId,
      keyAlgorithm: 'RSA-2048',
    })
  ).caId
  template = { atOnce: await pki.addTemplate('Device', { caId }), approved: await pki.addTemplate('TLSServer', { caId }) }
})
afterAll(async () => {
  await house.close()
  tools.close()
  hsm.close()
})

const request = (templateId: string, name: string) => {
  const { csr } = tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] })
  return pki.ada.call(calls.requestForDevice, { templateId, csr, values: templateId === template.atOnce ? { DNS: [name] } : {} })
}
const rowsOf = (name: string) => pki.ada.call(calls.search, { text: name, facets: false })
const derOf = async (certId: string) => Buffer.from((await pki.ada.call(calls.download, { certId, format: 'der' })).content, 'base64')
const promised = async (requestId: string) =>
  (
    await inTenant(
      house.house.database,
      pki.tenancy.id,
      async (db) =>
        (await sql<{ body: string }>`select body from events where name = 'reserved' and about = ${requestId}`.execute(db)).rows,
    )
  ).map(({ body }): unknown => JSON.parse(body).tbsSha256)
const waiting = 'The key of the authority is unavailable: the token is not there'

test('A certificate that a token signed is verified by OpenSSL', async () => {
  const { certificateId = '' } = await request(template.atOnce, 'signed.example.org')
  const issuing = tools.write((await pki.ada.call(authorities.calls.view, { caId })).certificate?.pem ?? '')
  const leaf = tools.write(tools.run('x509', '-inform', 'DER', '-in', tools.write(await derOf(certificateId))))
  expect(tools.run('x509', '-in', leaf, '-noout', '-issuer')).toContain('On the token')
  expect(tools.run('verify', '-x509_strict', '-CAfile', pki.rootFile, '-untrusted', issuing, leaf)).toMatch(/: OK\n$/)
})

describe('While the token is away', () => {
  test('requests are made and approved, say what they wait for, and are signed as they were reserved when it is back', async () => {
    const approved = await request(template.approved, 'approved.example.org')
    hsm.takeAway()
    try {
      await house.runJob(keys.jobs.tokens)
      const atOnce = await request(template.atOnce, 'at-once.example.org')
      expect(atOnce).toMatchObject({ status: 'under_submission', error: waiting })
      expect(await pki.bob.call(calls.decide, { requestId: approved.requestId, round: 1, verdict: 'approve' })).toMatchObject({
        error: waiting,
      })
      house.clock.advance(60_000)
      await house.runJob(certificates.jobs.finish)
      expect((await pki.bob.call(calls.approval, { requestId: approved.requestId })).request).toMatchObject({ error: waiting })
      expect([(await rowsOf('at-once.example.org')).rows, (await rowsOf('approved.example.org')).rows]).toEqual([[], []])

      hsm.putBack()
      await house.runJob(keys.jobs.tokens)
      house.clock.advance(60_000)
      await house.runJob(certificates.jobs.finish)
      for (const [name, requestId] of [
        ['at-once.example.org', atOnce.requestId],
        ['approved.example.org', approved.requestId],
      ] as const) {
        const [row, ...others] = (await rowsOf(name)).rows
        expect([row?.caId, others]).toEqual([caId, []])
        const { tbs } = parseCertificate(await derOf(row?.certificateId ?? ''))
        expect(await promised(requestId)).toEqual([createHash('sha256').update(tbs).digest('hex')])
      }
      expect((await pki.bob.call(calls.approval, { requestId: approved.requestId })).request.error).toBe('')
    } finally {
      hsm.restore()
    }
  })

  test('a key that is made here is not made in vain: the call is refused as unavailable, and can be repeated', async () => {
    const placed = await pki.ada.call(calls.requestForDevice, {
      templateId: template.atOnce,
      key: 'P-256',
      values: { DNS: ['collected.example.org'] },
    })
    const collect = () => pki.ada.call(calls.collectKey, { requestId: placed.requestId, password: 'correct horse' })
    hsm.takeAway()
    try {
      await house.runJob(keys.jobs.tokens)
      expect(await refusal(collect())).toMatchObject({ status: 503, code: 'key_unavailable' })
    } finally {
      hsm.restore()
    }
    await house.runJob(keys.jobs.tokens)
    expect((await collect()).serialNumber).toMatch(/^[0-9a-f]{32}$/)
  })
})
