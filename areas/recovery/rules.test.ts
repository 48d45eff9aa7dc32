import { describe, expect, test } from 'vitest'
import { initialReset, resetReducer } from './rules.ts'

describe('A password reset', () => {
  const validated = resetReducer(initialReset, {
    type: 'validated',
    resetToken: 'link',
    tenancy: 'Acme',
    passwordConfig: { shortest: 12 },
  })

  test('is requested, validated, and succeeds', () => {
    expect(resetReducer(initialReset, { type: 'requested', emailAddress: 'ada@example.org' })).toEqual({
      ...initialReset,
      emailAddress: 'ada@example.org',
    })
    expect(validated).toMatchObject({ resetToken: 'link', isValid: true, tenancy: 'Acme', passwordConfig: { shortest: 12 } })
    expect(resetReducer(validated, { type: 'succeeded' })).toMatchObject({ resetSuccessful: true, isPasswordValid: true })
  })

  test('that fails keeps the response code, and says whether link or password is at fault', () => {
    expect(resetReducer(validated, { type: 'failed', responseCode: 'linkUsed' })).toMatchObject({
      responseCode: 'linkUsed',
      isValid: false,
    })
    expect(resetReducer(validated, { type: 'failed', responseCode: 'invalid' })).toMatchObject({ isPasswordValid: false, isValid: true })
  })

  test('is as at first once it is cleared', () => {
    expect(resetReducer(validated, { type: 'cleared' })).toEqual(initialReset)
    expect(Object.keys(initialReset)).toEqual([
      'emailAddress',
      'resetToken',
      'isValid',
      'isPasswordValid',
      'passwordConfig',
      'tenancy',
      'responseCode',
      'resetSuccessful',
    ])
  })
})
