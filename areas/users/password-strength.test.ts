import { describe, expect, it } from 'vitest'
import { passwordStrength, shortestPassword } from './password-strength.ts'

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
    expect(passwordStrength('kettle orbit sandal').level).toBe(3)
    expect(passwordStrength('kettle-orbit9').level).toBe(2)
  })
})
