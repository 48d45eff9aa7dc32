// Every kind of key, from the request to the revocation, through the running product's calls; OpenSSL, GnuTLS and NSS say at each step whether
// what came out is right. The requests are theirs as well.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { commonKeyAlgorithms, type CommonKeyAlgorithm } from '#areas/keys/rules.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { templatePresets } from '#areas/templates/presets.ts'
import { judges } from './support/judges.ts'
import { invite, setUp, type Person } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { openWorkbench, type Workbench } from './support/workbench.ts'

let product: Product
let ada: Person
let bob: Person

beforeAll(async () => {
  product = await startProduct()
  ada = (await setUp(product, 'ada')).administrator
  bob = await invite(product, ada, 'bob', 'Certificate officer')
})
afterAll(() => product.stop())

/** How each tool is told which key to make. */
const keyOptions: Record<CommonKeyAlgorithm, { openssl: string[]; certtool: string[] }> = {
  'RSA-2048': { openssl: ['rsa:2048'], certtool: ['--key-type=rsa', '--bits=2048'] },
  'RSA-3072': { openssl: ['rsa:3072'], certtool: ['--key-type=rsa', '--bits=3072'] },
  'RSA-4096': { openssl: ['rsa:4096'], certtool: ['--key-type=rsa', '--bits=4096'] },
  'P-256': { openssl: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], certtool: ['--key-type=ecdsa', '--curve=secp256r1'] },
  'P-384': { openssl: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'], certtool: ['--key-type=ecdsa', '--curve=secp384r1'] },
  Ed25519: { openssl: ['ed25519'], certtool: ['--key-type=ed25519'] },
}

/** NSS of Debian 12 knows no Ed25519. */
const nssReads = (algorithm: CommonKeyAlgorithm) => algorithm !== 'Ed25519'

function opensslRequest(bench: Workbench, algorithm: CommonKeyAlgorithm, name: string): string {
  bench.run(
    'openssl',
    'req',
    '-new',
    '-newkey',
    ...keyOptions[algorithm].openssl,
    '-nodes',
    '-keyout',
    'leaf.key',
    '-out',
    'leaf.csr',
    '-subj',
    `/CN=${name}`,
    '-addext',
    `subjectAltName=DNS:${name},DNS:www.${name},IP:192.0.2.7`,
  )
  return bench.read('leaf.csr').toString()
}

function certtoolRequest(bench: Workbench, algorithm: CommonKeyAlgorithm, name: string): string {
  bench.write('request.template', `cn = "${name}"\ndns_name = "${name}"\ntls_www_server\nsigning_key\n`)
  bench.run('certtool', '--generate-privkey', ...keyOptions[algorithm].certtool, '--outfile', 'gnutls.key')
  bench.run('certtool', '--generate-request', '--load-privkey', 'gnutls.key', '--template', 'request.template', '--outfile', 'gnutls.csr')
  return bench.read('gnutls.csr').toString()
}

async function makeTemplate(caId: string, presetName: string): Promise<string> {
  const preset = templatePresets.find(({ templateName }) => templateName === presetName)
  if (preset === undefined) throw new Error(`There is no preset ${presetName}`)
  const { says: _, ...draft } = preset
  return (await ada.call(templates.calls.add, { ...draft, caId })).templateId
}

const fileOf = async (certId: string, format: 'pem' | 'der' | 'chain' | 'pkcs7' | 'pkcs7Chain') =>
  Buffer.from((await ada.call(certificates.calls.download, { certId, format })).content, 'base64')

/** Asks as Ada, approves as Bob. */
async function obtain(templateId: string, csr: string): Promise<{ certId: string; caId: string }> {
  const asked = await ada.call(certificates.calls.requestForDevice, { templateId, csr })
  expect(asked).toMatchObject({ status: 'under_submission', error: '' })
  const decided = await bob.call(certificates.calls.decide, { requestId: asked.requestId, round: 1, verdict: 'approve' })
  expect(decided).toMatchObject({ status: 'issued', error: '' })
  return { certId: decided.certificateId ?? '', caId: asked.caId }
}

async function fetchList(bench: Workbench, name: string, url: string): Promise<string> {
  bench.write(`${name}.der`, Buffer.from(await (await fetch(url)).arrayBuffer()))
  bench.run('openssl', 'crl', '-inform', 'DER', '-in', `${name}.der`, '-out', name)
  return /X509v3 CRL Number:\s+(\S+)/.exec(bench.run('openssl', 'crl', '-in', name, '-noout', '-text'))?.[1] ?? ''
}

describe.each(commonKeyAlgorithms)('a two-tier authority with %s keys', (algorithm) => {
  const name = `${algorithm.toLowerCase()}.example.org`
  const bench = openWorkbench()
  afterAll(() => bench.clear())
  const ofNss = (verdict: 'good' | 'revoked') => (nssReads(algorithm) ? verdict : 'unreadable')
  let issuing: { caId: string; addresses: { crl: string; ocsp: string } }
  let rootCrl: string
  let leaf: { certId: string; caId: string }

  beforeAll(async () => {
    const make = async (kind: 'root' | 'subordinate', title: string, issuerId?: string) => {
      const { caId } = await ada.call(authorities.calls.create, {
        kind,
        friendlyName: `${algorithm} ${title}`,
        subject: { C: 'AU', O: 'Northwind', CN: `Northwind ${algorithm} ${title}` },
        keyAlgorithm: algorithm,
        ...(issuerId === undefined ? {} : { issuerId }),
      })
      return ada.call(authorities.calls.view, { caId })
    }
    const root = await make('root', 'Root')
    const below = await make('subordinate', 'Issuing', root.id)
    bench.write('root.pem', root.certificate?.pem ?? '')
    bench.write('issuing.pem', below.certificate?.pem ?? '')
    issuing = { caId: below.id, addresses: below.addresses }
    rootCrl = root.addresses.crl
  })

  test('issues for an OpenSSL request, after the approval, what OpenSSL, GnuTLS and NSS verify', async () => {
    const templateId = await makeTemplate(issuing.caId, 'TLSServer')
    leaf = await obtain(templateId, opensslRequest(bench, algorithm, name))
    bench.write('leaf.pem', await fileOf(leaf.certId, 'pem'))
    expect(bench.run('openssl', 'x509', '-in', 'leaf.pem', '-noout', '-pubkey')).toBe(
      bench.run('openssl', 'pkey', '-in', 'leaf.key', '-pubout'),
    )
    expect(judges.opensslChain(bench, 'leaf.pem', '-purpose', 'sslserver', '-verify_hostname', `www.${name}`)).toMatchObject({
      ok: true,
      text: 'leaf.pem: OK\n',
    })
    expect(judges.opensslChain(bench, 'leaf.pem', '-verify_hostname', 'other.example.org').ok).toBe(false)
    expect(judges.gnutlsChain(bench, 'leaf.pem').text).toContain('Chain verification output: Verified. The certificate is trusted.')
    expect(judges.nss(bench, 'leaf.pem', false)).toBe(ofNss('good'))
  })

  test('issues for a GnuTLS request', async () => {
    const templateId =
      (await ada.call(templates.calls.names, { caId: issuing.caId })).templates.find((one) => one.class === 'DEVICE')?.id ?? ''
    const { certId } = await obtain(templateId, certtoolRequest(bench, algorithm, `gnutls.${name}`))
    bench.write('gnutls.pem', await fileOf(certId, 'pem'))
    expect(judges.gnutlsChain(bench, 'gnutls.pem').text).toContain('Chain verification output: Verified. The certificate is trusted.')
    expect(judges.opensslChain(bench, 'gnutls.pem', '-purpose', 'sslserver', '-verify_hostname', `gnutls.${name}`).ok).toBe(true)
    expect(judges.nss(bench, 'gnutls.pem', false)).toBe(ofNss('good'))
  })

  test('hands the certificate out as DER, chain and PKCS#7, as OpenSSL and GnuTLS read them', async () => {
    bench.write('leaf.der', await fileOf(leaf.certId, 'der'))
    expect(bench.run('openssl', 'x509', '-inform', 'DER', '-in', 'leaf.der')).toBe(bench.run('openssl', 'x509', '-in', 'leaf.pem'))
    bench.write('whole.pem', await fileOf(leaf.certId, 'chain'))
    expect(bench.run('openssl', 'verify', '-CAfile', 'root.pem', '-untrusted', 'whole.pem', 'whole.pem')).toContain('OK')
    expect(bench.run('certtool', '--verify-chain', '--infile', 'whole.pem')).toContain(
      'Chain verification output: Verified. The certificate is trusted.',
    )
    bench.write('leaf.p7b', await fileOf(leaf.certId, 'pkcs7Chain'))
    const inside = bench.run('openssl', 'pkcs7', '-inform', 'DER', '-in', 'leaf.p7b', '-print_certs', '-noout')
    for (const subject of [name, `Northwind ${algorithm} Issuing`, `Northwind ${algorithm} Root`])
      expect(inside).toMatch(new RegExp(`subject=.*CN ?= ?${subject}\n`))
    expect(bench.run('certtool', '--p7-info', '--inder', '--infile', 'leaf.p7b')).toContain('Number of certificates: 3')
  })

  test('is called good in its lists and by OCSP, by POST with a nonce, by GET, and to GnuTLS', async () => {
    await fetchList(bench, 'root.crl', rootCrl)
    await fetchList(bench, 'issuing.crl', issuing.addresses.crl)
    for (const [list, signer] of [
      ['root.crl', 'root.pem'],
      ['issuing.crl', 'issuing.pem'],
    ] as const) {
      expect(judges.opensslListSignature(bench, list, signer).text).toContain('verify OK')
      expect(judges.gnutlsListSignature(bench, list, signer).text).toContain('Verified')
    }
    expect(judges.opensslLists(bench, 'leaf.pem')).toMatchObject({ ok: true })
    expect(judges.gnutlsLists(bench, 'leaf.pem').text).toContain('Chain verification output: Verified')
    const post = judges.ocspByPost(bench, 'leaf.pem', issuing.addresses.ocsp)
    expect(post).toMatchObject({ verdict: 'good', text: expect.stringContaining('Response verify OK') })
    expect(post.text).not.toContain('WARNING')
    expect(judges.ocspByGet(bench, 'leaf.pem', issuing.addresses.ocsp)).toMatchObject({
      verdict: 'good',
      text: expect.stringContaining('Response verify OK'),
    })
    expect(judges.ocspByGnutls(bench, 'leaf.pem', issuing.addresses.ocsp)).toMatchObject({
      verdict: 'good',
      text: expect.stringMatching(/Verifying OCSP Response: Success/),
    })
    expect(judges.nss(bench, 'leaf.pem', true)).toBe(ofNss('good'))
  })

  test('is called revoked by OCSP within a second of the revocation, and by the next list', async () => {
    const before = await fetchList(bench, 'issuing.crl', issuing.addresses.crl)
    expect(await ada.call(revocation.calls.revoke, { certId: leaf.certId, reason: 'keyCompromise' })).toMatchObject({
      ok: true,
      status: 'revoked',
      online: true,
    })
    // `online` promises it from the answer on: no question after that is told of the time before.
    expect(judges.ocspByPost(bench, 'leaf.pem', issuing.addresses.ocsp)).toMatchObject({
      verdict: 'revoked',
      text: expect.stringContaining('Reason: keyCompromise'),
    })
    expect(judges.ocspByGet(bench, 'leaf.pem', issuing.addresses.ocsp).verdict).toBe('revoked')
    expect(judges.ocspByGnutls(bench, 'leaf.pem', issuing.addresses.ocsp).verdict).toBe('revoked')

    await expect
      .poll(() => fetchList(bench, 'issuing.crl', issuing.addresses.crl), { message: 'the number of the next list' })
      .not.toBe(before)
    expect(judges.opensslListSignature(bench, 'issuing.crl', 'issuing.pem').text).toContain('verify OK')
    expect(judges.gnutlsListSignature(bench, 'issuing.crl', 'issuing.pem').text).toContain('Verified')
    expect(judges.opensslLists(bench, 'leaf.pem')).toMatchObject({ ok: false, text: expect.stringContaining('certificate revoked') })
    expect(judges.opensslLists(bench, 'gnutls.pem').ok).toBe(true)
    expect(judges.gnutlsLists(bench, 'leaf.pem').text).toMatch(/revoked/i)
    expect(judges.nss(bench, 'leaf.pem', true)).toBe(ofNss('revoked'))
    expect(judges.nss(bench, 'gnutls.pem', true)).toBe(ofNss('good'))
  })

  test('makes the key itself where there is no request, and hands it out as PKCS#12', async () => {
    const templateId = await makeTemplate(issuing.caId, 'Device')
    const asked = await ada.call(certificates.calls.requestForDevice, {
      templateId,
      key: algorithm,
      values: { CommonName: [`made.${name}`], DNS: [`made.${name}`] },
    })
    const password = 'correct horse battery'
    const { pkcs12 } = await ada.call(certificates.calls.collectKey, { requestId: asked.requestId, password })
    bench.write('made.p12', Buffer.from(pkcs12, 'base64'))
    bench.run('openssl', 'pkcs12', '-in', 'made.p12', '-passin', `pass:${password}`, '-nodes', '-nocerts', '-out', 'made.key')
    bench.run('openssl', 'pkcs12', '-in', 'made.p12', '-passin', `pass:${password}`, '-clcerts', '-nokeys', '-out', 'made.pem')
    expect(bench.run('openssl', 'x509', '-in', 'made.pem', '-noout', '-pubkey')).toBe(
      bench.run('openssl', 'pkey', '-in', 'made.key', '-pubout'),
    )
    expect(judges.opensslChain(bench, 'made.pem').ok).toBe(true)
    expect(bench.ask('openssl', 'pkcs12', '-in', 'made.p12', '-passin', 'pass:wrong password', '-noout').ok).toBe(false)
    expect(bench.run('certtool', '--p12-info', '--inder', '--infile', 'made.p12', '--password', password)).toContain('BEGIN CERTIFICATE')
    expect(judges.nssPkcs12(bench, 'made.p12', password)).toBe(nssReads(algorithm))
  })

  test('can be signed outside instead: OpenSSL signs its request, and it issues under that root', async () => {
    const outside = openWorkbench()
    outside.run(
      'openssl',
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      'outside.key',
      '-out',
      'root.pem',
      '-days',
      '3650',
      '-subj',
      '/O=Outside/CN=Outside Root',
      '-addext',
      'keyUsage=critical,keyCertSign,cRLSign',
    )
    const { caId } = await ada.call(authorities.calls.create, {
      kind: 'outside',
      friendlyName: `${algorithm} Outside`,
      subject: { O: 'Northwind', CN: `Northwind ${algorithm} Outside` },
      keyAlgorithm: algorithm,
    })
    outside.write('request.pem', (await ada.call(authorities.calls.view, { caId })).request ?? '')
    expect(outside.ask('openssl', 'req', '-verify', '-noout', '-in', 'request.pem').text).toMatch(/verify OK/i)
    expect(outside.run('certtool', '--crq-info', '--infile', 'request.pem')).toContain('Self signature: verified')
    outside.write(
      'extensions.cnf',
      'basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n',
    )
    outside.run(
      'openssl',
      'x509',
      '-req',
      '-in',
      'request.pem',
      '-CA',
      'root.pem',
      '-CAkey',
      'outside.key',
      '-CAcreateserial',
      '-days',
      '2000',
      '-extfile',
      'extensions.cnf',
      '-out',
      'issuing.pem',
    )
    await ada.call(authorities.calls.importCertificate, {
      caId,
      certificate: outside.read('issuing.pem').toString() + outside.read('root.pem').toString(),
    })
    const { certId } = await obtain(await makeTemplate(caId, 'TLSServer'), opensslRequest(outside, algorithm, `outside.${name}`))
    outside.write('leaf.pem', await fileOf(certId, 'pem'))
    expect(judges.opensslChain(outside, 'leaf.pem', '-purpose', 'sslserver')).toMatchObject({ ok: true })
    expect(judges.gnutlsChain(outside, 'leaf.pem').text).toContain('Chain verification output: Verified. The certificate is trusted.')
    const { addresses } = await ada.call(authorities.calls.view, { caId })
    expect(judges.ocspByPost(outside, 'leaf.pem', addresses.ocsp)).toMatchObject({ verdict: 'good' })
    outside.clear()
  })
})
