import { afterAll, expect, test } from 'vitest'
import { approvals } from '#areas/approvals/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { refusal } from '#core/testing/caller.ts'
import { certificates } from '../../contract.ts'
import { openIssuingHouse } from '../issuing.fixture.ts'

const { calls } = certificates
const { house, tools, pki, close } = await openIssuingHouse()
afterAll(close)

let count = 0

/** A request that waits, the certificate that another issuer gave its key, and one of another key. */
async function waiting(templateId = pki.template['TLSServer'] ?? '') {
  const name = `outside${(count += 1)}.example.org`
  const { csr, keyFile } = tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] })
  const { requestId } = await pki.ada.call(calls.requestForDevice, { templateId, csr, values: {}, friendlyName: 'The shop' })
  const signed = (key: string) =>
    tools.run(
      'req',
      '-x509',
      '-config',
      tools.write('[req]\ndistinguished_name=dn\n[dn]\n'),
      '-key',
      key,
      '-days',
      '90',
      '-subj',
      `/CN=${name}`,
    )
  return { requestId, name, certificate: signed(keyFile), other: signed(tools.csr().keyFile) }
}
const standing = async (requestId: string) => pki.ada.call(calls.statusByRequest, { rid: requestId })

test('A request whose certificate was issued elsewhere is answered with it, and decided by nobody any more', async () => {
  const { requestId, name, certificate } = await waiting()
  const recorded = await pki.bob.call(calls.recordElsewhere, { requestId, certificate })
  expect(recorded).toMatchObject({ requestId, status: 'issued_out_of_band' })
  expect(await standing(requestId)).toMatchObject({
    status: 'issued_out_of_band',
    certificate_id: recorded.certificateId,
    caName: name,
    ca_certificate: '',
    friendly_name: 'The shop',
  })
  expect(await pki.ada.call(calls.info, { certId: recorded.certificateId })).toMatchObject({
    certificate: { requester: pki.ada.username, friendlyName: 'The shop' },
  })
  const listed = async (status: 'issued' | 'issued_out_of_band' | 'revoked') =>
    (await pki.ada.call(calls.requests, { status })).rows.map((row) => row.requestId)
  expect([await listed('issued_out_of_band'), await listed('issued'), await listed('revoked')]).toEqual([[requestId], [], []])
  expect(await refusal(pki.cy.call(calls.decide, { requestId, round: 1, verdict: 'approve' }))).toMatchObject({
    status: 409,
    code: 'closed',
  })
  expect(await refusal(pki.cy.call(calls.recordElsewhere, { requestId, certificate }))).toMatchObject({ status: 409, code: 'closed' })
  expect((await pki.bob.call(approvals.calls.waiting, {})).rows.map(({ subjectId }) => subjectId)).not.toContain(requestId)
  expect(
    (await pki.tenancy.administrator.call(mail.calls.outbox, { size: 200 })).rows.filter(
      ({ subject }) => subject === `Issued elsewhere: CN=${name}`,
    ),
  ).toHaveLength(1)
})

test('It takes as many people as issuing it here does: who records the certificate is the last of them', async () => {
  const { requestId, certificate } = await waiting(await pki.addTemplate('TLSServer', { issueApprovers: 2 }))
  const approve = async () =>
    pki.cy.call(calls.decide, { requestId, round: (await pki.cy.call(calls.approval, { requestId })).round, verdict: 'approve' })
  expect(await refusal(pki.bob.call(calls.recordElsewhere, { requestId, certificate }))).toMatchObject({ status: 409, code: 'tooFew' })
  await approve()
  expect(await refusal(pki.cy.call(calls.recordElsewhere, { requestId, certificate }))).toMatchObject({ status: 409, code: 'twice' })
  await pki.ada.call(calls.edit, { requestId, csr: (await standing(requestId)).csr, values: {}, comment: 'Void what was said' })
  expect(await refusal(pki.bob.call(calls.recordElsewhere, { requestId, certificate }))).toMatchObject({ status: 409, code: 'tooFew' })
  await approve()
  expect(await pki.bob.call(calls.recordElsewhere, { requestId, certificate })).toMatchObject({ status: 'issued_out_of_band' })
})

test('It may have been uploaded before, and is then kept once', async () => {
  const first = await waiting()
  const again = await pki.ada.call(calls.requestForDevice, {
    templateId: pki.template['TLSServer'] ?? '',
    csr: (await standing(first.requestId)).csr,
    values: {},
  })
  const one = await pki.bob.call(calls.recordElsewhere, { requestId: first.requestId, certificate: first.certificate })
  expect(await pki.bob.call(calls.recordElsewhere, { requestId: again.requestId, certificate: first.certificate })).toMatchObject({
    certificateId: one.certificateId,
  })
})

test('Only a certificate of the key that was asked for answers a request', async () => {
  const { requestId, certificate, other } = await waiting()
  const says = async (text: string) => (await refusal(pki.bob.call(calls.recordElsewhere, { requestId, certificate: text }))).fields
  for (const [text, why] of [
    [other, 'another key'],
    ['hello', 'can be read'],
    [certificate + other, 'one certificate'],
    [tools.csr().csr, 'one certificate'],
  ] as const)
    expect(await says(text)).toMatchObject([{ field: 'certificate', says: expect.stringContaining(why) }])
  const kept = await pki.ada.call(calls.requestForDevice, {
    templateId: await pki.addTemplate('TLSServer', { issueApprovers: 1 }),
    key: 'P-256',
    values: { CommonName: ['kept.example.org'], DNS: ['kept.example.org'] },
  })
  expect((await refusal(pki.bob.call(calls.recordElsewhere, { requestId: kept.requestId, certificate }))).fields).toMatchObject([
    { says: expect.stringContaining('no key of its own') },
  ])
  expect((await standing(requestId)).status).toBe('under_submission')
})

test('Nobody answers one’s own request so, nor one of another tenancy, nor without the permission', async () => {
  const { requestId, certificate } = await waiting()
  const own = await pki.bob.call(calls.requestForDevice, {
    templateId: pki.template['TLSServer'] ?? '',
    csr: (await standing(requestId)).csr,
    values: {},
  })
  expect(await refusal(pki.bob.call(calls.recordElsewhere, { requestId: own.requestId, certificate }))).toMatchObject({
    status: 403,
    code: 'own',
  })
  expect(await refusal(pki.ada.call(calls.recordElsewhere, { requestId, certificate }))).toMatchObject({ status: 403 })
  const elsewhere = (await house.tenancy('Globex')).administrator
  expect(await refusal(elsewhere.call(calls.recordElsewhere, { requestId, certificate }))).toMatchObject({
    status: 404,
    code: 'noSuchRequest',
  })
})

test('A certificate that has ended answers nothing', async () => {
  const { requestId, certificate } = await waiting()
  house.clock.advance(91 * 86_400_000)
  expect((await refusal(pki.bob.call(calls.recordElsewhere, { requestId, certificate }))).fields).toMatchObject([
    { field: 'certificate', says: 'This certificate has ended' },
  ])
})
