// A card's life at the desk, over a real link to a card of software.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { refusal } from '#core/testing/house.ts'
import { factory } from '#standards/piv/identifiers.ts'
import { smartcards } from '../contract.ts'
import { connectClient, inReader, newCard, openDesk, printerName, readerName, startClient, type DeskFixture } from './desk.fixture.ts'

let at: DeskFixture
beforeAll(async () => {
  at = await openDesk()
})
afterAll(() => at.close())

const { calls } = smartcards

async function issued() {
  const card = newCard()
  const { cardId, serial } = await at.register(card)
  const { certificateIds } = await at.issue()
  return { card, cardId, serial, certificateIds }
}

test('a card is registered, issued and proven, and its certificate is good', async () => {
  const { card, cardId, certificateIds } = await issued()
  const { certificates: onCard } = await at.desk.call(calls.certificateStore, { readerName })
  expect(onCard.map(({ slot }) => slot)).toEqual(['9A'])
  const file = at.tools.write(onCard[0]?.pem ?? '')
  expect(at.tools.run('verify', '-CAfile', at.pki.rootFile, '-untrusted', at.pki.chainFile, file)).toContain('OK')
  expect(at.tools.run('x509', '-in', file, '-noout', '-subject')).toContain('Hal Holder')
  const view = await at.desk.call(calls.view, { id: cardId })
  expect(view).toMatchObject({ status: 'ISSUED', userName: 'Hal Holder', ownKey: true, ownPuk: true, managementAlgorithm: 'AES-192' })
  expect(view.slots).toMatchObject([{ slot: '9A', certificateId: certificateIds[0], status: 'active', origin: 'proved' }])
  const { associatedSmartcardDetails, certificate } = await at.desk.call(certificates.calls.info, { certId: certificateIds[0] ?? '' })
  const request = await at.pki.tenancy.administrator.call(certificates.calls.statusByRequest, { rid: certificate.requestId ?? '' })
  expect(request.card_serial).toBe(view.serial)
  expect(associatedSmartcardDetails).toEqual([{ card_serial: view.serial }])
  expect(view.operations[0]?.steps.map(({ state }) => state)).toEqual(view.operations[0]?.steps.map(() => 'done'))
  expect(card.state.management.isFactory).toBe(false)
  expect(card.state.puk.value).not.toBe(factory.puk)
  expect(card.state.pin).toEqual({ value: '246813', most: 3, left: 3 })
  const details = await at.desk.call(calls.details, { serial: view.serial })
  expect(details).toMatchObject({ status: 'ISSUED', cardType: 'CARD_TYPE_SMARTCARD', userName: 'Hal Holder', cardTemplateName: 'Staff 1' })
})

test('with the template that an authority begins with nobody else has to agree, and nobody asks with a key of their own', async () => {
  const templateId = at.pki.template['Smartcard'] ?? ''
  expect((await at.desk.call(calls.choices, {})).templates[0]).toMatchObject({ approvals: 0, keys: expect.arrayContaining(['P-256']) })
  await at.register(newCard())
  const { certificateIds } = await at.tryIssue({
    user_ids: [at.desk.id],
    cardTemplateId: await at.addTemplate([{ slot: '9A', algorithm: 'P-256', templateId }]),
  })
  expect(certificateIds).toHaveLength(1)
  const asked = { templateId, csr: at.tools.csr({ subject: '/CN=Hal Holder' }).csr, values: {} }
  const requester = await at.pki.tenancy.person({ permissions: ['certSigningRequestUser', 'certSigningRequest'] })
  expect(await refusal(requester.call(certificates.calls.requestForUser, asked))).toMatchObject({ code: 'notOffered' })
})

test('four keys of several kinds, on a card that has none of Yubico’s commands and 3DES', async () => {
  const cardTemplateId = await at.addTemplate([
    { slot: '9A', algorithm: 'RSA-2048', templateId: at.templateId },
    { slot: '9C', algorithm: 'P-384', templateId: at.templateId },
    { slot: '9D', algorithm: 'P-256', templateId: at.templateId },
    { slot: '9E', algorithm: 'P-256', templateId: at.templateId },
  ])
  await at.register(newCard({ management: '3DES' }))
  const { certificateIds, cardId } = await at.issue({ cardTemplateId })
  expect(new Set(certificateIds).size).toBe(4)
  expect((await at.desk.call(calls.view, { id: cardId })).slots.map(({ slot, algorithm }) => `${slot} ${algorithm}`)).toEqual([
    '9A RSA-2048',
    '9C P-384',
    '9D P-256',
    '9E P-256',
  ])
})

test('the PIN is changed by who knows it, blocks, and is set anew at the desk by the PUK that is kept', async () => {
  const { card } = await issued()
  const change = (before: string, after: string) =>
    refusal(at.desk.call(calls.changePin, { card_id: inReader, old_pin: before, new_pin: after }))
  await at.desk.call(calls.changePin, { card_id: inReader, old_pin: '246813', new_pin: '357924' })
  expect(await change('246813', '112358')).toMatchObject({ status: 403, code: 'wrongPin' })
  expect(await change('246813', '112358')).toMatchObject({ code: 'wrongPin' })
  expect(await change('246813', '112358')).toMatchObject({ code: 'pinBlocked' })
  expect(await refusal(at.desk.call(calls.checkPin, { card_id: inReader, pin: '357924' }))).toMatchObject({
    status: 403,
    code: 'pinBlocked',
  })
  await at.desk.call(calls.unblock, { card_id: inReader, new_pin: '975318' })
  await at.desk.call(calls.checkPin, { card_id: inReader, pin: '975318' })
  expect([card.state.pin.left, card.state.puk.left]).toEqual([3, 3])
})

test.each(['12345', '123456789', 'abcdef', '111123', '123489', '987621'])('%s is no PIN', async (pin) => {
  expect(await refusal(at.issue({ new_pin: pin }))).toMatchObject({ status: 400, fields: [{ field: 'new_pin' }] })
})

test('named by its reader alone, the card that is in it is assigned, suspended, resumed, and reported lost', async () => {
  await at.register(newCard())
  const whose = { user_id: at.holder.id, card_template_id: at.cardTemplateId }
  expect(await at.desk.call(calls.assign, { card_id: inReader, ...whose })).toMatchObject({ status: 'ASSIGNED' })
  expect(await at.desk.call(calls.unassign, { card_id: inReader })).toMatchObject({ status: 'REGISTERED' })
  const { cardId } = await issued()
  expect(await at.desk.call(calls.suspend, { card_id: inReader, reason: 'Left at home' })).toEqual({ status: 'SUSPENDED' })
  expect(await at.desk.call(calls.resume, { card_id: inReader })).toEqual({ status: 'ISSUED' })
  expect(await at.desk.call(calls.lost, { card_id: inReader })).toEqual({ status: 'LOST' })
  expect((await at.desk.call(calls.view, { id: cardId })).status).toBe('LOST')
  const elsewhere = { card_id: { readerName: 'Another reader' } }
  expect(await refusal(at.desk.call(calls.suspend, { ...elsewhere, reason: 'Left' }))).toMatchObject({ code: 'noReader' })
})

test('a program of the older version asks the same under its own paths', async () => {
  const { card } = await issued()
  const older = await at.desk.fetch('/api2/CMS-v1/ListReaders')
  const { readers } = await at.desk.call(calls.readers, {})
  expect(await older.json()).toEqual({ readers })
  expect(readers).toMatchObject([
    {
      name: readerName,
      smartcard: { serialNumber: String(card.state.serial), cardType: 'CARD_TYPE_SMARTCARD', status: 'ISSUED' },
      printer: { name: printerName, isCardPrinter: true },
      pinRequirements: { minLength: 6, maxLength: 8 },
      pinRequirementDescriptionOverride: 'PIN must be between 6-8 numbers, with no run of four equal or consecutive ones',
    },
  ])
  // The older one says the short form of the kind of a card, and hears the long one.
  const body = JSON.stringify({ card_id: { readerName, cardType: 'SMARTCARD' } })
  const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  expect(await (await at.desk.fetch('/api2/CMS-v1/GetReader', asked)).json()).toEqual(readers[0])
  expect(await (await at.desk.fetch('/api2/CMS-v1/GetPinRequirements', asked)).json()).toMatchObject({ pinRequirements: { minLength: 6 } })
  expect((await at.desk.fetch('/api2/CMS-v1/SearchSmartcards', asked)).status).toBe(404)
  expect(card.state.pin.left).toBe(3)
})

test('where two machines have a card in a reader of one name, none of them is taken by chance', async () => {
  const { serial } = await issued()
  const other = await connectClient(at.desk, 'another desk')
  other.insert(newCard())
  const readers = async () => (await at.desk.call(calls.readers, {})).readers.filter(({ smartcard }) => smartcard !== undefined).length
  await expect.poll(readers).toBe(2)
  expect(await refusal(at.desk.call(calls.revoke, { card_id: inReader }))).toMatchObject({ status: 409, code: 'readerTwice' })
  expect(await at.desk.call(calls.revoke, { card_id: { serial } })).toEqual({ status: 'REVOKED' })
  other.link.close()
  await other.ended
})

test('named by its reader alone, the card that is in it is revoked', async () => {
  const { serial } = await issued()
  expect(await refusal(at.desk.call(calls.revoke, { card_id: { readerName: 'Another reader' } }))).toMatchObject({ code: 'noReader' })
  await issued()
  expect(await at.desk.call(calls.revoke, { card_id: inReader })).toEqual({ status: 'REVOKED' })
  expect((await at.desk.call(calls.details, { serial })).status).toBe('ISSUED')
})

test('revoked, its certificates are revoked; and it is issued again with other keys', async () => {
  const { card, cardId, serial, certificateIds } = await issued()
  const before = card.state.keys['9A']?.pkcs8
  expect(await refusal(at.issue())).toMatchObject({ code: 'notIssuable' })
  expect(await at.desk.call(calls.revoke, { card_id: { serial } })).toEqual({ status: 'REVOKED' })
  expect((await at.desk.call(certificates.calls.info, { certId: certificateIds[0] ?? '' })).certificate.status).toBe('revoked')
  await at.issue()
  expect(card.state.keys['9A']?.pkcs8).not.toBe(before)
  expect((await at.desk.call(calls.view, { id: cardId })).slots).toHaveLength(1)
})

test('certificates that cannot be revoked now keep none behind them', async () => {
  const agreed = await at.pki.addTemplate('User', { issueApprovers: 0, revocationApprovers: 1 })
  const slow = await at.addTemplate([{ slot: '9A', algorithm: 'P-256', templateId: agreed }])
  const put = ({ cardId, certificateId }: { cardId: string; certificateId: string | undefined }, first: number, last: number) =>
    at.house.asOwner(`insert into card_slots (tenant_id, operation_id, slot, card_id, algorithm, state, spki, certificate_id)
      select '${at.pki.tenancy.id}', lpad(n::text, 32, '0')::uuid, '9A', '${cardId}', 'P-256', 'former', '', '${certificateId}'
      from generate_series(${first}, ${last}) n`)
  await at.register(newCard())
  const stuck = await at.issue({ cardTemplateId: slow })
  await put({ cardId: stuck.cardId, certificateId: stuck.certificateIds[0] }, 1, 60)
  const free = await issued()
  await put({ cardId: free.cardId, certificateId: free.certificateIds[0] }, 61, 61)
  await at.house.runJob(smartcards.jobs.orphans)
  const statusOf = async (certId = '') => (await at.desk.call(certificates.calls.info, { certId })).certificate.status
  expect([await statusOf(stuck.certificateIds[0]), await statusOf(free.certificateIds[0])]).toEqual(['active', 'revoked'])
  await at.house.asOwner(`delete from card_slots where operation_id = lpad('1', 32, '0')::uuid or card_id = '${stuck.cardId}'`)
})

describe('refused', () => {
  test('where no client, no card, another card or no registered one is there', async () => {
    const lonely = await at.pki.tenancy.person({ permissions: ['smartcardManage'] })
    expect(await refusal(lonely.call(calls.readers, {}))).toMatchObject({
      status: 409,
      code: 'noClient',
    })
    at.client.insert(undefined)
    await expect.poll(async () => (await at.desk.call(calls.readers, {})).readers[0]?.smartcard).toBeUndefined()
    expect(await refusal(at.desk.call(calls.register, { card_id: inReader }))).toMatchObject({ code: 'noCard' })
    expect(await refusal(at.desk.call(calls.register, { card_id: { readerName: 'Another' } }))).toMatchObject({ code: 'noReader' })
    at.client.insert(newCard())
    await expect.poll(async () => (await at.desk.call(calls.readers, {})).readers[0]?.smartcard?.serialNumber).toBeDefined()
    expect(await refusal(at.desk.call(calls.checkPin, { card_id: { serial: '1' }, pin: '123456' }))).toMatchObject({ code: 'otherCard' })
    expect(await refusal(at.issue())).toMatchObject({ code: 'unregistered' })
    await at.desk.call(calls.register, { card_id: inReader })
    expect(await refusal(at.desk.call(calls.register, { card_id: inReader }))).toMatchObject({ code: 'alreadyRegistered' })
  })

  test('where somebody else has taken the card over: its status is unknown then', async () => {
    const card = newCard()
    card.state.management.key = 'ab'.repeat(24)
    const { cardId } = await at.register(card)
    expect(await refusal(at.issue())).toMatchObject({ code: 'notTaken' })
    expect((await at.desk.call(calls.view, { id: cardId })).status).toBe('UNKNOWN')
  })

  test('where the PUK is not the factory’s, without using a try', async () => {
    const card = newCard()
    card.state.puk.value = '99999999'
    await at.register(card)
    expect(await refusal(at.issue())).toMatchObject({ code: 'pukUnknown' })
    expect(card.state.puk.left).toBe(3)
  })

  test('until others agree, where the template wants that; then it goes on', async () => {
    const templateId = await at.pki.addTemplate('User', { issueApprovers: 1 })
    const cardTemplateId = await at.addTemplate([{ slot: '9A', algorithm: 'P-256', templateId }])
    const card = newCard()
    const { cardId, serial } = await at.register(card)
    const half = async () => (await at.desk.call(calls.unfinished, { serial })).operation
    expect(await half()).toBeUndefined()
    expect(await at.desk.call(calls.beforeIssue, { cardTemplateId, userId: at.holder.id })).toEqual({
      waiting: [{ slot: '9A', approvers: 1 }],
    })
    expect(await refusal(at.tryIssue({ cardTemplateId }))).toMatchObject({ code: 'waitsForApproval' })
    const [operation] = (await at.desk.call(calls.view, { id: cardId })).operations
    expect(operation?.state).toBe('waiting')
    expect(operation?.steps.at(-1)).toEqual({ n: 21, name: 'Issue the certificate', slot: '9A', state: 'waiting' })
    expect(await half()).toMatchObject({
      kind: 'issue',
      userId: at.holder.id,
      userName: 'Hal Holder',
      cardTemplateId,
      requests: [{ slot: '9A', stands: 'waiting' }],
    })
    const key = card.state.keys['9A']?.pkcs8
    const [waiting] = (await at.pki.bob.call(certificates.calls.searchApprovals, { waitingForMe: true })).rows
    await at.pki.bob.call(certificates.calls.decide, { requestId: waiting?.requestId ?? '', round: 1, verdict: 'approve' })
    expect(waiting?.askedBy).toMatch(/^Card desk: .+, 9A$/)
    expect(await half()).toMatchObject({ requests: [{ slot: '9A', stands: 'granted' }] })
    await at.issue({ cardTemplateId })
    expect(await half()).toBeUndefined()
    expect(card.state.keys['9A']?.pkcs8).toBe(key)
  })
})

describe('a card for another person', () => {
  test('waits for somebody else than who is at the desk, though the template wants nobody', async () => {
    const permissions = ['smartcardManage', 'certApprovals'] as const
    const officer = await at.pki.tenancy.person({ permissions: [...permissions], givenName: 'Orla', familyName: 'Officer' })
    const client = await connectClient(officer)
    client.insert(newCard())
    const issueFor = (userId: string) =>
      officer.call(calls.issue, { card_id: inReader, cardTemplateId: at.cardTemplateId, user_ids: [userId], new_pin: '246813' })
    await officer.call(calls.register, { card_id: inReader })
    expect(await refusal(issueFor(at.holder.id))).toMatchObject({ code: 'waitsForApproval' })
    const [waiting] = (await at.pki.bob.call(certificates.calls.searchApprovals, { waitingForMe: true })).rows
    const { steps } = await at.pki.bob.call(certificates.calls.approval, { requestId: waiting?.requestId ?? '' })
    expect(steps.find(({ step }) => step === 'approved')?.who.join()).not.toContain('Orla Officer')
    const own = officer.call(certificates.calls.decide, { requestId: waiting?.requestId ?? '', round: 1, verdict: 'approve' })
    expect(await refusal(own)).toMatchObject({ status: 403 })
    await at.approveAll()
    expect((await issueFor(at.holder.id)).certificateIds).toHaveLength(1)
    client.insert(newCard())
    await officer.call(calls.register, { card_id: inReader })
    expect((await issueFor(officer.id)).certificateIds).toHaveLength(1)
    client.link.close()
    await client.ended
  })

  test('is refused where that person holds more than who is at the desk', async () => {
    await at.register(newCard())
    expect(await refusal(at.tryIssue({ user_ids: [at.pki.ada.id] }))).toMatchObject({ status: 403, code: 'beyond' })
  })
})

describe('a security client', () => {
  test('that connects anew on the same machine shows the card that is in its reader now', async () => {
    const person = await at.pki.tenancy.person({ permissions: [] })
    const serials: (string | undefined)[] = []
    for (const serial of [7_000_001, 7_000_002]) {
      const client = await connectClient(person, 'one machine')
      client.insert(newCard({ serial }))
      await expect.poll(async () => (await person.call(calls.readers, {})).readers[0]?.smartcard?.serialNumber).toBeDefined()
      serials.push((await person.call(calls.readers, {})).readers[0]?.smartcard?.serialNumber)
      client.link.close()
      await client.ended
    }
    expect(serials).toEqual(['7000001', '7000002'])
  })

  test('joins once by a ticket, and comes again by what it was given', async () => {
    const person = await at.pki.tenancy.person({ permissions: ['smartcardManage'] })
    const { SessionCookie: ticket } = await person.call(calls.ticket, {})
    const first = await startClient(person, { ticket })
    const { secret, person: name } = await first.welcome
    expect(name).toContain('Ada')
    expect(await person.call(calls.ping, {})).toEqual({ success: true, machines: ['desk'] })
    const thief = await startClient(person, { ticket })
    expect(await thief.ended).toContain('The ticket is over')
    const again = await startClient(person, { secret })
    const { secret: renewed } = await again.welcome
    expect(renewed).not.toBe(secret)
    expect(await first.ended).toBe('This client was connected anew')
    const stale = await startClient(person, { secret })
    expect(await stale.ended).toContain('not connected any more')
    expect(await (await startClient(person, { secret: 'nonsense' })).ended).toContain('not connected any more')
    expect(await person.call(calls.killSession, {})).toEqual({ ended: 1 })
    expect(await person.call(calls.ping, {})).toEqual({ success: false, machines: [] })
    expect(await (await startClient(person, { secret: renewed })).ended).toContain('not connected any more')
    expect(await (await startClient(person, { secret: '-'.repeat(36) })).ended).toContain('not connected any more')
  })

  test('without a ticket shows a code, which a person types', async () => {
    const person = await at.pki.tenancy.person({ permissions: ['smartcardManage'] })
    const client = await startClient(person, { machine: 'laptop' })
    const { code, agentId } = await client.welcome
    expect(agentId).toBe('')
    expect(await refusal(person.call(calls.pair, { code: 'WRNG-CODE' }))).toMatchObject({ code: 'wrongCode' })
    expect(await person.call(calls.pair, { code: code.toLowerCase().replace('-', ' ') })).toEqual({ machine: 'laptop' })
    expect(await refusal(person.call(calls.pair, { code }))).toMatchObject({ code: 'wrongCode' })
    expect(await person.call(calls.ping, {})).toEqual({ success: true, machines: ['laptop'] })
    client.link.close()
    await client.ended
  })

  test('a ticket is over after a minute', async () => {
    const { SessionCookie: ticket } = await at.desk.call(calls.ticket, {})
    at.house.clock.advance(61_000)
    const late = await startClient(at.desk, { ticket, machine: 'late' })
    expect(await late.ended).toContain('The ticket is over')
  })

  test('gives its readers to its person alone', async () => {
    const stranger = await at.pki.tenancy.person({ permissions: ['smartcardManage'] })
    const theirs = await connectClient(stranger, 'elsewhere')
    const card = newCard()
    theirs.insert(card)
    const serial = String(card.state.serial)
    await expect.poll(async () => (await stranger.call(calls.readers, {})).readers[0]?.smartcard?.serialNumber).toBe(serial)
    expect(await refusal(at.desk.call(calls.checkPin, { card_id: { serial }, pin: '999999' }))).toMatchObject({ status: 409 })
    expect(card.state.pin.left).toBe(3)
    theirs.link.close()
    await theirs.ended
  })
})
