import { expect, test } from 'vitest'
import { isRevocationReason, reasonFromCode, reasonsToChoose, REVOCATION_REASONS } from './reasons.ts'

test('every reason of RFC 5280 5.3.1 has its number, and 7 is none', () => {
  const codes = Object.entries(REVOCATION_REASONS).map(([name, { code }]) => `${name} (${code})`)
  expect(codes).toEqual([
    'unspecified (0)',
    'keyCompromise (1)',
    'cACompromise (2)',
    'affiliationChanged (3)',
    'superseded (4)',
    'cessationOfOperation (5)',
    'certificateHold (6)',
    'removeFromCRL (8)',
    'privilegeWithdrawn (9)',
    'aACompromise (10)',
  ])
  for (const [name, { code }] of Object.entries(REVOCATION_REASONS)) expect(reasonFromCode(code)).toBe(name)
  expect([-1, 7, 11, 0.5].map(reasonFromCode)).toEqual([undefined, undefined, undefined, undefined])
})

test('the compromise of an authority is offered for authorities alone, and a hold for certificates alone', () => {
  expect(reasonsToChoose('certificate')).toEqual([
    'unspecified',
    'keyCompromise',
    'affiliationChanged',
    'superseded',
    'cessationOfOperation',
    'certificateHold',
    'privilegeWithdrawn',
  ])
  expect(reasonsToChoose('authority')).toContain('cACompromise')
  expect(reasonsToChoose('authority')).not.toContain('certificateHold')
})

test('a name from outside is told from a reason', () => {
  expect(['keyCompromise', 'toString', '', 'KEYCOMPROMISE'].map(isRevocationReason)).toEqual([true, false, false, false])
})
