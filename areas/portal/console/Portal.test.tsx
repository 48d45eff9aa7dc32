import { cleanup, screen, within } from '@testing-library/react'
import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PublicShell } from '#core/console/shell/PublicShell.tsx'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { useSharedHouse } from '#core/testing/house.ts'
import { answering, leadFetchTo, type Asked } from '#core/testing/little-server.ts'
import { portal } from '../contract.ts'
import { PortalSettings } from './PortalSettings.tsx'
import { RequestCertificate } from './RequestCertificate.tsx'

const csr = execFileSync(
  'openssl',
  [
    'req',
    '-new',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    '/dev/null',
    '-subj',
    '/CN=lift.example.org',
  ],
  { stdio: 'pipe' },
).toString()
const templateId = '018f0000-0000-7000-8000-000000000001'
const requestId = '018f0000-0000-7000-8000-000000000002'
const offered = {
  tenancyName: 'Acme',
  templates: [
    {
      templateId,
      displayName: 'Lifts',
      priority: -1,
      asks: [{ source: 'DNS', label: 'DNS name', from: 'typed', required: true, many: true }],
      ignoreCsrDetails: false,
      keys: ['EC P-256'],
    },
  ],
}
const opening = {
  'POST /api2/Authentication-v1/AnonymousSession': {
    tenancyName: 'Acme',
    bannerColour: '#7a1fa2',
    supportEmail: 'help@acme.example',
    expiresAt: '2026-01-01T00:30:00Z',
  },
  'GET /api2/PKI-v1/AnonymousTemplates': offered,
}
const page = (at = '/anonymousportal?code=abc') => showScreen(<RequestCertificate />, { at, path: '/anonymousportal', viewer: false })

test('who has the address asks, gets a receipt, and sees with it where the request stands', async () => {
  const server = await answering({
    ...opening,
    'POST /api2/PKI-v1/AnonymousRequest': { requestId, secret: 'the-secret', status: 'under_submission' },
    'POST /api2/PKI-v1/AnonymousCollect': {
      status: 'issued',
      reason: '',
      templateName: 'Lifts',
      subject: 'CN=lift.example.org',
      requestedAt: '2026-01-01T00:00:00Z',
      certificate: '-----BEGIN CERTIFICATE-----',
      tenancyName: 'Acme',
      bannerColour: '#7a1fa2',
      supportEmail: 'help@acme.example',
      chain: '',
    },
  })
  const { user } = page()
  await screen.findByText(/^From Acme/)
  await expectAccessible()
  await user.click(screen.getByRole('textbox', { name: /^Certificate request/ }))
  await user.paste(csr)
  await user.click(screen.getByRole('button', { name: 'Send request' }))
  await screen.findByRole('heading', { name: 'Request sent' })
  expect(screen.getByText('the-secret')).toBeDefined()
  await expectAccessible()
  await user.click(screen.getByRole('button', { name: 'Show its status' }))
  await screen.findByRole('button', { name: 'Download certificate' })
  expect(screen.getByText('Issued')).toBeDefined()
  await expectAccessible()
  expect(server.asked.map(({ path }) => path)).toEqual([
    '/api2/Authentication-v1/AnonymousSession',
    '/api2/PKI-v1/AnonymousTemplates',
    '/api2/PKI-v1/AnonymousRequest',
    '/api2/PKI-v1/AnonymousCollect',
  ])
})

test('before anything is sent it says that the link is the only way to learn the decision, and that link can be kept and opened', async () => {
  const server = await answering({
    ...opening,
    'POST /api2/PKI-v1/AnonymousRequest': { requestId, secret: 'the-secret', status: 'under_submission' },
    'POST /api2/PKI-v1/AnonymousCollect': {
      status: 'under_submission',
      onHold: false,
      reason: '',
      templateName: 'Lifts',
      subject: 'CN=lift.example.org',
      requestedAt: '2026-01-01T00:00:00Z',
      certificate: '',
      chain: '',
      tenancyName: 'Acme',
      bannerColour: '#7a1fa2',
      supportEmail: 'help@acme.example',
    },
  })
  const { user } = page()
  expect(await screen.findByText(/^No mail is sent, with or without your address\./)).toBeDefined()
  await user.click(screen.getByRole('textbox', { name: /^Certificate request/ }))
  await user.paste(csr)
  await user.click(screen.getByRole('button', { name: 'Send request' }))
  await screen.findByRole('heading', { name: 'Request sent' })
  const link = String(screen.getByText(/#request=/).textContent)
  expect(new URL(link).hash).toBe(`#request=${requestId}&secret=the-secret`)
  expect(screen.getByRole('button', { name: 'Copy Link' })).toBeDefined()
  expect(screen.getByRole('button', { name: 'Save the link as a file' })).toBeDefined()
  cleanup()
  page(link.slice(new URL(link).origin.length))
  expect(await screen.findByText('It is not decided yet. Come back to this page later.')).toBeDefined()
  expect(server.asked.at(-1)?.body).toEqual({ requestId, secret: 'the-secret' })
  await expectAccessible()
})

test('all that is missing is said at the first try', async () => {
  const [template] = offered.templates
  const server = await answering({
    ...opening,
    'GET /api2/PKI-v1/AnonymousTemplates': { ...offered, templates: [{ ...template, ignoreCsrDetails: true }] },
  })
  const { user } = page()
  await screen.findByText(/^From Acme/)
  await user.click(screen.getByRole('button', { name: 'Send request' }))
  expect(await screen.findByText('2 fields need attention')).toBeDefined()
  expect(screen.getByRole('button', { name: 'DNS name: Enter a value' })).toBeDefined()
  expect(server.asked.filter(({ path }) => path.endsWith('AnonymousRequest'))).toEqual([])
})

test('what is wrong with the request is said together with the name that is missing', async () => {
  const [template] = offered.templates
  const server = await answering({
    ...opening,
    'GET /api2/PKI-v1/AnonymousTemplates': { ...offered, templates: [{ ...template, ignoreCsrDetails: true }] },
    'POST /api2/PKI-v1/AnonymousCheck': { faults: [{ field: 'csr', says: 'This is no request' }] },
  })
  const { user } = page()
  await screen.findByText(/^From Acme/)
  await user.click(screen.getByRole('textbox', { name: /^Certificate request/ }))
  await user.paste(csr)
  await user.click(screen.getByRole('button', { name: 'Send request' }))
  expect(await screen.findByText('2 fields need attention')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Certificate request (CSR): This is no request' })).toBeDefined()
  expect(screen.getByRole('button', { name: 'DNS name: Enter a value' })).toBeDefined()
  expect(server.asked.filter(({ path }) => path.endsWith('AnonymousRequest'))).toEqual([])
})

test('the page bears the name of its tenancy and the address of its help once its own address is known to be right', async () => {
  await answering(opening)
  showScreen(
    <PublicShell>
      <RequestCertificate />
    </PublicShell>,
    { at: '/anonymousportal?code=abc', path: '/anonymousportal', viewer: false },
  )
  expect(screen.queryByText('Acme')).toBeNull()
  expect(await screen.findByText('Acme')).toBeDefined()
  expect(screen.getByRole('link', { name: 'help@acme.example' })).toBeDefined()
})

test('a kept link bears the name of its tenancy, and a wrong secret takes away what was shown', async () => {
  const issued = {
    status: 'issued',
    onHold: false,
    reason: '',
    templateName: 'Lifts',
    subject: 'CN=lift.example.org',
    requestedAt: '2026-01-01T00:00:00Z',
    certificate: '-----BEGIN CERTIFICATE-----',
    chain: '',
    tenancyName: 'Acme',
    bannerColour: '#7a1fa2',
    supportEmail: 'help@acme.example',
  }
  await answering({
    'POST /api2/PKI-v1/AnonymousCollect': ({ body }: Asked) =>
      JSON.stringify(body).includes('the-secret') ? { body: issued } : { status: 404, body: { code: 'noSuchRequest', message: 'No' } },
  })
  const { user } = showScreen(
    <PublicShell>
      <RequestCertificate />
    </PublicShell>,
    { at: `/anonymousportal#request=${requestId}&secret=the-secret`, path: '/anonymousportal', viewer: false },
  )
  await screen.findByRole('button', { name: 'Download certificate' })
  expect(await screen.findByRole('link', { name: 'help@acme.example' })).toBeDefined()
  await user.fill(screen.getByRole('textbox', { name: /^Secret/ }), 'wrong')
  await user.click(screen.getByRole('button', { name: 'Show its status' }))
  await screen.findByText('There is no such request, or the secret is not its own')
  expect(screen.queryByRole('button', { name: 'Download certificate' })).toBeNull()
})

test('a wrong address says so, and offers nothing but to collect', async () => {
  await answering({
    'POST /api2/Authentication-v1/AnonymousSession': () => ({
      status: 404,
      body: { code: 'invalidCode', message: 'This address is not valid' },
    }),
  })
  page()
  await screen.findByText('This address is not valid')
  expect(screen.queryByRole('button', { name: 'Send request' })).toBeNull()
  expect(screen.getByRole('button', { name: 'Show its status' })).toBeDefined()
  await expectAccessible()
})

test('without a code nothing is sent', async () => {
  const server = await answering({})
  page('/anonymousportal')
  await screen.findByText(/open the whole address/)
  expect(server.asked).toEqual([])
})

const house = await useSharedHouse()
const ada = await (await house.tenancy('Acme')).person({ permissions: ['tenancyConfig'] })
let restore = () => {}
beforeEach(() => void (restore = () => {}))
afterEach(() => restore())

test('the address is made, renewed after a question, and taken away', async () => {
  restore = leadFetchTo(house.origin, { authorization: `Bearer ${ada.token}` })
  const address = async () => (await ada.call(portal.calls.settings, {})).address
  const { user } = showScreen(<PortalSettings />, { at: '/config/certificateservices/portal' })
  expect((await screen.findByRole('link', { name: 'Open and close templates' })).getAttribute('href')).toBe(
    '/config/certificateservices/templates',
  )
  await screen.findByText('The page is closed')
  await expectAccessible()
  await user.click(screen.getByRole('button', { name: 'Create an address' }))
  await screen.findByText(/anonymousportal\?code=/)
  await expectAccessible()
  const first = await address()
  await user.click(screen.getByRole('button', { name: 'Create a new address' }))
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Create a new address' }))
  await screen.findByText((text) => text.includes('code=') && text !== first)
  expect(await address()).not.toBe(first)
  await user.click(screen.getByRole('button', { name: 'Close the page' }))
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Close the page' }))
  await screen.findByText('The page is closed')
  expect(await address()).toBeUndefined()
})
