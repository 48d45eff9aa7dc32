import { describe, expect, test } from 'vitest'
import { addressText, cellLength, readAddress, readSubnet, stateOf, usable } from './rules.ts'

describe('A subnet', () => {
  test.each(['10.0.0.0/8', '0.0.0.0/0', '192.0.2.7/32', '192.0.2.6/31', '2001:db8::/64', '::/0', '::ffff:0:0/96'])(
    'is read: %s',
    (text) => {
      expect(readSubnet(text).subnet?.text).toBe(text)
    },
  )

  test.each([
    '010.0.0.0/8',
    '10.0/8',
    '10.0.0.0/33',
    ' 10.0.0.0/8',
    '10.0.0.0 /8',
    '１0.0.0.0/8',
    '10.0.0.0',
    '10.0.0.0/08',
    '0x0a.0.0.0/8',
    '2130706433/8',
    'fe80::1%eth0/64',
    '2001:db8::/129',
    '/8',
    '',
  ])('is refused: %j', (text) => {
    expect(readSubnet(text).fault).toBeTypeOf('string')
  })

  test('with host bits is refused with the one that was meant', () => {
    expect(readSubnet('10.0.0.1/8').fault).toBe('The host bits must be zero. Did you mean 10.0.0.0/8?')
  })

  test('of IPv6 is refused where the field takes IPv4 alone', () => {
    expect(readSubnet('::/0', [4]).fault).toBe('Enter an IPv4 subnet in CIDR form, such as 10.0.0.0/8')
  })

  test('gives out all but its own address and broadcast, and all of two or one', () => {
    const [large, two] = [readSubnet('10.1.0.0/24').subnet, readSubnet('10.1.0.0/31').subnet]
    expect(large && addressText(4, usable(large).first)).toBe('10.1.0.1')
    expect(large && addressText(4, usable(large).last)).toBe('10.1.0.254')
    expect(two && usable(two).last - usable(two).first).toBe(1n)
  })

  test('has at most 256 cells on the map', () => {
    expect(cellLength({ family: 4, prefixLength: 8 })).toBe(16)
    expect(cellLength({ family: 4, prefixLength: 28 })).toBe(32)
    expect(cellLength({ family: 6, prefixLength: 64 })).toBe(72)
  })
})

test('An address comes back as the same text', () => {
  for (const text of ['10.1.2.3', '2001:db8::1', '::', 'fe80::1'])
    expect(addressText(readAddress(text)?.family ?? 4, readAddress(text)?.value ?? 0n)).toBe(text)
})

test('An address that was not seen for a month is silent, one that nobody wrote is unknown, and one with another MAC address a conflict', () => {
  const now = new Date('2026-11-23T00:00:00Z')
  const row = { state: 'used', seenAt: new Date('2026-11-20T00:00:00Z'), mac: '', seenMac: '' } as const
  expect(stateOf(row, now)).toBe('used')
  expect(stateOf({ ...row, seenAt: new Date('2026-10-01T00:00:00Z') }, now)).toBe('silent')
  expect(stateOf({ ...row, state: 'seen' }, now)).toBe('unknown')
  expect(stateOf({ ...row, mac: '00:1b:44:11:3a:b7', seenMac: '00:1b:44:11:3a:b8' }, now)).toBe('conflict')
})
