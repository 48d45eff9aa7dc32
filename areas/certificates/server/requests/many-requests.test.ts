import { afterAll, expect, test } from 'vitest'
import { bulk } from '#areas/bulk/contract.ts'
import { inTenant } from '#core/server/database.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { certificates } from '../../contract.ts'
import { decideAction, withdrawAction } from '../../rules.ts'
import { setAllRevoked } from '../../service.ts'
import { openIssuingHouse } from '../issuing.fixture.ts'

const { prepare, start, view, rows } = bulk.calls

let asked = 0

const { house, tools, pki, close } = await openIssuingHouse({ head: 'Head office' })
afterAll(close)

/** A request that waits for one approval. */
async function ask(by = pki.ada): Promise<string> {
  const dns = `host${(asked += 1)}.example.org`
  const { requestId, status } = await by.call(certificates.calls.requestForDevice, {
    templateId: pki.template['TLSServer'] ?? '',
    csr: tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] }).csr,
    values: { DNS: [dns] },
  })
  expect(status).toBe('under_submission')
  return requestId
}
/** The requester brings another key for the same name. */
const change = async (requestId: string, name: string) =>
  pki.ada.call(certificates.calls.edit, {
    requestId,
    csr: tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] }).csr,
    values: { DNS: [name] },
  })
const statusOf = async (rid: string) => (await pki.ada.call(certificates.calls.statusByRequest, { rid })).status
const all = { selectAll: true, inclusionList: [], exclusionList: [] as string[] }

test('Many requests are approved at once by the rules of one: nobody’s own, nothing that was changed since, and the rest is issued', async () => {
  const plain = [await ask(), await ask()]
  const own = await ask(pki.bob)
  const changed = await ask()
  const { runId, total } = await pki.bob.call(prepare, {
    action: decideAction,
    selection: { ...all, selectAll: false, inclusionList: [...plain, own, changed] },
  })
  expect(total).toBe(4)
  const { request } = await pki.bob.call(certificates.calls.approval, { requestId: changed })
  await change(changed, request.subject.slice(3))
  await pki.bob.call(start, { runId, count: 4, parameters: { verdict: 'approve', comment: 'As agreed' } })
  await house.runJob(bulk.jobs.work)
  expect(await pki.bob.call(view, { runId })).toMatchObject({ state: 'done', failed: 2, outcomes: { approved: 2 } })
  const failed = (await pki.bob.call(rows, { runId, state: 'failed' })).rows
  expect(Object.fromEntries(failed.map(({ targetId, failureCode }) => [targetId, failureCode]))).toEqual({
    [own]: 'own',
    [changed]: 'changed',
  })
  expect(await Promise.all([...plain, own, changed].map(statusOf))).toEqual(['issued', 'issued', 'under_submission', 'under_submission'])
})

test('A request that was changed between the list and the confirmation fails, though the confirmation was prepared after the change', async () => {
  const requestIds = [await ask(), await ask()]
  const shown = (await pki.bob.call(certificates.calls.searchApprovals, { waitingForMe: true, size: 200 })).rows.filter(({ requestId }) =>
    requestIds.includes(requestId),
  )
  const [changed, kept] = requestIds as [string, string]
  await change(changed, shown.find(({ requestId }) => requestId === changed)?.subject.slice(3) ?? '')
  const { runId } = await pki.bob.call(prepare, {
    action: decideAction,
    selection: { ...all, selectAll: false, inclusionList: requestIds },
    seen: Object.fromEntries(shown.map(({ requestId, round }) => [requestId, round])),
  })
  await pki.bob.call(start, { runId, count: 2, parameters: { verdict: 'approve', comment: '' } })
  await house.runJob(bulk.jobs.work)
  expect((await pki.bob.call(rows, { runId, state: 'failed' })).rows).toMatchObject([
    { targetId: changed, failureCode: 'changed', failure: expect.stringContaining('changed') as string },
  ])
  expect([await statusOf(changed), await statusOf(kept)]).toEqual(['under_submission', 'issued'])
  // Taken up again it is still the same row that nobody has read.
  const again = await pki.bob.call(bulk.calls.again, { runId })
  await pki.bob.call(start, { runId: again.runId, count: 1, parameters: { verdict: 'approve', comment: '' } })
  await house.runJob(bulk.jobs.work)
  expect(await statusOf(changed)).toBe('under_submission')
})

test('All that wait for a person, but one, are denied with a comment that their requesters read', async () => {
  const kept = await ask()
  const waiting = (await pki.cy.call(certificates.calls.searchApprovals, { waitingForMe: true })).rows.map(({ requestId }) => requestId)
  expect(waiting).toContain(kept)
  const { runId, total } = await pki.cy.call(prepare, {
    action: decideAction,
    selection: { ...all, exclusionList: [kept] },
    query: { waitingForMe: true },
  })
  expect(total).toBe(waiting.length - 1)
  await pki.cy.call(start, { runId, count: total, parameters: { verdict: 'deny', comment: 'Not this year' } })
  await house.runJob(bulk.jobs.work)
  expect((await pki.cy.call(view, { runId })).outcomes).toEqual({ denied: total })
  expect(await statusOf(kept)).toBe('under_submission')
})

test('One’s own requests are withdrawn together, and nobody else’s', async () => {
  const mine = [await ask(), await ask()]
  const theirs = await ask(pki.bob)
  const chosen = await pki.ada.call(prepare, {
    action: withdrawAction,
    selection: { ...all, selectAll: false, inclusionList: [...mine, theirs] },
  })
  expect(chosen.total).toBe(2)
  const everything = await pki.ada.call(prepare, { action: withdrawAction, selection: all, query: {} })
  await pki.ada.call(start, { runId: everything.runId, count: everything.total })
  await house.runJob(bulk.jobs.work)
  expect((await pki.ada.call(view, { runId: everything.runId })).outcomes).toEqual({ withdrawn: everything.total })
  expect(await Promise.all([...mine, theirs].map(statusOf))).toEqual(['denied', 'denied', 'under_submission'])
  await expect(pki.bob.call(view, { runId: everything.runId })).rejects.toMatchObject({ code: 'missing' })
})

test('Who is to hold a certificate may take its request back as who asked for it, one by one and with others, and nobody else is offered it', async () => {
  const templateId = await pki.addTemplate('User', { issueApprovers: 1 })
  const dan = await pki.tenancy.person({ permissions: [] })
  const forDan = async () =>
    (
      await pki.ada.call(certificates.calls.requestForUser, {
        templateId,
        userId: dan.id,
        csr: tools.csr({ extensions: [] }).csr,
        values: {},
      })
    ).requestId
  const [one, other, third] = [await forDan(), await forDan(), await forDan()]
  const withdrawable = async (person: TestPerson) => (await person.call(certificates.calls.statusByRequest, { rid: one })).withdrawable
  expect([await withdrawable(pki.ada), await withdrawable(dan), await withdrawable(pki.bob)]).toEqual([true, true, false])
  await expect(pki.bob.call(certificates.calls.withdraw, { requestId: one })).rejects.toMatchObject({ code: 'noSuchRequest' })
  expect(await dan.call(certificates.calls.withdraw, { requestId: one })).toEqual({ status: 'denied' })
  expect(await withdrawable(dan)).toBe(false)
  const { runId, total } = await dan.call(prepare, { action: withdrawAction, selection: all, query: {} })
  expect(total).toBe(2)
  await dan.call(start, { runId, count: total })
  await house.runJob(bulk.jobs.work)
  expect((await dan.call(view, { runId })).outcomes).toEqual({ withdrawn: 2 })
  expect(await Promise.all([one, other, third].map(statusOf))).toEqual(['denied', 'denied', 'denied'])
})

test('The certificates that are selected, and no others, go into the export', async () => {
  const found = (await pki.ada.call(certificates.calls.search, { size: 200 })).rows
  const exported = async (selection: object, query = {}) => {
    const response = await pki.ada.fetch('/api2/PKI-v1/CertificatesExport', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ selection, query }),
    })
    return { status: response.status, lines: (await response.text()).trim().split('\r\n').slice(1) }
  }
  const [first, second] = found
  expect((await exported({ inclusionList: [first?.certificateId] })).lines).toEqual([
    expect.stringContaining(first?.serialNumber ?? 'none'),
  ])
  expect((await exported({ selectAll: true, exclusionList: [second?.certificateId] }, { status: ['active'], page: 3 })).lines).toHaveLength(
    found.length - 1,
  )
  expect((await exported({ inclusionList: 'all of them' })).status).toBe(400)
})

test('One’s requests are those that one made and those that one is to hold, each once, the newest first, and cut by status', async () => {
  const templateId = await pki.addTemplate('User', { issueApprovers: 0 })
  const ivy = await pki.tenancy.person({ permissions: ['certSigningRequest', 'certSigningRequestUser'] })
  // What is asked for somebody else waits.
  const ask = async (from: TestPerson, userId: string) =>
    (await from.call(certificates.calls.requestForUser, { templateId, userId, csr: tools.csr({ extensions: [] }).csr, values: {} }))
      .requestId
  const both = await ask(ivy, ivy.id)
  const held = await ask(pki.ada, ivy.id)
  const made = await ask(ivy, pki.ada.id)
  const revoked = await ask(ivy, ivy.id)
  const { certificate_id: id } = await ivy.call(certificates.calls.statusByRequest, { rid: revoked })
  await inTenant(house.house.database, pki.tenancy.id, (db) =>
    setAllRevoked(db, pki.tenancy.id, [id], { reason: 'superseded', at: house.clock.now() }),
  )
  const listed = async (query: object) => {
    const { rows, total } = await ivy.call(certificates.calls.requests, query)
    expect(total).toBe(rows.length)
    return rows.map(({ requestId }) => requestId)
  }
  expect(await listed({})).toEqual([revoked, made, held, both])
  expect(await listed({ status: 'issued' })).toEqual([both])
  expect(await listed({ status: 'under_submission' })).toEqual([made, held])
  expect(await listed({ status: 'revoked' })).toEqual([revoked])
  expect((await ivy.call(certificates.calls.requests, { size: 10, page: 1, text: 'no such name' })).rows).toEqual([])
})
