import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { answering } from '#core/testing/little-server.ts'
import { CertificateReport } from './CertificateReport.tsx'

const key = '018f0000-0000-7000-8000-000000000001'
const report = {
  rows: [{ key, label: 'Acme Issuing', issued: 1234, revoked: 5, ended: 0, valid: 900 }],
  totals: { issued: 1234, revoked: 5, ended: 0, valid: 900 },
  more: false,
}
const call = 'POST /api2/Monitoring-v1/CertificateReport'
const open = (rest = '') => showScreen(<CertificateReport />, { at: `/reporting/certificate${rest}`, viewer: {} })

test('each number leads to the list of exactly those certificates', async () => {
  await answering({ [call]: report })
  open('?first=2026-01-01&last=2026-01-31')
  const table = within(await screen.findByRole('table', { name: 'Certificate report' }))
  expect(table.getByRole('link', { name: '1,234' }).getAttribute('href')).toBe(
    `/search/certificate?caId=${key}&issued=2026-01-01T00%3A00%3A00.000Z%2F2026-02-01T00%3A00%3A00.000Z`,
  )
  expect(table.queryByRole('link', { name: '0' })).toBeNull()
  await expectAccessible()
})

test('the grouping stands in the address and is asked for', async () => {
  const server = await answering({ [call]: report })
  const { router } = open('?first=2026-01-01&last=2026-01-31&by=requester')
  expect(await screen.findByRole('columnheader', { name: 'Requester' })).toBeDefined()
  expect(server.asked.at(-1)?.body).toEqual({ by: 'requester', first: '2026-01-01', last: '2026-01-31' })
  expect(router.state.location.search).toContain('by=requester')
})

test('a period that is none is said at the field, and nothing is asked', async () => {
  const server = await answering({ [call]: report })
  open('?first=2026-02-01&last=2026-01-01')
  expect(await screen.findByText(/The last day must not be before the first/)).toBeDefined()
  expect(server.asked).toEqual([])
  await expectAccessible()
})
