// What is read of the certificate of a server that nobody trusts.

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { readSeen } from './probe.ts'

const tools = openToolFolder()
afterAll(() => tools.remove())
const at = (name: string) => join(tools.folder, name)
const ca = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at('leaf.key'), '-outform', 'DER']
tools.run('openssl', 'req', '-x509', ...ca, '-out', at('leaf.der'), '-days', '30', '-subj', '/CN=server.example.org')
const der = readFileSync(at('leaf.der'))
const place = { address: '192.0.2.1', port: 443, serverName: '', protocol: 'TLSv1.3', trusted: [], now: new Date() }

/** The same certificate with other text in its n-th time; OpenSSL reads a time only when it is asked for. */
function withTime(turn: number, text: string): X509Certificate {
  const changed = Buffer.from(der)
  const times = [...der.toString('latin1').matchAll(/\d{12}Z/g)]
  changed.write(text, times[turn]?.index ?? 0, 'latin1')
  return new X509Certificate(changed)
}

test('A certificate whose times cannot be read counts as no answer', () => {
  expect(readSeen(new X509Certificate(der), place)).toMatchObject({ subject: 'CN=server.example.org', reasons: ['selfSigned'] })
  expect(readSeen(withTime(0, 'notatimeatall'), place)).toBeUndefined()
  expect(readSeen(withTime(1, '269999999999Z'), place)).toBeUndefined()
})
