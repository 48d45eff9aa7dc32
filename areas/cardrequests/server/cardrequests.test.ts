import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newCard, openDesk, type DeskFixture } from '#areas/smartcards/server/desk.fixture.ts'
import { users } from '#areas/users/contract.ts'
import { addPerson } from '#areas/users/service.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { audited } from '#core/testing/events.ts'
import { cardrequests } from '../contract.ts'

let desk: DeskFixture
let clerk: DeskFixture['desk']
const { request, templates, search, withdraw } = cardrequests.calls

beforeAll(async () => {
  desk = await openDesk({ background: true })
  clerk = await desk.pki.tenancy.person({ permissions: ['smartcardRequest'] })
})
afterAll(() => desk.close())

let count = 0
const template = () => desk.addTemplate([{ slot: '9A', algorithm: 'P-256', templateId: desk.templateId }])
const somebody = (familyName = `Named ${(count += 1)}`) => desk.pki.tenancy.person({ permissions: [], familyName })

describe('A request for cards', () => {
  test('of 120 people chosen by a filter names the two who cannot get one, before and after it is sent', async () => {
    const cardTemplateId = await template()
    const { id: tenantId } = desk.pki.tenancy
    const depot = await withTenancy(desk.house.house, tenantId, async ({ db, now }) => {
      const ids: string[] = []
      for (let at = 0; at < 120; at += 1) {
        const username = `depot${at}`
        const person = { username, givenName: 'Ada', familyName: `Depotwright ${at}`, emailAddress: `${username}@example.org` }
        ids.push((await addPerson(db, tenantId, person, now)) ?? '')
      }
      return ids
    })
    const [gone = '', asked = ''] = depot
    await desk.pki.tenancy.administrator.call(users.calls.setEnabled, { id: gone, enabled: false })
    await clerk.call(request, { inclusionList: [asked], options: { cardTemplateId } })
    const selection = { selectAll: true, options: { cardTemplateId, deliverTo: 'Gate 3', query: { text: 'Depotwright' } } }
    const cannot = expect.arrayContaining([
      { userId: gone, name: 'Ada Depotwright 0', reason: 'disabled' },
      { userId: asked, name: 'Ada Depotwright 1', reason: 'requested' },
    ])
    const dry = await clerk.call(request, { ...selection, options: { ...selection.options, dryRun: true } })
    expect(dry).toEqual({ dryRun: true, requested: 118, refused: 2, cannot })
    expect((await clerk.call(search, { cardTemplateId })).total).toBe(1)
    expect(await clerk.call(request, selection)).toEqual({ dryRun: false, requested: 118, refused: 2, cannot })
    expect((await clerk.call(search, { cardTemplateId, state: 'open' })).total).toBe(119)
    expect(
      (await audited(desk.house, desk.pki.tenancy.id)).filter(({ area, name }) => area === 'cardrequests' && name === 'requested'),
    ).toHaveLength(119)
  })

  test('takes names and addresses that were pasted, without those that are left out, each person once', async () => {
    const cardTemplateId = await template()
    const [one, two, three] = [await somebody(), await somebody(), await somebody()]
    const answer = await clerk.call(request, {
      inclusionList: [one.id, two.id],
      exclusionList: [two.id],
      bulkInclusionList: [one.username, `${three.username.toUpperCase()}@EXAMPLE.org`, 'nobody.at.all', 'nobody@example.org'],
      options: { cardTemplateId },
    })
    expect(answer).toMatchObject({ requested: 2, refused: 2 })
    expect(answer.cannot).toEqual([
      { name: 'nobody.at.all', reason: 'unknown' },
      { name: 'nobody@example.org', reason: 'unknown' },
    ])
    const { rows } = await clerk.call(search, { cardTemplateId })
    expect(new Set(rows.map(({ person }) => person.id))).toEqual(new Set([one.id, three.id]))
  })

  test('that two send at once is made once for each person', async () => {
    const cardTemplateId = await template()
    const people = await Promise.all(Array.from({ length: 5 }, () => somebody()))
    const inclusionList = people.map(({ id }) => id)
    const answers = await Promise.all([1, 2, 3, 4].map(() => clerk.call(request, { inclusionList, options: { cardTemplateId } })))
    expect(answers.reduce((sum, { requested }) => sum + requested, 0)).toBe(5)
    expect(answers.every(({ requested, refused }) => requested + refused === 5)).toBe(true)
    expect((await clerk.call(search, { cardTemplateId })).total).toBe(5)
  })

  test('is over when the card is issued, and cannot be made while the person has it', async () => {
    const cardTemplateId = await template()
    const person = await somebody()
    await clerk.call(request, { inclusionList: [person.id], options: { cardTemplateId } })
    await desk.register(newCard())
    await desk.issue({ cardTemplateId, user_ids: [person.id] })
    await expect.poll(async () => (await clerk.call(search, { cardTemplateId })).rows[0]?.state, { timeout: 10_000 }).toBe('fulfilled')
    expect(await clerk.call(request, { inclusionList: [person.id], options: { cardTemplateId } })).toMatchObject({
      requested: 0,
      cannot: [{ userId: person.id, reason: 'hasCard' }],
    })
  })

  test('can be withdrawn while it is open, and then be made anew', async () => {
    const cardTemplateId = await template()
    const person = await somebody()
    await clerk.call(request, { inclusionList: [person.id], options: { cardTemplateId } })
    const [row] = (await clerk.call(search, { cardTemplateId })).rows
    const ids = [row?.id ?? '']
    expect(await clerk.call(withdraw, { ids })).toEqual({ withdrawn: 1 })
    expect(await clerk.call(withdraw, { ids })).toEqual({ withdrawn: 0 })
    expect(await clerk.call(request, { inclusionList: [person.id], options: { cardTemplateId } })).toMatchObject({ requested: 1 })
  })

  test('for nobody, by no template, or for a day that is over is refused', async () => {
    const cardTemplateId = await template()
    const person = await somebody()
    const inclusionList = [person.id]
    await expect(clerk.call(request, { options: { cardTemplateId } })).rejects.toMatchObject({ status: 400, code: 'nobody' })
    await expect(clerk.call(request, { inclusionList, options: { cardTemplateId: person.id } })).rejects.toMatchObject({
      code: 'unknownTemplate',
      fields: [{ field: 'options.cardTemplateId' }],
    })
    await expect(
      clerk.call(request, { inclusionList, options: { cardTemplateId, dueDate: '2020-01-01T00:00:00Z' } }),
    ).rejects.toMatchObject({
      code: 'dueBefore',
    })
  })

  test('reaches nobody of another tenancy', async () => {
    const cardTemplateId = await template()
    const person = await somebody()
    const stranger = (await desk.house.tenancy('Globex')).administrator
    await expect(stranger.call(request, { inclusionList: [person.id], options: { cardTemplateId } })).rejects.toMatchObject({
      code: 'unknownTemplate',
    })
    expect(
      await clerk.call(request, { inclusionList: [stranger.id], bulkInclusionList: [stranger.username], options: { cardTemplateId } }),
    ).toMatchObject({
      requested: 0,
      refused: 2,
    })
    expect(await stranger.call(templates, {})).toEqual({ cardTemplates: [] })
    expect((await stranger.call(search, {})).rows).toEqual([])
  })
})

test('A person requests the own card once, in self-service, and nobody else’s; the desk sees it', async () => {
  const { ownTemplates, requestOwn } = cardrequests.calls
  const cardTemplateId = await template()
  const person = await desk.pki.tenancy.person({ permissions: ['selfServicePortal'], familyName: 'Ownwright' })
  const { requestId } = await person.call(requestOwn, { cardTemplateId })
  expect((await person.call(ownTemplates, {})).cardTemplates).toContainEqual(
    expect.objectContaining({ cardTemplateId, obstacle: 'requested' }),
  )
  await expect(person.call(requestOwn, { cardTemplateId })).rejects.toMatchObject({ code: 'requested' })
  await expect(person.call(requestOwn, { cardTemplateId: requestId })).rejects.toMatchObject({ code: 'unknownTemplate' })
  expect((await clerk.call(search, { text: 'Ownwright' })).rows).toMatchObject([{ id: requestId, state: 'open', by: person.username }])
})
