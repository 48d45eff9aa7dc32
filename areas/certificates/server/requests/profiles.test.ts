// One certificate of each profile, issued through the front door, linted as it left, and read by OpenSSL.

import { generateKeyPairSync } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { allPresets } from '#areas/templates/presets.ts'
import { users } from '#areas/users/contract.ts'
import { lintCertificate } from '#standards/lint/lint.ts'
import { decodePem, encodePem } from '#standards/pem/pem.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned, parseCertificate } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import { findExtension } from '#standards/x509/extensions.ts'
import { nameOf } from '#standards/x509/names.ts'
import { certificates } from '../../contract.ts'
import { openIssuingHouse } from '../issuing.fixture.ts'

const { house, tools, pki, close } = await openIssuingHouse()
const holder = await pki.tenancy.person({
  permissions: ['certSigningRequest', 'certSigningRequestUser', 'certView'],
  givenName: 'Grace',
  familyName: 'Hopper',
})
afterAll(close)

/** What OpenSSL must say of each, besides nothing bad. */
const says: Record<string, RegExp> = {
  TLSServer: /TLS Web Server Authentication/,
  TLSClient: /TLS Web Client Authentication/,
  User: /E-mail Protection/,
  Device: /TLS Web Server Authentication, TLS Web Client Authentication/,
  SmartcardLogon: /othername: UPN:[\s\S]*Microsoft Smartcard Login/,
  SecureMail: /email:[\s\S]*E-mail Protection/,
  Smartcard: /TLS Web Client Authentication, E-mail Protection/,
  CodeSigning: /Code Signing/,
  OcspSigner: /OCSP Signing[\s\S]*OCSP No Check/,
  DomainController: /Signing KDC Response[\s\S]*1\.3\.6\.1\.4\.1\.311\.20\.2:/,
  Radius: /1\.3\.6\.1\.5\.5\.7\.3\.13, 1\.3\.6\.1\.5\.5\.7\.3\.14/,
  TimeStamping: /Extended Key Usage: critical\s+Time Stamping/,
}

const derOf = (pem: string) => decodePem(pem)[0]?.bytes ?? new Uint8Array()

test.each(allPresets.map((preset) => [preset.templateName, preset] as const))(
  'a certificate of the profile %s is clean and says what it is for',
  async (name, { says: _says, ...preset }) => {
    const { templateId } = await pki.ada.call(templates.calls.add, {
      ...preset,
      templateName: `${name} profile`,
      caId: pki.caId,
      issueApprovers: 0,
      // Asks as people do; what is for cards only is asked for by the card desk.
      rules: { ...preset.rules, cardsOnly: false },
    })
    const key = name === 'OcspSigner' ? ['rsa', '-pkeyopt', 'rsa_keygen_bits:2048'] : undefined
    const { csr } = tools.csr({
      subject: '/CN=host.example.org',
      extensions: ['subjectAltName=DNS:host.example.org'],
      ...(key === undefined ? {} : { key }),
    })
    const asked = {
      templateId,
      csr,
      values:
        preset.class === 'USER'
          ? {}
          : { CommonName: ['host.example.org'], ...(preset.extensions.certificateSans.length > 0 ? { DNS: ['host.example.org'] } : {}) },
    }
    const { certificateId = '' } =
      preset.class === 'USER'
        ? await holder.call(certificates.calls.requestForUser, asked)
        : await holder.call(certificates.calls.requestForDevice, asked)
    const { certificate } = await holder.call(certificates.calls.info, { certId: certificateId })
    expect(lintCertificate(derOf(certificate.pem), { now: house.clock.now() })).toEqual([])
    const file = tools.write(certificate.pem)
    expect(tools.run('x509', '-in', file, '-noout', '-text')).toMatch(says[name] ?? /^$/)
    expect(tools.run('verify', '-CAfile', pki.rootFile, '-untrusted', pki.chainFile, file)).toContain(': OK')
  },
)

test("a person's Windows identifier comes from the record alone, and stands in certificates of templates that carry it", async () => {
  const sid = 'S-1-5-21-1004336348-1177238915-682003330-1104'
  const found = allPresets.find(({ extensions }) => extensions.securityIdentifier === true)
  if (found === undefined) throw new Error('No profile carries it')
  const { says: _says, ...preset } = found
  const logon = await pki.ada.call(templates.calls.add, { ...preset, templateName: 'Logon', caId: pki.caId, issueApprovers: 0 })
  const plain = await pki.ada.call(templates.calls.add, {
    ...preset,
    templateName: 'Logon without',
    caId: pki.caId,
    issueApprovers: 0,
    extensions: { ...preset.extensions, securityIdentifier: false },
  })
  const {
    id,
    roles: held,
    username,
    givenName,
    familyName,
    emailAddress,
  } = await pki.tenancy.administrator.call(users.calls.read, { id: holder.id })
  await pki.tenancy.administrator.call(users.calls.change, {
    id,
    username,
    givenName,
    familyName,
    emailAddress,
    securityIdentifier: sid,
    roleIds: held.map((role) => role.id),
  })
  // The request asks for the administrator's: it is passed over.
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const info = buildCsrInfo({
    subject: nameOf(['CN', 'whoever']),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    requestedExtensions: [{ type: 'microsoftSecurityIdentifier', critical: false, sid: 'S-1-5-21-1004336348-1177238915-682003330-500' }],
  })
  const csr = encodePem('CERTIFICATE REQUEST', assembleSigned(info, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, info)))
  const textOf = async (templateId: string) => {
    const { certificateId = '' } = await holder.call(certificates.calls.requestForUser, { templateId, csr })
    const { certificate } = await holder.call(certificates.calls.info, { certId: certificateId })
    expect(lintCertificate(derOf(certificate.pem), { now: house.clock.now() })).toEqual([])
    return findExtension(parseCertificate(derOf(certificate.pem)).extensions, 'microsoftSecurityIdentifier')?.sid
  }
  expect(await textOf(logon.templateId)).toBe(sid)
  expect(await textOf(plain.templateId)).toBeUndefined()
})

test('a subordinate authority is clean', async () => {
  const { certificate } = await pki.ada.call(authorities.calls.view, { caId: pki.caId })
  expect(lintCertificate(derOf(certificate?.pem ?? ''), { now: house.clock.now() })).toEqual([])
})
