// The main job from end to end through the front door: authority, template, request, approval, certificate, revocation, what relying parties
// are told of it, the audit log, and every job once. It is what a second database engine is tried with.

import { afterAll, expect, test } from 'vitest'
import { allSigned } from '#core/testing/events.ts'
import { useHouse } from '#core/testing/house.ts'
import { parseCrl } from '#standards/crl/parse.ts'
import { certIdFor } from '#standards/ocsp/cert-id.ts'
import { buildOcspRequest } from '#standards/ocsp/request.ts'
import { parseOcspResponse } from '#standards/ocsp/response.ts'
import { decodePem } from '#standards/pem/pem.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { audit } from './audit/contract.ts'
import { authorities } from './authorities/contract.ts'
import { certificates } from './certificates/contract.ts'
import { openIssuing, openSsl } from './certificates/server/issuing.fixture.ts'
import { jobs } from './jobs/contract.ts'
import { revocation } from './revocation/contract.ts'

const tools = openSsl()

const house = await useHouse({ background: true })
const operator = await (await house.tenancy('Head office')).person({ permissions: 'all' })
const pki = await openIssuing(house, tools, 'Acme')
afterAll(async () => {
  tools.close()
})

test('A certificate is asked for, approved, verified, revoked, and everybody is told so', async () => {
  const { requestId, certificateId: early } = await pki.ada.call(certificates.calls.requestForDevice, {
    templateId: pki.template['TLSServer'] ?? '',
    csr: tools.csr().csr,
    values: { DNS: ['www.example.org'] },
  })
  expect(early).toBeUndefined()
  const { certificateId: certId = '' } = await pki.bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })
  const { pem, serialNumber } = (await pki.ada.call(certificates.calls.info, { certId })).certificate
  expect(tools.run('verify', '-x509_strict', '-CAfile', pki.rootFile, '-untrusted', pki.chainFile, tools.write(pem))).toContain('OK')

  const { publicId, certificate } = await pki.ada.call(authorities.calls.view, { caId: pki.caId })
  const issuer = parseCertificate(decodePem(certificate?.pem ?? '')[0]?.bytes ?? new Uint8Array())
  const serial = Buffer.from(serialNumber, 'hex')
  const status = async () => {
    const body = Buffer.from(buildOcspRequest({ certIds: [certIdFor(issuer, serial)] }))
    const response = await house.fetch(`/pki/ocsp/${publicId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/ocsp-request' },
      body,
    })
    const answer = parseOcspResponse(new Uint8Array(await response.arrayBuffer()))
    return 'responses' in answer ? answer.responses[0]?.status : answer.status
  }
  expect(await status()).toBe('good')
  await pki.tenancy.administrator.call(revocation.calls.revoke, { certId, reason: 'keyCompromise' })
  expect(await status()).toBe('revoked')
  const list = async () => parseCrl(new Uint8Array(await (await house.fetch(`/pki/crl/${publicId}.crl`)).arrayBuffer()))
  await expect.poll(async () => (await list()).find(serial)?.reason).toBe('keyCompromise')

  await allSigned(house)
  const { rows } = await pki.tenancy.administrator.call(audit.calls.search, {})
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['requested', 'issued', 'revoked']))
})

test('Every job comes to its end', async () => {
  expect(house.house.jobs.length).toBeGreaterThan(10)
  for (const { job } of house.house.jobs) await house.runJob(job)
  expect((await operator.call(jobs.calls.search, {})).rows.filter(({ outcome }) => outcome === 'failed')).toEqual([])
})
