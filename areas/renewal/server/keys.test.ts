// Which key a renewal by a person is for: the one that is in use, a new one of the holder's, or one that is made here.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { refusal } from '#core/testing/caller.ts'
import { renewal } from '../contract.ts'
import { day, openRenewalFixture, type RenewalFixture } from './renewal.fixture.ts'

const { renew } = renewal.calls

let pki: RenewalFixture
const made: Record<string, string> = {}

beforeAll(async () => {
  pki = await openRenewalFixture()
  const { template90, device, collected } = pki
  const byHand = await template90('Device', 'MANUAL')
  for (const name of ['kept', 'changed', 'chosen']) made[name] = (await device(byHand, `${name}.example.org`)).certificateId
  made['itself'] = (await device(await template90('Device', 'AUTOMATIC_SAME_KEY'), 'itself.example.org')).certificateId
  made['new'] = (await device(await template90('Device', 'AUTOMATIC_NEW_KEY'), 'new.example.org')).certificateId
  made['never'] = (await device(await template90('Device', 'NONE'), 'never.example.org')).certificateId
  made['here'] = await collected(await template90('User', 'MANUAL'))
  made['archived'] = await collected(
    await template90('User', 'AUTOMATIC_NEW_KEY', { extensions: { keyArchival: true, recoveryApprovers: 1 } }),
  )
  pki.house.clock.advance(75 * day)
})
afterAll(() => pki.close())

const id = (name: string): string => made[name] ?? ''
const requestOf = (name: string): string =>
  pki.tools.csr({ subject: `/CN=${name}.example.org`, extensions: [`subjectAltName=DNS:${name}.example.org`] }).csr
const keysOf = async (name: string) => (await pki.check(id(name))).keys

test('A certificate says which keys it can be renewed with, first the one that it gets where nobody says', async () => {
  expect(await keysOf('kept')).toEqual(['same', 'brought'])
  expect(await keysOf('itself')).toEqual(['same', 'brought'])
  expect(await keysOf('new')).toEqual(['brought'])
  expect(await keysOf('never')).toEqual([])
  expect(await keysOf('here')).toEqual(['same', 'made', 'brought'])
  // Keys that are archived are made here, and nowhere else.
  expect(await keysOf('archived')).toEqual(['made'])
})

test('Where nothing is said the key stays, and the answer says so', async () => {
  const { key, state, certificateId = '' } = await pki.ada.call(renew, { certId: id('kept') })
  expect([key, state]).toEqual(['same', 'renewed'])
  expect(await pki.publicKey(certificateId)).toBe(await pki.publicKey(id('kept')))
})

test('With a request of one’s own it is for the new key, also where the template would keep it by itself', async () => {
  for (const name of ['changed', 'itself']) {
    const { key, state, certificateId = '' } = await pki.ada.call(renew, { certId: id(name), key: 'brought', csr: requestOf(name) })
    expect([name, key, state]).toEqual([name, 'brought', 'renewed'])
    expect(await pki.publicKey(certificateId)).not.toBe(await pki.publicKey(id(name)))
    expect(await pki.verify(certificateId)).toContain('OK')
  }
})

test('One that was made here can be made anew, and waits to be collected', async () => {
  const answer = await pki.grace.call(renew, { certId: id('here'), key: 'made' })
  expect([answer.key, answer.state, answer.certificateId]).toEqual(['made', 'waiting', undefined])
  expect((await pki.check(id('here'), pki.grace)).step).toBe('collect')
})

test('What the mode does not allow is refused with the reason, and nothing is asked', async () => {
  expect(await refusal(pki.ada.call(renew, { certId: id('new'), key: 'same' }))).toMatchObject({
    status: 409,
    code: 'otherKey',
    message: expect.stringContaining('Its template wants a new key'),
  })
  expect(await refusal(pki.ada.call(renew, { certId: id('chosen'), key: 'made' }))).toMatchObject({
    status: 409,
    code: 'otherKey',
    message: expect.stringContaining('was not made here'),
  })
  expect(await refusal(pki.grace.call(renew, { certId: id('archived'), key: 'brought', csr: requestOf('archived') }))).toMatchObject({
    status: 409,
    code: 'otherKey',
    message: expect.stringContaining('are archived'),
  })
  expect(await refusal(pki.ada.call(renew, { certId: id('chosen'), key: 'brought' }))).toMatchObject({
    status: 400,
    fields: [{ field: 'csr' }],
  })
  expect(await refusal(pki.ada.call(renew, { certId: id('chosen'), key: 'same', csr: requestOf('chosen') }))).toMatchObject({
    status: 400,
    fields: [{ field: 'csr' }],
  })
  expect((await pki.check(id('chosen'))).attempts).toEqual([])
})

test('A request that names another host than the certificate is renewed for the old names, and who asks and who agrees are told', async () => {
  const templateId = await pki.template90('Device', 'MANUAL', { issueApprovers: 1 })
  const names = (...hosts: string[]) =>
    pki.tools.csr({ subject: `/CN=${hosts[0]}`, extensions: [`subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}`] }).csr
  const values = { DNS: ['told.example.org'] }
  const { requestId: first } = await pki.ada.call(certificates.calls.requestForDevice, {
    templateId,
    csr: names('told.example.org'),
    values,
  })
  const { certificateId: certId = '' } = await pki.bob.call(certificates.calls.decide, { requestId: first, round: 1, verdict: 'approve' })
  pki.house.clock.advance(75 * day)
  const { requestId, findings } = await pki.ada.call(renew, { certId, csr: names('evil.example', 'Told.example.org') })
  const told = {
    severity: 'warn',
    code: 'renewalLeavesOut',
    field: 'csr',
    message: 'The request names evil.example, which the renewal leaves out',
  }
  expect(findings).toContainEqual(told)
  const toAgree = async () => (await pki.bob.call(certificates.calls.approval, { requestId })).findings
  expect(await toAgree()).toContainEqual(told)
  await pki.ada.call(certificates.calls.edit, { requestId, csr: names('worse.example', 'told.example.org'), values })
  expect(await toAgree()).toContainEqual({ ...told, message: 'The request names worse.example, which the renewal leaves out' })
  await pki.ada.call(certificates.calls.edit, { requestId, csr: names('told.example.org'), values })
  expect(await toAgree()).toEqual([])
  const { certificateId = '' } = await pki.bob.call(certificates.calls.decide, { requestId, round: 3, verdict: 'approve' })
  expect(await pki.tools.run('x509', '-noout', '-text', '-in', pki.tools.write(await pki.pemOf(certificateId)))).not.toContain('evil')
})

describe('Where the template wants a new key', () => {
  test('no key that is in another certificate will do: neither an older one’s, nor that of one of another name', async () => {
    const templateId = await pki.template90('Device', 'AUTOMATIC_NEW_KEY')
    const first = await pki.device(templateId, 'back.example.org')
    const other = await pki.device(templateId, 'other.example.org')
    const requestFor = (keyFile: string) =>
      pki.tools.csr({ subject: '/CN=back.example.org', extensions: ['subjectAltName=DNS:back.example.org'], keyFile }).csr
    pki.house.clock.advance(75 * day)
    const old = {
      status: 409,
      code: 'refused',
      fields: [{ field: 'csr', says: expect.stringContaining('This key is in another certificate already') }],
    }
    expect(await refusal(pki.ada.call(renew, { certId: first.certificateId, csr: requestFor(other.keyFile) }))).toMatchObject(old)
    const { certificateId: second = '' } = await pki.ada.call(renew, { certId: first.certificateId, csr: requestOf('back') })
    pki.house.clock.advance(75 * day)
    expect(await refusal(pki.ada.call(renew, { certId: second, csr: requestFor(first.keyFile) }))).toMatchObject(old)
    expect(await pki.ada.call(renew, { certId: second, csr: requestOf('back') })).toMatchObject({ state: 'renewed' })
  })

  test('of those who bring one new key at the same moment one gets a certificate of it', async () => {
    const templateId = await pki.template90('Device', 'AUTOMATIC_NEW_KEY')
    const names = ['at-once-1', 'at-once-2', 'at-once-3', 'at-once-4']
    const before = []
    for (const name of names) before.push((await pki.device(templateId, `${name}.example.org`)).certificateId)
    pki.house.clock.advance(75 * day)
    const { keyFile } = pki.tools.csr()
    const answers = await Promise.allSettled(
      before.map((certId, at) => {
        const { csr } = pki.tools.csr({
          subject: `/CN=${names[at]}.example.org`,
          extensions: [`subjectAltName=DNS:${names[at]}.example.org`],
          keyFile,
        })
        return pki.ada.call(renew, { certId, csr })
      }),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toMatchObject([{ value: { state: 'renewed' } }])
    expect(answers.filter(({ status }) => status === 'rejected')).toMatchObject(
      names.slice(1).map(() => ({
        reason: {
          status: 409,
          code: 'refused',
          fields: [{ field: 'csr', says: expect.stringMatching(/^This key is in another (certificate|request) already/) }],
        },
      })),
    )
    const renewed = await Promise.all(before.map(async (certId) => (await pki.check(certId)).renewedBy))
    expect(renewed.filter((one) => one !== undefined)).toHaveLength(1)
  })

  test('nor do two that wait for a vote, or the vote on the second is in vain', async () => {
    const templateId = await pki.template90('Device', 'AUTOMATIC_NEW_KEY', { issueApprovers: 1 })
    const names = ['vote-1', 'vote-2']
    const before: string[] = []
    for (const name of names) {
      const { requestId } = await pki.ada.call(certificates.calls.requestForDevice, {
        templateId,
        csr: requestOf(name),
        values: { DNS: [`${name}.example.org`] },
      })
      before.push((await pki.bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })).certificateId ?? '')
    }
    pki.house.clock.advance(75 * day)
    const { keyFile } = pki.tools.csr()
    const brought = (name: string, file?: string) =>
      pki.tools.csr({
        subject: `/CN=${name}.example.org`,
        extensions: [`subjectAltName=DNS:${name}.example.org`],
        ...(file === undefined ? {} : { keyFile: file }),
      }).csr
    const [first, second] = [
      await pki.ada.call(renew, { certId: before[0] ?? '', csr: brought('vote-1', keyFile) }),
      await pki.ada.call(renew, { certId: before[1] ?? '', csr: brought('vote-2') }),
    ]
    // The second is seen to bring the key of the first, which has no certificate yet.
    const changed = { requestId: second.requestId, csr: brought('vote-2', keyFile), values: { DNS: ['vote-2.example.org'] } }
    expect(await refusal(pki.ada.call(certificates.calls.edit, changed))).toMatchObject({
      status: 400,
      fields: [{ field: 'csr', says: expect.stringContaining('This key is in another request already') }],
    })
    // Two who asked at the same moment did not see each other.
    await pki.house.asOwner(
      `update certificate_requests set public_key = (select public_key from certificate_requests where id = '${first.requestId}'), csr = (select csr from certificate_requests where id = '${first.requestId}') where id = '${second.requestId}'`,
    )
    const votes = await Promise.all(
      [first, second].map(({ requestId }) => pki.bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })),
    )
    expect(votes.map(({ status }) => status).toSorted()).toEqual(['error', 'issued'])
    expect(votes.find(({ status }) => status === 'error')?.error).toContain('This key is in another certificate already')
  })

  test('a request that waits for its vote is not changed into one for an old key', async () => {
    const templateId = await pki.template90('Device', 'AUTOMATIC_NEW_KEY', { issueApprovers: 1 })
    const { csr, keyFile } = pki.tools.csr({ subject: '/CN=voted.example.org', extensions: ['subjectAltName=DNS:voted.example.org'] })
    const values = { DNS: ['voted.example.org'] }
    const { requestId } = await pki.ada.call(certificates.calls.requestForDevice, { templateId, csr, values })
    const { certificateId = '' } = await pki.bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })
    pki.house.clock.advance(75 * day)
    const waiting = await pki.ada.call(renew, { certId: certificateId, csr: requestOf('voted') })
    expect(waiting.state).toBe('waiting')
    const { csr: again } = pki.tools.csr({
      subject: '/CN=voted.example.org',
      extensions: ['subjectAltName=DNS:voted.example.org'],
      keyFile,
    })
    expect(await refusal(pki.ada.call(certificates.calls.edit, { requestId: waiting.requestId, csr: again, values }))).toMatchObject({
      status: 400,
      fields: [{ field: 'csr', says: expect.stringContaining('This is the key of the certificate') }],
    })
  })
})
