import { beforeAll, describe, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { search } from '#areas/search/contract.ts'
import { users } from '#areas/users/contract.ts'
import { refusal, useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { tickets } from '../contract.ts'

const house = await useHouse({ background: true })
let acme: TestTenancy
let ada: TestPerson
let bob: TestPerson
let desk: TestPerson
let second: TestPerson
let foreign: TestPerson

const secret = 'the requester is hard to please'
const day = 86_400_000

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  ada = await acme.person({ permissions: ['ticketView', 'ticketAdd'], username: 'ada' })
  bob = await acme.person({ permissions: ['ticketView', 'ticketAdd', 'search'], username: 'bob' })
  desk = await acme.person({ permissions: ['ticketView', 'ticketAdd', 'ticketEdit', 'search'], username: 'desk' })
  second = await acme.person({ permissions: ['ticketView', 'ticketEdit'], username: 'second' })
  foreign = await (await house.tenancy('Globex')).person({ permissions: ['ticketView', 'ticketAdd', 'ticketEdit'] })
})

const raise = async (by: TestPerson, title = 'The reader is not found'): Promise<number> =>
  (await by.call(tickets.calls.add, { title, category: 'Bug', description: 'Since Friday' })).ticketId
const read = (by: TestPerson, ticketId: number) => by.call(tickets.calls.read, { ticketId })
const write = async (by: TestPerson, ticketId: number, messageContent: string, internalIndicator = false) =>
  (await by.call(tickets.calls.addMessage, { ticketId: { ticketId }, messageContent, internalIndicator })).messageId
const messagesOf = async (by: TestPerson, ticketId: number) => (await by.call(tickets.calls.messages, { ticketId })).ticketMessages
const change = async (by: TestPerson, ticketId: number, ticketStatus: string) => {
  const { title, category, description } = await read(by, ticketId)
  return by.call(tickets.calls.change, { ticketId, title, category, description, ticketStatus })
}
const letters = async (to: string) => {
  const { rows } = await acme.administrator.call(mail.calls.outbox, { text: `${to}@example.org` })
  return Promise.all(rows.map(({ id }) => acme.administrator.call(mail.calls.read, { id })))
}

describe('A ticket', () => {
  test('is raised with a number of its tenancy and read with the specified fields', async () => {
    const ticketId = await raise(ada)
    expect(await read(ada, ticketId)).toMatchObject({
      ticketId,
      title: 'The reader is not found',
      category: 'Bug',
      description: 'Since Friday',
      ticketStatus: 'TICKET_STATUS_OPEN',
      assignedTo: '',
      priority: 'Normal',
      createdBy: ada.id,
      userId: ada.id,
      tenantId: acme.id,
      username: 'ada',
      waitingOn: 'us',
      moves: [],
    })
    expect(await raise(ada)).toBe(ticketId + 1)
  })

  test('of somebody else, of another tenancy and of nobody are missing alike', async () => {
    const ticketId = await raise(ada)
    for (const [who, number] of [
      [bob, ticketId],
      [foreign, ticketId],
      [bob, 999_999],
    ] as const)
      expect(await refusal(read(who, number))).toMatchObject({ status: 404, code: 'missing' })
    expect(await refusal(messagesOf(bob, ticketId))).toMatchObject({ status: 404 })
    expect(await refusal(write(foreign, ticketId, 'Mine now'))).toMatchObject({ status: 404 })
  })

  test('takes so many messages of its requester in an hour and no more, because each is a letter to all who handle tickets', async () => {
    const loud = await acme.person({ permissions: ['ticketView', 'ticketAdd'], username: 'loud' })
    const ticketId = await raise(loud)
    await write(loud, ticketId, 'Once')
    await house.asOwner(`insert into ticket_messages (tenant_id, message_id, ticket_id, sender_id, sender_name, internal, content, sent_at)
      select tenant_id, gen_random_uuid(), ticket_id, sender_id, sender_name, internal, content, sent_at from ticket_messages, generate_series(2, 60)
      where sender_id = '${loud.id}'`)
    expect(await refusal(write(loud, ticketId, 'And again'))).toMatchObject({ status: 429 })
    await write(desk, ticketId, 'We are here')
    house.clock.advance(3_600_001)
    await write(loud, ticketId, 'Thank you')
  })

  test('moves as the machine says; a second closing changes nothing, and any other move names those allowed', async () => {
    const ticketId = await raise(ada)
    await change(desk, ticketId, 'reviewed')
    await change(desk, ticketId, 'TICKET_STATUS_IN_PROGRESS')
    expect(await refusal(change(desk, ticketId, 'reopened'))).toMatchObject({
      status: 409,
      code: 'wrongMove',
      message: expect.stringContaining('A ticket that is In Progress can only become Reviewed, Closed'),
    })
    expect(await change(desk, ticketId, 'CLOSED')).toEqual({ changed: true })
    expect(await change(desk, ticketId, 'closed')).toEqual({ changed: false })
    expect((await read(desk, ticketId)).closedAt).toBeDefined()
    await change(desk, ticketId, 'reopened')
    expect(await read(desk, ticketId)).toMatchObject({
      ticketStatus: 'TICKET_STATUS_REOPENED',
      moves: ['reviewed', 'in_progress', 'closed'],
    })
    expect((await read(desk, ticketId)).closedAt).toBeUndefined()
  })

  test('is not changed over the change of somebody else', async () => {
    const ticketId = await raise(ada)
    const { version } = await read(desk, ticketId)
    await change(desk, ticketId, 'reviewed')
    const draft = { ticketId, title: 'Another', category: 'Other', description: 'Text', version } as const
    expect(await refusal(desk.call(tickets.calls.change, draft))).toMatchObject({ status: 409, code: 'conflict' })
    expect(await refusal(ada.call(tickets.calls.change, draft))).toMatchObject({ status: 403, code: 'denied' })
  })

  test('takes a priority from those who handle tickets alone', async () => {
    const draft = { title: 'Now', category: 'General', description: 'Please', priority: 'Urgent' } as const
    expect(await refusal(ada.call(tickets.calls.add, draft))).toMatchObject({ status: 403, code: 'priorityDenied' })
    const { ticketId } = await desk.call(tickets.calls.add, draft)
    expect((await read(desk, ticketId)).priority).toBe('Urgent')
  })

  test('is raised by one person at most sixty times in an hour', async () => {
    const eager = await acme.person({ permissions: ['ticketView', 'ticketAdd'] })
    for (let at = 0; at < 60; at += 1) await raise(eager, `Number ${at}`)
    expect(await refusal(raise(eager))).toMatchObject({ status: 429, message: expect.stringContaining('Too Many Requests') })
    house.clock.advance(61 * 60_000)
    expect(await raise(eager)).toBeGreaterThan(0)
  })
})

describe('Many tickets', () => {
  test('are closed together: those of nobody are counted as missing, no other status is taken', async () => {
    const [open, closed] = [await raise(ada), await raise(ada)]
    await change(desk, closed, 'closed')
    const close = (ticketStatus: string) =>
      desk.call(tickets.calls.closeMany, {
        ticketIds: [open, closed, 888_888, open],
        fieldsToUpdate: { ticketStatus: ticketStatus as 'closed' },
      })
    expect(await refusal(close('reviewed'))).toMatchObject({ status: 400, fields: [{ field: 'fieldsToUpdate.ticketStatus' }] })
    expect(await close('closed')).toEqual({ closed: 1, unchanged: 1, missing: 1 })
    expect((await read(ada, open)).ticketStatus).toBe('TICKET_STATUS_CLOSED')
    expect(await foreign.call(tickets.calls.closeMany, { ticketIds: [9_999], fieldsToUpdate: { ticketStatus: 'closed' } })).toEqual({
      closed: 0,
      unchanged: 0,
      missing: 1,
    })
  })
})

describe('A ticket is assigned', () => {
  test('to one who handles tickets here, and to nobody by an empty id', async () => {
    const ticketId = await raise(ada)
    const assign = (userId: string) => desk.call(tickets.calls.assign, { ticketId, userId })
    const outsiders = [await refusal(assign(ada.id)), await refusal(assign(foreign.id))]
    expect(outsiders.map(({ status, code, fields }) => ({ status, code, fields }))).toEqual(
      Array.from({ length: 2 }, () => ({ status: 400, code: 'cannotHandle', fields: outsiders[0]?.fields })),
    )
    await assign(second.id)
    expect(await read(ada, ticketId)).toMatchObject({ assignedTo: second.id, assignedName: 'second' })
    expect((await letters('second')).some(({ text }) => text.includes('desk assigned this ticket to you'))).toBe(true)
    await assign('')
    expect(await read(ada, ticketId)).toMatchObject({ assignedTo: '', assignedName: '' })
  })

  test('no more to one whose account is disabled', async () => {
    const leaver = await acme.person({ permissions: ['ticketView', 'ticketEdit'] })
    const ticketId = await raise(ada)
    await desk.call(tickets.calls.assign, { ticketId, userId: leaver.id })
    await acme.administrator.call(users.calls.setEnabled, { id: leaver.id, enabled: false })
    await expect.poll(async () => (await read(desk, ticketId)).assignedTo).toBe('')
  })
})

describe('A message', () => {
  test('bears who asks as its sender, whoever the request names, and may have 10,000 characters however they are encoded', async () => {
    const ticketId = await raise(ada)
    const long = '😀'.repeat(10_000)
    const draft = { ticketId, messageContent: long, sender: 'desk', internalIndicator: false }
    const { messageId } = await ada.call(tickets.calls.addMessage, draft)
    expect(await messagesOf(ada, ticketId)).toMatchObject([{ messageId, ticketId, sender: 'ada', messageContent: long, own: true }])
    const fault = await refusal(ada.call(tickets.calls.addMessage, { ...draft, messageContent: `${long}a` }))
    expect(fault).toMatchObject({ status: 400, fields: [{ field: 'messageContent', says: 'Use at most 10,000 characters' }] })
  })

  test('is changed and deleted by who wrote it alone, and not in a closed ticket', async () => {
    const ticketId = await raise(ada)
    const messageId = await write(ada, ticketId, 'Frist')
    await ada.call(tickets.calls.changeMessage, {
      messageId,
      ticketId: { ticketId },
      messageContent: 'First',
      sender: '',
      internalIndicator: false,
    })
    expect(await messagesOf(desk, ticketId)).toMatchObject([{ messageContent: 'First', own: false, editedAt: expect.any(String) }])
    expect(await refusal(desk.call(tickets.calls.removeMessage, { messageId }))).toMatchObject({ status: 403, code: 'notYours' })
    expect(await refusal(bob.call(tickets.calls.removeMessage, { messageId }))).toMatchObject({ status: 404 })
    await change(desk, ticketId, 'closed')
    expect(await refusal(ada.call(tickets.calls.removeMessage, { messageId }))).toMatchObject({ status: 409, code: 'closed' })
    await change(desk, ticketId, 'reopened')
    await ada.call(tickets.calls.removeMessage, { messageId })
    expect(await messagesOf(desk, ticketId)).toEqual([])
  })

  test('of the requester opens a closed ticket again, for fourteen days', async () => {
    const ticketId = await raise(ada)
    await change(desk, ticketId, 'closed')
    await write(ada, ticketId, 'Not yet')
    expect((await read(ada, ticketId)).ticketStatus).toBe('TICKET_STATUS_REOPENED')
    await change(desk, ticketId, 'closed')
    house.clock.advance(14 * day + 60_000)
    expect(await refusal(write(ada, ticketId, 'Still not'))).toMatchObject({ status: 409, code: 'closed' })
  })

  test('says whose turn it is and reaches the other side by mail', async () => {
    const ticketId = await raise(ada, 'Mail of turns')
    await write(desk, ticketId, 'Try the other port')
    expect((await read(ada, ticketId)).waitingOn).toBe('requester')
    const [letter] = (await letters('ada')).filter(({ subject }) => subject.includes('Mail of turns'))
    expect(letter).toMatchObject({ subject: `Ticket ${ticketId}: Mail of turns` })
    expect(letter?.text).toContain('Try the other port')
    expect(letter?.text).toContain(`/support/ticket/${ticketId}/view`)
    await write(ada, ticketId, 'That helped')
    expect((await read(ada, ticketId)).waitingOn).toBe('us')
  })
})

describe('An internal note', () => {
  test('is written by those who handle tickets alone', async () => {
    const ticketId = await raise(ada)
    expect(await refusal(write(ada, ticketId, 'Psst', true))).toMatchObject({ status: 403, code: 'internalDenied' })
  })

  test('leaves by no way out: list, ticket, search, mail, mention, metrics, change and audit log', async () => {
    const ticketId = await raise(ada, 'A quiet one')
    const before = await read(ada, ticketId)
    const measured = await ada.call(tickets.calls.metrics, {})
    house.clock.advance(1000)
    const messageId = await write(desk, ticketId, `@ada @second @bob ${secret}`, true)
    expect(await messagesOf(ada, ticketId)).toEqual([])
    expect(await read(ada, ticketId)).toEqual(before)
    expect(await messagesOf(second, ticketId)).toMatchObject([{ internalIndicator: true, messageContent: `@ada @second @bob ${secret}` }])
    expect((await ada.call(tickets.calls.search, { text: 'hard' })).rows).toEqual([])
    expect((await desk.call(search.calls.find, { text: 'hard' })).records).toEqual([])
    expect((await ada.call(tickets.calls.metrics, {})).timeMetrics).toEqual(measured.timeMetrics)
    expect(await refusal(ada.call(tickets.calls.removeMessage, { messageId }))).toMatchObject({ status: 404 })
    expect(await refusal(ada.call(tickets.calls.changeMessage, { messageId, ticketId, messageContent: 'x' }))).toMatchObject({
      status: 404,
    })
    const { rows } = await acme.administrator.call(mail.calls.outbox, { size: 200 })
    const all = await Promise.all(rows.map(({ id }) => acme.administrator.call(mail.calls.read, { id })))
    expect(all.filter(({ text }) => text.includes(secret))).toEqual([])
    expect(all.filter(({ text }) => text.includes('named you in an internal note')).map(({ to }) => to)).toEqual(['second@example.org'])
    await desk.call(tickets.calls.changeMessage, { messageId, ticketId, messageContent: `${secret}, still` })
    await desk.call(tickets.calls.removeMessage, { messageId })
    expect(await read(ada, ticketId)).toEqual(before)
    const log = await acme.administrator.call(audit.calls.search, { size: 100 })
    expect(JSON.stringify(log)).not.toContain(secret)
  })
})

describe('A mention', () => {
  test('gives no access and tells nobody who has none', async () => {
    const ticketId = await raise(ada, 'Who is named')
    await write(desk, ticketId, 'Ask @bob. @second.')
    expect(await refusal(read(bob, ticketId))).toMatchObject({ status: 404 })
    expect((await letters('bob')).filter(({ subject }) => subject.includes('Who is named'))).toEqual([])
    expect((await letters('second')).some(({ text }) => text.includes('desk named you'))).toBe(true)
  })
})

describe('The list', () => {
  test('shows what one raised, what one handles, and everything to those who handle tickets', async () => {
    const mine = await raise(bob, 'Zebra crossing')
    await raise(ada, 'Zebra stripes')
    const found = async (by: TestPerson, whose: 'all' | 'createdByMe' | 'assignedToMe') =>
      (await by.call(tickets.calls.search, { whose, text: 'zebra' })).rows.map(({ title }) => title).toSorted()
    expect(await found(bob, 'all')).toEqual(['Zebra crossing'])
    expect(await found(desk, 'all')).toEqual(['Zebra crossing', 'Zebra stripes'])
    expect(await found(desk, 'createdByMe')).toEqual([])
    await desk.call(tickets.calls.assign, { ticketId: mine, userId: desk.id })
    expect(await found(desk, 'assignedToMe')).toEqual(['Zebra crossing'])
    expect((await desk.call(tickets.calls.search, { text: String(mine), status: ['open'] })).rows.map((row) => row.ticketId)).toContain(
      mine,
    )
  })

  test('shows those raised by a person and those given to a person, and to others only their own of these', async () => {
    const [hers, his] = [await raise(ada, 'Quartz of Ada'), await raise(bob, 'Quartz of Bob')]
    await desk.call(tickets.calls.assign, { ticketId: his, userId: desk.id })
    const found = async (by: TestPerson, whose: { createdBy?: string; assignedTo?: string }) =>
      (await by.call(tickets.calls.search, { ...whose, text: 'quartz' })).rows.map(({ ticketId }) => ticketId)
    expect(await found(desk, { createdBy: ada.id })).toEqual([hers])
    expect(await found(desk, { assignedTo: desk.id })).toEqual([his])
    expect(await found(desk, { createdBy: ada.id, assignedTo: desk.id })).toEqual([])
    expect(await found(ada, { createdBy: bob.id })).toEqual([])
    expect(await found(ada, { assignedTo: desk.id })).toEqual([])
  })

  test('offers those who raised tickets for choosing, to those who handle tickets', async () => {
    await raise(ada, 'Offered')
    const { people } = await desk.call(tickets.calls.requesters, { text: 'ada' })
    expect(people.map(({ id }) => id)).toContain(ada.id)
    expect(people.map(({ id }) => id)).not.toContain(second.id)
    expect(await refusal(ada.call(tickets.calls.requesters, {}))).toMatchObject({ status: 403 })
  })

  test('is searched by groups, the newest change first where nothing else is said', async () => {
    const [first, later] = [await raise(ada, 'Grouped one'), await raise(ada, 'Grouped two')]
    house.clock.advance(1000)
    await change(desk, first, 'reviewed')
    const ask = (input: object) => ada.call(tickets.calls.searchSupportTickets, input)
    const title = { field: 'title', comparison: 'startsWith', value: 'grouped', operator: 'and' }
    const both = await ask({ search_groups: [title] })
    expect(both).toMatchObject({ totalResults: 2, results: [{ ticketId: first }, { ticketId: later }] })
    expect(await ask({ search_groups: [title, { field: 'ticketStatus', value: 'reviewed' }] })).toMatchObject({ totalResults: 1 })
    const either = [
      { field: 'ticketId', value: first },
      { field: 'ticketId', value: later, operator: 'OR' },
    ]
    expect(await ask({ search_groups: either, skip: 1, take: 1 })).toMatchObject({ totalResults: 2, results: [{ ticketId: later }] })
    for (const wrong of [
      { search_groups: [{ ...title, field: 'tenant_id' }] },
      { search_groups: [{ ...title, operator: '; drop table tickets' }] },
      { search_groups: [{ ...title, field: 'createdAt', comparison: 'lessThan' }] },
      { search_groups: [{ ...title, field: 'category' }] },
      { search_groups: Array.from({ length: 21 }, () => title) },
      { take: 1_000_000_000 },
    ])
      expect(await refusal(ask(wrong))).toMatchObject({ status: 400 })
    expect((await foreign.call(tickets.calls.searchSupportTickets, { search_groups: [] })).totalResults).toBe(0)
  })

  test('is found as a record, by its number too, by those who handle tickets alone', async () => {
    const ticketId = await raise(ada, 'Quite findable')
    const find = async (by: TestPerson, text: string) =>
      (await by.call(search.calls.find, { text })).records.filter(({ type }) => type === 'ticket').map(({ label }) => label)
    for (const text of [`ticket ${ticketId}`, `#${ticketId}`, 'findable'])
      expect(await find(desk, text)).toEqual([`Ticket ${ticketId}: Quite findable`])
    expect(await find(bob, 'findable')).toEqual([])
  })
})

describe('The metrics', () => {
  test('count, time and compare, and are empty where there is nothing to count', async () => {
    const lab = await house.tenancy('Initech')
    const agent = await lab.person({ permissions: ['ticketView', 'ticketAdd', 'ticketEdit'] })
    const asker = await lab.person({ permissions: ['ticketView', 'ticketAdd'] })
    const nothing = { avgFirstResponseTime: null, responseRate: null, avgResolutionTime: null }
    expect((await agent.call(tickets.calls.metrics, {})).timeMetrics).toEqual(nothing)
    const answered = await raise(asker)
    await raise(asker)
    house.clock.advance(3_600_000)
    await write(agent, answered, 'Done')
    house.clock.advance(3_600_000)
    await change(agent, answered, 'closed')
    const { ticketCounts, timeMetrics, trends, period } = await agent.call(tickets.calls.metrics, {})
    expect(ticketCounts).toEqual({ open: 1, inProgress: 0, closed: 1 })
    expect(timeMetrics.responseRate).toBe(0.5)
    expect(timeMetrics.avgFirstResponseTime).toBeCloseTo(3_600, -2)
    expect(timeMetrics.avgResolutionTime).toBeCloseTo(7_200, -2)
    expect(trends).toEqual({ responseRateChange: null, resolutionTimeChange: null })
    expect(period.days).toBe(30)
  })
})

describe('What is attached', () => {
  const attach = (by: TestPerson, ticketId: number, name: string, body: string) =>
    by.fetch(`${tickets.endpoints.attach.path}?ticketId=${ticketId}&name=${name}`, { method: 'POST', body })

  test('comes back as a download to those who see the ticket, and goes by who attached it', async () => {
    const ticketId = await raise(ada)
    expect((await attach(ada, ticketId, 'run.bat', 'it says: no reader')).status).toBe(200)
    expect((await attach(bob, ticketId, 'x.txt', 'text')).status).toBe(404)
    expect((await attach(ada, ticketId, 'page.html', '<!doctype html><script>alert(1)</script>')).status).toBe(400)
    const [file] = (await read(desk, ticketId)).attachments
    const path = `${tickets.endpoints.file.path}?ticketId=${ticketId}&id=${file?.id}`
    const answer = await desk.fetch(path)
    expect(answer.headers.get('content-disposition')).toContain('run.bat.txt')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await bob.fetch(path)).status).toBe(404)
    await ada.call(tickets.calls.removeFile, { ticketId, id: file?.id ?? '' })
    expect((await read(ada, ticketId)).attachments).toEqual([])
  })

  test('a page is linked by its address here, and no address elsewhere', async () => {
    const draft = { title: 'About a page', category: 'Other', description: 'x' } as const
    const { ticketId } = await ada.call(tickets.calls.add, {
      ...draft,
      links: [{ kind: 'page', id: '/search/certificate?status=revoked' }],
    })
    expect((await read(desk, ticketId)).links).toMatchObject([{ kind: 'page', path: '/search/certificate?status=revoked' }])
    for (const id of ['//evil.example', '/\\\\evil.example', 'https://evil.example', 'javascript:alert(1)', '/a b'])
      expect(await refusal(ada.call(tickets.calls.add, { ...draft, links: [{ kind: 'page', id }] }))).toMatchObject({ code: 'noRecord' })
  })

  test('a linked record is named to those who may see it; to others its kind alone', async () => {
    const { ticketId } = await desk.call(tickets.calls.add, { title: 'About a person', category: 'Other', description: 'x' })
    const link = { ticketId, kind: 'user', id: ada.id }
    expect(await refusal(desk.call(tickets.calls.link, link))).toMatchObject({ status: 400, code: 'noRecord' })
    await acme.administrator.call(tickets.calls.link, link)
    expect(await refusal(acme.administrator.call(tickets.calls.link, { ...link, id: foreign.id }))).toMatchObject({ code: 'noRecord' })
    expect((await read(desk, ticketId)).links).toEqual([{ kind: 'user', kindName: 'User' }])
    expect((await read(acme.administrator, ticketId)).links).toMatchObject([{ kind: 'user', id: ada.id, path: expect.any(String) }])
  })
})
