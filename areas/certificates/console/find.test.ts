import { expect, test } from 'vitest'
import { answering } from '#core/testing/little-server.ts'
import { certificates } from '../contract.ts'
import { findCertificates } from './find.ts'

test('The palette says in words what a certificate is good for', async () => {
  const row = {
    certificateId: '01890000-0000-7000-8000-000000000001',
    caName: 'Issuing',
    serialNumber: '7f3a52c19e',
    name: 'www.example.org',
    subject: 'CN=www.example.org',
    sans: [],
    email: '',
    templateName: 'Device',
    class: 'DEVICE',
    status: 'onHold',
    onHold: true,
    holder: '',
    notBefore: '2026-01-01T00:00:00Z',
    notAfter: '2027-01-01T00:00:00Z',
    issuedAt: '2026-01-01T00:00:00Z',
  }
  await answering({ [`POST ${certificates.calls.search.path}`]: { rows: [row], total: 1 } })
  expect(await findCertificates('www', new AbortController().signal)).toMatchObject([
    { label: 'www.example.org', detail: 'On hold · issued 1 Jan 2026 · 7f3a 52c1…' },
  ])
})
