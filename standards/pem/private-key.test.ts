import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { holdsPrivateKey } from './private-key.ts'

const keys = {
  ed25519: generateKeyPairSync('ed25519').privateKey,
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
}
const openssl = (...args: string[]) => execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '/dev/null', '-subj', '/CN=a']

describe('A pasted private key', () => {
  it.each(Object.entries(keys))('is known, whatever its form: %s', (_name, key) => {
    const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
    const bare = pem.replaceAll(/-----[^-]+-----/g, '')
    const encrypted = key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString()
    for (const text of [pem, bare, encrypted, pem.replaceAll('PRIVATE KEY', 'CERTIFICATE REQUEST')])
      expect(holdsPrivateKey(text)).toBe(true)
  })

  it('is known beside a certificate, and in the old forms', () => {
    const certificate = openssl('req', '-x509', ...newKey)
    expect(holdsPrivateKey(certificate + keys.rsa.export({ type: 'pkcs1', format: 'pem' }).toString())).toBe(true)
    expect(holdsPrivateKey(keys.ec.export({ type: 'sec1', format: 'der' }).toString('base64'))).toBe(true)
  })

  it('is a PKCS#12 as well, but where one is asked for', () => {
    const pkcs12 = 'MIIEGgIBAzCCA9AGCSqGSIb3DQEHAaCC'
    expect([holdsPrivateKey(pkcs12), holdsPrivateKey(pkcs12, { pkcs12: true })]).toEqual([true, false])
    const bare = keys.ec.export({ type: 'sec1', format: 'der' }).toString('base64')
    expect(holdsPrivateKey(bare, { pkcs12: true })).toBe(true)
    expect(holdsPrivateKey(keys.rsa.export({ type: 'pkcs8', format: 'pem' }).toString() + pkcs12, { pkcs12: true })).toBe(true)
  })

  it('is not seen in a request, a certificate, a public key or a word', () => {
    const texts = [
      openssl('req', '-new', ...newKey),
      openssl('req', '-x509', ...newKey),
      '',
      'hello',
      generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ]
    for (const text of texts) {
      expect(holdsPrivateKey(text)).toBe(false)
      expect(holdsPrivateKey(text.replaceAll(/-----[^-]+-----/g, ''))).toBe(false)
    }
  })
})
