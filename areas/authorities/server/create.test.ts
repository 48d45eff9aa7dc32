import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commonKeyAlgorithms } from '#areas/keys/rules.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse } from '#core/testing/house.ts'
import { openToolFolder, type ToolFolder } from '#standards/tool-folder.fixture.ts'
import { authorities } from '../contract.ts'

const { create, view, list, preview } = authorities.calls
type Draft = DraftOf<typeof create>

let opinion: ToolFolder
let made = 0

const house = await useHouse()
const acme = await house.tenancy('Acme')
const ada = await acme.person({ permissions: ['manageCAs'] })
beforeAll(async () => {
  opinion = openToolFolder()
})
afterAll(async () => {
  opinion.remove()
})

const root = (more: Partial<Draft> = {}): Draft => {
  const name = `Acme Root ${(made += 1)}`
  return { kind: 'root', friendlyName: name, subject: { C: 'NL', O: 'Acme B.V.', CN: name }, keyAlgorithm: 'P-256', ...more }
}
const below = (issuerId: string, more: Partial<Draft> = {}): Draft => {
  const name = `Acme Issuing ${(made += 1)}`
  return {
    kind: 'subordinate',
    friendlyName: name,
    subject: { C: 'NL', O: 'Acme B.V.', CN: name },
    keyAlgorithm: 'P-256',
    issuerId,
    ...more,
  }
}
const makeRoot = async (more: Partial<Draft> = {}) => (await ada.call(create, root(more))).caId
const pemOf = async (caId: string) => (await ada.call(view, { caId })).certificate?.pem ?? ''

describe('a two-tier authority', () => {
  it.each(commonKeyAlgorithms)('with keys of kind %s satisfies OpenSSL and GnuTLS', async (keyAlgorithm) => {
    const rootId = await makeRoot({ keyAlgorithm })
    const { caId } = await ada.call(create, below(rootId, { keyAlgorithm }))
    const rootFile = opinion.write('root.pem', await pemOf(rootId))
    const issuingFile = opinion.write('issuing.pem', await pemOf(caId))
    expect(opinion.run('openssl', 'verify', '-x509_strict', '-check_ss_sig', '-CAfile', rootFile, issuingFile)).toContain('OK')
    const chain = (await pemOf(caId)) + (await pemOf(rootId))
    const gnutls = opinion.ask('certtool', '--verify-chain', '--infile', opinion.write('chain.pem', chain))
    expect(gnutls.text).toContain('Chain verification output: Verified')
    expect(gnutls.ok).toBe(true)
  })

  it('says in its certificate what was asked for', async () => {
    const rootId = await makeRoot({
      keyAlgorithm: 'P-384',
      pathLength: 2,
      permittedNames: [
        { type: 'DNS', value: 'example.org' },
        { type: 'IP', value: '10.0.0.0/8' },
      ],
      excludedNames: [{ type: 'RFC822', value: '.example.net' }],
    })
    const { caId } = await ada.call(create, below(rootId, { validityPeriod: 18, validityPeriodUnits: 'MONTHS', pathLength: 1 }))
    const rootText = opinion.run('openssl', 'x509', '-noout', '-text', '-in', opinion.write('a.pem', await pemOf(rootId)))
    expect(rootText).toMatch(/Signature Algorithm: ecdsa-with-SHA384/)
    expect(rootText).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:2/)
    expect(rootText).toMatch(/Key Usage: critical\s+Digital Signature, Certificate Sign, CRL Sign/)
    expect(rootText).toMatch(
      /Name Constraints: critical\s+Permitted:\s+DNS:example.org\s+IP:10.0.0.0\/255.0.0.0\s+Excluded:\s+email:.example.net/,
    )
    expect(rootText).not.toContain('CRL Distribution')

    const found = await ada.call(view, { caId })
    const issuer = await ada.call(view, { caId: rootId })
    const text = opinion.run('openssl', 'x509', '-noout', '-text', '-in', opinion.write('b.pem', found.certificate?.pem ?? ''))
    expect(text).toMatch(/CA:TRUE, pathlen:1/)
    expect(text).toContain(`URI:${issuer.addresses.crl}`)
    expect(text).toContain(`OCSP - URI:${issuer.addresses.ocsp}`)
    expect(text).toContain(`CA Issuers - URI:${issuer.addresses.caIssuers}`)
    expect(found.certificate?.serialHex).toMatch(/^[0-9a-f]{32}$/)
    expect(text.replaceAll(/\s/g, '')).toContain(`SerialNumber:${(found.certificate?.serialHex.match(/../g) ?? []).join(':')}`)
    expect(found.chain.map(({ caId: link }) => link)).toEqual([caId, rootId])
    expect(found.chainComplete).toBe(true)
    expect(found.status).toBe('ActiveCert')
    expect(issuer.issued).toEqual({ count: 1, more: false })
  })

  it('never outlives its issuer', async () => {
    const rootId = await makeRoot({ validityPeriod: 2 })
    const draft = below(rootId)
    expect((await ada.call(preview, draft)).shortened).toBe(true)
    const { caId } = await ada.call(create, draft)
    expect((await ada.call(view, { caId })).notAfter).toBe((await ada.call(view, { caId: rootId })).notAfter)
  })
})

describe('a preview', () => {
  it('says what the certificate then says', async () => {
    const rootId = await makeRoot()
    const draft = below(rootId, {
      pathLength: 'none',
      keyAlgorithm: 'Ed25519',
      permittedNames: [{ type: 'DNS', value: 'example.org' }],
      notBefore: '2026-01-01T00:00:00Z',
    })
    await expect(ada.call(preview, draft)).rejects.toMatchObject({ code: 'invalid', fields: [{ field: 'notBefore' }] })
    const later = { ...draft, notBefore: new Date(house.clock.now().getTime() + 60_000).toISOString() }
    const { shortened, addresses, remarks, ...shown } = await ada.call(preview, later)
    const { caId } = await ada.call(create, later)
    const { certificate } = await ada.call(view, { caId })
    expect([shortened, remarks]).toEqual([false, []])
    expect(addresses?.crl).toContain('/pki/crl/')
    expect(certificate).toMatchObject(shown)
  })

  it('leaves nothing behind', async () => {
    const before = (await audited(house, acme.id)).length
    await ada.call(preview, root())
    expect((await audited(house, acme.id)).length).toBe(before)
  })
})

describe('a life that is longer than makes sense', () => {
  const long = expect.objectContaining({ severity: 'warn', code: 'w_validity_authority_long' })

  it('is remarked upon before it is made and in the answer, and is not refused', async () => {
    const draft = root({ validityPeriod: 500 })
    expect((await ada.call(preview, draft)).remarks).toEqual([long])
    const { caId, remarks } = await ada.call(create, draft)
    expect(remarks).toEqual([
      {
        severity: 'warn',
        code: 'w_validity_authority_long',
        message: 'A root that is valid for more than 30 years outlives what its key and algorithm are good for.',
      },
    ])
    expect((await ada.call(create, root({ validityPeriod: 30 }))).remarks).toEqual([])
    expect((await ada.call(create, below(caId, { validityPeriod: 16 }))).remarks).toEqual([long])
    const child = await ada.call(create, below(caId, { validityPeriod: 15 }))
    expect(child.remarks).toEqual([])
    expect((await ada.call(authorities.calls.renew, { caId: child.caId, validityPeriod: 40 })).remarks).toEqual([long])
    expect(
      (await ada.call(authorities.calls.succeed, { caId: child.caId, friendlyName: 'Acme Issuing for ever', validityPeriod: 40 })).remarks,
    ).toEqual([long])
  })
})

describe('a life beyond that of the issuer', () => {
  const cut = expect.objectContaining({
    severity: 'warn',
    code: 'w_validity_cut',
    message: expect.stringMatching(/^Its issuer ends on \d{4}-\d\d-\d\d, and so does it/),
  })

  it('is cut, and that is remarked upon before it is made and in the answer', async () => {
    const rootId = await makeRoot({ validityPeriod: 5 })
    const draft = below(rootId, { validityPeriod: 8 })
    expect((await ada.call(preview, draft)).remarks).toEqual([cut])
    const { caId, remarks } = await ada.call(create, draft)
    expect(remarks).toEqual([cut])
    expect(
      (await ada.call(authorities.calls.succeed, { caId, friendlyName: 'Acme Issuing to follow', validityPeriod: 9 })).remarks,
    ).toEqual([cut])
    expect((await ada.call(create, below(rootId, { validityPeriod: 4 }))).remarks).toEqual([])
  })
})

describe('a wrong request', () => {
  it.each([
    ['subject.CN', { subject: { CN: '' } }],
    ['subject.CN', { subject: { CN: 'x'.repeat(65) } }],
    ['subject.C', { subject: { CN: 'Root', C: 'Holland' } }],
    ['subject.O', { subject: { CN: 'Root', O: 'tab\there' } }],
    ['subject.OU', { subject: { CN: 'Root', OU: 'hid\u200bden' } }],
    ['validityPeriod', { validityPeriod: 0 }],
    ['validityPeriod', { validityPeriod: 1, validityPeriodUnits: 'DAYS', notBefore: '2020-01-01T00:00:00Z' }],
    ['pathLength', { pathLength: 11 }],
    ['permittedNames.0.value', { permittedNames: [{ type: 'DNS', value: 'bad name_!!' }] }],
    ['permittedNames.0.value', { permittedNames: [{ type: 'DNS', value: '.example.org' }] }],
    ['excludedNames.0.value', { excludedNames: [{ type: 'RFC822', value: 'ada@.example.org' }] }],
    ['excludedNames.0.value', { excludedNames: [{ type: 'RFC822', value: '..example.org' }] }],
    ['permittedNames.0.value', { permittedNames: [{ type: 'IP', value: '10.0.0.1/8' }] }],
    ['permittedNames.0.value', { permittedNames: [{ type: 'IP', value: '10.0.0.0/33' }] }],
    [
      'excludedNames.1.value',
      {
        excludedNames: [
          { type: 'IP', value: '2001:db8::/32' },
          { type: 'RFC822', value: 'a@b@c' },
        ],
      },
    ],
    ['issuerId', { kind: 'subordinate' }],
    ['issuerId', { kind: 'subordinate', issuerId: '01890000-0000-7000-8000-000000000000' }],
  ] satisfies [string, Partial<Draft>][])('is refused at %s', async (field, wrong) => {
    await expect(ada.call(create, root(wrong))).rejects.toMatchObject({ status: 400, code: 'invalid', fields: [{ field }] })
  })

  it('with a key type that does not exist is refused', async () => {
    await expect(ada.call(create, JSON.parse(JSON.stringify({ ...root(), keyAlgorithm: 'RSA-512' })))).rejects.toMatchObject({
      code: 'invalid',
      fields: [{ field: 'keyAlgorithm' }],
    })
  })

  it('below an authority of path length 0 is refused', async () => {
    const rootId = await makeRoot({ pathLength: 1 })
    await expect(ada.call(create, below(rootId, { pathLength: 1 }))).rejects.toMatchObject({ fields: [{ field: 'pathLength' }] })
    const { caId } = await ada.call(create, below(rootId))
    await expect(ada.call(create, below(caId))).rejects.toMatchObject({ fields: [{ field: 'issuerId' }] })
  })

  it('for a name that another authority has is refused, in any case', async () => {
    const draft = root()
    await ada.call(create, draft)
    await expect(ada.call(create, { ...draft, friendlyName: draft.friendlyName.toUpperCase() })).rejects.toMatchObject({
      status: 409,
      code: 'nameTaken',
      fields: [{ field: 'friendlyName' }],
    })
  })
})

describe('a repeated request', () => {
  it('gives the authority of the first, even when both come at once', async () => {
    const draft = root()
    const headers = { 'idempotency-key': 'one-form-mount-1' }
    const [first, second] = await Promise.all([ada.call(create, draft, headers), ada.call(create, draft, headers)])
    const third = await ada.call(create, draft, headers)
    expect(new Set([first.caId, second.caId, third.caId]).size).toBe(1)
    const rows = (await audited(house, acme.id)).filter(({ about }) => about === first.caId)
    expect(rows.map(({ name }) => name).toSorted()).toEqual(['certified', 'created'])
  })

  it('with other content is a conflict', async () => {
    const headers = { 'idempotency-key': 'one-form-mount-2' }
    await ada.call(create, root(), headers)
    await expect(ada.call(create, root(), headers)).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('the list', () => {
  it('has each authority below its issuer, with status and counts', async () => {
    const bob = await (await house.tenancy('Listing')).person({ permissions: ['manageCAs'] })
    const rootId = (await bob.call(create, root({ friendlyName: 'B root' }))).caId
    const issuing = (await bob.call(create, below(rootId, { friendlyName: 'A issuing' }))).caId
    const outside = (await bob.call(create, { ...root({ friendlyName: 'C outside' }), kind: 'outside' })).caId
    const { rows, total } = await bob.call(list, {})
    expect(total).toBe(3)
    expect(rows.map(({ id, depth, status }) => [id, depth, status])).toEqual([
      [rootId, 0, 'ActiveCert'],
      [issuing, 1, 'ActiveCert'],
      [outside, 0, 'PendingCert'],
    ])
    expect(rows[0]?.issued).toEqual({ count: 1, more: false })
    expect(rows[0]?.licensedTenants).toEqual([{ tenantId: bob.tenantId, enabled: true }])
    expect((await bob.call(list, { status: 'PendingCert' })).rows.map(({ id }) => id)).toEqual([outside])
    expect((await bob.call(list, { text: 'ISSUING' })).rows.map(({ id }) => id)).toEqual([issuing])
    const { certificate, subject } = await bob.call(view, { caId: issuing })
    for (const text of [
      certificate?.sha1,
      certificate?.sha256.replaceAll(/..(?=.)/g, '$&:'),
      certificate?.serialHex.toUpperCase(),
      subject.replaceAll(',', ', '),
      subject.split(',').toReversed().join('/'),
    ])
      expect((await bob.call(list, { text: text ?? '' })).rows.map(({ id }) => id)).toEqual([issuing])
    expect((await bob.call(list, { page: 2, size: 2 })).rows.map(({ id }) => id)).toEqual([outside])
  })
})
