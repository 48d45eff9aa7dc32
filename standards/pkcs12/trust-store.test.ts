import { afterAll, expect, test } from 'vitest'
import { openSslFolder } from '../crl/openssl-authority.fixture.ts'
import { buildPkcs12TrustStore } from './trust-store.ts'

const folder = openSslFolder()
afterAll(() => folder.remove())

const root = folder.authority('Root', 'P-256')
const leaf = folder.issue('leaf', root, 'P-256')

test('A trust store gives OpenSSL and GnuTLS its certificates under the password, and no key', async () => {
  folder.write('store.p12', await buildPkcs12TrustStore({ certificates: [leaf.der, root.der], trusted: [root.der], password: 'changeit' }))
  const inside = folder.run('openssl', 'pkcs12', '-in', 'store.p12', '-passin', 'pass:changeit', '-nodes')
  expect(inside.match(/^subject=.*$/gm)).toEqual(['subject=O = Chancery Test, CN = leaf', 'subject=O = Chancery Test, CN = Root'])
  expect(inside).not.toContain('PRIVATE KEY')
  // Java takes for a trust anchor what has this mark, and passes over the rest.
  expect(inside.match(/2\.16\.840\.1\.113894\.746875\.1\.1/g)).toHaveLength(1)
  expect(folder.ask('certtool', '--p12-info', '--inder', '--infile', 'store.p12', '--password', 'changeit')).toMatchObject({ ok: true })
  expect(folder.ask('openssl', 'pkcs12', '-in', 'store.p12', '-passin', 'pass:wrong', '-noout').ok).toBe(false)
})
