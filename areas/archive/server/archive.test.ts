import { sql } from 'kysely'
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuing, openSsl, type IssuingFixture, type OpenSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { templates } from '#areas/templates/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { audited } from '#core/testing/events.ts'
import { refusal, useHouse, type TestPerson } from '#core/testing/house.ts'
import { archive } from '../contract.ts'

const { calls } = archive

let tools: OpenSsl
let pki: IssuingFixture
let asker: TestPerson
let officer: TestPerson
let second: TestPerson
let templateId: string
let archivedKeyId: string
let certificateId: string
let first: string

const password = 'correct horse battery'

const house = await useHouse()
beforeAll(async () => {
  tools = openSsl()
  pki = await openIssuing(house, tools, 'Acme')
  asker = await pki.tenancy.person({ permissions: ['manageCAs', 'certApprovals', 'certView'], username: 'asker' })
  officer = await pki.tenancy.person({ permissions: ['certApprovals', 'manageCAs'], username: 'officer' })
  second = await pki.tenancy.person({ permissions: ['certApprovals'], username: 'second' })
  const extensions = {
    certificateSans: [{ sanField: 'RFC822' as const, fieldValue: 'Email' }],
    keyUsages: ['keyEncipherment' as const],
    extendedUsages: ['emailProtection' as const],
    keyArchival: true,
    recoveryApprovers: 2,
  }
  templateId = await pki.addTemplate('User', { issueApprovers: 0, selfServiceEligible: true, extensions, rules: { keys: ['RSA-2048'] } })
})
afterAll(async () => {
  tools.close()
})

/** The public key of the private key in the file, and of the certificate beside it. */
function keysIn(pkcs12: string): { key: string; certificate: string } {
  const file = tools.write(Buffer.from(pkcs12, 'base64'))
  const key = createPublicKey(
    createPrivateKey(
      tools.run('pkcs12', '-in', file, '-nocerts', '-nodes', '-passin', `pass:${password}`).replace(/^[\s\S]*?(?=-----BEGIN)/, ''),
    ),
  )
  const certificate = new X509Certificate(
    tools.run('pkcs12', '-in', file, '-nokeys', '-clcerts', '-passin', `pass:${password}`).replace(/^[\s\S]*?(?=-----BEGIN)/, ''),
  )
  return {
    key: key.export({ format: 'pem', type: 'spki' }).toString(),
    certificate: certificate.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
  }
}

describe('A template that archives keys', () => {
  test('is offered as one, takes no request with a key of its own, and gives no proof of who signed', async () => {
    const holder = pki.eve
    expect(
      (await holder.call(templates.calls.offered, { entity: 'user' })).templates.find((one) => one.templateId === templateId)?.keyArchival,
    ).toBe(true)
    const refused = await refusal(holder.call(certificates.calls.request, { templateId, entity: 'user', csr: tools.csr().csr }))
    expect(refused.fields.map(({ says }) => says)).toContain(
      'Keys of this template are archived, so they are made here: ask without a request of your own',
    )
    const fields = (await refusal(pki.addTemplate('User', { extensions: { keyUsages: ['nonRepudiation'], keyArchival: true } }))).fields
    expect(fields.map(({ field }) => field)).toContain('extensions.keyArchival')
  })

  test('keeps the key with the certificate, sealed, and says so in the log', async () => {
    const { requestId } = await pki.eve.call(certificates.calls.request, { templateId, entity: 'user' })
    const collected = await pki.eve.call(certificates.calls.collectKey, { requestId, password })
    certificateId = collected.certificateId
    first = keysIn(collected.pkcs12).key
    const { rows } = await asker.call(calls.search, {})
    expect(rows).toMatchObject([{ certificateId, serialNumber: collected.serialNumber, approvers: 2, keyKind: 'RSA-2048' }])
    archivedKeyId = rows[0]?.archivedKeyId ?? ''
    const [stored] = (
      await inTenant(house.house.database, pki.tenancy.id, (db) => sql<{ sealed: Buffer }>`select sealed from archived_keys`.execute(db))
    ).rows
    const file = tools.write(Buffer.from(collected.pkcs12, 'base64'))
    const plain = createPrivateKey(
      tools.run('pkcs12', '-in', file, '-nocerts', '-nodes', '-passin', `pass:${password}`).replace(/^[\s\S]*?(?=-----BEGIN)/, ''),
    )
    expect(stored?.sealed.includes(plain.export({ format: 'der', type: 'pkcs8' }).subarray(60, 160))).toBe(false)
    expect((await audited(house, pki.tenancy.id)).filter(({ name }) => name === 'archived').map(({ about }) => about)).toEqual([
      certificateId,
    ])
  })

  test('keeps nothing of other templates', async () => {
    const { requestId } = await pki.ada.call(certificates.calls.requestForDevice, {
      templateId: pki.template['Device'] ?? '',
      values: { CommonName: ['a.example.org'], DNS: ['a.example.org'] },
    })
    await pki.ada.call(certificates.calls.collectKey, { requestId, password })
    expect((await asker.call(calls.search, {})).total).toBe(1)
  })
})

describe('A recovery', () => {
  let recoveryId: string

  test('is asked for with a reason, by those who may', async () => {
    expect(await refusal(pki.eve.call(calls.request, { archivedKeyId, reason: 'Mine' }))).toMatchObject({ status: 403 })
    expect(await refusal(asker.call(calls.request, { archivedKeyId, reason: '  ' }))).toMatchObject({ fields: [{ field: 'reason' }] })
    const asked = await asker.call(calls.request, { archivedKeyId, reason: 'Eve has left; her mail is needed' })
    expect(asked.needed).toBe(2)
    recoveryId = asked.recoveryId
    expect(await refusal(asker.call(calls.request, { archivedKeyId, reason: 'Again' }))).toMatchObject({ status: 409, code: 'open' })
    expect(await refusal(asker.call(calls.fetch, { recoveryId, password }))).toMatchObject({ status: 409, code: 'notAgreed' })
  })

  test('is agreed to by two others, never by the one who asks, and not twice by one', async () => {
    expect(await refusal(asker.call(calls.vote, { recoveryId, verdict: 'approve' }))).toMatchObject({ status: 403, code: 'own' })
    expect(await officer.call(calls.vote, { recoveryId, verdict: 'approve' })).toEqual({ state: 'waiting', approvals: 1, needed: 2 })
    expect(await refusal(officer.call(calls.vote, { recoveryId, verdict: 'approve' }))).toMatchObject({ code: 'twice' })
    expect((await second.call(calls.recoveries, {})).rows).toMatchObject([
      { recoveryId, state: 'waiting', approvals: 1, needed: 2, mayVote: true, mayFetch: false, reason: 'Eve has left; her mail is needed' },
    ])
    expect(await second.call(calls.vote, { recoveryId, verdict: 'approve' })).toEqual({ state: 'approved', approvals: 2, needed: 2 })
  })

  test('hands the key out once, to the one who asked', async () => {
    expect(await refusal(officer.call(calls.fetch, { recoveryId, password }))).toMatchObject({ status: 404 })
    const twice = await Promise.allSettled([
      asker.call(calls.fetch, { recoveryId, password }),
      asker.call(calls.fetch, { recoveryId, password }),
    ])
    const given = twice.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(given).toHaveLength(1)
    expect(keysIn(given[0]?.pkcs12 ?? '')).toEqual({ key: first, certificate: first })
    expect(await refusal(asker.call(calls.fetch, { recoveryId, password }))).toMatchObject({ status: 409, code: 'fetched' })
    const log = (await audited(house, pki.tenancy.id))
      .filter(({ area, outcome }) => area === 'archive' && outcome === 'done')
      .map(({ name, actor }) => [name, actor])
    expect(log.slice(1)).toEqual([
      ['recoveryRequested', 'asker'],
      ['recoveryVoted', 'officer'],
      ['recoveryVoted', 'second'],
      ['recovered', 'asker'],
    ])
  })

  test('lapses after a day, and one that is denied gives nothing', async () => {
    const { recoveryId: slow } = await asker.call(calls.request, { archivedKeyId, reason: 'Once more' })
    for (const one of [officer, second]) await one.call(calls.vote, { recoveryId: slow, verdict: 'approve' })
    house.clock.advance(25 * 3_600_000)
    expect(await refusal(asker.call(calls.fetch, { recoveryId: slow, password }))).toMatchObject({ code: 'lapsed' })
    const { recoveryId: denied } = await asker.call(calls.request, { archivedKeyId, reason: 'And again' })
    await officer.call(calls.vote, { recoveryId: denied, verdict: 'deny', comment: 'No' })
    expect(await refusal(asker.call(calls.fetch, { recoveryId: denied, password }))).toMatchObject({ code: 'notAgreed' })
    expect(await refusal(second.call(calls.vote, { recoveryId: denied, verdict: 'approve' }))).toMatchObject({
      code: 'closed',
      message: expect.stringContaining('it was denied (by officer)'),
    })
    expect((await asker.call(calls.own, {})).recoveries.map(({ state }) => state)).toEqual(['denied', 'lapsed', 'collected'])
  })

  test('is nobody else’s', async () => {
    const other = await (await house.tenancy('Other')).person({ permissions: 'all' })
    expect((await other.call(calls.search, {})).rows).toEqual([])
    expect(await refusal(other.call(calls.request, { archivedKeyId, reason: 'Curious' }))).toMatchObject({ status: 404 })
    expect(await refusal(other.call(calls.vote, { recoveryId, verdict: 'approve' }))).toMatchObject({ status: 404 })
    expect(await refusal(other.call(calls.fetch, { recoveryId, password }))).toMatchObject({ status: 404 })
  })
})
