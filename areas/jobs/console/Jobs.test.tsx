import { screen, within } from '@testing-library/react'
import { beforeAll, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { mail } from '#areas/mail/contract.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { screensOf } from '#core/testing/screens.ts'
import { Jobs } from './Jobs.tsx'

const house = await useHouse()
const as = screensOf(house)
let operator: TestPerson
let tenant: TestPerson

beforeAll(async () => {
  operator = (await house.tenancy('Operator')).administrator
  tenant = (await house.tenancy('Acme')).administrator
})

const openAs = (person: TestPerson) => {
  as(person)
  return showScreen(<Jobs />, { at: '/monitor/jobs' })
}

test('the jobs say how they went, and run when asked', async () => {
  await house.runJob(mail.jobs.send)
  const { user } = openAs(operator)
  const row = (await screen.findByText('Send mail')).closest('tr')
  if (row === null) throw new Error('The job has no row')
  expect(within(row).getByText('Done')).toBeDefined()
  expect(within(row).getByText('Every minute')).toBeDefined()
  await expectAccessible()
  await user.click(within(row).getByRole('button', { name: 'Actions for Send mail' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Run job' }))
  await expect
    .poll(async () => (await operator.call(audit.calls.search, { name: 'woken' })).rows.map(({ about }) => about))
    .toEqual(['mail.send'])
})

test('the people of another tenancy are told whose the jobs are', async () => {
  openAs(tenant)
  expect(await screen.findByText('Jobs belong to the whole installation')).toBeDefined()
  await expectAccessible()
})
