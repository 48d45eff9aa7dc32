import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commonKeyAlgorithms } from '#areas/keys/rules.ts'
import { useHouse } from '#core/testing/house.ts'
import { openToolFolder, type ToolFolder } from '#standards/tool-folder.fixture.ts'
import { authorities } from '../contract.ts'
import { downloadFormats } from '../contract.ts'

const { create, view, importCertificate, download, rename, list, setIssuing, activity } = authorities.calls

let opinion: ToolFolder
let made = 0

const house = await useHouse()
const acme = await house.tenancy('Acme')
const ada = await acme.person({ permissions: ['manageCAs'] })
beforeAll(async () => {
  opinion = openToolFolder()
  opinion.run(
    'openssl',
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    'outer.key',
    '-out',
    'outer.pem',
    '-days',
    '3650',
    '-subj',
    '/O=Outside/CN=Outside Root',
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
  )
  opinion.run(
    'openssl',
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    'stray.key',
    '-out',
    'stray.pem',
    '-days',
    '3650',
    '-subj',
    '/CN=Stray Root',
  )
  opinion.write(
    'ca.cnf',
    'basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n',
  )
  opinion.write('leaf.cnf', 'basicConstraints=critical,CA:FALSE\n')
})
afterAll(async () => {
  opinion.remove()
})

async function requested(keyAlgorithm: (typeof commonKeyAlgorithms)[number] = 'P-256'): Promise<{ caId: string; request: string }> {
  const name = `Acme Outside ${(made += 1)}`
  const { caId } = await ada.call(create, { kind: 'outside', friendlyName: name, subject: { O: 'Acme', CN: name }, keyAlgorithm })
  return { caId, request: (await ada.call(view, { caId })).request ?? '' }
}

/** What the outside authority answers, as PEM. */
const answer = (request: string, options: { extensions?: string; days?: string } = {}) =>
  opinion.run(
    'openssl',
    'x509',
    '-req',
    '-in',
    opinion.write('request.pem', request),
    '-CA',
    'outer.pem',
    '-CAkey',
    'outer.key',
    '-CAcreateserial',
    '-days',
    options.days ?? '1000',
    '-extfile',
    options.extensions ?? 'ca.cnf',
  )
const outer = () => opinion.run('openssl', 'x509', '-in', 'outer.pem')
const stray = () => opinion.run('openssl', 'x509', '-in', 'stray.pem')

describe('an authority that an outside one signs', () => {
  it.each(commonKeyAlgorithms)(
    'with a key of kind %s makes a request that OpenSSL verifies, and issues under the imported certificate',
    async (keyAlgorithm) => {
      const { caId, request } = await requested(keyAlgorithm)
      expect(opinion.ask('openssl', 'req', '-verify', '-noout', '-in', opinion.write('check.pem', request)).text).toMatch(/verify OK/i)
      expect((await ada.call(view, { caId })).status).toBe('PendingCert')
      await ada.call(importCertificate, { caId, certificate: outer() + answer(request) })
      const found = await ada.call(view, { caId })
      expect(found).toMatchObject({ status: 'ActiveCert', certified: true, chainComplete: true })
      expect(found.chain.map(({ subject }) => subject)).toEqual([`CN=${found.friendlyName},O=Acme`, 'CN=Outside Root,O=Outside'])
      expect(found.certificate?.pathLength).toBe(0)
    },
  )

  it('takes the answer as PKCS#7, too', async () => {
    const { caId, request } = await requested()
    opinion.write('answer.pem', answer(request))
    const pkcs7 = opinion.run('openssl', 'crl2pkcs7', '-nocrl', '-certfile', 'answer.pem', '-certfile', 'outer.pem')
    await ada.call(importCertificate, { caId, certificate: pkcs7 })
    expect((await ada.call(view, { caId })).chain).toHaveLength(2)
  })

  it.each<[string, (request: string) => string, RegExp]>([
    ['text that is no certificate', () => 'good morning', /base64|hexadecimal|text/i],
    ['a broken PEM block', (request) => answer(request).replace('-----END', '----END'), /END|line/i],
    ['its own request', (request) => request, /request/],
    ['a private key', () => opinion.run('openssl', 'pkey', '-in', 'outer.key'), /private key/],
    ['a certificate for another key', () => outer(), /None of these is for this authority's key: CN=Outside Root/],
    ['a certificate that is not for an authority', (request) => outer() + answer(request, { extensions: 'leaf.cnf' }), /basicConstraints/],
    ['the certificate alone', (request) => answer(request), /Add the certificate of CN=Outside Root/],
    ['a stray certificate beside the chain', (request) => outer() + answer(request) + stray(), /CN=Stray Root does not belong/],
    [
      'a certificate of another signer by the same name',
      (request) => {
        opinion.run(
          'openssl',
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:P-256',
          '-nodes',
          '-keyout',
          'twin.key',
          '-out',
          'twin.pem',
          '-days',
          '99',
          '-subj',
          '/O=Outside/CN=Outside Root',
        )
        return opinion.run('openssl', 'x509', '-in', 'twin.pem') + answer(request)
      },
      /Add the certificate of CN=Outside Root/,
    ],
  ])('refuses %s and says why', async (_what, make, says) => {
    const { caId, request } = await requested()
    await expect(ada.call(importCertificate, { caId, certificate: make(request) })).rejects.toMatchObject({
      status: 400,
      code: 'invalid',
      fields: [{ field: 'certificate', says: expect.stringMatching(says) }],
    })
    expect((await ada.call(view, { caId })).certified).toBe(false)
  })

  it('passes a renewed certificate on to the chains of those below it', async () => {
    const { caId, request } = await requested()
    opinion.write('deep.cnf', 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n')
    await ada.call(importCertificate, { caId, certificate: outer() + answer(request, { extensions: 'deep.cnf' }) })
    const below = await ada.call(create, {
      kind: 'subordinate',
      issuerId: caId,
      friendlyName: 'Below the outside',
      subject: { CN: 'Below the outside' },
    })
    await ada.call(importCertificate, { caId, certificate: outer() + answer(request, { extensions: 'deep.cnf', days: '2000' }) })
    const [own, renewed, root] = (await ada.call(view, { caId: below.caId })).chain
    expect([own?.caId, renewed?.caId, root?.subject]).toEqual([below.caId, caId, 'CN=Outside Root,O=Outside'])
    const { content } = await ada.call(download, { caId: below.caId, format: 'chain' })
    opinion.write('full.pem', Buffer.from(content, 'base64'))
    expect(opinion.run('openssl', 'verify', '-CAfile', 'outer.pem', '-untrusted', 'full.pem', 'full.pem')).toContain('OK')
  })

  it('takes no certificate where it was signed here', async () => {
    const { caId } = await ada.call(create, { kind: 'root', friendlyName: 'Own root', subject: { CN: 'Own root' } })
    await expect(ada.call(importCertificate, { caId, certificate: outer() })).rejects.toMatchObject({ status: 409, code: 'notOutside' })
  })
})

describe('the files of an authority', () => {
  it('are what OpenSSL reads, in every format and at the public addresses', async () => {
    const rootId = (await ada.call(create, { kind: 'root', friendlyName: 'Files: Root', subject: { CN: 'Files Root' } })).caId
    const { caId } = await ada.call(create, {
      kind: 'subordinate',
      issuerId: rootId,
      friendlyName: 'Files & Co',
      subject: { CN: 'Files Issuing' },
    })
    const { publicId, certificate } = await ada.call(view, { caId })
    const pkcs7 = ['pkcs7', '-inform', 'DER', '-noout', '-print_certs', '-in']
    const read: Record<(typeof downloadFormats)[number], string[]> = {
      pem: ['storeutl', '-noout', '-text', '-certs'],
      der: ['storeutl', '-noout', '-text', '-certs'],
      chain: ['storeutl', '-noout', '-text', '-certs'],
      all: ['storeutl', '-noout', '-text', '-certs'],
      pkcs7,
      'pkcs7-chain': pkcs7,
    }
    for (const format of downloadFormats) {
      const file = await ada.call(download, { caId, format })
      expect(file.fileName).toMatch(/^Files-Co/)
      const path = opinion.write(file.fileName, Buffer.from(file.content, 'base64'))
      const subjects = opinion
        .run('openssl', ...read[format], path)
        .match(/subject.*/gi)
        ?.filter((line) => line.includes('CN'))
        .map((line) => line.replace(/.*CN ?= ?/, ''))
      expect(subjects).toEqual(format.endsWith('chain') || format === 'all' ? ['Files Issuing', 'Files Root'] : ['Files Issuing'])
    }

    const crt = await house.fetch(`/pki/ca/${publicId}.crt`)
    expect(crt.headers.get('content-type')).toBe('application/pkix-cert')
    opinion.write('served.crt', new Uint8Array(await crt.arrayBuffer()))
    expect(opinion.run('openssl', 'x509', '-inform', 'DER', '-in', 'served.crt')).toBe(certificate?.pem)
    const p7c = await house.fetch(`/pki/ca/${publicId}.p7c`)
    opinion.write('served.p7c', new Uint8Array(await p7c.arrayBuffer()))
    expect(opinion.run('openssl', 'pkcs7', '-inform', 'DER', '-in', 'served.p7c', '-noout', '-print_certs')).toMatch(
      /Files Issuing[\s\S]*Files Root/,
    )
    const pem = await house.fetch(`/pki/ca/${publicId}.pem`)
    expect((await pem.text()).match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
    expect((await house.fetch('/pki/ca/nothing.crt')).status).toBe(404)
    const waiting = await requested()
    expect((await house.fetch(`/pki/ca/${(await ada.call(view, { caId: waiting.caId })).publicId}.crt`)).status).toBe(404)
  })
})

describe('another tenancy', () => {
  it('neither sees nor reaches an authority, and is told what a missing one is told', async () => {
    const { caId } = await ada.call(create, { kind: 'root', friendlyName: 'Private', subject: { CN: 'Private' } })
    const eve = await (await house.tenancy('Other')).person({ permissions: 'all' })
    const missing = '01890000-0000-7000-8000-000000000000'
    expect((await eve.call(list, {})).total).toBe(0)
    for (const id of [caId, missing]) {
      await expect(eve.call(view, { caId: id })).rejects.toMatchObject({ status: 404, code: 'missing' })
      await expect(eve.call(activity, { caId: id })).rejects.toMatchObject({ status: 404 })
      await expect(eve.call(rename, { caId: id, friendlyName: 'Mine' })).rejects.toMatchObject({ status: 404 })
      await expect(eve.call(setIssuing, { caId: id, issuing: false })).rejects.toMatchObject({ status: 404 })
      await expect(eve.call(download, { caId: id, format: 'pem' })).rejects.toMatchObject({ status: 404 })
      await expect(eve.call(importCertificate, { caId: id, certificate: outer() })).rejects.toMatchObject({ status: 404 })
      await expect(
        eve.call(create, { kind: 'subordinate', issuerId: id, friendlyName: 'Mine', subject: { CN: 'Mine' } }),
      ).rejects.toMatchObject({ fields: [{ field: 'issuerId', says: 'There is no such authority' }] })
    }
  })
})

describe('an authority', () => {
  it('is renamed, but not to the name of another', async () => {
    const first = await ada.call(create, { kind: 'root', friendlyName: 'First name', subject: { CN: 'First' } })
    await ada.call(create, { kind: 'root', friendlyName: 'Second name', subject: { CN: 'Second' } })
    await ada.call(rename, { caId: first.caId, friendlyName: 'Third name' })
    expect((await ada.call(view, { caId: first.caId })).friendlyName).toBe('Third name')
    await ada.call(rename, { caId: first.caId, friendlyName: 'THIRD name' })
    await expect(ada.call(rename, { caId: first.caId, friendlyName: 'second NAME' })).rejects.toMatchObject({
      status: 409,
      code: 'nameTaken',
      fields: [{ field: 'friendlyName' }],
    })
    const { rows } = await ada.call(activity, { caId: first.caId })
    expect(rows.slice(0, 2).map(({ name }) => name)).toEqual(['renamed', 'renamed'])
    expect(
      rows
        .slice(2)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['certified', 'created'])
  })

  it('is only for those with the permission', async () => {
    const bob = await acme.person({ permissions: ['certView'] })
    await expect(bob.call(list, {})).rejects.toMatchObject({ status: 403 })
    await expect(bob.call(create, { kind: 'root', friendlyName: 'Bob', subject: { CN: 'Bob' } })).rejects.toMatchObject({ status: 403 })
    await expect(house.signedOut.call(list, {})).rejects.toMatchObject({ status: 401 })
  })
})
