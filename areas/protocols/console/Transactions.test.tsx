import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { answering } from '#core/testing/little-server.ts'
import { Transactions } from './Transactions.tsx'

const reason =
  'The key is too small: the template takes RSA of 2048 bits and more, and elliptic curves of the list; use another key and ask again by the same secret'

test('a refusal opens with the whole reason, which a cell has no room for', async () => {
  const row = {
    id: '018f0000-0000-7000-8000-000000000001',
    protocol: 'scep',
    profileName: 'Routers',
    transactionId: 'A1B2',
    kind: 'initial',
    state: 'refused',
    subject: 'router.example.org',
    reason,
    code: 'request',
    address: '192.0.2.7',
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:00:00Z',
  }
  await answering({ 'POST /api2/PKI-v1/SearchEnrolmentTransactions': { rows: [row], total: 1 } })
  const { user } = showScreen(<Transactions protocol="scep" />, { at: '/' })
  await user.click(await screen.findByRole('button', { name: reason }))
  const dialog = within(await screen.findByRole('dialog', { name: 'router.example.org' }))
  expect(dialog.getByText(reason)).toBeDefined()
  expect(dialog.getByText('192.0.2.7')).toBeDefined()
  await expectAccessible()
})
