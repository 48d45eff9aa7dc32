import { dictionary } from '@zxcvbn-ts/language-common'
import { describe, expect, it } from 'vitest'
import { isCommonPassword } from './common-passwords.ts'
import { passwordStrength, shortestPassword } from './password-strength.ts'
import { passwordFault } from './passwords.ts'

describe('The strength of a password', () => {
  it('counts down to twelve characters, by character and not by code unit', () => {
    expect(passwordStrength('')).toMatchObject({ level: 0, missing: shortestPassword })
    expect(passwordStrength('\u{1F511}'.repeat(11))).toMatchObject({ level: 0, missing: 1 })
  })
  it('calls long texts of few characters, and own names, easy to guess', () => {
    expect(passwordStrength('ababababababab').level).toBe(1)
    expect(passwordStrength('Grace.Hopper.1', ['Hopper']).level).toBe(1)
  })
  it('calls four words strong', () => {
    expect(passwordStrength('kettle orbit sandal', [], isCommonPassword).level).toBe(3)
    expect(passwordStrength('kettle-orbit9', [], isCommonPassword).level).toBe(2)
  })
  it('calls nothing good before it knows which are common', () => {
    expect(passwordStrength('kettle orbit sandal')).toMatchObject({ level: 1, says: 'Long enough' })
  })
  it('never calls good what the server refuses as common', () => {
    const long = dictionary['passwords-common'].filter((password) => password.length >= shortestPassword)
    const tailed = dictionary['passwords-common'].slice(0, 500).map((password) => `${password}2024!2024!`)
    expect(long.length).toBeGreaterThan(50)
    for (const password of [
      ...long,
      ...tailed,
      'passwordpassword',
      'Princess12345',
      'qwertyuiop123',
      'PASSWORD1234!',
      '\uff50assword12345',
    ])
      expect([password, passwordStrength(password, [], isCommonPassword).level < 2 || passwordFault(password) === undefined]).toEqual([
        password,
        true,
      ])
    for (const password of ['passwordpassword', 'Princess12345', 'qwertyuiop123'])
      expect(passwordStrength(password, [], isCommonPassword)).toMatchObject({ level: 1, says: 'Common, or in a breach' })
  })
})
