import { afterAll, describe, expect, test } from 'vitest'
import { openSslFolder } from '../crl/openssl-authority.fixture.ts'
import { DerError } from '../der/reader.ts'
import { certificatesOnly, parseCertificatesOnly } from './certificates-only.ts'

const folder = openSslFolder()
afterAll(() => folder.remove())

const root = folder.authority('Root', 'P-256')
const leaf = folder.issue('leaf', root, 'Ed25519')
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('certificates in PKCS#7', () => {
  test('are shown by OpenSSL in our order, the leaf first', () => {
    folder.write('chain.p7b', certificatesOnly([leaf.der, root.der]))
    const text = folder.run('openssl', 'pkcs7', '-inform', 'DER', '-in', 'chain.p7b', '-print_certs', '-noout')
    expect(text.match(/^subject=.*$/gm)).toEqual(['subject=O = Chancery Test, CN = leaf', 'subject=O = Chancery Test, CN = Root'])
  })

  test('are read by GnuTLS too', () => {
    folder.write('chain.p7b', certificatesOnly([leaf.der, root.der]))
    expect(folder.run('certtool', '--p7-info', '--inder', '--infile', 'chain.p7b')).toContain('Number of certificates: 2')
  })

  test('come back as they were', () => {
    const carried = parseCertificatesOnly(certificatesOnly([leaf.der, root.der]))
    expect(carried.certificates.map(hexOf)).toEqual([hexOf(leaf.der), hexOf(root.der)])
    expect(carried.crls).toEqual([])
  })

  test('of OpenSSL are read, with a CRL and with a signed message beside them', () => {
    folder.write('ca.cnf', '[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\ndefault_md=sha256\ndefault_crl_days=7\n')
    folder.write('index.txt', '')
    folder.run('openssl', 'ca', '-config', 'ca.cnf', '-gencrl', '-cert', 'Root.pem', '-keyfile', 'Root.key', '-out', 'root.crl')
    folder.run(
      'openssl',
      'crl2pkcs7',
      '-in',
      'root.crl',
      '-certfile',
      'leaf.pem',
      '-certfile',
      'Root.pem',
      '-outform',
      'DER',
      '-out',
      'theirs.p7b',
    )
    const carried = parseCertificatesOnly(folder.read('theirs.p7b'))
    expect(carried.certificates.map(hexOf)).toEqual([hexOf(leaf.der), hexOf(root.der)])
    expect(carried.crls).toHaveLength(1)

    folder.write('message', 'hello')
    folder.run(
      'openssl',
      'cms',
      '-sign',
      '-in',
      'message',
      '-signer',
      'Root.pem',
      '-inkey',
      'Root.key',
      '-outform',
      'DER',
      '-nodetach',
      '-out',
      'message.p7m',
    )
    expect(parseCertificatesOnly(folder.read('message.p7m')).certificates.map(hexOf)).toEqual([hexOf(root.der)])
  })

  test('none at all, and what is no certificate, cannot be carried', () => {
    expect(() => certificatesOnly([])).toThrow(RangeError)
    expect(() => certificatesOnly([leaf.der, Buffer.from('not DER')])).toThrow(/^certificates\[1\]/)
  })

  test('another kind of message is told apart', () => {
    expect(() => parseCertificatesOnly(leaf.der)).toThrow(DerError)
    expect(() => parseCertificatesOnly(Buffer.from('300b06092a864886f70d010701', 'hex'))).toThrow(
      'contentType: The message is not signed data',
    )
  })

  test('every beginning and every changed bit is refused or read, and never anything else', () => {
    const der = certificatesOnly([leaf.der])
    for (let length = 0; length < der.length; length += 1) expect(() => parseCertificatesOnly(der.subarray(0, length))).toThrow(DerError)
    let refused = 0
    for (let bit = 0; bit < der.length * 8; bit += 1) {
      const changed = Uint8Array.from(der)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      try {
        parseCertificatesOnly(changed)
      } catch (error) {
        if (!(error instanceof DerError)) throw error
        refused += 1
      }
    }
    expect(refused).toBeGreaterThan(der.length / 2)
  })
})
