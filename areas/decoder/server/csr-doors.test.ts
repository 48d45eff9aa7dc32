// Every door that takes a certificate request, beside this room's own: the same request gets the same answer at each.

import { generateKeyPairSync, generatePrimeSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuingHouse } from '#areas/certificates/server/issuing.fixture.ts'
import { licensing } from '#areas/licensing/contract.ts'
import { portal } from '#areas/portal/contract.ts'
import { renewal } from '#areas/renewal/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { templatePresets } from '#areas/templates/presets.ts'
import { CallRefused, type TestPerson } from '#core/testing/house.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { signWith } from '#standards/x509/algorithms.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import { nameOf } from '#standards/x509/names.ts'
import { rsaPublicKey } from '#standards/x509/public-key.ts'
import { decoder } from '../contract.ts'

const { house, pki, close } = await openIssuingHouse()
afterAll(close)

const spkiOf = (pair: { publicKey: { export(options: { format: 'der'; type: 'spki' }): Uint8Array } }) =>
  pair.publicKey.export({ format: 'der', type: 'spki' })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
const name = nameOf(['CN', 'www.example.org'])
const dns = (value: string) => ({ type: 'dNSName' as const, value })

/** A request for this key, signed by the elliptic one: of a bad key that is never looked at. */
function csrOf(publicKey: Uint8Array, names = [dns('www.example.org')]): string {
  const info = buildCsrInfo({
    subject: name,
    publicKey,
    requestedExtensions: [{ type: 'subjectAltName', critical: false, names }],
  })
  return encodePem('CERTIFICATE REQUEST', assembleSigned(info, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', ec.privateKey, info)))
}

const prime = Buffer.from(generatePrimeSync(2048, { bigint: true }).toString(16), 'hex')
const many = Array.from({ length: 1_000 }, (_, at) => dns(`host${at}.example.org`))
const bad: [string, string, string][] = [
  [
    'signed by another key',
    csrOf(spkiOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }))),
    'The signature of the request does not match',
  ],
  ['for a short RSA key', csrOf(spkiOf(rsa)), 'The RSA key has 1024 bits'],
  ['for an RSA key whose modulus is a prime', csrOf(rsaPublicKey(prime, 65_537n)), 'The RSA modulus is a prime'],
  ['for a thousand names and one more', csrOf(spkiOf(ec), many), 'The request asks for 1001 names and usages. Ask for at most 1000'],
]

let open = ''
let renewable = ''
let grace: TestPerson
beforeAll(async () => {
  grace = await pki.tenancy.person({ permissions: 'all' })
  open = await pki.addTemplate('TLSServer', { issueApprovers: 0, displayName: 'Open' })
  await pki.tenancy.administrator.call(licensing.calls.setFlags, {
    licensedTemplateId: open,
    enabled: true,
    anonymousEnabled: true,
    selfServiceEligible: false,
  })
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const info = buildCsrInfo({
    subject: name,
    publicKey: spkiOf(own),
    requestedExtensions: [{ type: 'subjectAltName', critical: false, names: [dns('www.example.org')] }],
  })
  const first = assembleSigned(info, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', own.privateKey, info))
  const { certificateId = '' } = await pki.ada.call(certificates.calls.requestForDevice, {
    templateId: open,
    csr: encodePem('CERTIFICATE REQUEST', first),
  })
  renewable = certificateId
})

/** Asks on the public page, where nobody has an account. */
async function askOnPublicPage(csr: string): Promise<unknown> {
  const { address } = await pki.tenancy.administrator.call(portal.calls.renew, {})
  const send = (path: string, body: unknown, cookie = '') =>
    fetch(house.origin + path, { method: 'POST', headers: { 'content-type': 'application/json', cookie }, body: JSON.stringify(body) })
  const opened = await send(portal.calls.openSession.path, { code: new URL(address).searchParams.get('code') ?? '' })
  const cookie = opened.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return (
    await send(portal.calls.request.path, { templateId: open, csr, contactEmail: 'someone@elsewhere.example', comment: '' }, cookie)
  ).json()
}

const { says: _says, ...preset } = templatePresets.find(({ templateName }) => templateName === 'TLSServer') ?? { says: '' }

const doors: Record<string, (csr: string) => Promise<unknown>> = {
  'the check before asking': (csr) => pki.ada.call(certificates.calls.check, { entity: 'device', templateId: open, csr }),
  'asking for a device': (csr) => pki.ada.call(certificates.calls.requestForDevice, { templateId: open, csr }),
  'asking as anybody': (csr) => pki.ada.call(certificates.calls.request, { entity: 'device', templateId: open, csr }),
  'the public page': askOnPublicPage,
  'the preview of a template': (csr) =>
    pki.ada.call(templates.calls.preview, { draft: { ...preset, caId: pki.caId } as never, csr, values: {} }),
  'a cross-certificate': (csr) => pki.ada.call(authorities.calls.previewCross, { caId: pki.rootId, other: csr }),
  'the decoder': (csr) => grace.call(decoder.calls.decode, { text: csr, rules: '' }),
  // Last, because a good one takes the place of the certificate.
  'a renewal': (csr) => pki.ada.call(renewal.calls.renew, { certId: renewable, key: 'brought', early: true, csr }),
}

const answerOf = async (asked: Promise<unknown>): Promise<string> => {
  try {
    return JSON.stringify(await asked)
  } catch (error) {
    if (error instanceof CallRefused) return error.message
    throw error
  }
}

describe.each(Object.entries(doors))('at %s', (_door, ask) => {
  test.each(bad)('a request %s is refused with the same sentence', async (_what, csr, says) => {
    expect(await answerOf(ask(csr))).toContain(says)
  })

  test('a good request is not refused', async () => {
    const answer = await answerOf(ask(csrOf(spkiOf(ec))))
    for (const [, , says] of bad) expect(answer).not.toContain(says)
    expect(answer).not.toMatch(/"severity":"(error|fatal)"|^\d{3} /)
  })
})
