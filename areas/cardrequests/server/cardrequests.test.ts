import { createCanvas } from '@napi-rs/canvas'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newCard, openDesk, type DeskFixture } from '#areas/smartcards/server/desk.fixture.ts'
import { users } from '#areas/users/contract.ts'
import { addPerson } from '#areas/users/service.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { audited } from '#core/testing/events.ts'
import { refusal } from '#core/testing/house.ts'
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
        ids.push((await addPerson(db, tenantId, { ...person, origin: 'form' }, now)) ?? '')
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
      bulkInclusionList: [one.username, two.username, `${three.username.toUpperCase()}@EXAMPLE.org`, 'nobody.at.all', 'nobody@example.org'],
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

  test('finds one person among ten thousand pasted names', async () => {
    const cardTemplateId = await template()
    const person = await somebody()
    const bulkInclusionList = [...Array.from({ length: 9_999 }, (_, at) => `nobody.at.${at}`), person.username]
    const answer = await clerk.call(request, { bulkInclusionList, options: { cardTemplateId, dryRun: true } })
    expect(answer).toMatchObject({ requested: 1, refused: 9_999 })
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
    await expect.poll(async () => (await clerk.call(search, { cardTemplateId })).rows[0]?.state).toBe('fulfilled')
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

describe('A photo for the own card', () => {
  const { requestOwn, checkPhoto, own, withdrawOwn } = cardrequests.calls
  const dataUrl = (type: string, bytes: Uint8Array) => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
  const picture = (width: number, height: number) => {
    const canvas = createCanvas(width, height)
    canvas.getContext('2d').fillStyle = '#446688'
    canvas.getContext('2d').fillRect(0, 0, width, height)
    return dataUrl('image/jpeg', canvas.toBuffer('image/jpeg', 80))
  }
  const applicant = () => desk.pki.tenancy.person({ permissions: ['selfServicePortal'], familyName: 'Facewright' })
  const photoAt = (requestId: string) => `${cardrequests.endpoints.photo.path}?id=${requestId}`

  test('is checked at once, goes with the request, is seen by the desk alone, and goes when the request is withdrawn', async () => {
    const cardTemplateId = await template()
    const person = await applicant()
    const checked = await person.call(checkPhoto, { photo: picture(1200, 1600) })
    expect(checked).toMatchObject({ width: 600, height: 800 })
    const { requestId } = await person.call(requestOwn, { cardTemplateId, photo: checked.photo })
    expect((await person.call(own, {})).requests).toMatchObject([{ id: requestId, step: 'requested', hasPhoto: true }])
    expect((await clerk.call(search, { text: 'Facewright' })).rows).toContainEqual(
      expect.objectContaining({ id: requestId, hasPhoto: true }),
    )
    const shown = await clerk.fetch(photoAt(requestId))
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect((await person.fetch(photoAt(requestId))).status).toBe(403)
    expect((await (await desk.house.tenancy('Initech')).administrator.fetch(photoAt(requestId))).status).toBe(404)
    const other = await applicant()
    await expect(other.call(withdrawOwn, { id: requestId })).rejects.toMatchObject({ status: 404 })
    await person.call(withdrawOwn, { id: requestId })
    expect((await clerk.fetch(photoAt(requestId))).status).toBe(404)
    expect((await person.call(own, {})).requests).toMatchObject([{ step: 'withdrawn', hasPhoto: false }])
  })

  test('that is too small, too wide, no picture, or a bomb is refused by the field, and nothing is requested', async () => {
    const cardTemplateId = await template()
    const person = await applicant()
    /** Says that it is 65,000 by 65,000 pixels. */
    const bmp = Buffer.alloc(70)
    bmp.write('BM')
    for (const [at, value] of [
      [2, 70],
      [10, 54],
      [14, 40],
      [18, 65_000],
      [22, 65_000],
    ] as const)
      bmp.writeUInt32LE(value, at)
    bmp.writeUInt16LE(1, 26)
    bmp.writeUInt16LE(24, 28)
    expect((await refusal(person.call(checkPhoto, { photo: picture(120, 160) }))).fields).toMatchObject([
      { says: 'The photo is too small: upright it has 120 by 160 pixels, and a card needs 240 by 320' },
    ])
    const wrong = [
      picture(120, 160),
      picture(1600, 900),
      picture(300, 1200),
      dataUrl('image/bmp', bmp),
      dataUrl('image/png', Buffer.from('no picture')),
      'data:text/html;base64,PGI+',
      '',
    ]
    for (const photo of wrong) {
      expect(await refusal(person.call(checkPhoto, { photo }))).toMatchObject({ status: 400, fields: [{ field: 'photo' }] })
      expect(await refusal(person.call(requestOwn, { cardTemplateId, photo }))).toMatchObject({ status: 400, fields: [{ field: 'photo' }] })
    }
    expect((await person.call(own, {})).requests).toEqual([])
  })
})
