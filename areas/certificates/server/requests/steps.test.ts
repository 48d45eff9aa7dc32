// Where a request stands, step by step, for those who come twice a year: who has done what since when, and what comes next.

import { afterAll, expect, test } from 'vitest'
import { certificates } from '../../contract.ts'
import { openIssuingHouse } from '../issuing.fixture.ts'

const { calls } = certificates
const { tools, pki, close } = await openIssuingHouse()
afterAll(close)

const stepsOf = async (rid: string) =>
  (await pki.ada.call(calls.statusByRequest, { rid })).steps.map(({ step, state, who, count, needed }) =>
    [step, state, ...(needed === undefined ? [] : [`${count} of ${needed}`]), ...who].join(' '),
  )
const serverCsr = () => ({ templateId: pki.template['TLSServer'] ?? '', csr: tools.csr().csr })

test('Of a request that waits its requester reads who can agree and what comes then, and of one that was decided who decided', async () => {
  const { requestId } = await pki.ada.call(calls.requestForDevice, serverCsr())
  const waits = (await pki.ada.call(calls.statusByRequest, { rid: requestId })).steps
  const approvers = waits[1]?.who ?? []
  expect(waits.map(({ step, state }) => [step, state])).toEqual([
    ['asked', 'done'],
    ['approved', 'now'],
    ['made', 'later'],
  ])
  expect(waits[0]).toMatchObject({ who: ['Ada Lovelace'], at: expect.any(String) })
  expect(waits[1]).toMatchObject({ count: 0, needed: 1, at: expect.any(String) })
  expect(approvers.length).toBeGreaterThan(1)
  expect(approvers).not.toContain('Ada Lovelace')

  await pki.bob.call(calls.decide, { requestId, round: 1, verdict: 'approve' })
  expect(await stepsOf(requestId)).toEqual(['asked done Ada Lovelace', `approved done 1 of 1 ${pki.bob.username}`, 'made done'])
  // An approver reads the same.
  expect((await pki.cy.call(calls.approval, { requestId })).steps).toMatchObject([
    { step: 'asked' },
    { step: 'approved' },
    { step: 'made' },
  ])

  const other = (await pki.ada.call(calls.requestForDevice, serverCsr())).requestId
  await pki.bob.call(calls.decide, { requestId: other, round: 1, verdict: 'deny' })
  expect(await stepsOf(other)).toEqual(['asked done Ada Lovelace', `approved stopped 0 of 1 ${pki.bob.username}`, 'made later'])
})

test('A key that is made here is made and collected by who is to have it', async () => {
  const { requestId } = await pki.ada.call(calls.request, { entity: 'user', templateId: pki.template['User'] ?? '', key: 'P-256' })
  expect((await stepsOf(requestId)).slice(2)).toEqual(['made later', 'collected later Ada Lovelace'])
  await pki.bob.call(calls.decide, { requestId, round: 1, verdict: 'approve' })
  expect((await stepsOf(requestId)).slice(2)).toEqual(['made now', 'collected now Ada Lovelace'])
  await pki.ada.call(calls.collectKey, { requestId, password: 'a long password' })
  expect((await stepsOf(requestId)).slice(2)).toEqual(['made done', 'collected done Ada Lovelace'])
})

test('What nobody must agree to has no such step, and what was taken back goes no further', async () => {
  const free = await pki.ada.call(calls.requestForDevice, {
    templateId: pki.template['Device'] ?? '',
    csr: tools.csr().csr,
    values: { DNS: ['free.example.org'] },
  })
  expect(await stepsOf(free.requestId)).toEqual(['asked done Ada Lovelace', 'made done'])
  const { requestId } = await pki.ada.call(calls.requestForDevice, serverCsr())
  await pki.ada.call(calls.withdraw, { requestId })
  expect(await stepsOf(requestId)).toEqual(['asked done Ada Lovelace', 'approved stopped 0 of 1 Ada Lovelace', 'made later'])
})
