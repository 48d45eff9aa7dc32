// What changes between the asking and the certificate: what nobody had to agree to goes by the rules of the day, and a slow key leaves time for much.

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { latchOf, type Latch } from '#areas/keys/server/latch.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { users } from '#areas/users/contract.ts'
import { refusal } from '#core/testing/house.ts'
import { certificates } from '../../contract.ts'
import { openIssuingHouse } from '../issuing.fixture.ts'

const { calls } = certificates
const { house, tools, pki, close } = await openIssuingHouse()
const looker = new pg.Client(house.connection)
await looker.connect()
afterAll(async () => {
  await looker.end()
  await close()
})

const nameFor = (word: string): string => `${word}-${randomUUID().slice(0, 8)}.example.org`
const csrOf = (name: string, keyFile?: string) =>
  tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`], ...(keyFile === undefined ? {} : { keyFile }) })
const change = async (templateId: string, changes: object) => {
  const read = await pki.ada.call(templates.calls.get, { templateId })
  return pki.ada.call(templates.calls.edit, {
    ...read,
    ...changes,
    rules: { ...read.rules, ...('rules' in changes ? (changes.rules as object) : {}) },
    extensions: { ...read.extensions, ...('extensions' in changes ? (changes.extensions as object) : {}) },
  })
}
const takeRoles = async ({ id }: { id: string }) => {
  const { administrator } = pki.tenancy
  await administrator.call(
    users.calls.change,
    users.calls.change.input.parse({ ...(await administrator.call(users.calls.read, { id })), roleIds: [] }),
  )
}
const issuedTo = async (name: string) => (await pki.ada.call(calls.search, { text: name, facets: false })).rows

describe('A key that nobody had to agree to is collected by the rules of that day', () => {
  const asks = async (name: string) => {
    const lee = await pki.tenancy.person({ permissions: ['certSigningRequest'] })
    const templateId = await pki.addTemplate('Device', { issueApprovers: 0 })
    const { requestId, status } = await lee.call(calls.requestForDevice, { templateId, key: 'P-256', values: { DNS: [name] } })
    expect(status).toBe('incomplete')
    return { lee, templateId, collect: () => lee.call(calls.collectKey, { requestId, password: 'correct horse' }) }
  }

  test.for([
    { says: 'other names', changes: { rules: { allowedDomains: ['example.net'] } }, reason: 'example.org' },
    { says: 'approval', changes: { issueApprovers: 2 }, reason: 'wants others to agree now' },
    { says: 'administrators only', changes: { accessLevel: 'ADMINISTRATOR' }, reason: 'may not ask for it any more' },
    { says: 'other keys', changes: { rules: { keys: ['RSA-3072'] } }, reason: 'P-256' },
  ])('and is not where they want $says', async ({ changes, reason }) => {
    const name = nameFor('stale')
    const { templateId, collect } = await asks(name)
    await change(templateId, changes)
    expect(await refusal(collect())).toMatchObject({ code: 'notIssued', message: expect.stringContaining(reason) })
    expect(await issuedTo(name)).toEqual([])
  })

  test('nor where who asked has lost the right to it', async () => {
    const name = nameFor('rightless')
    const { lee, collect } = await asks(name)
    await takeRoles(lee)
    expect(await refusal(collect())).toMatchObject({ code: 'notIssued', message: expect.stringContaining('may not ask for it any more') })
    expect(await issuedTo(name)).toEqual([])
  })

  test('with the usages and the validity of today', async () => {
    const name = nameFor('fresh')
    const { templateId, collect } = await asks(name)
    await change(templateId, {
      displayName: 'Renamed',
      extensions: { extendedUsages: ['clientAuth'], validityPeriod: 7, validityPeriodUnits: 'DAYS' },
    })
    const { certificateId } = await collect()
    const { certificate } = await pki.ada.call(calls.info, { certId: certificateId })
    const text = tools.run('x509', '-noout', '-text', '-in', tools.write(certificate.pem))
    expect(text).toContain('TLS Web Client Authentication')
    expect(text).not.toContain('TLS Web Server Authentication')
    expect(new Date(certificate.notAfter).getTime() - house.clock.now().getTime()).toBeLessThan(8 * 86_400_000)
  })

  test('where others agreed it is what they agreed to', async () => {
    const name = nameFor('agreed')
    const templateId = await pki.addTemplate('Device', { issueApprovers: 1 })
    const { requestId } = await pki.ada.call(calls.requestForDevice, { templateId, key: 'P-256', values: { DNS: [name] } })
    await pki.bob.call(calls.decide, { requestId, round: 1, verdict: 'approve' })
    await change(templateId, { issueApprovers: 2, rules: { allowedDomains: ['example.net'] } })
    await pki.ada.call(calls.collectKey, { requestId, password: 'correct horse' })
    expect(await issuedTo(name)).toHaveLength(1)
  })
})

describe('While a slow key signs', () => {
  let caId: string
  let key: Latch
  beforeAll(async () => {
    caId = (
      await pki.ada.call(authorities.calls.create, {
        kind: 'root',
        friendlyName: 'Slow',
        subject: { CN: 'Slow' },
        keyAlgorithm: 'P-256',
      })
    ).caId
    key = await latchOf(house, caId)
  })
  const signing = async () =>
    (await looker.query<{ count: number }>(`select count(*)::int as count from serials where ca_id = $1 and state = 'reserved'`, [caId]))
      .rows[0]?.count
  const stageOf = async (id: string) =>
    (await looker.query<{ stage: string }>('select stage from certificate_requests where id = $1', [id])).rows[0]?.stage
  const reservations = async () =>
    (await looker.query<{ count: number }>('select count(*)::int as count from reservations where ca_id = $1', [caId])).rows[0]?.count

  const until = async (what: () => Promise<unknown>, wanted: unknown): Promise<void> => {
    await expect.poll(what, { interval: 5 }).toBe(wanted)
  }
  type Answer = { status: string; error: string }

  /** Asked and signed at once, or when another agrees; `meanwhile` happens while it is signed. */
  async function signed(
    approvers: number,
    name: string,
    meanwhile: (templateId: string) => Promise<unknown>,
    keyFile?: string,
  ): Promise<Answer> {
    const templateId = await pki.addTemplate('Device', { caId, issueApprovers: approvers })
    key.hold()
    const asked = pki.ada.call(calls.requestForDevice, { templateId, csr: csrOf(name, keyFile).csr, values: { DNS: [name] } })
    const waits = async (): Promise<Answer> => {
      await until(reservations, 1)
      await meanwhile(templateId)
      key.release()
      return asked
    }
    const agrees = async (): Promise<Answer> => {
      const { requestId } = await asked
      const decided = pki.bob.call(calls.decide, { requestId, round: 1, verdict: 'approve' })
      await until(() => stageOf(requestId), 'reserved')
      await meanwhile(templateId)
      key.release()
      return decided
    }
    return approvers === 0 ? waits() : agrees()
  }
  const outcomeOf = (answer: Promise<Answer>) =>
    answer.then(
      ({ status, error }) => ({ status, error }),
      (error: { code: string; fields?: { says: string }[] }) => ({
        status: error.code,
        error: error.fields?.map(({ says }) => says).join() ?? '',
      }),
    )

  test.for([
    { approvers: 1, what: 'the template is disabled', meanwhile: (templateId: string) => change(templateId, { enabled: false }) },
    {
      approvers: 0,
      what: 'the template begins to want approval',
      meanwhile: (templateId: string) => change(templateId, { issueApprovers: 1 }),
    },
    {
      approvers: 0,
      what: 'issuing is switched off',
      meanwhile: () => pki.ada.call(authorities.calls.setIssuing, { caId, issuing: false }),
    },
  ])('nothing is issued where $what ($approvers to agree), and its serial is void', async ({ approvers, meanwhile }) => {
    const name = nameFor('closed')
    const { status } = await outcomeOf(signed(approvers, name, meanwhile))
    expect(status).not.toBe('issued')
    expect(await issuedTo(name)).toEqual([])
    expect(await signing()).toBe(0)
    await pki.ada.call(authorities.calls.setIssuing, { caId, issuing: true })
  })

  test.for([0, 1])('a key that is revoked for compromise gets no other certificate (%i to agree)', async (approvers) => {
    const first = nameFor('lost')
    const { csr, keyFile } = csrOf(first)
    const { certificateId = '' } = await pki.ada.call(calls.requestForDevice, {
      templateId: await pki.addTemplate('Device', { issueApprovers: 0 }),
      csr,
      values: { DNS: [first] },
    })
    const second = nameFor('found')
    const officer = await pki.tenancy.person({ permissions: 'all' })
    const revoke = () => officer.call(revocation.calls.revoke, { certId: certificateId, reason: 'keyCompromise' })
    expect(await outcomeOf(signed(approvers, second, revoke, keyFile))).toMatchObject({
      error: expect.stringContaining('revoked for key compromise'),
    })
    expect(await issuedTo(second)).toEqual([])
    expect(await signing()).toBe(0)
  })
})
