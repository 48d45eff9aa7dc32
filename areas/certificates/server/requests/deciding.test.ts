import { afterAll, describe, expect, test } from 'vitest'
import { approvals } from '#areas/approvals/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { users } from '#areas/users/contract.ts'
import { refusal, type TestPerson } from '#core/testing/house.ts'
import { certificates } from '../../contract.ts'
import { openIssuingHouse } from '../issuing.fixture.ts'

const { calls } = certificates

let count = 0

const { house, tools, pki, close } = await openIssuingHouse()
afterAll(close)

/** A request that waits, of a name that no other test has. */
async function waiting(requester: TestPerson = pki.ada, templateId = pki.template['TLSServer'] ?? '') {
  const name = `host${(count += 1)}.example.org`
  const { csr } = tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] })
  const answer = await requester.call(calls.requestForDevice, { templateId, csr, values: {}, comment: 'For the shop' })
  expect(answer.status).toBe('under_submission')
  return { requestId: answer.requestId, name, csr }
}
const issuedOf = async (name: string) => (await pki.ada.call(calls.search, { text: name, facets: false })).total
const mailAbout = async (subject: string): Promise<string> => {
  const { administrator } = pki.tenancy
  const found = (await administrator.call(mail.calls.outbox, { size: 200 })).rows.find((row) => row.subject === subject)
  return (await administrator.call(mail.calls.read, { id: found?.id ?? '' })).text
}
const roundOf = async (requestId: string) => (await pki.bob.call(calls.approval, { requestId })).round
const approve = async (person: TestPerson, requestId: string) =>
  person.call(calls.decide, { requestId, round: await roundOf(requestId), verdict: 'approve' })

describe('a request that needs one approver', () => {
  test('waits, is shown to approvers, and is issued when one approves', async () => {
    const { requestId, name } = await waiting()
    const listed = (await pki.bob.call(calls.searchApprovals, { waitingForMe: true })).rows.find((row) => row.requestId === requestId)
    expect(listed).toMatchObject({
      subject: `CN=${name}`,
      status: 'under_submission',
      approvals: 0,
      needed: 1,
      mayVote: true,
      requester: pki.ada.username,
    })
    const shown = await pki.bob.call(calls.approval, { requestId })
    expect(shown).toMatchObject({
      planned: { subject: `CN=${name}`, key: 'EC P-256', extendedUsages: ['TLS server auth'] },
      request: { comment: 'For the shop' },
    })
    expect(shown.csr).toContain('BEGIN CERTIFICATE REQUEST')
    expect(await issuedOf(name)).toBe(0)
    const decided = await approve(pki.bob, requestId)
    expect(decided).toMatchObject({ status: 'issued', approvals: 1, needed: 1 })
    const info = await pki.ada.call(calls.info, { certId: decided.certificateId ?? '' })
    expect(
      tools.run('verify', '-x509_strict', '-CAfile', pki.rootFile, '-untrusted', pki.chainFile, tools.write(info.certificate.pem)),
    ).toContain('OK')
    expect((await pki.bob.call(calls.approval, { requestId })).votes).toMatchObject([{ voter: pki.bob.username, verdict: 'approve' }])
    expect((await pki.bob.call(approvals.calls.waiting, {})).rows.map(({ subjectId }) => subjectId)).not.toContain(requestId)
  })

  test('is denied by one, with a reason that the requester reads', async () => {
    const { requestId, name } = await waiting()
    expect(await pki.bob.call(calls.decide, { requestId, round: 1, verdict: 'deny', comment: 'Use the wildcard' })).toMatchObject({
      status: 'denied',
    })
    expect(await refusal(approve(pki.cy, requestId))).toMatchObject({
      status: 409,
      code: 'closed',
      message: expect.stringContaining(`it was denied (by ${pki.bob.username})`),
    })
    const read = await pki.ada.call(calls.statusByRequest, { rid: requestId })
    expect([read.status, read.votes]).toMatchObject(['denied', [{ voter: pki.bob.username, verdict: 'deny', comment: 'Use the wildcard' }]])
    expect(await mailAbout(`Request denied: CN=${name}`)).toContain(`Denied by ${pki.bob.username}: "Use the wildcard"`)
    expect(await issuedOf(name)).toBe(0)
  })

  test('tells the requester who approved it and what they wrote', async () => {
    const { requestId, name } = await waiting()
    await pki.bob.call(calls.decide, { requestId, round: 1, verdict: 'approve', comment: 'Renew it by script' })
    expect((await pki.ada.call(calls.statusByRequest, { rid: requestId })).votes).toMatchObject([
      { voter: pki.bob.username, verdict: 'approve', comment: 'Renew it by script' },
    ])
    expect(await mailAbout(`Certificate issued: ${name}`)).toContain(`Approved by ${pki.bob.username}: "Renew it by script"`)
  })

  test('tells of the certificate with an address that the requester may open', async () => {
    for (const [who, page] of [
      ['certView', `/credentials/certificates/view/${pki.caId}:`],
      ['certSigningRequest', '/credentials/certificates/device/add?request='],
    ] as const) {
      const requester = await pki.tenancy.person({ permissions: [who, 'certSigningRequest'] })
      const name = `${who.toLowerCase()}.mail.example.org`
      const { csr } = tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] })
      const { requestId } = await requester.call(calls.requestForDevice, { templateId: pki.template['TLSServer'] ?? '', csr, values: {} })
      await approve(pki.bob, requestId)
      expect(await mailAbout(`Certificate issued: ${name}`)).toContain(page)
    }
  })

  test('shows approvers who asks, by name and address', async () => {
    const { requestId } = await waiting()
    const { request } = await pki.bob.call(calls.approval, { requestId })
    expect([request.requesterName, request.requesterEmail]).toEqual(['Ada Lovelace', `${pki.ada.username}@example.org`])
  })

  test('gives one certificate when two approve at the same moment', async () => {
    const { requestId, name } = await waiting()
    const settled = await Promise.allSettled([approve(pki.bob, requestId), approve(pki.cy, requestId), approve(pki.bob, requestId)])
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await issuedOf(name)).toBe(1)
    expect((await pki.bob.call(calls.approval, { requestId })).votes).toHaveLength(1)
  })

  test('is not decided without the permission', async () => {
    const { requestId } = await waiting()
    expect(await refusal(approve(pki.ada, requestId))).toMatchObject({ status: 403, code: 'denied' })
    expect(await refusal(approve(pki.eve, requestId))).toMatchObject({ status: 403, code: 'denied' })
  })
})

describe('nobody approves for oneself', () => {
  test('not the requester, not with the request edited, not with a retry', async () => {
    const { requestId, csr } = await waiting(pki.bob)
    expect(await refusal(approve(pki.bob, requestId))).toMatchObject({ status: 403, code: 'own' })
    await pki.bob.call(calls.edit, { requestId, csr, values: {}, comment: 'Changed' })
    expect(await refusal(approve(pki.bob, requestId))).toMatchObject({ status: 403, code: 'own' })
    expect(await refusal(pki.bob.call(calls.decide, { requestId, round: 1, verdict: 'deny' }))).toMatchObject({ status: 403, code: 'own' })
    expect((await pki.bob.call(calls.approval, { requestId })).refusal).toBe('own')
    expect((await pki.bob.call(calls.searchApprovals, { waitingForMe: true })).rows.map((row) => row.requestId)).not.toContain(requestId)
    expect(await approve(pki.cy, requestId)).toMatchObject({ status: 'issued' })
  })

  test('an approver cannot edit what somebody else asked for', async () => {
    const { requestId, csr } = await waiting()
    expect(await refusal(pki.bob.call(calls.edit, { requestId, csr, values: {} }))).toMatchObject({ status: 404 })
  })
})

describe('a request that needs two', () => {
  test('waits for the second; one person does not count twice; an edit voids what was said', async () => {
    const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 2 })
    const { requestId, name, csr } = await waiting(pki.ada, templateId)
    expect(await approve(pki.bob, requestId)).toMatchObject({ status: 'under_submission', approvals: 1, needed: 2 })
    expect(await refusal(approve(pki.bob, requestId))).toMatchObject({ status: 409, code: 'twice' })
    await pki.ada.call(calls.edit, { requestId, csr, values: {}, comment: 'Now with a reason' })
    expect((await pki.bob.call(calls.approval, { requestId })).votes).toMatchObject([{ void: true }])
    expect(await approve(pki.cy, requestId)).toMatchObject({ status: 'under_submission', approvals: 1 })
    const settled = await Promise.allSettled([approve(pki.bob, requestId), approve(pki.bob, requestId)])
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await issuedOf(name)).toBe(1)
  })
})

describe('an approver decides what was read', () => {
  test('and nothing that the requester put in its place since', async () => {
    const { requestId, name } = await waiting()
    const read = await pki.bob.call(calls.approval, { requestId })
    const other = tools.csr({ subject: '/CN=bank.example.org', extensions: ['subjectAltName=DNS:bank.example.org'] })
    await pki.ada.call(calls.edit, { requestId, csr: other.csr, values: {} })
    for (const verdict of ['approve', 'deny'] as const)
      expect(await refusal(pki.bob.call(calls.decide, { requestId, round: read.round, verdict }))).toMatchObject({
        status: 409,
        code: 'changed',
      })
    expect(await refusal(pki.bob.call(calls.decide, { requestId, round: read.round + 2, verdict: 'approve' }))).toMatchObject({
      status: 409,
      code: 'changed',
    })
    const again = await pki.bob.call(calls.approval, { requestId })
    expect([again.planned.subject, again.votes, again.round]).toEqual(['CN=bank.example.org', [], read.round + 1])
    expect(await pki.bob.call(calls.decide, { requestId, round: again.round, verdict: 'approve' })).toMatchObject({ status: 'issued' })
    expect([await issuedOf(name), await issuedOf('bank.example.org')]).toEqual([0, 1])
  })

  test('as many as the template demands by now, where the request is edited', async () => {
    const { templates } = await import('#areas/templates/contract.ts')
    const templateId = await pki.addTemplate('TLSServer', { templateName: 'Hardened' })
    const { requestId, csr } = await waiting(pki.ada, templateId)
    const demand = async (issueApprovers: number) => {
      const { caName: _, updatedAt: __, ...draft } = await pki.ada.call(templates.calls.get, { templateId })
      await pki.ada.call(templates.calls.edit, { ...draft, issueApprovers })
    }
    await demand(2)
    await pki.ada.call(calls.edit, { requestId, csr, values: {} })
    expect((await pki.bob.call(calls.approval, { requestId })).request.needed).toBe(2)
    expect(await approve(pki.bob, requestId)).toMatchObject({ status: 'under_submission', approvals: 1, needed: 2 })
    await demand(0)
    await pki.ada.call(calls.edit, { requestId, csr, values: {} })
    expect((await pki.bob.call(calls.approval, { requestId })).request.needed).toBe(2)
  })
})

describe('a certificate for a person', () => {
  const forPerson = (holder: TestPerson, templateId: string, csr?: string) =>
    pki.ada.call(calls.requestForUser, {
      templateId,
      userId: holder.id,
      values: {},
      ...(csr === undefined ? { key: 'P-256' as const } : { csr }),
    })
  const person = (permissions: ('certApprovals' | 'certView')[] = []) => pki.tenancy.person({ permissions })

  test('with a key that another one sent is never issued without somebody else’s consent', async () => {
    const templateId = await pki.addTemplate('User', { issueApprovers: 0 })
    const holder = await person()
    const { csr } = tools.csr({ subject: '/CN=whoever', extensions: [] })
    const checked = await pki.ada.call(calls.check, { templateId, entity: 'user', userId: holder.id, csr, values: {} })
    expect([checked.faults, checked.issueApprovers]).toEqual([[], 1])
    const asked = await forPerson(holder, templateId, csr)
    expect(asked.status).toBe('under_submission')
    expect(await approve(pki.bob, asked.requestId)).toMatchObject({ status: 'issued', approvals: 1, needed: 1 })
    expect((await forPerson(pki.ada, templateId, tools.csr({ subject: '/CN=whoever', extensions: [] }).csr)).status).toBe('issued')
    expect((await forPerson(holder, templateId)).status).toBe('incomplete')
  })

  test('is not approved by that person, nor is the person asked to', async () => {
    const holder = await person(['certApprovals', 'certView'])
    const { requestId } = await forPerson(holder, await pki.addTemplate('User', { issueApprovers: 1 }))
    expect(await refusal(approve(holder, requestId))).toMatchObject({ status: 403, code: 'own' })
    expect((await holder.call(calls.approval, { requestId })).refusal).toBe('own')
    expect((await holder.call(calls.searchApprovals, { waitingForMe: true, size: 200 })).rows.map((row) => row.requestId)).not.toContain(
      requestId,
    )
    const { rows } = await pki.tenancy.administrator.call(mail.calls.outbox, { size: 200 })
    expect(rows.filter(({ to, kind }) => kind === 'approvalWaiting' && to === `${holder.username}@example.org`)).toEqual([])
    // An approval of before, which does not know the holder.
    await house.asOwner(`update approvals set excluded = array_remove(excluded, '${holder.id}') where subject_id = '${requestId}'`)
    expect(await refusal(approve(holder, requestId))).toMatchObject({ status: 403, code: 'own' })
    expect((await holder.call(calls.approval, { requestId })).refusal).toBe('own')
    expect((await approve(pki.bob, requestId)).status).toBe('incomplete')
  })

  test('is not issued once holder or requester is disabled, or the template', async () => {
    const { templates } = await import('#areas/templates/contract.ts')
    const requester = await pki.tenancy.person({ permissions: ['certSigningRequest'] })
    const templateId = await pki.addTemplate('User', { issueApprovers: 1 })
    const holder = await person()
    const held = await forPerson(holder, templateId, tools.csr({ subject: '/CN=whoever', extensions: [] }).csr)
    const wanted = await waiting(requester)
    const ownTemplateId = await pki.addTemplate('TLSServer', { templateName: 'Retired' })
    const { requestId } = await waiting(pki.ada, ownTemplateId)
    for (const { id } of [holder, requester]) await pki.tenancy.administrator.call(users.calls.setEnabled, { id, enabled: false })
    expect(await approve(pki.bob, held.requestId)).toMatchObject({ status: 'denied', error: expect.stringContaining('for is disabled') })
    expect(await approve(pki.bob, wanted.requestId)).toMatchObject({
      status: 'denied',
      error: expect.stringContaining('who asked is disabled'),
    })
    const { caName: _, updatedAt: __, ...draft } = await pki.ada.call(templates.calls.get, { templateId: ownTemplateId })
    await pki.ada.call(templates.calls.edit, { ...draft, enabled: false })
    expect(await approve(pki.bob, requestId)).toMatchObject({ status: 'error', error: expect.stringContaining('not in use') })
    expect(await issuedOf(wanted.name)).toBe(0)
  })

  test('of somebody whose account is gone is not issued, and who holds it cannot collect it once the asker is disabled', async () => {
    const [gone, asker] = [
      await pki.tenancy.person({ permissions: ['certSigningRequest'] }),
      await pki.tenancy.person({ permissions: ['certSigningRequestUser'] }),
    ]
    const { requestId, name } = await waiting(gone)
    await house.asOwner(`delete from users where id = '${gone.id}'`)
    expect(await approve(pki.bob, requestId)).toMatchObject({ status: 'denied', error: 'The account of the person who asked is gone' })
    expect((await pki.bob.call(calls.approval, { requestId })).request).toMatchObject({
      status: 'denied',
      error: 'The account of the person who asked is gone',
    })
    expect(await issuedOf(name)).toBe(0)
    const holder = await person()
    const agreed = await asker.call(calls.requestForUser, {
      templateId: await pki.addTemplate('User', { issueApprovers: 1 }),
      userId: holder.id,
    })
    expect(await approve(pki.bob, agreed.requestId)).toMatchObject({ status: 'incomplete' })
    await pki.tenancy.administrator.call(users.calls.setEnabled, { id: asker.id, enabled: false })
    expect(await refusal(holder.call(calls.collectKey, { requestId: agreed.requestId, password: 'a long enough password' }))).toMatchObject(
      { status: 409 },
    )
    expect((await pki.bob.call(calls.approval, { requestId: agreed.requestId })).request).toMatchObject({
      status: 'denied',
      error: expect.stringContaining('who asked'),
    })
  })

  test('that waits ends with the account of who asked for it or was to hold it', async () => {
    const requester = await pki.tenancy.person({ permissions: ['certSigningRequest'] })
    const holder = await person()
    const held = await forPerson(holder, await pki.addTemplate('User', { issueApprovers: 1 }))
    const wanted = await waiting(requester)
    const other = await waiting()
    for (const { id } of [holder, requester]) {
      await pki.tenancy.administrator.call(users.calls.setEnabled, { id, enabled: false })
      const heard = house.rooms
        .flatMap(({ area, subscriptions }) => (area === 'certificates' ? subscriptions : []))
        .find(({ event }) => event === users.events.disabled)
      const delivery = {
        tenantId: pki.tenancy.id,
        id,
        at: house.clock.now(),
        area: 'users',
        name: 'disabled',
        about: id,
        body: {},
        actor: '',
        actorId: undefined,
        sequence: 1,
      }
      await heard?.hear(delivery, house.house)
      await heard?.hear(delivery, house.house)
    }
    for (const { requestId } of [held, wanted]) {
      const { request } = await pki.bob.call(calls.approval, { requestId })
      expect([request.status, request.error]).toEqual(['denied', expect.stringContaining('was disabled')])
      expect(await refusal(approve(pki.bob, requestId))).toMatchObject({ code: 'closed' })
    }
    expect((await pki.bob.call(calls.approval, { requestId: other.requestId })).request.status).toBe('under_submission')
  })
})

describe('a request', () => {
  test('can be withdrawn while it waits, and then not be approved', async () => {
    const { requestId, name } = await waiting()
    expect(await pki.ada.call(calls.withdraw, { requestId })).toEqual({ status: 'denied' })
    // The specification has one status for both; that nobody denied it stands beside it.
    const { request } = await pki.bob.call(calls.approval, { requestId })
    expect([request.status, request.withdrawn]).toEqual(['denied', true])
    expect(await refusal(approve(pki.bob, requestId))).toMatchObject({ code: 'closed' })
    expect(await refusal(pki.ada.call(calls.withdraw, { requestId }))).toMatchObject({ code: 'closed' })
    expect(await issuedOf(name)).toBe(0)
  })

  test('without a CSR stands ready to collect once approved, and not before', async () => {
    const placed = await pki.ada.call(calls.requestForDevice, {
      templateId: pki.template['TLSServer'] ?? '',
      key: 'P-256',
      values: { DNS: ['later.example.org'] },
    })
    expect(placed.status).toBe('under_submission')
    const collect = () => pki.ada.call(calls.collectKey, { requestId: placed.requestId, password: 'correct horse' })
    expect(await refusal(collect())).toMatchObject({ status: 409, code: 'notReady' })
    expect((await pki.bob.call(calls.approval, { requestId: placed.requestId })).planned.key).toBe('EC P-256')
    expect((await approve(pki.bob, placed.requestId)).status).toBe('incomplete')
    expect((await collect()).serialNumber).toMatch(/^[0-9a-f]{32}$/)
  })

  test('keeps the plan and the rule of the time it was asked', async () => {
    const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 2, templateName: 'Softened' })
    const { requestId } = await waiting(pki.ada, templateId)
    const { templates } = await import('#areas/templates/contract.ts')
    const before = await pki.ada.call(templates.calls.get, { templateId })
    const { caName: _, updatedAt: __, ...draft } = before
    await pki.ada.call(templates.calls.edit, {
      ...draft,
      issueApprovers: 0,
      extensions: { ...draft.extensions, extendedUsages: ['codeSigning'] },
    })
    expect(await approve(pki.bob, requestId)).toMatchObject({ status: 'under_submission' })
    const done = await approve(pki.cy, requestId)
    expect((await pki.ada.call(calls.info, { certId: done.certificateId ?? '' })).certificate.extendedUsages).toEqual(['TLS server auth'])
  })

  test('fails with its reason where the authority cannot issue any more', async () => {
    const { authorities } = await import('#areas/authorities/contract.ts')
    const { caId } = await pki.ada.call(authorities.calls.create, {
      kind: 'subordinate',
      friendlyName: 'Short-lived',
      subject: { CN: 'Short-lived' },
      keyAlgorithm: 'P-256',
      issuerId: pki.rootId,
      validityPeriod: 1,
      validityPeriodUnits: 'HOURS',
    })
    const templateId = await pki.addTemplate('TLSServer', { caId })
    const { requestId } = await waiting(pki.ada, templateId)
    house.clock.advance(2 * 3_600_000)
    const decided = await approve(pki.bob, requestId)
    expect(decided).toMatchObject({ status: 'error', error: expect.stringContaining('expired') })
    expect((await pki.ada.call(calls.requests, { status: 'error' })).rows.map((row) => row.requestId)).toContain(requestId)
  })
})

test('the status answer carries every name of the specification, by request and by transaction', async () => {
  const { requestId } = await waiting()
  const pending = await pki.ada.call(calls.statusByRequest, { rid: requestId })
  expect(pending).toMatchObject({ status: 'under_submission', serialNumber: '', certificate: '' })
  const decided = await approve(pki.bob, requestId)
  const [listed] = (await pki.ada.call(calls.requests, {})).rows
  const response = await pki.ada.fetch(`/certificate-request-status?tid=${requestId}&ca=${listed?.caId}`)
  expect(response.status).toBe(200)
  const body: Record<string, unknown> = { ...Object(await response.json()) }
  const names =
    'csr caName template certificate serialNumber status friendly_name server function vendor created_at updated_at ca_id ca_owner name ca_certificate crl_location ocsp_enabled certificate_logon_ca tenant_id csr_id class email device_id subject version valid_from valid_to template_id key_usage eku signature_algorithm cert_base64 contact_email revocation_reason revocation_date eku_oid card_serial'
  for (const name of names.split(' ')) expect(body).toHaveProperty(name)
  expect(body).toMatchObject({
    status: 'issued',
    certificate_id: decided.certificateId,
    key_usage: ['digitalSignature'],
    eku_oid: ['1.3.6.1.5.5.7.3.1'],
    ocsp_enabled: true,
    version: '3',
  })
  expect((await pki.ada.fetch(`/certificate-request-status-by-request-id?rid=${requestId}`)).status).toBe(200)
  expect(await refusal(pki.eve.call(calls.statusByRequest, { rid: requestId }))).toMatchObject({ status: 404 })
  expect(await refusal(house.signedOut.call(calls.statusByRequest, { rid: requestId }))).toMatchObject({ status: 401 })
})

test('approvers hear of a waiting request, the requester of the decision, each with a link', async () => {
  const { requestId, name } = await waiting()
  await approve(pki.bob, requestId)
  const { rows } = await pki.tenancy.administrator.call(mail.calls.outbox, { size: 200 })
  const about = rows.filter(({ subject }) => subject.includes(name))
  expect(about.filter(({ kind }) => kind === 'approvalWaiting').map(({ to }) => to)).toEqual(
    expect.arrayContaining([`${pki.bob.username}@example.org`, `${pki.cy.username}@example.org`]),
  )
  expect(about.filter(({ kind }) => kind === 'approvalWaiting').map(({ to }) => to)).not.toContain(`${pki.ada.username}@example.org`)
  const decided = about.find(({ kind }) => kind === 'requestDecided')
  expect(decided).toMatchObject({ to: `${pki.ada.username}@example.org`, subject: expect.stringContaining('issued') })
  const asked = about.find(({ kind }) => kind === 'approvalWaiting')
  expect((await pki.tenancy.administrator.call(mail.calls.read, { id: asked?.id ?? '' })).text).toContain(
    `/credentials/certificates/approval/${requestId}`,
  )
})
