import { screen, within } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { leadFetchTo } from '#core/testing/little-server.ts'
import { audit } from '#areas/audit/contract.ts'
import { Jobs } from './Jobs.tsx'

let house: TestHouse
let operator: TestPerson
let tenant: TestPerson
let restore = () => {}

beforeAll(async () => {
  house = await openTestHouse()
  operator = (await house.tenancy('Operator')).administrator
  tenant = (await house.tenancy('Acme')).administrator
})
afterAll(() => house.close())
afterEach(() => restore())

const openAs = (person: TestPerson) => {
  restore = leadFetchTo(house.origin, { authorization: `Bearer ${person.token}` })
  return showScreen(<Jobs />, { at: '/monitor/jobs' })
}

test('the jobs say how they went, and run when asked', async () => {
  await house.runJob('mail.send')
  const { user } = openAs(operator)
  const row = (await screen.findByText('Send mail')).closest('tr')
  if (row === null) throw new Error('The job has no row')
  expect(within(row).getByText('Done')).toBeDefined()
  expect(within(row).getByText('Every minute')).toBeDefined()
  await expectAccessible()
  await user.click(within(row).getByRole('button', { name: 'Actions for Send mail' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Run job' }))
  await expect.poll(async () => (await operator.call(audit.calls.search, { name: 'woken' })).rows.map(({ about }) => about)).toEqual(['mail.send'])
})

test('the people of another tenancy are told whose the jobs are', async () => {
  openAs(tenant)
  expect(await screen.findByText('Jobs belong to the whole installation')).toBeDefined()
  await expectAccessible()
})
