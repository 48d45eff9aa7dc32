import { describe, expect, test } from 'vitest'
import { users } from '#areas/users/contract.ts'
import { permissions } from '#core/contract/permission-labels.ts'
import { heldUp } from '#core/testing/concurrently.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse } from '#core/testing/house.ts'
import { roles } from '../contract.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')
const globex = await house.tenancy('Globex')
const grace = acme.administrator

const invented = '018f0000-0000-7000-8000-000000000001'
const role = (name: string, api: string[] = []) => ({ name, description: '', view: api, menu: api, api })

describe('A tenancy', () => {
  test('is born with its roles, which cannot be changed', async () => {
    const { rows } = await grace.call(roles.calls.search, { size: 100 })
    const builtIn = rows.filter((row) => row.builtIn)
    expect(builtIn.map(({ name }) => name).sort()).toEqual(['Administrator', 'Auditor', 'Certificate officer', 'Requester', 'User'])
    for (const { id } of builtIn)
      await expect(grace.call(roles.calls.change, { id, ...role('Mine') })).rejects.toMatchObject({ status: 409, code: 'builtIn' })
  })

  test('has each name once, however it is written, though ten ask at once', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, at) => grace.call(roles.calls.add, role(at % 2 === 0 ? 'Warden' : 'WARDEN'))),
    )
    expect(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'made' : `${outcome.reason.status} ${outcome.reason.code}`)).sort(),
    ).toEqual([...Array<string>(9).fill('409 nameTaken'), 'made'])
    await expect(globex.administrator.call(roles.calls.add, role('Warden'))).resolves.toHaveProperty('id')
    const { id } = await grace.call(roles.calls.add, role('Second warden'))
    await expect(grace.call(roles.calls.change, { id, ...role('warden') })).rejects.toMatchObject({
      status: 409,
      code: 'nameTaken',
      fields: [{ field: 'name' }],
    })
  })

  test('shows its own roles and no other’s', async () => {
    const { id } = await globex.administrator.call(roles.calls.add, role('Secret society'))
    expect((await grace.call(roles.calls.search, { text: 'secret society' })).rows).toEqual([])
    const outcome = (attempt: Promise<unknown>) => attempt.catch((error: unknown) => [Object(error).status, Object(error).code])
    for (const attempt of [
      (roleId: string) => grace.call(roles.calls.read, { id: roleId }),
      (roleId: string) => grace.call(roles.calls.change, { id: roleId, ...role('Mine') }),
    ]) {
      expect(await outcome(attempt(id))).toEqual([404, 'missing'])
      expect(await outcome(attempt(invented))).toEqual([404, 'missing'])
    }
    expect((await globex.administrator.call(roles.calls.read, { id })).name).toBe('Secret society')
  })
})

describe('A grant', () => {
  const keeper = () => acme.person({ permissions: ['roleAdd', 'roleEdit', 'roleView', 'certView'] })

  test('of what one does not hold is refused, for screens, menus and calls alike, on its list', async () => {
    const mallory = await keeper()
    for (const field of ['view', 'menu', 'api'] as const)
      await expect(
        mallory.call(roles.calls.add, { ...role('Skeleton key', ['certView']), [field]: ['certView', 'manageCAs', 'audit'] }),
      ).rejects.toMatchObject({ status: 403, code: 'beyond', fields: [{ field, says: 'You do not hold manageCAs, audit' }] })
    await expect(mallory.call(roles.calls.add, role('Own key', ['certView']))).resolves.toHaveProperty('id')
  })

  test('is counted list by list: the call is not held by who holds only the screen', async () => {
    const { id } = await grace.call(roles.calls.add, { ...role('Looks'), view: ['audit', 'roleAdd', 'roleView'], api: ['roleAdd'] })
    const looker = await acme.person({ permissions: [] })
    const { username, givenName, familyName, emailAddress } = await grace.call(users.calls.read, { id: looker.id })
    await grace.call(users.calls.change, { id: looker.id, username, givenName, familyName, emailAddress, roleIds: [id] })
    await expect(looker.call(roles.calls.add, { ...role('More'), view: ['audit'] })).resolves.toHaveProperty('id')
    await expect(looker.call(roles.calls.add, { ...role('Too much'), api: ['audit'] })).rejects.toMatchObject({ code: 'beyond' })
    await expect(looker.call(roles.calls.add, { ...role('Too much'), menu: ['audit'] })).rejects.toMatchObject({ code: 'beyond' })
  })

  test('cannot be added to, nor taken from, a role that grants more than one holds', async () => {
    const mallory = await keeper()
    const { id } = await grace.call(roles.calls.add, role('Auditors', ['audit', 'certView']))
    await expect(mallory.call(roles.calls.change, { id, ...role('Auditors', ['certView']) })).rejects.toMatchObject({
      status: 403,
      code: 'beyond',
    })
    await expect(mallory.call(roles.calls.change, { id, ...role('Auditors', ['audit', 'certView', 'roleView']) })).rejects.toMatchObject({
      status: 403,
      code: 'beyond',
    })
    expect((await grace.call(roles.calls.read, { id })).api).toEqual(['audit', 'certView'])
  })

  test('that is added meanwhile counts: who does not hold it cannot take it away unseen', async () => {
    const mallory = await keeper()
    const { id } = await grace.call(roles.calls.add, role('Raised', ['certView']))
    const [raised, lowered] = await heldUp<unknown>(house, 'lock table events in share mode', [
      () => grace.call(roles.calls.change, { id, ...role('Raised', ['certView', 'manageCAs']) }),
      () => mallory.call(roles.calls.change, { id, ...role('Raised', ['certView']) }),
    ])
    expect([raised?.status, lowered]).toMatchObject(['fulfilled', { status: 'rejected', reason: { code: 'beyond' } }])
    expect((await grace.call(roles.calls.read, { id })).api).toEqual(['certView', 'manageCAs'])
  })

  test('is not undone by who was shown the role without it', async () => {
    const { id } = await grace.call(roles.calls.add, role('Shared', ['certView']))
    const { version } = await grace.call(roles.calls.read, { id })
    await grace.call(roles.calls.change, { id, version, ...role('Shared', ['certView', 'audit']) })
    await expect(grace.call(roles.calls.change, { id, version, ...role('Renamed', ['certView']) })).rejects.toMatchObject({
      status: 409,
      code: 'conflict',
    })
    expect(await grace.call(roles.calls.read, { id })).toMatchObject({ name: 'Shared', api: ['certView', 'audit'], version: version + 1 })
  })

  test('cannot be added to one’s own role', async () => {
    const mallory = await keeper()
    const mine = (await grace.call(users.calls.read, { id: mallory.id })).roles[0]
    await expect(
      mallory.call(roles.calls.change, {
        id: mine?.id ?? '',
        ...role('Mine', ['roleAdd', 'roleEdit', 'roleView', 'certView', 'manageCAs']),
      }),
    ).rejects.toMatchObject({ status: 403, code: 'beyond' })
  })

  test.each(['no such thing', '', '__proto__', 'constructor', 'MANAGECAS', 'signedIn', 'public'])('of "%s" is refused', async (name) => {
    await expect(grace.call(roles.calls.add, { ...role('Odd'), api: [name] })).rejects.toMatchObject({
      status: 400,
      code: 'invalid',
      fields: [{ field: 'api.0', says: 'There is no such permission' }],
    })
  })

  test('holds, and ends, from the next request on', async () => {
    const { id } = await grace.call(roles.calls.add, role('Temporary', ['userView']))
    const temp = await acme.person({ permissions: [] })
    const { username, givenName, familyName, emailAddress } = await grace.call(users.calls.read, { id: temp.id })
    await grace.call(users.calls.change, { id: temp.id, username, givenName, familyName, emailAddress, roleIds: [id] })
    await expect(temp.call(users.calls.search, {})).resolves.toHaveProperty('rows')
    await grace.call(roles.calls.change, { id, ...role('Temporary') })
    await expect(temp.call(users.calls.search, {})).rejects.toMatchObject({ status: 403, code: 'denied' })
  })
})

test('the editor offers every permission and says which one may not be given', async () => {
  const mallory = await acme.person({ permissions: ['roleView', 'certView'] })
  const offered = await mallory.call(roles.calls.grantable, {})
  expect(offered.permissions.map(({ name }) => name)).toEqual(Object.keys(permissions))
  expect(offered.blacklist).toEqual(
    Object.keys(permissions)
      .filter((name) => name !== 'roleView' && name !== 'certView')
      .sort(),
  )
  expect((await grace.call(roles.calls.grantable, {})).blacklist).toEqual([])
})

test('the editor knows which permissions open nothing yet, from what the rooms declare', async () => {
  const { permissions: offered } = await grace.call(roles.calls.grantable, {})
  const declared = house.rooms.flatMap(({ contract: { screens, calls, streams, endpoints, records = {} } }) => [
    ...[...Object.values(screens), ...Object.values(calls), ...Object.values(streams), ...Object.values(endpoints)].flatMap((door) => [
      door.needs,
      ...('tokens' in door && Array.isArray(door.tokens) ? door.tokens : []),
    ]),
    ...Object.values(records).flatMap(({ needs, list }) => [needs, list?.needs]),
  ])
  expect(offered.filter(({ inUse }) => inUse).map(({ name }) => name)).toEqual(
    Object.keys(permissions).filter((name) => declared.some((one) => one === name)),
  )
})

test('what a role grants stands in the log', async () => {
  const { id } = await grace.call(roles.calls.add, role('Logged', ['certView']))
  await grace.call(roles.calls.change, { id, ...role('Logged', ['certView', 'audit']) })
  const events = (await audited(house, acme.id)).filter((event) => event.about === id)
  expect(events.map(({ name, body, actor }) => [name, JSON.parse(body).api, actor])).toEqual([
    ['added', ['certView'], grace.username],
    ['changed', ['certView', 'audit'], grace.username],
  ])
})
