// Attestation by a TPM made in software, of which each part is spoilt: every fault has its own reason, and a secret is tried once and within five minutes. The same with a
// software TPM of others, and its command, is in e2e/protocols.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { licensing } from '#areas/licensing/contract.ts'
import type { Rules } from '#areas/templates/rules.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { refusal, type TestPerson } from '#core/testing/house.ts'
import type { Attribute } from '#standards/tpm/structures.ts'
import { protocolRoom } from '../contract.ts'
import { openProtocols, type ProtocolFixture } from './protocols.fixture.ts'
import { activate, attestationKey, certify, endorsementKey, signingKey, type SoftwareKey } from './software-tpm.fixture.ts'
import { derOf } from './windows-client.fixture.ts'

const { prepareTpm, finishTpm, tpmAttempts } = protocolRoom.calls
let on: ProtocolFixture
let admin: TestPerson
let templateId: string
let manufacturer: { certificate: string; keyFile: string }
let ek: SoftwareKey
let ekCertificate: string

beforeAll(async () => {
  on = await openProtocols()
  admin = await on.pki.tenancy.person({ permissions: ['autoEnrollTemplateRules', 'certSigningRequest', 'certView', 'manageCAs'] })
  const rules: Rules = { keys: ['P-256'], allowedDomains: ['*.example.org'], allowedAddresses: [], wildcards: false, maximumNames: 2 }
  templateId = await on.pki.addTemplate('TLSServer', { issueApprovers: 0, rules })
  manufacturer = authority()
  await admin.call(licensing.calls.addRoot, { manufacturer: 'Example TPMs', certificate: readFileSync(manufacturer.certificate, 'utf8') })
  await admin.call(licensing.calls.setAttestation, { licensedTemplateId: templateId, required: true, roots: [] })
  ek = endorsementKey()
  ekCertificate = certificateOf(ek, manufacturer)
})
afterAll(() => on.close())

function authority() {
  const [certificate, keyFile] = [on.tools.write(''), on.tools.write('')]
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile, '-out', certificate]
  on.tools.run('req', '-x509', ...made, '-days', '30', '-subj', '/CN=Example TPMs', '-addext', 'keyUsage=critical,keyCertSign')
  return { certificate, keyFile }
}

/** A certificate of an endorsement key, DER in base64. An endorsement key signs nothing, so that its request is that of another key. */
function certificateOf({ publicKey }: SoftwareKey, by: { certificate: string; keyFile: string }, purpose = '2.23.133.8.1'): string {
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
  const { csr } = on.tools.csr({ subject: '/CN=EK', extensions: ['keyUsage=keyEncipherment'] })
  const [request, key, extensions] = [
    on.tools.write(csr),
    on.tools.write(pem),
    on.tools.write(`extendedKeyUsage=${purpose}\nkeyUsage=critical,keyEncipherment\n`),
  ]
  const signing = ['-CA', by.certificate, '-CAkey', by.keyFile, '-CAcreateserial', '-days', '20', '-extfile', extensions]
  return derOf(on.tools.run('x509', '-req', '-in', request, '-force_pubkey', key, ...signing)).toString('base64')
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
type Prepared = Partial<DraftOf<typeof prepareTpm>>
const prepare = (ak: SoftwareKey, more: Prepared = {}) =>
  admin.call(prepareTpm, { templateId, ekPublic: base64(ek.area), ekCertificate, akPublic: base64(ak.area), ...more })

const held: Attribute[] = ['fixedTPM', 'fixedParent', 'sensitiveDataOrigin']
const without = (all: readonly Attribute[], name: Attribute) => all.filter((one) => one !== name)

test.each<[string, () => { ak?: SoftwareKey; more?: Prepared }, string]>([
  ['an attestation key that signs whatever it is given', () => ({ ak: attestationKey([...held, 'sign']) }), 'akUnfit'],
  [
    'an attestation key that may leave its TPM',
    () => ({ ak: attestationKey([...without(held, 'fixedTPM'), 'restricted', 'sign']) }),
    'akUnfit',
  ],
  ['an attestation key that decrypts', () => ({ ak: attestationKey([...held, 'restricted', 'sign', 'decrypt']) }), 'akUnfit'],
  [
    'an endorsement key that may leave its TPM',
    () => ({ more: { ekPublic: base64(endorsementKey(['restricted', 'decrypt']).area) } }),
    'ekUnfit',
  ],
  ['a signing key in place of the endorsement key', () => ({ more: { ekPublic: base64(attestationKey().area) } }), 'ekUnfit'],
  ['the certificate of the endorsement key of another machine', () => ({ more: { ekPublic: base64(endorsementKey().area) } }), 'ekOther'],
  ['a certificate for another purpose', () => ({ more: { ekCertificate: certificateOf(ek, manufacturer, 'clientAuth') } }), 'ekPurpose'],
  [
    'the certificate of somebody who is no manufacturer',
    () => ({ more: { ekCertificate: certificateOf(ek, authority()) } }),
    'ekUntrusted',
  ],
])('A machine that shows %s gets no secret', async (_what, make, code) => {
  const { ak = attestationKey(), more = {} } = make()
  expect((await refusal(prepare(ak, more))).code).toBe(code)
})

test('A machine whose manufacturer is not accepted stands in the list with the reason', async () => {
  const refused = await refusal(prepare(attestationKey(), { ekCertificate: certificateOf(ek, authority()) }))
  expect((await admin.call(tpmAttempts, {})).rows[0]).toMatchObject({ state: 'refused', reason: refused.fields[0]?.says })
})

test('A machine without a certificate of its endorsement key, as some clouds have, is refused by the name of the field', async () => {
  const refused = await refusal(prepare(attestationKey(), { ekCertificate: '' }))
  expect(refused.fields.map(({ field }) => field)).toEqual(['ekCertificate'])
})

type Spoilt = { key?: SoftwareKey; about?: SoftwareKey; by?: SoftwareKey; qualifying?: Buffer; secret?: Buffer; names?: string[] }
async function given({ key = signingKey(), about = key, by, qualifying, secret, names = ['plant.example.org'] }: Spoilt = {}) {
  const ak = attestationKey()
  const begun = await prepare(ak)
  const told = activate(ek, ak, Buffer.from(begun.credential, 'base64'))
  const made = certify(by ?? ak, about, qualifying ?? Buffer.from(begun.qualifyingData, 'base64'))
  return {
    attemptId: begun.attemptId,
    secret: base64(secret ?? told),
    keyPublic: base64(key.area),
    attestation: base64(made.attestation),
    signature: base64(made.signature),
    values: { DNS: names },
  }
}

test.each<[string, () => Spoilt, string]>([
  ['a secret that the TPM did not give out', () => ({ secret: Buffer.alloc(32) }), 'secretWrong'],
  ['a key that may leave its TPM', () => ({ key: signingKey([...without(held, 'fixedTPM'), 'sign']) }), 'keyUnfit'],
  ['a key that was made elsewhere', () => ({ key: signingKey([...without(held, 'sensitiveDataOrigin'), 'sign']) }), 'keyUnfit'],
  ['an attestation of another key', () => ({ about: signingKey() }), 'attestationOther'],
  ['an attestation for another request', () => ({ qualifying: Buffer.alloc(32) }), 'qualifyingOther'],
  ['an attestation by another key', () => ({ by: attestationKey() }), 'signatureWrong'],
])('%s is refused with its own reason, once and for all', async (_what, spoil, code) => {
  const all = await given(spoil())
  const refused = await refusal(admin.call(finishTpm, all))
  expect(refused.code).toBe(code)
  expect((await refusal(admin.call(finishTpm, all))).code).toBe('gone')
  const [row] = (await admin.call(tpmAttempts, {})).rows
  expect(row?.state).toBe('refused')
  expect(refused.message).toContain(row?.reason)
})

test('A secret is good for five minutes, and for whoever began', async () => {
  const all = await given()
  expect((await refusal(on.pki.ada.call(finishTpm, all))).code).toBe('gone')
  const listed = async () => (await admin.call(tpmAttempts, {})).rows.find(({ id }) => id === all.attemptId)?.state
  expect(await listed()).toBe('begun')
  on.house.clock.advance(5 * 60_000 + 1_000)
  expect((await refusal(admin.call(finishTpm, all))).code).toBe('gone')
  expect(await listed()).toBe('refused')
  on.house.clock.advance(-5 * 60_000 - 1_000)
})

test('What a template refuses is refused here in the words of every door, and what it allows is issued', async () => {
  const { csr } = on.tools.csr({ subject: '/', extensions: ['subjectAltName=DNS:www.example.com'] })
  const checked = await on.pki.ada.call(certificates.calls.check, { templateId, csr, entity: 'device' })
  const words = checked.faults.map(({ says }) => says).find((says) => says.includes('www.example.com'))
  const refused = await refusal(admin.call(finishTpm, await given({ names: ['www.example.com'] })))
  expect(refused.fields.map(({ says }) => says)).toContain(words)
  expect((await admin.call(finishTpm, await given())).certificateId).toBeDefined()
})
