import { expect, test } from 'vitest'
import { certifiesOthers, isGivenUp, switchOnRefusal } from './policy.ts'

const good = { issuing: true, revoked: false, revoked_above: null }

test.each([
  ['one that issues', good, true],
  ['one that was stopped', { ...good, issuing: false }, false],
  ['one that was revoked, though issuing was switched on', { ...good, revoked: true }, false],
  ['one below a revoked one', { ...good, revoked_above: 'Root' }, false],
  ['one that is gone', undefined, false],
])('%s certifies others: %s', (_which, issuer, expected) => expect(certifiesOthers(issuer)).toBe(expected))

test('issuing is switched on where the key is here and the certificate is not revoked', () => {
  expect(switchOnRefusal({ kind: 'offline' }, true)).toBe('offline')
  expect(switchOnRefusal({ kind: 'root' }, true)).toBe('revoked')
  expect(switchOnRefusal({ kind: 'subordinate' }, false)).toBeUndefined()
  expect([isGivenUp({ given_up_at: null }), isGivenUp({ given_up_at: new Date() })]).toEqual([false, true])
})
