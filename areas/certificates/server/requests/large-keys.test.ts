// Whether a large RSA modulus is a prime takes a while to see. Nobody keeps the others waiting with it.

import { afterAll, expect, test } from 'vitest'
import { CallRefused } from '#core/testing/caller.ts'
import { decodePem, encodePem } from '#standards/pem/pem.ts'
import { parseCsr } from '#standards/x509/csr.ts'
import { checkPublicKey } from '#standards/x509/key-checks.ts'
import { certificates } from '../../contract.ts'
import { openIssuingHouse } from '../issuing.fixture.ts'

const { tools, pki, close } = await openIssuingHouse()
afterAll(close)

const der = Buffer.from(decodePem(tools.csr({ key: ['rsa:4096'] }).csr)[0]?.bytes ?? [])
const begins = der.indexOf(parseCsr(der).publicKey.modulus ?? '')

/** A request for another modulus of 4096 bits, in which no small factor is found; its signature is wrong, which is seen after the key. */
function another(seed: number): string {
  for (let at = 0; ; at += 1) {
    const changed = Buffer.from(der)
    changed.writeUInt32BE(seed * 100_000 + at, begins + 200)
    if (checkPublicKey(parseCsr(changed).publicKey).length === 0) return encodePem('CERTIFICATE REQUEST', changed)
  }
}
const check = (by: typeof pki.ada, csr: string) =>
  by.call(certificates.calls.check, { entity: 'device', csr }).then(
    ({ faults }) => faults.map(({ says }) => says).join(),
    (error: unknown) => (error instanceof CallRefused ? error.code : String(error)),
  )

test('Who sends very many large keys at once is refused, and nobody else', async () => {
  const [, ...many] = Array.from({ length: 61 }, (_, at) => another(at + 1))
  const mallory = Promise.all(many.map((csr) => check(pki.eve, csr)))
  const answer = await check(pki.ada, another(1))
  expect(answer).toContain('signature of the request does not match')
  const answers = await mallory
  expect(answers.filter((one) => one === 'too_many_requests').length).toBeGreaterThan(0)
  expect(answers.filter((one) => one.includes('signature of the request does not match')).length).toBeGreaterThan(30)
  // What was looked at before is known.
  expect(await Promise.all(Array.from({ length: 50 }, () => check(pki.ada, another(1))))).toEqual(Array.from({ length: 50 }, () => answer))
})
