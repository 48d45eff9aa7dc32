import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import type { VerificationReport } from '#standards/verify/report.ts'
import { runCommand } from './main.ts'

const { folder, path: at, write, run, remove } = openToolFolder()
const openssl = (...args: string[]) => run('openssl', ...args)

beforeAll(() => {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const issue = (name: string, issuer: string, extensions: string) => {
    write(`${name}.ext`, extensions)
    openssl('req', '-new', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/O=Acme/CN=${name}`)
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      `${issuer}.pem`,
      '-CAkey',
      `${issuer}.key`,
      '-CAcreateserial',
      '-days',
      '90',
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.pem`,
    )
  }
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'root.key',
    '-out',
    'root.pem',
    '-days',
    '365',
    '-subj',
    '/O=Acme/CN=root',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
  )
  issue('middle', 'root', 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign')
  issue('leaf', 'middle', 'basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=DNS:www.example.org')
  write('ca.cnf', '[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\ndefault_md=sha256\ndefault_crl_days=7\n')
  const serial = openssl('x509', '-in', 'leaf.pem', '-noout', '-serial').replace('serial=', '').trim()
  write('index.txt', `R\t360101000000Z\t260102030405Z,keyCompromise\t${serial}\tunknown\t/CN=leaf\n`)
  openssl('ca', '-config', 'ca.cnf', '-gencrl', '-cert', 'middle.pem', '-keyfile', 'middle.key', '-out', 'middle.crl')
  write('clean.cnf', '[ca]\ndefault_ca=d\n[d]\ndatabase=empty.txt\ndefault_md=sha256\ndefault_crl_days=7\n')
  write('empty.txt', '')
  openssl('crl2pkcs7', '-nocrl', '-certfile', 'middle.pem', '-certfile', 'root.pem', '-out', 'chain.p7b')
  openssl('x509', '-in', 'leaf.pem', '-outform', 'DER', '-out', 'leaf.der')
})
afterAll(remove)

async function chancery(...words: string[]): Promise<{ code: number; out: string; error: string }> {
  const said = { out: '', error: '' }
  const code = await runCommand(words, { out: (text) => (said.out += text), error: (text) => (said.error += text) })
  return { code, ...said }
}
const files = () => ['--roots', at('root.pem'), '--intermediates', at('middle.pem')]

describe('chancery verify', () => {
  test('shows the path of a valid certificate and ends with 0', async () => {
    const { code, out } = await chancery('verify', ...files(), '--purpose', 'serverAuth', '--name', 'www.example.org', at('leaf.pem'))
    expect(code).toBe(0)
    expect(out).toMatch(
      /^The path is valid; revocation was not checked\.\nAsked for .*, purpose serverAuth\.\n\nThe path:\n\u2713 CN=leaf,O=Acme {2}\(EC P-256, to .*\)\n {2}\u2713 CN=middle,O=Acme .*\n {4}\u2713 CN=root,O=Acme /,
    )
  })

  test('says of a valid certificate that no list was there to tell whether it is revoked', async () => {
    const unchecked = 'Where no revocation is named, it was not checked'
    expect((await chancery('verify', ...files(), at('leaf.pem'))).out).toContain(unchecked)
    openssl('ca', '-config', 'clean.cnf', '-gencrl', '-cert', 'middle.pem', '-keyfile', 'middle.key', '-out', 'clean.crl')
    openssl('ca', '-config', 'clean.cnf', '-gencrl', '-cert', 'root.pem', '-keyfile', 'root.key', '-out', 'root.crl')
    const { code, out } = await chancery('verify', ...files(), '--crls', at('clean.crl'), '--crls', at('root.crl'), at('leaf.pem'))
    expect([code, out.includes('revocation: good'), out.includes(unchecked)]).toEqual([0, true, false])
  })

  test('says what is wrong with an invalid one and ends with 1', async () => {
    const { code, out } = await chancery(
      'verify',
      ...files(),
      '--purpose',
      'clientAuth',
      '--name',
      'example.org',
      '--crls',
      at('middle.crl'),
      at('leaf.pem'),
    )
    expect(code).toBe(1)
    expect(out).toContain('It is for serverAuth (1.3.6.1.5.5.7.3.1), not for TLS clients. [RFC 5280 4.2.1.12]')
    expect(out).toContain('It is not for example.org. It is for www.example.org. [RFC 9525 6]')
    expect(out).toContain('It was revoked on 2026-01-02 03:04 UTC. The reason given is keyCompromise. [RFC 5280 6.1.3 (a)(3)]')
  })

  test('says the same as JSON', async () => {
    const { code, out } = await chancery('verify', ...files(), '--json', at('leaf.der'))
    const report = JSON.parse(out) as VerificationReport
    expect([code, report.verdict, report.path?.certificates.map(({ role }) => role)]).toEqual([
      0,
      'valid',
      ['leaf', 'intermediate', 'root'],
    ])
    const later = await chancery('verify', ...files(), '--json', '--time', '2090-01-01', at('leaf.pem'))
    expect(later.code).toBe(1)
    expect((JSON.parse(later.out) as VerificationReport).reasons.map((reason) => `${reason.code}: ${reason.certificate}`)).toEqual([
      'expired: CN=root,O=Acme',
      'expired: CN=middle,O=Acme',
      'expired: CN=leaf,O=Acme',
    ])
  })

  test('takes the chain out of a PKCS#7 file', async () => {
    expect((await chancery('verify', '--roots', at('root.pem'), '--intermediates', at('chain.p7b'), at('leaf.pem'))).code).toBe(0)
  })

  test('can demand revocation lists', async () => {
    const { code, out } = await chancery('verify', ...files(), '--require-crls', at('leaf.pem'))
    expect([code, out.includes('No list at hand speaks about it.')]).toEqual([1, true])
  })

  test.each<[string, () => string[], RegExp]>([
    ['no certificate', () => files(), /^Name one certificate to verify/],
    ['no roots', () => [at('leaf.pem')], /^--roots: Give at least one root to trust/],
    ['a file that is not there', () => ['--roots', at('none.pem'), at('leaf.pem')], /none\.pem cannot be read: ENOENT/],
    [
      'a file of something else',
      () => ['--roots', at('root.key'), at('leaf.pem')],
      /^--roots: There is a private key where certificates are expected/,
    ],
    [
      'a certificate where lists are expected',
      () => [...files(), '--crls', at('root.pem'), at('leaf.pem')],
      /^--crls: There is a certificate where revocation lists are expected/,
    ],
    ['a time that is none', () => [...files(), '--time', 'tomorrow', at('leaf.pem')], /^--time: Give the time as/],
    ['a purpose that is none', () => [...files(), '--purpose', 'world', at('leaf.pem')], /^--purpose: "world" is no purpose known here/],
    ['a name that is none', () => [...files(), '--name', 'a b', at('leaf.pem')], /^--name: Give a host name/],
    ['a policy that is none', () => [...files(), '--policy', 'x', at('leaf.pem')], /^--policy: "x" is no object identifier/],
    ['an option that is none', () => ['--trust', at('root.pem'), at('leaf.pem')], /Unknown option '--trust'/],
  ])('refuses %s with 2', async (_what, words, says) => {
    const { code, out, error } = await chancery('verify', ...words())
    expect([code, out]).toEqual([2, ''])
    expect(error).toMatch(says)
  })

  test('is a program that runs on whatever Node there is', () => {
    const program = join(import.meta.dirname, 'chancery.mjs')
    const { status, stdout } = spawnSync(process.execPath, [program, 'verify', ...files(), 'leaf.pem'], { cwd: folder, encoding: 'utf8' })
    expect([status, stdout.startsWith('The path is valid; revocation was not checked.')]).toEqual([0, true])
  })
})

describe('chancery', () => {
  test('lists its commands', async () => {
    expect((await chancery('--help')).out).toMatch(/verify {5}Verify a certificate/)
    expect((await chancery()).code).toBe(2)
    expect((await chancery('dance')).error).toMatch(/^"dance" is no command\./)
    expect((await chancery('constructor')).code).toBe(2)
    expect((await chancery('verify', '--help')).out).toMatch(/^Usage: chancery verify/)
  })
})
