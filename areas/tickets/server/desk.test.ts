// Due times, merging, splitting, presence and what changed in linked records, through the front door.

import { beforeAll, describe, expect, test } from 'vitest'
import { withTenancy } from '#core/server/tenancy.ts'
import { audited } from '#core/testing/events.ts'
import { refusal, useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { duesOf } from '../clock.ts'
import { tickets } from '../contract.ts'
import { listClock } from './clock-store.ts'

const house = await useHouse()
const { add, read, addMessage, messages, closeMany, change, config, saveConfig, merge, split, presence } = tickets.calls
let acme: TestTenancy
let ada: TestPerson
let bob: TestPerson
let agent: TestPerson
let other: TestPerson

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  ada = await acme.person({ permissions: ['ticketAdd', 'ticketView'], username: 'ada.desk' })
  bob = await acme.person({ permissions: ['ticketAdd', 'ticketView'], username: 'bob.desk' })
  agent = await acme.person({ permissions: ['ticketAdd', 'ticketView', 'ticketEdit'], username: 'agent.desk' })
  other = await acme.person({ permissions: ['ticketView', 'ticketEdit'], username: 'other.desk' })
})

const raise = async (by: TestPerson, title = 'No reader') =>
  (await by.call(add, { title, category: 'Bug', description: 'It is not found' })).ticketId
const say = (by: TestPerson, ticketId: number, messageContent: string, internalIndicator = false) =>
  by.call(addMessage, { ticketId, messageContent, internalIndicator })
const duesNow = async (ticketId: number) => {
  const { responseDue, resolutionDue } = await agent.call(read, { ticketId })
  const { response, resolution } = duesOf(await withTenancy(house.house, acme.id, (tenancy) => listClock(tenancy, ticketId)))
  expect([responseDue, resolutionDue]).toEqual([response?.toISOString(), resolution?.toISOString()])
  return { responseDue, resolutionDue }
}

describe('The due times of a ticket', () => {
  test('pause while the requester has the turn, end when it closes, go on when it is opened again, and follow from what happened', async () => {
    const ticketId = await raise(ada)
    const first = await duesNow(ticketId)
    expect(first).toEqual({ responseDue: expect.any(String), resolutionDue: expect.any(String) })
    await say(agent, ticketId, 'She asks every week', true)
    expect(await duesNow(ticketId)).toEqual(first)
    await say(agent, ticketId, 'Which one is it?')
    expect(await duesNow(ticketId)).toEqual({})
    await say(ada, ticketId, 'The black one')
    expect(await duesNow(ticketId)).toMatchObject({ responseDue: expect.any(String) })
    const { title, category, description } = await agent.call(read, { ticketId })
    await agent.call(change, { ticketId, title, category, description, priority: 'Urgent' })
    const urgent = await duesNow(ticketId)
    expect(urgent.resolutionDue?.localeCompare(first.resolutionDue ?? '')).toBe(-1)
    await agent.call(closeMany, { ticketIds: [ticketId], fieldsToUpdate: { ticketStatus: 'closed' } })
    expect(await duesNow(ticketId)).toEqual({})
    await say(ada, ticketId, 'It is gone again')
    expect(await duesNow(ticketId)).toMatchObject({ resolutionDue: expect.any(String) })
  })

  test('are those of the settings when it was raised; who has not seen the last settings does not overwrite them', async () => {
    const before = await agent.call(config, {})
    const { zone: _, version, ...settings } = before
    const none = { response: 0, resolution: 0 }
    await agent.call(saveConfig, { ...settings, targets: { ...settings.targets, Normal: none }, version })
    expect(await duesNow(await raise(ada))).toEqual({})
    expect((await refusal(other.call(saveConfig, { ...settings, version }))).status).toBe(409)
    expect((await refusal(ada.call(config, {}))).status).toBe(403)
    const bad = await refusal(
      agent.call(saveConfig, { ...settings, week: [[{ from: '17:00', to: '09:00' }], [], [], [], [], [], []], version: version + 1 }),
    )
    expect(bad.status).toBe(400)
    await agent.call(saveConfig, { ...settings, version: version + 1 })
    expect((await audited(house, acme.id)).filter(({ name }) => name === 'settingsChanged')).toHaveLength(2)
  })
})

describe('A ticket', () => {
  test('is merged into another one of the same requester, and of nobody else', async () => {
    const [from, into, foreign] = [await raise(ada, 'Twice'), await raise(ada), await raise(bob)]
    await say(ada, from, 'Still not there')
    await say(agent, from, 'Known', true)
    expect((await refusal(agent.call(merge, { ticketId: from, into: foreign }))).status).toBe(409)
    expect((await refusal(agent.call(merge, { ticketId: from, into: from }))).status).toBe(400)
    expect((await refusal(agent.call(merge, { ticketId: from, into: 99_999 }))).status).toBe(400)
    expect((await refusal(ada.call(merge, { ticketId: from, into }))).status).toBe(403)
    await agent.call(merge, { ticketId: from, into })
    const texts = async (who: TestPerson, ticketId: number) =>
      (await who.call(messages, { ticketId })).ticketMessages.map((one) => one.messageContent)
    expect(await texts(ada, into)).toEqual(['Twice\n\nIt is not found', 'Still not there'])
    expect(await texts(agent, into)).toContain('Known')
    expect(await texts(ada, from)).toEqual([`This ticket goes on in ticket ${into}.`])
    expect((await agent.call(read, { ticketId: from })).ticketStatus).toBe('TICKET_STATUS_CLOSED')
    expect((await agent.call(read, { ticketId: from })).links).toMatchObject([{ kind: 'ticket', name: `Ticket ${into}` }])
    expect((await refusal(agent.call(merge, { ticketId: from, into }))).status).toBe(409)
  })

  test('is made of a public message, for the same requester, and of no internal note', async () => {
    const ticketId = await raise(bob)
    const asked = await say(bob, ticketId, 'And I need a second card')
    const note = await say(agent, ticketId, 'He asks a lot', true)
    const made = await agent.call(split, { messageId: asked.messageId, title: 'A second card' })
    expect(await bob.call(read, made)).toMatchObject({
      title: 'A second card',
      description: 'And I need a second card',
      links: [{ kind: 'ticket' }],
    })
    expect((await refusal(agent.call(split, { messageId: note.messageId, title: 'No' }))).status).toBe(409)
  })

  test('tells who handles tickets who else looks at it, and nobody of it later', async () => {
    const ticketId = await raise(ada)
    await other.call(presence, { ticketId, writing: true })
    expect((await agent.call(presence, { ticketId })).people).toEqual([{ name: other.username, writing: true }])
    house.clock.advance(30_000)
    expect((await agent.call(presence, { ticketId })).people).toEqual([])
    expect((await refusal(ada.call(presence, { ticketId }))).status).toBe(403)
    expect((await refusal(agent.call(presence, { ticketId: 99_999 }))).status).toBe(404)
  })

  test('shows what happened to a linked record since it was linked', async () => {
    const [ticketId, about] = [await raise(ada), await raise(bob)]
    const [found] = (
      await agent.call(read, {
        ticketId: (await agent.call(split, { messageId: (await say(bob, about, 'More')).messageId, title: 'More of it' })).ticketId,
      })
    ).links
    expect(found?.since).toEqual([])
    await agent.call(tickets.calls.link, { ticketId, kind: 'ticket', id: found?.id ?? '' })
    house.clock.advance(1_000)
    await agent.call(closeMany, { ticketIds: [about], fieldsToUpdate: { ticketStatus: 'closed' } })
    expect((await agent.call(read, { ticketId })).links[0]?.since).toMatchObject([{ what: 'Moved a ticket to another status' }])
  })
})
