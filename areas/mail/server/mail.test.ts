// Mail, through a real mail server in this process: what is sent, what waits, and who may read it.

import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { message } from '#core/server/texts.ts'
import { refusal } from '#core/testing/caller.ts'
import { openTestHouse, type TestHouse, type TestTenancy } from '#core/testing/house.ts'
import { mail } from '../contract.ts'
import { queueMail } from '../service.ts'

type Message = { from: string; to: string[]; text: string }

let messages: Message[] = []
let answer: 'accept' | 'refuse' = 'accept'
let server: SMTPServer
let house: TestHouse
let acme: TestTenancy

beforeAll(async () => {
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo(_address, _session, respond) {
      respond(answer === 'accept' ? null : Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
    },
    onData(stream, session, respond) {
      let text = ''
      stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        messages.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: text.replace(/=\r\n/g, '').replace(/=3D/g, '='),
        })
        respond()
      })
    },
  })
  server.on('error', () => {})
  const port = await new Promise<number>((resolve) => {
    const listening = server.listen(0, '127.0.0.1', () => {
      const address = listening.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  house = await openTestHouse({ settings: { CHANCERY_SMTP_URL: `smtp://127.0.0.1:${port}`, CHANCERY_ORIGIN: 'https://pki.example.org' } })
  acme = await house.tenancy('Acme')
})
afterAll(async () => {
  await house.close()
  await new Promise<void>((resolve) => server.close(() => resolve()))
})
beforeEach(async () => {
  answer = 'accept'
  await house.runJob(mail.jobs.send)
  messages = []
})

let count = 0
const invite = async (tenancy = acme) => {
  const username = `invited${(count += 1)}`
  const { id, activationLink } = await tenancy.administrator.call(users.calls.add, {
    username,
    givenName: 'Zoë',
    familyName: 'Müller',
    emailAddress: `${username}@example.org`,
  })
  return { id, address: `${username}@example.org`, token: activationLink.replace(/^.*\//, '') }
}
const outbox = (text: string, tenancy = acme) => tenancy.administrator.call(mail.calls.outbox, { text })
const queue = (kind: 'account' | 'certificateExpiring' | 'approvalWaiting', to: { userId: string; emailAddress: string }) =>
  inTenant(house.house.database, acme.id, (db) =>
    queueMail(
      { db, tenantId: acme.id, now: house.clock.now() },
      {
        to,
        kind,
        subject: message('{word}', { word: 'A subject' }),
        text: message('{word}', { word: 'A text' }),
      },
    ),
  )

describe('The sender', () => {
  const calls = mail.calls
  afterAll(() => acme.administrator.call(calls.saveSettings, { senderName: '', replyTo: '' }))
  const header = (name: string) => new RegExp(`^${name}: (.*)\\r$`, 'm').exec(messages[0]?.text ?? '')?.[1]

  test('is the tenancy with the address of the installation, until it gives itself another name and an address for answers', async () => {
    const to = { userId: crypto.randomUUID(), emailAddress: 'zoe@example.org' }
    expect(await acme.administrator.call(calls.settings, {})).toEqual({
      senderName: '',
      replyTo: '',
      language: 'en-GB',
      senderAddress: 'no-reply@pki.example.org',
      configured: true,
    })
    await queue('account', to)
    await house.runJob(mail.jobs.send)
    expect([header('From'), header('Reply-To')]).toEqual(['Acme <no-reply@pki.example.org>', undefined])
    messages = []
    await acme.administrator.call(calls.saveSettings, { senderName: 'Acme PKI', replyTo: 'desk@acme.example' })
    await queue('account', to)
    await house.runJob(mail.jobs.send)
    expect([header('From'), header('Reply-To')]).toEqual(['Acme PKI <no-reply@pki.example.org>', 'desk@acme.example'])
  })

  test('takes no header into its name and no half address', async () => {
    const fieldsOf = async (settings: { senderName: string; replyTo: string }) =>
      (await refusal(acme.administrator.call(calls.saveSettings, settings))).fields.map(({ field }) => field)
    expect(await fieldsOf({ senderName: 'Acme\r\nBcc: all@example.org', replyTo: '' })).toEqual(['senderName'])
    expect(await fieldsOf({ senderName: 'Acme <root@example.org>', replyTo: '' })).toEqual(['senderName'])
    expect(await fieldsOf({ senderName: '', replyTo: 'desk' })).toEqual(['replyTo'])
  })

  test('is tried by a test mail, which says what the mail server says', async () => {
    await acme.administrator.call(calls.test, { to: 'zoe@example.org' })
    expect(messages.map(({ to }) => to)).toEqual([['zoe@example.org']])
    answer = 'refuse'
    await expect(acme.administrator.call(calls.test, { to: 'zoe@example.org' })).rejects.toThrow(/550 no such mailbox/)
  })
})

describe('A mail', () => {
  test('is sent once, to its one recipient, with the link, and is marked as sent', async () => {
    const { address, token } = await invite()
    expect((await outbox(address)).rows).toMatchObject([{ to: address, status: 'waiting', kind: 'account' }])
    await Promise.all([house.runJob(mail.jobs.send), house.runJob(mail.jobs.send), house.runJob(mail.jobs.send)])
    expect(messages.map(({ from, to }) => [from, to])).toEqual([['no-reply@pki.example.org', [address]]])
    expect(messages[0]?.text).toContain(`https://pki.example.org/activateaccount/${token}`)
    expect(messages[0]?.text).toMatch(/^Subject: Activate your account\r$/m)
    expect((await outbox(address)).rows).toMatchObject([{ status: 'sent', lastError: '', sentAt: expect.any(String) }])
    await house.runJob(mail.jobs.send)
    expect(messages).toHaveLength(1)
  })

  test('names the username and the tenancy, and is not sent any more once its link is used or another has taken its place', async () => {
    const { id, address, token } = await invite()
    const [waiting] = (await outbox(address)).rows
    expect((await acme.administrator.call(mail.calls.read, { id: waiting?.id ?? '' })).text).toMatch(
      /^Hello Zoë Müller,\n\n\S+ has made an account for you at Acme. Your username is invited\d+\.\n/,
    )
    await house.signedOut.call(sessions.calls.activate, { token, password: 'correct horse battery staple' })
    expect((await outbox(address)).rows).toMatchObject([{ status: 'failed', lastError: 'The link in it was used' }])
    const other = await invite()
    await acme.administrator.call(users.calls.invite, { id: other.id })
    expect((await outbox(other.address)).rows).toMatchObject([
      { status: 'waiting' },
      { status: 'failed', lastError: 'A newer link has taken the place of the one in it' },
    ])
    await house.runJob(mail.jobs.send)
    expect(messages.map(({ to }) => to)).toEqual([[other.address]])
    expect(id).not.toBe(other.id)
  })

  test('that the server refuses waits, says why, and is tried again a minute later', async () => {
    const { address } = await invite()
    answer = 'refuse'
    await house.runJob(mail.jobs.send)
    expect((await outbox(address)).rows).toMatchObject([{ status: 'waiting', lastError: expect.stringMatching(/550 no such mailbox/) }])
    answer = 'accept'
    await house.runJob(mail.jobs.send)
    expect(messages).toEqual([])
    house.clock.advance(61_000)
    await house.runJob(mail.jobs.send)
    expect(messages.map(({ to }) => to)).toEqual([[address]])
    expect((await outbox(address)).rows).toMatchObject([{ status: 'sent', lastError: '' }])
  })

  test('that is refused for two days is given up, and stays readable', async () => {
    const { address } = await invite()
    answer = 'refuse'
    for (let hour = 0; hour < 60; hour += 1) {
      await house.runJob(mail.jobs.send)
      house.clock.advance(3_600_000)
    }
    const [row] = (await outbox(address)).rows
    expect(row).toMatchObject({ status: 'failed', lastError: expect.stringMatching(/no such mailbox/) })
    answer = 'accept'
    await house.runJob(mail.jobs.send)
    expect(messages).toEqual([])
    expect((await acme.administrator.call(mail.calls.read, { id: row?.id ?? '' })).text).toContain('/activateaccount/')
  })

  test('with names that would be headers adds none', async () => {
    await inTenant(house.house.database, acme.id, (db) =>
      queueMail(
        { db, tenantId: acme.id, now: house.clock.now() },
        {
          to: { userId: acme.administrator.id, emailAddress: 'one@example.org' },
          kind: 'account',
          subject: message('{word}', { word: 'Hello\r\nBcc: victim@example.org' }),
          text: message('{word}', { word: 'x' }),
        },
      ),
    )
    await house.runJob(mail.jobs.send)
    expect(messages.map(({ to }) => to)).toEqual([['one@example.org']])
    expect(messages[0]?.text).not.toMatch(/^Bcc:/m)
  })

  test('for nobody is not queued, nor one of a kind that the person does not want', async () => {
    const ada = await acme.person({ permissions: [], emailAddress: 'ada.choice@example.org' })
    const to = { userId: ada.id, emailAddress: 'ada.choice@example.org' }
    await ada.call(mail.calls.chooseNotices, { unwanted: ['certificateExpiring', 'account'] })
    expect((await ada.call(mail.calls.notices, {})).notices).toEqual([
      { kind: 'approvalWaiting', wanted: true },
      { kind: 'requestDecided', wanted: true },
      { kind: 'certificateExpiring', wanted: false },
      { kind: 'certificateChanged', wanted: true },
      { kind: 'licenceEnding', wanted: true },
      { kind: 'domainProof', wanted: true },
      { kind: 'applicationEnding', wanted: true },
      { kind: 'provisioningHeld', wanted: true },
      { kind: 'visitOverstayed', wanted: true },
      { kind: 'leaverHolds', wanted: true },
      { kind: 'authorityHealth', wanted: true },
      { kind: 'ticketAnswered', wanted: true },
      { kind: 'ticketWaiting', wanted: true },
    ])
    await queue('certificateExpiring', to)
    await queue('approvalWaiting', { ...to, emailAddress: '' })
    expect((await outbox('ada.choice')).total).toBe(0)
    await queue('account', to)
    await queue('approvalWaiting', to)
    expect((await outbox('ada.choice')).total).toBe(2)
  })
})

describe('The outbox', () => {
  test('of a tenancy is its own', async () => {
    const globex = await house.tenancy('Globex')
    const { address } = await invite(globex)
    expect((await outbox(address)).rows).toEqual([])
    const [row] = (await outbox(address, globex)).rows
    for (const id of [row?.id ?? '', '018f0000-0000-7000-8000-000000000001'])
      await expect(acme.administrator.call(mail.calls.read, { id })).rejects.toMatchObject({ status: 404, code: 'missing' })
  })

  test('shows the secret of a link only to one who holds everything', async () => {
    const { address, token } = await invite()
    const [row] = (await outbox(address)).rows
    const operator = await acme.person({ permissions: ['infrastructureConfig', 'userAdd', 'userEdit'] })
    const seen = await operator.call(mail.calls.read, { id: row?.id ?? '' })
    expect(seen.text).toContain('https://pki.example.org/activateaccount/…')
    expect(JSON.stringify([seen, await operator.call(mail.calls.outbox, { text: address })])).not.toContain(token)
    expect((await acme.administrator.call(mail.calls.read, { id: row?.id ?? '' })).text).toContain(token)
  })
})

test('without a mail server everything waits, and the outbox says so', async () => {
  const own = await openTestHouse()
  try {
    const globex = await own.tenancy('Globex')
    await globex.administrator.call(users.calls.add, {
      username: 'waits',
      givenName: 'Wa',
      familyName: 'Its',
      emailAddress: 'waits@example.org',
    })
    await own.runJob(mail.jobs.send)
    expect(await globex.administrator.call(mail.calls.outbox, {})).toMatchObject({
      smtpConfigured: false,
      rows: [{ to: 'waits@example.org', status: 'waiting', lastError: '' }],
    })
  } finally {
    await own.close()
  }
})

test('with the mail server out of reach the first mail finds out, and the others keep their turn', async () => {
  const own = await openTestHouse({ settings: { CHANCERY_SMTP_URL: 'smtp://127.0.0.1:1' } })
  try {
    const globex = await own.tenancy('Globex')
    for (const username of ['first', 'second', 'third']) {
      await globex.administrator.call(users.calls.add, {
        username,
        givenName: 'A',
        familyName: 'B',
        emailAddress: `${username}@example.org`,
      })
      own.clock.advance(10)
    }
    await own.runJob(mail.jobs.send)
    const { rows } = await globex.administrator.call(mail.calls.outbox, {})
    expect(rows.map(({ to, status, lastError }) => [to, status, lastError === '' ? 'untried' : 'tried'])).toEqual([
      ['third@example.org', 'waiting', 'untried'],
      ['second@example.org', 'waiting', 'untried'],
      ['first@example.org', 'waiting', 'tried'],
    ])
  } finally {
    await own.close()
  }
})

test('mail that was sent or given up is deleted after 90 days, with a row that says how many; what waits is not', async () => {
  const own = await house.tenancy('Initrode')
  for (const username of ['sent', 'failed', 'waits'])
    await own.administrator.call(users.calls.add, { username, givenName: 'A', familyName: 'B', emailAddress: `${username}@example.com` })
  for (const status of ['sent', 'failed'])
    await house.asOwner(`update outbox set status = '${status}' where recipient = '${status}@example.com'`)
  const left = async () => (await own.administrator.call(mail.calls.outbox, {})).rows.map(({ to }) => to).toSorted()
  await house.runJob(mail.jobs.clean)
  expect(await left()).toEqual(['failed@example.com', 'sent@example.com', 'waits@example.com'])
  house.clock.advance(91 * 86_400_000)
  await house.runJob(mail.jobs.clean)
  expect(await left()).toEqual(['waits@example.com'])
  const { rows } = await own.administrator.call(audit.calls.search, { name: 'deleted' })
  expect(rows.map(({ body }) => body)).toEqual([JSON.stringify({ sent: 1, failed: 1 })])
})
