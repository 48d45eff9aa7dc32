import { beforeAll, describe, expect, test } from 'vitest'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { organisations } from '../contract.ts'
import { plantOrganisations } from '../service.ts'

const house = await useHouse()
let acme: TestTenancy
let ada: TestPerson
let stranger: TestPerson

const { search, read, tree, parents, autocomplete, checkNumber, add, change, previewMove, move, merge, dependants, remove } =
  organisations.calls
const { previewMerge } = organisations.calls
const { people, ofPerson, setOfPerson, permissions, setPermission } = organisations.calls
const missing = { status: 404, code: 'missing' }

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  ada = acme.administrator
  stranger = (await house.tenancy('Globex')).administrator
})

const added = async (name: string, parentId?: string): Promise<string> =>
  (await ada.call(add, { name, ...(parentId === undefined ? {} : { parentId }) })).id
const lineOf = async (id: string): Promise<string> => (await ada.call(parents, { id })).map(({ name }) => name).join(' › ')

describe('An organisation', () => {
  test('is added, found, changed, moved and deleted, each of it on record', async () => {
    const top = await added('Ministry')
    const id = await added('Records', top)
    await ada.call(change, { id, version: 1, name: 'Archives', type: 'department', contact: 'desk@example.org' })
    expect(await ada.call(read, { id })).toMatchObject({
      name: 'Archives',
      type: 'department',
      contact: 'desk@example.org',
      above: ['Ministry'],
      version: 2,
      mayEdit: true,
    })
    expect((await ada.call(search, { text: 'ARCHIV' })).rows).toMatchObject([{ id, above: ['Ministry'] }])
    expect(await ada.call(autocomplete, { text: 'rchiv' })).toEqual([{ id, name: 'Archives', path: 'Ministry › Archives' }])
    await ada.call(move, { id })
    expect(await lineOf(id)).toBe('Archives')
    await ada.call(remove, { id })
    await expect(ada.call(read, { id })).rejects.toMatchObject(missing)
    const events = (await audited(house, acme.id)).filter(({ about }) => about === id)
    expect(events.map(({ name }) => name)).toEqual(['added', 'changed', 'moved', 'deleted'])
  })

  test('has a name of its own among those beside it, however it is written', async () => {
    const top = await added('Twin')
    await expect(added('TWIN')).rejects.toMatchObject({ status: 409, code: 'nameTaken', fields: [{ field: 'name' }] })
    const id = await added('Twin', top)
    await expect(ada.call(move, { id })).rejects.toMatchObject({ status: 409, code: 'nameTaken' })
    expect(await lineOf(id)).toBe('Twin › Twin')
  })

  test('is not overwritten by who has not seen the last change', async () => {
    const id = await added('Contested')
    await ada.call(change, { id, version: 1, name: 'Contested', note: 'mine' })
    await expect(ada.call(change, { id, version: 1, name: 'Contested', note: 'theirs' })).rejects.toMatchObject({ code: 'conflict' })
    await expect(ada.call(move, { id, version: 1 })).rejects.toMatchObject({ code: 'conflict' })
  })

  test('of another tenancy answers as a missing one does, also as a parent', async () => {
    const id = await added('Private')
    const own = (await stranger.call(add, { name: 'Ours' })).id
    const gone = crypto.randomUUID()
    const outcome = (attempt: Promise<unknown>) =>
      attempt.then(
        () => 'done',
        (error: unknown) => [Object(error).status, Object(error).code],
      )
    for (const attempt of [
      (one: string) => stranger.call(read, { id: one }),
      (one: string) => stranger.call(change, { id: one, name: 'Ours' }),
      (one: string) => stranger.call(move, { id: one }),
      (one: string) => stranger.call(move, { id: own, parentId: one }),
      (one: string) => stranger.call(merge, { id: own, intoId: one }),
      (one: string) => stranger.call(remove, { id: one }),
      (one: string) => stranger.call(add, { name: 'Below', parentId: one }),
      (one: string) => stranger.call(people, { id: one }),
      (one: string) => stranger.call(permissions, { id: one }),
      (one: string) => stranger.call(setOfPerson, { userId: stranger.id, organisationIds: [one] }),
    ])
      expect(await outcome(attempt(id))).toEqual(await outcome(attempt(gone)))
    expect((await stranger.call(search, { text: 'Private' })).rows).toEqual([])
  })

  test('without a name is refused with the field and the fault', async () => {
    await expect(ada.call(add, { name: '  ' })).rejects.toMatchObject({ status: 400, fields: [{ field: 'name', says: 'Enter a value' }] })
  })

  test('is refused with a wrong business number, unless that is to be kept: then with what is wrong, until it is mended', async () => {
    expect(await ada.call(checkNumber, { number: '00000000000', country: 'AU' })).toMatchObject({ valid: false })
    const wrong = { name: 'Numbered', country: 'AU', businessNumber: '51 824 753 557' }
    const refused = { code: 'wrongNumber', fields: [{ field: 'businessNumber', says: expect.stringMatching(/check digits/) }] }
    await expect(ada.call(add, wrong)).rejects.toMatchObject(refused)
    const { id } = await ada.call(add, { ...wrong, keepWrongNumber: true })
    expect(await ada.call(read, { id })).toMatchObject({
      businessNumber: '51 824 753 557',
      numberFault: expect.stringMatching(/check digits/),
    })
    expect((await ada.call(search, { wrongNumber: true })).rows.map((row) => row.id)).toContain(id)
    await ada.call(change, { id, ...wrong, name: 'Renamed' })
    await expect(ada.call(change, { id, ...wrong, businessNumber: '51 824 753 558' })).rejects.toMatchObject(refused)
    await ada.call(change, { id, name: 'Numbered', country: 'AU', businessNumber: '51824753556' })
    expect(await ada.call(read, { id })).toMatchObject({ businessNumber: '51 824 753 556', numberFault: '' })
  })
})

describe('The tree', () => {
  test('makes no cycle, though two move below each other at once', async () => {
    const [left, right] = [await added('Left'), await added('Right')]
    const outcomes = await Promise.allSettled([
      ada.call(move, { id: left, parentId: right }),
      ada.call(move, { id: right, parentId: left }),
    ])
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? 'moved' : one.reason.code)).sort()).toEqual(['cycle', 'moved'])
    await expect(ada.call(move, { id: left, parentId: left })).rejects.toMatchObject({ status: 409, code: 'cycle' })
  })

  test('takes all below along, and shows before whose roles begin and end to hold there', async () => {
    const [north, south] = [await added('North'), await added('South')]
    const office = await added('Office', north)
    const team = await added('Crew', office)
    const clerk = await acme.person({ permissions: [], givenName: 'Nora', familyName: 'North' })
    const role = await ada.call(roles.calls.add, { name: 'Clerk', api: ['orgView'] })
    await ada.call(setPermission, { id: north, userId: clerk.id, roleId: role.id, given: true })
    await ada.call(setOfPerson, { userId: clerk.id, organisationIds: [team] })
    expect(await ada.call(previewMove, { id: office, parentId: south })).toEqual({
      below: 1,
      people: 1,
      gains: [],
      loses: [{ person: 'Nora North', role: 'Clerk', from: 'North' }],
    })
    await ada.call(move, { id: office, parentId: south })
    expect(await lineOf(team)).toBe('South › Office › Crew')
  })

  test('is at most 12 levels deep', async () => {
    let id: string | undefined
    for (let level = 1; level <= 12; level += 1) id = await added(`Level ${level}`, id)
    await expect(added('Level 13', id)).rejects.toMatchObject({ status: 409, code: 'tooDeep' })
    const pair = await added('Pair')
    await added('Half', pair)
    const eleventh = (await ada.call(parents, { id: id ?? '' })).at(-2)?.id ?? ''
    await expect(ada.call(move, { id: pair, parentId: eleventh })).rejects.toMatchObject({ code: 'tooDeep' })
  })

  test('keeps what something hangs on, and says what, each with a way there', async () => {
    const id = await added('Kept')
    const child = await added('Child', id)
    await ada.call(setOfPerson, { userId: ada.id, organisationIds: [id] })
    expect(await ada.call(dependants, { id })).toEqual({
      blocks: true,
      counts: [
        { kind: 'Organisations below', count: 1, path: `/identity/organisation/view/${id}?tab=below` },
        { kind: 'People of an organisation', count: 1, path: `/identity/organisation/view/${id}?tab=people` },
      ],
    })
    await expect(ada.call(remove, { id })).rejects.toMatchObject({ status: 409, code: 'dependants' })
    await ada.call(setOfPerson, { userId: ada.id, organisationIds: [] })
    await ada.call(remove, { id: child })
    await ada.call(remove, { id })
  })

  test('merges one into another with its people and what stands below it, and gives no rights away', async () => {
    const [from, into] = [await added('Old name'), await added('New name')]
    const child = await added('Kitchen', from)
    const cook = await acme.person({ permissions: [] })
    const role = await ada.call(roles.calls.add, { name: 'Merged away', api: ['orgView'] })
    await ada.call(setPermission, { id: from, userId: cook.id, roleId: role.id, given: true })
    await ada.call(setOfPerson, { userId: cook.id, organisationIds: [from, into] })
    const waiter = await acme.person({ permissions: [] })
    await ada.call(setOfPerson, { userId: waiter.id, organisationIds: [from] })
    await ada.call(setPermission, { id: into, userId: waiter.id, roleId: role.id, given: true })
    await expect(ada.call(previewMerge, { id: from, intoId: child })).rejects.toMatchObject({ code: 'cycle' })
    await expect(ada.call(merge, { id: from, intoId: child })).rejects.toMatchObject({ code: 'cycle' })
    const twin = await added('kitchen', into)
    await expect(ada.call(previewMerge, { id: from, intoId: into })).rejects.toMatchObject({ code: 'nameTaken' })
    await expect(ada.call(merge, { id: from, intoId: into })).rejects.toMatchObject({ code: 'nameTaken' })
    await ada.call(remove, { id: twin })
    expect(await ada.call(previewMerge, { id: from, intoId: into })).toMatchObject({
      below: 1,
      people: 2,
      already: 1,
      ends: [{ role: 'Merged away', from: 'Old name' }],
      gains: [{ role: 'Merged away', from: 'New name' }],
      loses: [],
      hinders: [],
    })
    expect(await lineOf(child)).toBe('Old name › Kitchen')
    await ada.call(merge, { id: from, intoId: into })
    expect(await lineOf(child)).toBe('New name › Kitchen')
    expect(await ada.call(ofPerson, { userId: cook.id })).toMatchObject([{ id: into }])
    await expect(cook.call(read, { id: into })).rejects.toMatchObject({ status: 403 })
  })

  test('of 20,000 is read by its levels, and takes no more', async () => {
    const large = await house.tenancy('Large')
    const ids = Array.from({ length: 20_000 }, () => crypto.randomUUID())
    await withTenancy(house.house, large.id, (tenancy) =>
      plantOrganisations(
        tenancy,
        ids.map((id, at) => ({
          id,
          parentId: at === 0 ? undefined : ids[Math.floor((at - 1) / 150)],
          name: `Unit ${at}`,
          type: 'team',
        })),
      ),
    )
    const first = await large.administrator.call(tree, { parentId: ids[0] })
    expect(first.rows).toHaveLength(100)
    const rest = await large.administrator.call(tree, { parentId: ids[0], after: first.next })
    expect([rest.rows.length, rest.next]).toEqual([50, undefined])
    expect((await large.administrator.call(search, { within: ids[1] })).total).toBe(
      ids.filter((_, at) => [at, Math.floor((at - 1) / 150), Math.floor((Math.floor((at - 1) / 150) - 1) / 150)].includes(1)).length,
    )
    expect((await large.administrator.call(search, {})).more).toBe(true)
    await expect(large.administrator.call(add, { name: 'One more' })).rejects.toMatchObject({ status: 409, code: 'tooMany' })
  })
})

describe('A role given in an organisation', () => {
  test('holds there and below, and what lies outside is missing', async () => {
    const [region, other] = [await added('Region'), await added('Elsewhere')]
    const [office, team] = [await added('Branch', region), await added('Desk', other)]
    const officer = await acme.person({ permissions: ['search'] })
    const role = await ada.call(roles.calls.add, { name: 'Officer', api: ['orgView', 'orgTree', 'orgAdd', 'orgEdit'] })
    await expect(officer.call(read, { id: office })).rejects.toMatchObject({ status: 403, code: 'denied' })
    await ada.call(setPermission, { id: region, userId: officer.id, roleId: role.id, given: true })

    expect((await officer.call(search, {})).rows.map(({ name }) => name)).toEqual(['Branch', 'Region'])
    expect((await officer.call(tree, {})).rows.map(({ name }) => name)).toEqual(['Region'])
    expect(await officer.call(autocomplete, { text: '' })).toHaveLength(2)
    for (const id of [other, team]) {
      await expect(officer.call(read, { id })).rejects.toMatchObject(missing)
      await expect(officer.call(change, { id, name: 'Mine' })).rejects.toMatchObject(missing)
      await expect(officer.call(move, { id: office, parentId: id })).rejects.toMatchObject({ status: 404, code: 'unknownParent' })
      await expect(officer.call(previewMove, { id: office, parentId: id })).rejects.toMatchObject({ status: 404 })
      await expect(officer.call(merge, { id: office, intoId: id })).rejects.toMatchObject({ status: 404 })
      await expect(officer.call(previewMerge, { id: office, intoId: id })).rejects.toMatchObject({ status: 404 })
    }
    await expect(officer.call(move, { id: office })).rejects.toMatchObject({ status: 404 })
    await expect(officer.call(add, { name: 'At the top' })).rejects.toMatchObject({ status: 404 })
    const { id } = await officer.call(add, { name: 'Own', parentId: office })
    await officer.call(change, { id, name: 'Own team' })
    // People, and roles with more than one holds in the tenancy, are no part of it.
    await expect(officer.call(people, { id: office })).rejects.toMatchObject({ status: 403, code: 'denied' })
    expect((await officer.call(permissions, { id: office })).rows).toMatchObject([
      { userId: officer.id, person: '', role: 'Officer', inherited: { id: region } },
    ])
    await expect(officer.call(setPermission, { id: office, userId: ada.id, roleId: role.id, given: true })).rejects.toMatchObject({
      status: 403,
      code: 'beyond',
    })
  })

  test('opens the screens of organisations and the page of a person, no list of people in the menu, and no call outside of its part', async () => {
    const region = await added('Screens')
    const officer = await acme.person({ permissions: ['selfServicePortal'] })
    const names = ['orgView', 'orgTree', 'userView', 'userEdit']
    const { id: roleId } = await ada.call(roles.calls.add, { name: 'Officer of a part', view: names, menu: names, api: names })
    const shown = async () => (await (await officer.session()).call(sessions.calls.bootstrap, {})).viewer?.permission
    expect((await shown())?.View).not.toContain('orgTree')
    await ada.call(setPermission, { id: region, userId: officer.id, roleId, given: true })
    const { View = [], activeMenu = [] } = (await shown()) ?? {}
    expect(View.filter((name) => names.includes(name))).toEqual(['orgTree', 'orgView', 'userView'])
    expect([activeMenu.includes('orgTree'), activeMenu.includes('userView')]).toEqual([true, false])
    await expect(officer.call(users.calls.search, {})).rejects.toMatchObject({ status: 403 })
    await ada.call(setPermission, { id: region, userId: officer.id, roleId, given: false })
    expect((await shown())?.View).not.toContain('orgTree')
  })

  test('draws nobody in from outside, neither as a member nor by a role', async () => {
    const [region, other] = [await added('Own region'), await added('Other region')]
    const desk = await added('Own desk', region)
    const officer = await acme.person({ permissions: ['orgView', 'userView'] })
    const [inside, outside, nowhere] = [
      await acme.person({ permissions: [] }),
      await acme.person({ permissions: [] }),
      await acme.person({ permissions: [] }),
    ]
    const role = await ada.call(roles.calls.add, { name: 'Officer of people', api: ['orgEdit'] })
    const light = await ada.call(roles.calls.add, { name: 'Sees organisations', api: ['orgView'] })
    await ada.call(setPermission, { id: region, userId: officer.id, roleId: role.id, given: true })
    await ada.call(setOfPerson, { userId: inside.id, organisationIds: [region, other] })
    await ada.call(setOfPerson, { userId: outside.id, organisationIds: [other] })
    for (const { id } of [outside, nowhere, ada]) {
      await expect(officer.call(setOfPerson, { userId: id, organisationIds: [desk] })).rejects.toMatchObject(missing)
      await expect(officer.call(setPermission, { id: desk, userId: id, roleId: light.id, given: true })).rejects.toMatchObject({
        status: 400,
        code: 'unknownPerson',
      })
    }
    expect((await ada.call(people, { id: region, below: true })).rows.map(({ id }) => id)).toEqual([inside.id])
    await officer.call(setOfPerson, { userId: inside.id, organisationIds: [desk] })
    await officer.call(setPermission, { id: desk, userId: inside.id, roleId: light.id, given: true })
    // What lies outside of the part stays as it is.
    expect((await ada.call(ofPerson, { userId: inside.id })).map(({ id }) => id).toSorted()).toEqual([desk, other].toSorted())
  })

  test('ends on its day, when it is taken, and with the account', async () => {
    const id = await added('Temporary')
    const guest = await acme.person({ permissions: [] })
    const role = await ada.call(roles.calls.add, { name: 'Guest', api: ['orgView'] })
    const give = (until?: Date) =>
      ada.call(setPermission, {
        id,
        userId: guest.id,
        roleId: role.id,
        given: true,
        ...(until === undefined ? {} : { until: until.toISOString() }),
      })
    await expect(give(house.clock.now())).rejects.toMatchObject({ status: 400, code: 'past' })
    await give(new Date(house.clock.now().getTime() + 86_400_000))
    await guest.call(read, { id })
    house.clock.advance(2 * 86_400_000)
    await expect(guest.call(read, { id })).rejects.toMatchObject({ status: 403 })
    await give()
    await guest.call(read, { id })
    await ada.call(setPermission, { id, userId: guest.id, roleId: role.id, given: false })
    await expect(guest.call(read, { id })).rejects.toMatchObject({ status: 403 })
    await give()
    await ada.call(setOfPerson, { userId: guest.id, organisationIds: [id] })
    expect((await ada.call(users.calls.removal, { id: guest.id })).goes).toEqual(
      expect.arrayContaining([
        { kind: 'memberships', count: 1 },
        { kind: 'partRoles', count: 1 },
      ]),
    )
    await ada.call(users.calls.remove, { id: guest.id })
    expect((await ada.call(permissions, { id })).rows).toEqual([])
    expect((await ada.call(dependants, { id })).blocks).toBe(false)
  })
})

test('People are listed with where they belong, also those of what stands below', async () => {
  const top = await added('Company')
  const team = await added('Unit', top)
  const [one, two] = [await acme.person({ permissions: [], familyName: 'Aa' }), await acme.person({ permissions: [], familyName: 'Bb' })]
  await ada.call(setOfPerson, { userId: one.id, organisationIds: [top] })
  await ada.call(setOfPerson, { userId: two.id, organisationIds: [team] })
  expect((await ada.call(people, { id: top })).rows.map(({ id }) => id)).toEqual([one.id])
  expect((await ada.call(people, { id: top, below: true })).rows).toMatchObject([
    { id: one.id, organisations: [{ name: 'Company' }] },
    { id: two.id, organisations: [{ name: 'Unit' }] },
  ])
  // Who may see organisations and no users learns nobody's name by this way.
  const viewer = await acme.person({ permissions: ['orgView'] })
  await expect(viewer.call(people, { id: top })).rejects.toMatchObject({ status: 403, code: 'denied' })
})

test('The export has each organisation with those above it, and is on record', async () => {
  const answer = await ada.fetch(organisations.endpoints.export.path)
  const lines = (await answer.text()).split('\r\n')
  expect(lines[0]).toMatch(/Name,Above,Type/)
  expect(lines.find((line) => line.startsWith('Crew,'))).toMatch(/^Crew,South › Office,organisation,/)
  await expect
    .poll(async () => (await audited(house, acme.id)).some(({ area, name }) => area === 'organisations' && name === 'exported'))
    .toBe(true)
})
