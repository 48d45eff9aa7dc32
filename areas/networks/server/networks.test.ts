import { beforeAll, describe, expect, test } from 'vitest'
import { devices } from '#areas/devices/contract.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { networks } from '../contract.ts'
import { noteSeen } from '../service.ts'

const house = await useHouse()
let ada: TestPerson
let other: TestPerson
const calls = networks.calls

beforeAll(async () => {
  ada = (await house.tenancy('Acme')).administrator
  other = (await house.tenancy('Globex')).administrator
})

const tree = async (space = '', by = ada) =>
  (await by.call(calls.subnets, {})).subnets.filter((one) => one.space === space).map(({ cidr, depth }) => `${'  '.repeat(depth)}${cidr}`)
const add = async (cidr: string, space = '') => (await ada.call(calls.addSubnet, { cidr, space })).id

describe('Subnets', () => {
  test('stand in the same tree whatever the order in which they were added', async () => {
    const parts = ['10.0.0.0/8', '10.1.0.0/16', '10.1.2.0/24', '10.1.2.128/25', '10.2.0.0/16', '2001:db8::/32', '2001:db8:1::/48']
    const expected = [
      '10.0.0.0/8',
      '  10.1.0.0/16',
      '    10.1.2.0/24',
      '      10.1.2.128/25',
      '  10.2.0.0/16',
      '2001:db8::/32',
      '  2001:db8:1::/48',
    ]
    for (const [space, order] of [
      ['a', parts],
      ['b', parts.toReversed()],
      ['c', [3, 0, 6, 4, 1, 5, 2].map((at) => parts[at] ?? '')],
    ] as const) {
      for (const cidr of order) await add(cidr, space)
      expect(await tree(space)).toEqual(expected)
    }
  })

  test('are refused where the same one stands, where host bits are set, and where the form is another', async () => {
    await expect(add('10.0.0.0/8', 'a')).rejects.toMatchObject({ status: 409, fields: [{ field: 'cidr' }] })
    await expect(add('10.0.0.1/8')).rejects.toMatchObject({ status: 400, fields: [{ field: 'cidr', says: 'The host bits must be zero. Did you mean 10.0.0.0/8?' }] }) // prettier-ignore
    for (const cidr of ['010.0.0.0/8', '10.0/8', '10.0.0.0/33', '10.0.0.0 /8'])
      await expect(add(cidr)).rejects.toMatchObject({ status: 400 })
  })

  test('that are deleted leave what is in them to the one above, and stay where nothing is above', async () => {
    const outer = await add('172.16.0.0/16')
    const middle = await add('172.16.4.0/22')
    await add('172.16.4.0/24')
    await ada.call(calls.saveAddress, { subnetId: middle, address: '172.16.5.9', name: 'printer' })
    await ada.call(calls.removeSubnet, { id: middle })
    expect(await tree()).toEqual(['172.16.0.0/16', '  172.16.4.0/24'])
    await expect(ada.call(calls.removeSubnet, { id: outer })).rejects.toMatchObject({ code: 'holdsAddresses' })
  })

  test('are split into equal parts, keep those that are there, and say which is free', async () => {
    const id = await add('192.168.0.0/24', 'split')
    await add('192.168.0.64/26', 'split')
    expect(await ada.call(calls.nextFreeSubnet, { id, prefixLength: 25 })).toEqual({ cidr: '192.168.0.128/25' })
    expect(await ada.call(calls.splitSubnet, { id, prefixLength: 26 })).toEqual({ made: 3 })
    await expect(ada.call(calls.nextFreeSubnet, { id, prefixLength: 30 })).rejects.toMatchObject({ code: 'full' })
    await expect(ada.call(calls.splitSubnet, { id, prefixLength: 33 })).rejects.toMatchObject({ code: 'wrongLength' })
  })

  test('of another tenancy are missing', async () => {
    const id = await add('10.99.0.0/24', 'ours')
    await expect(other.call(calls.nextFreeAddress, { subnetId: id })).rejects.toMatchObject({ status: 404 })
    await expect(other.call(calls.subnetMap, { space: 'ours', cidr: '10.99.0.0/24' })).rejects.toMatchObject({ status: 404 })
    await expect(other.call(calls.removeSubnet, { id })).rejects.toMatchObject({ status: 404 })
    expect((await other.call(calls.subnets, {})).subnets).toEqual([])
  })
})

describe('Free addresses', () => {
  test('are given to 32 callers at once, none twice, until there are none', async () => {
    const subnetId = await add('10.50.0.0/25', 'callers')
    const answers = await Promise.all(Array.from({ length: 31 }, () => ada.call(calls.nextFreeAddress, { subnetId, count: 4 })))
    const given = answers.flatMap(({ addresses }) => addresses)
    expect(new Set(given).size).toBe(124)
    expect(given).not.toContain('10.50.0.0')
    await ada.call(calls.nextFreeAddress, { subnetId, count: 2 })
    await expect(ada.call(calls.nextFreeAddress, { subnetId })).rejects.toMatchObject({
      code: 'full',
      message: expect.stringContaining('No free address in 10.50.0.0/25'),
    })
    await expect(ada.call(calls.nextFreeAddress, { subnetId, count: 1e9 })).rejects.toMatchObject({ status: 400 })
    // What nobody used is free again after a quarter of an hour; what has an owner is not.
    await ada.call(calls.saveAddress, { subnetId, address: '10.50.0.1', name: 'kept' })
    house.clock.advance(16 * 60_000)
    expect((await ada.call(calls.nextFreeAddress, { subnetId, count: 2 })).addresses).toEqual(['10.50.0.2', '10.50.0.3'])
  })

  test('are found again where one before them was freed, in the subnet and in the one around it', async () => {
    const outer = await add('10.54.0.0/16', 'freed')
    const inner = await add('10.54.0.0/24', 'freed')
    for (const subnetId of [inner, outer]) await ada.call(calls.nextFreeAddress, { subnetId, count: 20 })
    await ada.call(calls.removeAddress, { subnetId: inner, address: '10.54.0.7' })
    expect((await ada.call(calls.nextFreeAddress, { subnetId: outer, count: 2 })).addresses).toEqual(['10.54.0.7', '10.54.0.41'])
    await ada.call(calls.removeAddress, { subnetId: outer, address: '10.54.0.9' })
    expect((await ada.call(calls.nextFreeAddress, { subnetId: inner, count: 2 })).addresses).toEqual(['10.54.0.9', '10.54.0.42'])
  })

  test('of a pair and of a single one are all given out', async () => {
    const pair = await add('10.51.0.0/31', 'pairs')
    expect((await ada.call(calls.nextFreeAddress, { subnetId: pair, count: 2 })).addresses).toEqual(['10.51.0.0', '10.51.0.1'])
    const single = await add('2001:db8:9::7/128', 'pairs')
    expect((await ada.call(calls.nextFreeAddress, { subnetId: single })).addresses).toEqual(['2001:db8:9::7'])
  })

  test('go to one device each, and the other is named', async () => {
    const subnetId = await add('10.52.0.0/24', 'owned')
    const { id: one } = await ada.call(devices.calls.add, { name: 'First', type: 'Server' })
    const { id: two } = await ada.call(devices.calls.add, { name: 'Second', type: 'Server' })
    const { addresses } = await ada.call(calls.nextFreeAddress, { subnetId, deviceId: one })
    const draft = { subnetId, address: addresses[0] ?? '', deviceId: two }
    await expect(ada.call(calls.saveAddress, draft)).rejects.toMatchObject({ code: 'otherDevice', message: expect.stringContaining('The address belongs to another device: First') }) // prettier-ignore
    expect((await ada.call(calls.searchAddresses, { subnetId })).rows).toMatchObject([{ address: '10.52.0.1', device: 'First' }])
    await expect(ada.call(calls.saveAddress, { subnetId, address: '10.53.0.1' })).rejects.toMatchObject({ code: 'outside' })
    for (const address of ['10.52.0.0', '10.52.0.255'])
      await expect(ada.call(calls.saveAddress, { subnetId, address })).rejects.toMatchObject({
        code: 'broadcast',
        fields: [{ field: 'address' }],
      })
  })
})

describe('The map of a subnet', () => {
  test('shows what is used, silent, reserved and unknown, and of a large one its parts', async () => {
    const subnetId = await add('10.60.0.0/24')
    for (const address of ['10.60.0.5', '10.60.0.6']) await ada.call(calls.saveAddress, { subnetId, address, name: `host ${address}` })
    const seen = ['10.60.0.5', '10.60.0.9', '10.61.0.1']
    await withTenancy(house.house, ada.tenantId, (tenancy) => noteSeen(tenancy, seen))
    await ada.call(calls.nextFreeAddress, { subnetId })
    const { cells, cellLength } = await ada.call(calls.subnetMap, { cidr: '10.60.0.0/24' })
    expect([cells.length, cellLength]).toEqual([256, 32])
    expect(cells[5]).toMatchObject({ from: '10.60.0.5', used: 1, silent: 0 })
    expect(cells[6]).toMatchObject({ silent: 1 })
    expect(cells[9]).toMatchObject({ seen: 1 })
    expect(cells[1]).toMatchObject({ reserved: 1 })
    expect(cells[2]).toMatchObject({ used: 0, silent: 0, reserved: 0, seen: 0 })
    // After a month without an answer it is silent too.
    house.clock.advance(31 * 86_400_000)
    expect((await ada.call(calls.subnetMap, { cidr: '10.60.0.0/24' })).cells[5]).toMatchObject({ used: 0, silent: 1 })
    await add('10.60.0.0/16')
    expect((await ada.call(calls.subnetMap, { cidr: '10.60.0.0/16' })).cells[0]).toMatchObject({
      from: '10.60.0.0',
      prefixLength: 24,
      silent: 2,
      seen: 1,
    })
  })
})

describe('Locations and networks', () => {
  test('stand in a tree without a circle and at most twelve deep, and are deleted when nothing is there', async () => {
    let parentId = ''
    const ids: string[] = []
    for (let level = 1; level <= 12; level += 1) {
      parentId = (await ada.call(calls.addLocation, { name: `Level ${level}`, kind: 'site', parentId })).id
      ids.push(parentId)
    }
    await expect(ada.call(calls.addLocation, { name: 'Level 13', kind: 'room', parentId })).rejects.toMatchObject({ code: 'tooDeep' })
    await expect(ada.call(calls.addLocation, { name: 'All', kind: 'region', parentId: ids[0] ?? '' })).rejects.toMatchObject({
      code: 'larger',
      fields: [{ field: 'kind' }],
    })
    await expect(ada.call(calls.changeLocation, { id: ids[0] ?? '', name: 'Level 1', kind: 'room', parentId: '' })).rejects.toMatchObject({
      code: 'larger',
    })
    const top = { id: ids[0] ?? '', name: 'Level 1', kind: 'site', parentId: ids[5] ?? '' } as const
    await expect(ada.call(calls.changeLocation, top)).rejects.toMatchObject({ code: 'cycle' })
    await expect(ada.call(calls.removeLocation, { id: ids[0] ?? '' })).rejects.toMatchObject({ code: 'inUse' })
    await ada.call(calls.setVisitorLocation, { id: ids[0] ?? '', receives: true, desk: 'Lobby', passTypes: ['Visitor'] })
    expect((await ada.call(calls.visitorLocations, {})).locations[0]).toMatchObject({
      receives: true,
      desk: 'Lobby',
      passTypes: ['Visitor'],
    })
    const { locations } = await ada.call(calls.locations, {})
    expect(locations.at(-1)?.path.split(' › ').length).toBe(12)
    await expect(other.call(calls.removeLocation, { id: ids[0] ?? '' })).rejects.toMatchObject({ status: 404 })
    await expect(other.call(calls.addLocation, { name: 'A', kind: 'room', parentId: ids[0] ?? '' })).rejects.toMatchObject({
      code: 'unknownParent',
    })
  })

  test('have each number once in a group, from 1 to 4094', async () => {
    const { id } = await ada.call(calls.addNetwork, { group: 'Main', vid: 20, name: 'Office' })
    await expect(ada.call(calls.addNetwork, { group: 'main', vid: 20, name: 'Again' })).rejects.toMatchObject({
      status: 409,
      fields: [{ field: 'vid' }],
    })
    await ada.call(calls.addNetwork, { group: 'Other', vid: 20, name: 'Elsewhere' })
    for (const vid of [0, 4095]) await expect(ada.call(calls.addNetwork, { vid, name: 'Wrong' })).rejects.toMatchObject({ status: 400 })
    await ada.call(calls.addSubnet, { cidr: '10.70.0.0/24', vlanId: id })
    await expect(ada.call(calls.removeNetwork, { id })).rejects.toMatchObject({ code: 'inUse' })
    expect((await ada.call(calls.searchNetworks, { text: 'Office' })).rows).toMatchObject([{ vid: 20, subnets: 1 }])
  })
})
