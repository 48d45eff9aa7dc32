// EST over HTTP as curl speaks it, and at the listener for certificates with the certificate that a device has.

import { execFile, execFileSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { freePort } from '#core/testing/free-port.ts'
import { parseCertificatesOnly } from '#standards/cms/certificates-only.ts'
import { commandLines } from '../command-lines.ts'
import { protocolRoom } from '../contract.ts'
import { estWaitSeconds } from '../rules.ts'
import { openProtocols, type ProtocolFixture } from './protocols.fixture.ts'

let on: ProtocolFixture
let port: number
beforeAll(async () => {
  port = await freePort()
  on = await openProtocols({ certificatePort: port })
})
afterAll(() => on.close())

const derOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`device:${secret}`).toString('base64')}` })
const certificateIn = (base64: string): X509Certificate =>
  new X509Certificate(Buffer.from(parseCertificatesOnly(Buffer.from(base64, 'base64')).certificates[0] ?? new Uint8Array()))

async function ready(more: Parameters<ProtocolFixture['addProfile']>[1] = {}) {
  const { id, url } = await on.addProfile('est', more)
  const { pathname } = new URL(url)
  const ask = (operation: string, init?: RequestInit) => on.fetchFrom(`${pathname}/${operation}`, init)
  const post = (operation: string, body: string | Uint8Array, secret?: string) =>
    ask(operation, {
      method: 'POST',
      headers: { 'content-type': 'application/pkcs10', ...(secret === undefined ? {} : basic(secret)) },
      body: typeof body === 'string' ? body : Buffer.from(body),
    })
  return { id, pathname, ask, post }
}

const requestFor = (name: string, keyFile?: string) =>
  on.tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`], ...(keyFile === undefined ? {} : { keyFile }) })

describe('A client with a secret', () => {
  test('reads the certificates and attributes, and gets its certificate, the same for the same request', async () => {
    const { id, ask, post } = await ready()
    const given = await ask('cacerts')
    expect(given.headers.get('content-transfer-encoding')).toBe('base64')
    const text = await given.text()
    expect(text).not.toContain('\n')
    expect(parseCertificatesOnly(Buffer.from(text, 'base64')).certificates).toHaveLength(2)
    const wanted = await ask('csrattrs')
    expect(wanted.status).toBe(200)
    const { secret } = await on.secret(id)
    const { csr } = requestFor('router.example.org')
    const first = await post('simpleenroll', derOf(csr).toString('base64'), secret)
    expect(first.headers.get('content-type')).toBe('application/pkcs7-mime; smime-type=certs-only')
    const leaf = certificateIn(await first.text())
    expect(leaf.subjectAltName).toBe('DNS:router.example.org')
    // PEM and plain DER are taken as well, and the same request is answered the same.
    for (const body of [csr, derOf(csr)])
      expect(certificateIn(await (await post('simpleenroll', body, secret)).text()).serialNumber).toBe(leaf.serialNumber)
    const other = await post('simpleenroll', requestFor('router.example.org').csr, secret)
    expect([other.status, await other.text()]).toEqual([403, 'The challenge or secret is not known here, was used, or has ended\n'])
  })

  test.each([0, 64, 76] as const)(
    'gets lines of the length that its profile says, %i, and is told how long the answer is',
    async (lineLength) => {
      const { ask } = await ready({ lineLength })
      const answer = await ask('cacerts')
      const text = await answer.text()
      expect(answer.headers.get('content-length')).toBe(String(text.length))
      const lines = text.trimEnd().split('\r\n')
      expect(lines.length === 1 ? 0 : Math.max(...lines.map((line) => line.length))).toBe(lineLength)
    },
  )

  test('is refused in the words of the template, and for another name', async () => {
    const { id, post } = await ready()
    const { secret } = await on.secret(id)
    const strange = await post('simpleenroll', requestFor('bank.example.org').csr, secret)
    expect([strange.status, await strange.text()]).toEqual([403, 'The secret is not for the name bank.example.org\n'])
    const weak = on.tools.csr({
      key: ['rsa', '-pkeyopt', 'rsa_keygen_bits:1024'],
      subject: '/CN=router.example.org',
      extensions: ['subjectAltName=DNS:router.example.org'],
    })
    expect((await post('simpleenroll', weak.csr, secret)).status).toBe(400)
    expect((await post('simpleenroll', requestFor('router.example.org').csr, secret)).status).toBe(200)
  })

  test('waits where somebody must agree', async () => {
    const { id, post } = await ready({ templateId: on.approvedId })
    const { secret } = await on.secret(id)
    const waits = await post('simpleenroll', requestFor('router.example.org').csr, secret)
    expect([waits.status, waits.headers.get('retry-after')]).toEqual([202, '60'])
  })

  test('gets a key that was made here, where the profile says so', async () => {
    const refused = await ready()
    const { csr } = requestFor('router.example.org')
    expect((await refused.post('serverkeygen', csr)).status).toBe(403)
    const { id, post } = await ready({ serverKeys: true })
    const { secret } = await on.secret(id)
    const answer = await post('serverkeygen', csr, secret)
    const boundary = /boundary=(\w+)/.exec(answer.headers.get('content-type') ?? '')?.[1] ?? 'none'
    const [, key = '', certificate = ''] = (await answer.text())
      .split(`--${boundary}`)
      .map((part) => part.split('\r\n\r\n')[1]?.trim() ?? '')
    const leaf = certificateIn(certificate)
    expect(leaf.checkPrivateKey(createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' }))).toBe(true)
    expect(leaf.subjectAltName).toBe('DNS:router.example.org')
  })
})

describe('A stranger', () => {
  test('is asked for a password, and told plainly what is not offered', async () => {
    const { post, pathname } = await ready()
    const { csr } = requestFor('router.example.org')
    const none = await post('simpleenroll', csr)
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="EST", charset="UTF-8"'])
    expect((await post('simpleenroll', csr, 'wrong')).status).toBe(401)
    expect((await post('fullcmc', csr)).status).toBe(501)
    expect((await post('simpleenroll', 'not base64 at all!')).status).toBe(400)
    expect((await on.fetchFrom(`${pathname.slice(0, -12)}AAAAAAAAAAAA/cacerts`)).status).toBe(404)
  })
})

describe('A client with a certificate', () => {
  test('renews by it at the listener for certificates, and nowhere by a header', async () => {
    const { id, post, pathname } = await ready()
    const { secret } = await on.secret(id)
    const device = requestFor('router.example.org')
    const first = certificateIn(await (await post('simpleenroll', device.csr, secret)).text())
    const next = requestFor('router.example.org')
    const show = (csr: string) =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const asking = httpsRequest(
          {
            host: 'localhost',
            port,
            path: `${pathname}/simplereenroll`,
            method: 'POST',
            cert: first.toString(),
            key: readFileSync(device.keyFile),
            rejectUnauthorized: false,
          },
          (response) => {
            let text = ''
            response.on('data', (piece: Buffer) => void (text += piece.toString()))
            response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
          },
        )
        asking.on('error', reject)
        asking.end(csr)
      })
    const renewed = await show(next.csr)
    expect(renewed.status).toBe(200)
    expect(certificateIn(renewed.text).subjectAltName).toBe('DNS:router.example.org')
    const more = await show(requestFor('bank.example.org').csr)
    expect([more.status, more.text]).toEqual([403, 'The certificate that is renewed has not the name bank.example.org\n'])
    const byHeader = await on.fetchFrom(`${pathname}/simplereenroll`, {
      method: 'POST',
      headers: { 'client-cert': `:${first.raw.toString('base64')}:` },
      body: next.csr,
    })
    expect(byHeader.status).toBe(401)
    const { rows } = await on.admin.call(protocolRoom.calls.transactions, { protocol: 'est', text: 'router' })
    expect(rows.some(({ kind, state }) => kind === 'renewal' && state === 'issued')).toBe(true)
  })
})

/** Runs the lines for curl and openssl as they are copied, with less patience; the server answers from this process, and must not wait for the shell. */
async function runLines(id: string): Promise<string> {
  const { secret } = await on.secret(id)
  const { clients } = await on.admin.call(protocolRoom.calls.commandLines, { id })
  const script = (clients[0]?.text ?? 'false')
    .replaceAll(new URL((await on.admin.call(protocolRoom.calls.profile, { id })).url).origin, on.house.origin)
    .replaceAll('SECRET', secret)
    .replaceAll(`sleep ${estWaitSeconds}`, 'sleep 0.1')
  const folder = on.tools.write('').replace(/[^/]+$/, '')
  await promisify(execFile)('bash', ['-ec', `rm -f device.crt\n${script}`], { cwd: folder })
  return execFileSync('openssl', ['x509', '-in', `${folder}device.crt`, '-noout', '-ext', 'subjectAltName']).toString()
}

test('The lines for curl and openssl get a certificate as they are copied', async () => {
  const { id } = await ready()
  expect(await runLines(id)).toContain('DNS:router.example.org')
})

test('The lines for curl and openssl wait where somebody must agree, which stands beside them, and get it then', async () => {
  const { id } = await ready({ templateId: on.approvedId })
  const shown = await on.admin.call(protocolRoom.calls.commandLines, { id })
  expect(shown).toMatchObject({ approvals: 1, template: expect.stringMatching(/^TLS/) as string })
  const waits = async () =>
    (await on.admin.call(protocolRoom.calls.transactions, { protocol: 'est', state: 'pending', size: 1 })).rows[0]?.requestId
  const before = await waits()
  const running = runLines(id)
  await expect.poll(waits).not.toBe(before)
  await on.pki.bob.call(certificates.calls.decide, { requestId: (await waits()) ?? '', round: 1, verdict: 'approve' })
  expect(await running).toContain('DNS:router.example.org')
})

test('Clients that speak EST over TLS alone are told so, and where the certificate of the address comes from', () => {
  const lines = (url: string) => commandLines('est', { url, origin: new URL(url).origin })
  const secure = lines('https://pki.example.org/.well-known/est/AAAAAAAAAAAA')
  for (const { text } of secure) {
    expect(text).toContain('openssl s_client -connect pki.example.org:443 -servername pki.example.org')
    expect(text.indexOf('> tls-ca.pem')).toBeLessThan(text.lastIndexOf('tls-ca.pem'))
  }
  const [curl, ...others] = lines('http://localhost:8080/.well-known/est/AAAAAAAAAAAA')
  expect(curl?.text).not.toContain('tls-ca.pem')
  for (const { hint, text } of others)
    expect([hint.join(' ').includes('this address has none'), text.includes('http:')]).toEqual([true, false])
})
