// One certificate of each profile, issued through the front door, linted as it left, and read by OpenSSL.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { authorities } from '#areas/authorities/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { allPresets } from '#areas/templates/presets.ts'
import { lintCertificate } from '#standards/lint/lint.ts'
import { decodePem } from '#standards/pem/pem.ts'
import { certificates } from '../contract.ts'
import { openDesk, openSsl, type Desk, type OpenSsl } from './desk.fixture.ts'

let house: TestHouse
let tools: OpenSsl
let desk: Desk
let holder: TestPerson

beforeAll(async () => {
  house = await openTestHouse()
  tools = openSsl()
  desk = await openDesk(house, tools, 'Acme')
  holder = await desk.tenancy.person({ permissions: ['certSigningRequest', 'certSigningRequestUser', 'certView'], givenName: 'Grace', familyName: 'Hopper' })
})
afterAll(async () => {
  await house.close()
  tools.close()
})

/** What OpenSSL must say of each, besides nothing bad. */
const says: Record<string, RegExp> = {
  TLSServer: /TLS Web Server Authentication/,
  TLSClient: /TLS Web Client Authentication/,
  User: /E-mail Protection/,
  Device: /TLS Web Server Authentication, TLS Web Client Authentication/,
  SmartcardLogon: /othername: UPN:[\s\S]*Microsoft Smartcard Login/,
  SecureMail: /email:[\s\S]*E-mail Protection/,
  CodeSigning: /Code Signing/,
  OcspSigner: /OCSP Signing[\s\S]*OCSP No Check/,
  DomainController: /Signing KDC Response[\s\S]*1\.3\.6\.1\.4\.1\.311\.20\.2:/,
  Radius: /1\.3\.6\.1\.5\.5\.7\.3\.13, 1\.3\.6\.1\.5\.5\.7\.3\.14/,
  TimeStamping: /Extended Key Usage: critical\s+Time Stamping/,
}

const derOf = (pem: string) => decodePem(pem)[0]?.bytes ?? new Uint8Array()

test.each(allPresets.map((preset) => [preset.templateName, preset] as const))('a certificate of the profile %s is clean and says what it is for', async (name, { says: _says, ...preset }) => {
  const { templateId } = await desk.ada.call(templates.calls.add, { ...preset, templateName: `${name} profile`, caId: desk.caId, issueApprovers: 0 })
  const key = name === 'OcspSigner' ? ['rsa', '-pkeyopt', 'rsa_keygen_bits:2048'] : undefined
  const { csr } = tools.csr({ subject: '/CN=host.example.org', extensions: ['subjectAltName=DNS:host.example.org'], ...(key === undefined ? {} : { key }) })
  const asked = { templateId, csr, values: preset.class === 'USER' ? {} : { CommonName: ['host.example.org'], ...(preset.extensions.certificateSans.length > 0 ? { DNS: ['host.example.org'] } : {}) } }
  const { certificateId = '' } = preset.class === 'USER' ? await holder.call(certificates.calls.requestForUser, asked) : await holder.call(certificates.calls.requestForDevice, asked)
  const { certificate } = await holder.call(certificates.calls.info, { certId: certificateId })
  expect(lintCertificate(derOf(certificate.pem), { now: house.clock.now() })).toEqual([])
  const file = tools.write(certificate.pem)
  expect(tools.run('x509', '-in', file, '-noout', '-text')).toMatch(says[name] ?? /^$/)
  expect(tools.run('verify', '-CAfile', desk.rootFile, '-untrusted', desk.chainFile, file)).toContain(': OK')
})

test('a subordinate authority is clean', async () => {
  const { certificate } = await desk.ada.call(authorities.calls.view, { caId: desk.caId })
  expect(lintCertificate(derOf(certificate?.pem ?? ''), { now: house.clock.now() })).toEqual([])
})
