import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { afterAll, afterEach, describe, expect, test, onTestFinished } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { authorities } from '#areas/authorities/contract.ts'
import { roomsStore } from '#core/console/rooms.ts'
import { expectAccessible, showScreen, testViewer } from '#core/console/testing/render.tsx'
import { offer } from '#core/contract/slots.ts'
import { inTenant } from '#core/server/database.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { answering, leadFetchTo } from '#core/testing/little-server.ts'
import { certificateActionSlot } from '../certificate-actions.ts'
import { certificateSlot } from '../certificate-slot.tsx'
import { certificates } from '../contract.ts'
import { openIssuingHouse } from '../server/issuing.fixture.ts'
import { setAllRevoked } from '../service.ts'
import { AddCertificate } from './AddCertificate.tsx'
import { Approval } from './Approval.tsx'
import { Approvals } from './Approvals.tsx'
import { CertificateList } from './CertificateList.tsx'
import { CollectCertificate } from './CollectCertificate.tsx'
import { UploadForDevice } from './UploadForDevice.tsx'
import { ViewCertificate } from './ViewCertificate.tsx'

const { calls, screens } = certificates

let restore = () => {}
let count = 0

const { house, tools, pki, close } = await openIssuingHouse()
afterAll(close)
afterEach(() => restore())

const as = (person: TestPerson): void => {
  restore()
  restore = leadFetchTo(house.origin, { authorization: `Bearer ${person.token}` })
}
const csrFor = (name: string) => tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] }).csr
const newName = () => `page${(count += 1)}.example.org`
const requested = async (template: string, name: string) =>
  pki.ada.call(calls.requestForDevice, {
    templateId: pki.template[template] ?? '',
    csr: csrFor(name),
    values: template === 'Device' ? { DNS: [name] } : {},
  })

describe('the one page to ask', () => {
  const own = () => {
    as(pki.ada)
    return showScreen(<AddCertificate />, {
      at: '/credentials/certificates/user/add',
      path: screens.add.path,
      routes: [{ path: screens.uploadForDevice.path, element: <UploadForDevice /> }],
    })
  }

  test('begins for a person with a key that is made for them, and is sent with one press', async () => {
    const { user } = own()
    expect(await screen.findByRole('heading', { level: 1, name: 'Request a certificate' })).toBeDefined()
    await screen.findByText(/^The key is made for you/)
    // What a clerk need not know stands in folds, which are closed.
    const folds = ['Another key', 'All that stands in it']
    for (const fold of folds) expect((await screen.findByText(fold)).closest('details')?.open).toBe(false)
    expect(screen.getAllByText(/CSR|PKCS#12|RSA|P-256|sages/).every((part) => part.closest('details') !== null)).toBe(true)
    expect(screen.getAllByRole('radio').map((radio) => [radio.getAttribute('value'), (radio as HTMLInputElement).checked])).toEqual([
      ['server', true],
      ['csr', false],
    ])
    await screen.findByText(/^It goes to approvers first/)
    const able = screen.getByText(/can approve$/).textContent
    await user.click(screen.getByRole('button', { name: 'Request certificate' }))
    const steps = within(await screen.findByRole('region', { name: 'Progress' }))
    expect(steps.getAllByRole('listitem').map((one) => within(one).getByRole('img').getAttribute('aria-label'))).toEqual([
      'Done',
      'Now',
      'Not yet',
      'Not yet',
    ])
    expect(steps.getByText('Approved 0 of 1')).toBeDefined()
    expect(steps.getByText(/can approve$/).textContent).toBe(able)
    await expectAccessible()
  })

  test('suggests the form of devices where the request names machines, and takes the request there', async () => {
    const name = newName()
    const { user, router } = own()
    await user.click(await screen.findByText('Another key'))
    await user.click(await screen.findByRole('radio', { name: /I have a certificate request/ }))
    await user.click(screen.getByRole('textbox', { name: /Certificate request/ }))
    await user.paste(csrFor(name))
    await user.click(await screen.findByRole('button', { name: 'Ask for a device' }))
    await waitFor(() => expect(router.state.location.pathname).toBe(screens.uploadForDevice.path))
    const field = (await screen.findByRole('textbox', { name: /Certificate request/ })) as HTMLTextAreaElement
    expect(field.value).toContain('BEGIN CERTIFICATE REQUEST')
  })
})

describe('a request with a CSR', () => {
  const open = () => {
    as(pki.ada)
    return showScreen(<UploadForDevice />, { at: screens.uploadForDevice.path })
  }

  const choose = async (user: UserEvent, template: RegExp) => {
    await user.click(await screen.findByRole('combobox', { name: /Template/ }))
    await user.click(await screen.findByRole('option', { name: template }))
  }

  test('shows what lint says of a poor CSR, by its severity', async () => {
    const { user } = open()
    await choose(user, /^TLS server/)
    await user.click(await screen.findByRole('textbox', { name: /Certificate request/ }))
    await user.paste(tools.csr({ key: ['rsa:1024'] }).csr)
    const check = within(screen.getByRole('region', { name: 'What would come out' }))
    const says = await check.findByText(/The RSA key has 1024 bits/)
    expect(within(says).getByText('Error')).toBeDefined()
    await expectAccessible()
  })

  test('shows what is in the CSR and what would come out, and is sent', async () => {
    const name = newName()
    const { user } = open()
    await choose(user, /^TLS server/)
    const field = await screen.findByRole('textbox', { name: /Certificate request/ })
    await user.click(field)
    await user.paste(csrFor(name))
    const check = within(screen.getByRole('region', { name: 'What would come out' }))
    expect(await check.findByText('In the request')).toBeDefined()
    expect((await check.findAllByText(`CN=${name}`)).length).toBe(2)
    expect(check.getByText(/It goes to approvers first/)).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Request certificate' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Request sent' })).toBeDefined()
    expect(await screen.findByText(/No mail server is set/)).toBeDefined()
    expect(screen.getByRole('link', { name: 'Follow it under My requests' }).getAttribute('href')).toMatch(/device\/add\?request=/)
    expect((await pki.ada.call(calls.requests, { text: name })).total).toBe(1)
  })

  test('without alternative names offers its common name as a DNS name, and leads who may edit it to the template', async () => {
    const name = newName()
    const { user } = open()
    await choose(user, /^TLS server/)
    await user.click(await screen.findByRole('textbox', { name: /Certificate request/ }))
    await user.paste(tools.csr({ subject: `/C=AU/O=Example/CN=${name}`, extensions: [] }).csr)
    const offer = await screen.findByRole('button', { name: `Use ${name} as DNS name` })
    expect(screen.getByRole('link', { name: 'Change what the template takes' }).getAttribute('href')).toBe(
      `/pki/manage/certificate-templates/${pki.template['TLSServer']}`,
    )
    await expectAccessible()
    await user.click(offer)
    expect(await screen.findByText(/The request names C=AU, O=Example, which the certificate leaves out/)).toBeDefined()
    expect(screen.getByText(/It goes to approvers first/)).toBeDefined()
    expect(screen.queryByRole('button', { name: /as DNS name/ })).toBeNull()
  })

  test('that is missing is said at its field and nowhere else, and a good one makes it good', async () => {
    const { user } = open()
    await choose(user, /^Device/)
    await user.click(screen.getByRole('button', { name: 'Request certificate' }))
    expect(await screen.findByText('One field needs attention')).toBeDefined()
    expect(screen.getAllByText(/Paste or drop the certificate request/).length).toBe(2)
    await user.click(screen.getByRole('textbox', { name: /Certificate request/ }))
    await user.paste(csrFor(newName()))
    await waitFor(() => expect(screen.queryByText(/needs attention/)).toBeNull())
  })

  test('that asks for an authority is refused before it is sent, and the reason stands at the field', async () => {
    const { user } = open()
    await choose(user, /^TLS server/)
    const field = await screen.findByRole('textbox', { name: /Certificate request/ })
    await user.click(field)
    await user.paste(tools.csr({ extensions: ['basicConstraints=critical,CA:TRUE', 'subjectAltName=DNS:www.example.org'] }).csr)
    const check = within(screen.getByRole('region', { name: 'What would come out' }))
    expect(await check.findByText(/CA:TRUE/)).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Request certificate' }))
    const summary = await screen.findByRole('alert')
    expect(summary.textContent).toContain('CA:TRUE')
    expect(screen.queryByRole('heading', { name: 'Request sent' })).toBeNull()
  })

  test('for a template that ignores its details fills in the names that must be typed', async () => {
    const name = newName()
    const { user } = open()
    await choose(user, /^Device/)
    await user.click(screen.getByRole('textbox', { name: /Certificate request/ }))
    await user.paste(csrFor(name))
    expect(await screen.findByText(name, { selector: '.mantine-TagsInput-pill *, .mantine-TagsInput-pill' })).toBeDefined()
    await waitFor(() => expect(screen.getByText(/issued at once/)).toBeDefined())
    await user.click(screen.getByRole('button', { name: 'Request certificate' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Certificate issued' })).toBeDefined()
  })
})

test('what waits stands among the views of the inventory, and who took a request back is not told that it was denied', async () => {
  as(pki.ada)
  const [taken, kept] = [newName(), newName()]
  const { requestId } = await requested('TLSServer', taken)
  await requested('TLSServer', kept)
  await pki.ada.call(calls.withdraw, { requestId })
  as(pki.bob)
  const waiting = showScreen(<CertificateList />, { at: '/search/certificate?tab=waiting' })
  expect(await screen.findByRole('link', { name: new RegExp(kept) })).toBeDefined()
  const views = within(screen.getByRole('navigation', { name: 'Views of certificates' }))
  expect(views.getAllByRole('link').map((tab) => [tab.textContent, tab.getAttribute('aria-current')])).toEqual([
    ['All', null],
    ['Ending in 30 days', null],
    ['Recently issued', null],
    ['Waiting', 'page'],
    ['Mine', null],
  ])
  await expectAccessible()
  waiting.unmount()
  showScreen(<Approvals />, { at: `${screens.approvals.path}?tab=all` })
  const row = within(await screen.findByRole('row', { name: new RegExp(taken) }))
  expect(row.getByText('Withdrawn')).toBeDefined()
  expect(row.queryByText('Denied')).toBeNull()
})

test('a person without permissions is told where nothing is offered', async () => {
  as(pki.eve)
  showScreen(<AddCertificate />, {
    at: '/credentials/certificates/device/add',
    path: screens.add.path,
    viewer: { permission: { View: [], Menu: [], activeMenu: [], api: [], roles: [], isManager: false } },
  })
  expect(await screen.findByText('No template is offered to you')).toBeDefined()
  await expectAccessible()
})

test.each([
  ['Device', /^Nobody needs to agree: you collect key and certificate, and both are made at that moment\./],
  [
    'TLS server',
    /^It goes to approvers first\. One approver, never the requester\. Once it is approved, you collect key and certificate on this page\./,
  ],
])('before a key is asked for that the server makes, the form of %s does not promise a certificate at once', async (template, says) => {
  as(pki.ada)
  const { user } = showScreen(<UploadForDevice />, { at: screens.uploadForDevice.path })
  await user.click(await screen.findByRole('combobox', { name: /Template/ }))
  await user.click(await screen.findByRole('option', { name: new RegExp(`^${template}`) }))
  await user.click(screen.getByRole('radio', { name: /Make the key for me/ }))
  await user.type(await screen.findByLabelText(/DNS name/, { selector: 'input' }), `${newName()}{Enter}`)
  expect(await screen.findByText(says)).toBeDefined()
  expect(screen.queryByText(/issued at once/)).toBeNull()
})

test('a key that the server makes is handed out once, under a password', async () => {
  as(pki.ada)
  const name = newName()
  const placed = await pki.ada.call(calls.requestForDevice, {
    templateId: pki.template['Device'] ?? '',
    key: 'P-256',
    values: { DNS: [name] },
  })
  const { user } = showScreen(<AddCertificate />, {
    at: `/credentials/certificates/device/add?request=${placed.requestId}`,
    path: screens.add.path,
  })
  const password = await screen.findByLabelText(/Password for the file/, { selector: 'input' })
  await user.fill(password, 'short')
  await user.click(screen.getByRole('button', { name: 'Make key and download' }))
  expect((await screen.findAllByText(/at least 8 characters/)).length).toBeGreaterThan(0)
  const saved: Blob[] = []
  Object.assign(URL, { createObjectURL: (file: Blob) => `blob:${saved.push(file)}`, revokeObjectURL: () => {} })
  await user.type(password, ' but longer')
  await user.click(screen.getByRole('button', { name: 'Make key and download' }))
  expect(await screen.findByText(`${name}.p12 is saved`)).toBeDefined()
  expect(saved.map(({ type, size }) => [type, size > 1000])).toEqual([['application/x-pkcs12', true]])
  await expectAccessible()
})

describe('approvals', () => {
  test('list what waits for the approver, and one approves', async () => {
    as(pki.bob)
    const name = newName()
    const { requestId } = await requested('TLSServer', name)
    showScreen(<Approvals />, { at: screens.approvals.path })
    const link = await screen.findByRole('link', { name })
    expect(link.getAttribute('href')).toBe(`/credentials/certificates/approval/${requestId}`)
    await expectAccessible()
  })

  test('show the certificate that would come out, take the comment and issue', async () => {
    as(pki.bob)
    const name = newName()
    const { requestId } = await requested('TLSServer', name)
    const { user } = showScreen(<Approval />, { at: `/credentials/certificates/approval/${requestId}`, path: screens.approval.path })
    const planned = within(await screen.findByRole('region', { name: 'The certificate that would come out' }))
    expect(planned.getByText(`CN=${name}`)).toBeDefined()
    await expectAccessible()
    await user.fill(screen.getByRole('textbox', { name: 'Comment' }), 'Fine by me')
    await user.click(screen.getByRole('button', { name: 'Approve request' }))
    expect(await screen.findByRole('link', { name: 'Show certificate' })).toBeDefined()
    expect(await screen.findByText('Fine by me')).toBeDefined()
    // What would come out today has other dates than what was issued.
    expect(within(screen.getByRole('region', { name: 'What was approved' })).queryByText('Valid until')).toBeNull()
    expect((await pki.ada.call(calls.search, { text: name })).total).toBe(1)
    // What else waits is one press away.
    const next = (await screen.findByRole('link', { name: 'Next request' })).getAttribute('href') ?? ''
    expect(next).toMatch(/^\/credentials\/certificates\/approval\//)
    expect(next).not.toContain(requestId)
  })

  test('say what follows the last one: the certificate at once, or what its requester then collects', async () => {
    as(pki.bob)
    const bringing = await requested('TLSServer', newName())
    const { unmount } = showScreen(<Approval />, {
      at: `/credentials/certificates/approval/${bringing.requestId}`,
      path: screens.approval.path,
    })
    expect(await screen.findByText(/the certificate is issued at once/)).toBeDefined()
    unmount()
    const name = newName()
    const { requestId } = await pki.ada.call(calls.requestForDevice, {
      templateId: pki.template['TLSServer'] ?? '',
      key: 'P-256',
      values: { DNS: [name] },
    })
    const { user } = showScreen(<Approval />, { at: `/credentials/certificates/approval/${requestId}`, path: screens.approval.path })
    expect(await screen.findByText(/The requester then collects key and certificate/)).toBeDefined()
    expect(screen.queryByText(/issued at once/)).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Approve request' }))
    expect((await screen.findAllByText('Ready to collect')).length).toBeGreaterThan(0)
  })

  test('are asked again where the request was changed while it was read', async () => {
    as(pki.bob)
    const name = newName()
    const { requestId } = await requested('TLSServer', name)
    const { user } = showScreen(<Approval />, { at: `/credentials/certificates/approval/${requestId}`, path: screens.approval.path })
    expect((await screen.findAllByText(`CN=${name}`)).length).toBeGreaterThan(0)
    const other = newName()
    await pki.ada.call(calls.edit, { requestId, csr: csrFor(other), values: {} })
    await user.click(screen.getByRole('button', { name: 'Approve request' }))
    expect(await screen.findByText(/The request was changed after you opened it/)).toBeDefined()
    expect((await screen.findAllByText(`CN=${other}`)).length).toBeGreaterThan(0)
    await user.click(screen.getByRole('button', { name: 'Approve request' }))
    expect(await screen.findByRole('link', { name: 'Show certificate' })).toBeDefined()
    expect((await pki.ada.call(calls.search, { text: other })).total).toBe(1)
  })

  test('take a double click for one decision', async () => {
    as(pki.bob)
    const name = newName()
    const refused = async () =>
      (await pki.tenancy.administrator.call(audit.calls.search, { outcome: 'refused', name: 'decide', actor: pki.bob.username })).total
    const before = await refused()
    const { requestId } = await requested('TLSServer', name)
    const { user } = showScreen(<Approval />, { at: `/credentials/certificates/approval/${requestId}`, path: screens.approval.path })
    expect(await screen.findByRole('link', { name: `${pki.ada.username}@example.org` })).toBeDefined()
    await user.dblClick(screen.getByRole('button', { name: 'Approve request' }))
    expect(await screen.findByRole('link', { name: 'Show certificate' })).toBeDefined()
    expect(screen.queryByText('Your decision was not recorded')).toBeNull()
    expect((await pki.bob.call(calls.approval, { requestId })).votes).toHaveLength(1)
    expect(await refused()).toBe(before)
  })

  test('show the requester who decided, and what they wrote', async () => {
    const { requestId } = await requested('TLSServer', newName())
    await pki.bob.call(calls.decide, { requestId, round: 1, verdict: 'deny', comment: 'Use the wildcard' })
    as(pki.ada)
    showScreen(<AddCertificate />, { at: `/credentials/certificates/device/add?request=${requestId}`, path: screens.add.path })
    expect(await screen.findByText(`Denied by ${pki.bob.username}`)).toBeDefined()
    expect(screen.getAllByText('Use the wildcard').length).toBe(2)
    await expectAccessible()
  })

  test('tell the requester that somebody else must decide', async () => {
    const name = newName()
    const { requestId } = await pki.bob.call(calls.requestForDevice, { templateId: pki.template['TLSServer'] ?? '', csr: csrFor(name) })
    as(pki.bob)
    showScreen(<Approval />, { at: `/credentials/certificates/approval/${requestId}`, path: screens.approval.path })
    expect(await screen.findByText(/You cannot decide your own request/)).toBeDefined()
    expect(screen.queryByRole('button', { name: 'Approve request' })).toBeNull()
  })
})

describe('the inventory', () => {
  test('lists certificates with status and expiry, each leading to its page', async () => {
    const name = newName()
    const { certificateId } = await requested('Device', name)
    as(pki.ada)
    showScreen(<CertificateList />, { at: '/search/certificate' })
    const table = await screen.findByRole('table', { name: 'Certificates' })
    const link = await within(table).findByRole('link', { name })
    expect(link.getAttribute('href')).toBe(`/credentials/certificates/view/${certificateId}`)
    expect(within(table).getAllByText('Active').length).toBeGreaterThan(0)
    await expectAccessible()
  })

  test('tells certificates of one name apart: by the beginning of the serial number, the day of issue, and which was renewed', async () => {
    const row = {
      name: 'twin.example.org',
      subject: 'CN=twin.example.org',
      caName: 'Acme Issuing',
      sans: [],
      email: '',
      templateName: 'Device',
      class: 'DEVICE',
      onHold: false,
      holder: '',
      notBefore: '2026-01-05T00:00:00Z',
      notAfter: '2027-01-05T00:00:00Z',
    }
    const [older, newer, superseded] = [
      '01980000-0000-7000-8000-000000000001',
      '01980000-0000-7000-8000-000000000002',
      '01980000-0000-7000-8000-000000000003',
    ]
    const rows = [
      { ...row, certificateId: newer, status: 'active', serialNumber: '7f3a52c19e00', issuedAt: '2026-02-07T12:00:00Z' },
      {
        ...row,
        certificateId: older,
        status: 'expiring',
        serialNumber: '5ec654aaa881',
        issuedAt: '2026-01-05T12:00:00Z',
        renewedBy: newer,
      },
      {
        ...row,
        certificateId: superseded,
        status: 'revoked',
        revocationReason: 'superseded',
        serialNumber: '0a1b',
        issuedAt: '2025-12-03T12:00:00Z',
      },
    ]
    await answering({
      [`POST ${calls.search.path}`]: { rows, total: 3 },
      [`GET ${calls.choices.path}`]: { templates: [], authorities: [] },
    })
    const { user } = showScreen(<CertificateList />, { at: '/search/certificate' })
    const table = await screen.findByRole('table', { name: 'Certificates' })
    await within(table).findAllByRole('link', { name: row.name })
    const [, first, second, third] = within(table).getAllByRole('row')
    const says = (at: HTMLElement | undefined) => at?.textContent ?? ''
    expect([says(first), says(second), says(third)]).toEqual([
      expect.stringMatching(/Active.*7 Feb 2026.*7f3a 52c1….*7f3a52c19e00/),
      expect.stringMatching(/ExpiringRenewed.*5 Jan 2026.*5ec6 54aa…/),
      expect.stringMatching(/RevokedSuperseded.*3 Dec 2025.*0a1b/),
    ])
    expect(within(table).getByRole('link', { name: 'Renewed' }).getAttribute('href')).toBe(`/credentials/certificates/view/${newer}`)
    await user.click(within(table).getAllByRole('button', { name: 'Copy Serial number' })[1] as HTMLElement)
    expect(await navigator.clipboard.readText()).toBe('5ec654aaa881')
    await expectAccessible()
  })

  test('asked for before it is drawn is not asked for again, with every filter in the address', async () => {
    const id = '01980000-0000-7000-8000-000000000001'
    const moment = '2026-01-05T00:00:00Z'
    const row = {
      certificateId: id,
      name: 'ahead.example.org',
      status: 'active',
      notAfter: moment,
      templateName: 'Device',
      caName: 'Acme Root',
      holder: '',
      serialNumber: '01',
      sans: [],
      email: '',
      class: 'device',
      issuedAt: moment,
    }
    const server = await answering({
      [`POST ${calls.search.path}`]: { rows: [row], total: 1 },
      [`GET ${calls.choices.path}`]: { templates: [], authorities: [] },
    })
    const span = `${moment}/2026-01-12T00:00:00Z`
    const filters = {
      status: ['active', 'expiring'],
      expires: 'month',
      templateId: [id],
      caId: [id],
      ends: span,
      issued: span,
      revoked: span,
    }
    const address = new URLSearchParams(Object.entries(filters).flatMap(([name, values]) => [values].flat().map((value) => [name, value])))
    const { router } = showScreen(<CertificateList />, { at: '/home', path: '/search/certificate' })
    await CertificateList.ask(address)
    await act(() => router.navigate(`/search/certificate?${address}`))
    expect(await screen.findByRole('link', { name: row.name })).toBeDefined()
    expect(server.asked.filter(({ path }) => path === calls.search.path).map(({ body }) => body)).toEqual([
      expect.objectContaining(filters),
    ])
  })
})

describe('the page of a certificate', () => {
  test('shows what it is, who uses it, what happens next, its chain and its bytes', async () => {
    const name = newName()
    const { certificateId } = await requested('Device', name)
    as(pki.ada)
    const { user } = showScreen(<ViewCertificate />, { at: `/credentials/certificates/view/${certificateId}`, path: screens.view.path })
    expect(await screen.findByRole('heading', { level: 1, name })).toBeDefined()
    expect(screen.getByRole('button', { name: 'Download certificate' })).toBeDefined()
    expect(within(screen.getByRole('region', { name: 'What happens next' })).getByText(/expires in/)).toBeDefined()
    expect(within(screen.getByRole('region', { name: 'Who uses it' })).getByText(name)).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('tab', { name: 'Chain and files' }))
    expect(await screen.findByRole('link', { name: 'Acme Root' })).toBeDefined()
    for (const file of ['For a server (PEM)', 'For clients (PEM)', 'Everything (PEM)', 'Certificate (DER)', 'Everything (PKCS#12)'])
      expect(screen.getByRole('button', { name: file })).toBeDefined()
    expect(screen.getByText('The root alone: what those trust who check this certificate')).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('tab', { name: 'Activity' }))
    expect(await screen.findByText('Issued without approval')).toBeDefined()
    await user.click(screen.getByRole('tab', { name: 'Raw' }))
    expect(((await screen.findByRole('textbox', { name: 'Certificate as PEM' })) as HTMLTextAreaElement).value).toContain(
      'BEGIN CERTIFICATE',
    )
    await expectAccessible()
  })

  test('is drawn whole, with what other rooms put into it, which is asked for beside the certificate itself', async () => {
    const name = newName()
    const { certificateId = '' } = await requested('Device', name)
    as(pki.ada)
    const asked: string[] = []
    let answer = Promise.withResolvers<void>()
    const Framing = Object.assign(() => <button type="button">Frame it</button>, {
      ask: (id: string) => {
        asked.push(id)
        return answer.promise
      },
    })
    roomsStore.setState({
      consoleModules: [
        {
          area: 'framing',
          screens: {},
          offers: [offer(certificateActionSlot, { key: 'framing', load: certificateSlot(async () => ({ Framing })) })],
        },
      ],
    })
    onTestFinished(() => roomsStore.setState({ consoleModules: [] }))
    void ViewCertificate.ask(new URLSearchParams(), { certId: certificateId })
    await waitFor(() => expect(asked).toEqual([certificateId]))
    const open = () => showScreen(<ViewCertificate />, { at: `/credentials/certificates/view/${certificateId}`, path: screens.view.path })
    const { unmount } = open()
    // Again, once the certificate is here.
    await waitFor(() => expect(asked.length).toBeGreaterThan(1))
    expect(screen.queryByRole('heading', { name })).toBeNull()
    answer.resolve()
    expect(await screen.findByRole('heading', { level: 1, name })).toBeDefined()
    expect(screen.getByRole('button', { name: 'Frame it' })).toBeDefined()
    unmount()
    answer = Promise.withResolvers<void>()
    open()
    expect(await screen.findByRole('heading', { level: 1, name })).toBeDefined()
    answer.resolve()
  })

  test('of one that ended on hold says both, as the list does', async () => {
    const name = newName()
    const { certificateId = '' } = await requested('Device', name)
    await inTenant(house.house.database, pki.tenancy.id, (db) =>
      setAllRevoked(db, pki.tenancy.id, [certificateId], { reason: 'certificateHold', at: house.clock.now() }),
    )
    const { notAfter } = (await pki.ada.call(calls.info, { certId: certificateId })).certificate
    const since = house.clock.now().getTime()
    house.clock.advance(Date.parse(notAfter) + 1 - since)
    as(pki.ada)
    const { unmount } = showScreen(<ViewCertificate />, { at: `/credentials/certificates/view/${certificateId}`, path: screens.view.path })
    expect(await screen.findByText(/^It was on hold when it expired\. On hold since/)).toBeDefined()
    expect(screen.getAllByText('Expired on hold').length).toBe(2)
    expect(within(screen.getByRole('region', { name: 'What happens next' })).getByText(/^It expired/)).toBeDefined()
    await expectAccessible()
    unmount()
    showScreen(<CertificateList />, { at: `/search/certificate?text=${name}&status=expired` })
    expect(await within(await screen.findByRole('table', { name: 'Certificates' })).findByText('Expired on hold')).toBeDefined()
    house.clock.advance(since - house.clock.now().getTime())
  })

  test('of one that does not exist says so', async () => {
    as(pki.ada)
    showScreen(<ViewCertificate />, { at: '/credentials/certificates/view/018f0000-0000-7000-8000-000000000009', path: screens.view.path })
    expect(await screen.findByText('There is no such certificate, or not for you')).toBeDefined()
  })
})

test.each([
  ['a request', 'for nobody and no device', <AddCertificate key="add" />, screens.add.path, '/credentials/certificates/bogus/add'],
  ['an approval', 'that is no id', <Approval key="approval" />, screens.approval.path, '/credentials/certificates/approval/nonsense'],
])('%s %s is not found', async (_what, _why, page, path, at) => {
  as(pki.bob)
  showScreen(page, { at, path })
  expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeDefined()
  expect(screen.queryByText(/need attention/)).toBeNull()
})

describe('the collect page', () => {
  test('waits until the serial number is known, then leads to the certificate', async () => {
    const name = newName()
    const { requestId, caId } = await requested('TLSServer', name)
    as(pki.ada)
    const { router } = showScreen(<CollectCertificate />, {
      at: `/admin/certificate/collect?ca=${caId}&id=${requestId}`,
      path: screens.collect.path,
    })
    expect(await screen.findByText(/waits to be approved and issued/)).toBeDefined()
    await expectAccessible()
    const { certificateId } = await pki.bob.call(calls.decide, { requestId, round: 1, verdict: 'approve' })
    await waitFor(() => expect(router.state.location.pathname).not.toBe(screens.collect.path))
    const { certificate } = await pki.ada.call(calls.info, { certId: certificateId ?? '' })
    expect(router.state.location.pathname).toBe(`/credentials/certificates/view/${caId}:${certificate.serialNumber}`)
  })

  test('leads those who see no certificates to their own request', async () => {
    const name = newName()
    const { requestId, caId } = await requested('TLSServer', name)
    await pki.bob.call(calls.decide, { requestId, round: 1, verdict: 'approve' })
    as(pki.ada)
    const { router } = showScreen(<CollectCertificate />, {
      at: `/admin/certificate/collect?ca=${caId}&id=${requestId}`,
      path: screens.collect.path,
      viewer: { permission: { ...testViewer.permission, View: ['collectCertificate'] } },
    })
    await waitFor(() => expect(router.state.location.search).toBe(`?request=${requestId}`))
  })

  test('says why a certificate could not be issued, as the page of the request does', async () => {
    const { requestId, caId } = await requested('TLSServer', newName())
    const setIssuing = (issuing: boolean) => pki.ada.call(authorities.calls.setIssuing, { caId, issuing })
    await setIssuing(false)
    const { status } = await pki.bob.call(calls.decide, { requestId, round: 1, verdict: 'approve' }).finally(() => setIssuing(true))
    expect(status).toBe('error')
    as(pki.ada)
    const why = 'Issuing by Acme Issuing is switched off'
    const collecting = showScreen(<CollectCertificate />, {
      at: `/admin/certificate/collect?ca=${caId}&id=${requestId}`,
      path: screens.collect.path,
    })
    expect(await screen.findByText(why)).toBeDefined()
    collecting.unmount()
    showScreen(<AddCertificate />, { at: `/credentials/certificates/device/add?request=${requestId}`, path: screens.add.path })
    expect(await screen.findByText(why)).toBeDefined()
    await expectAccessible()
    const again = screen.getByRole('link', { name: 'Ask again' }).getAttribute('href') ?? ''
    expect(again).toBe(`/credentials/csr/device/upload?again=${requestId}`)
    cleanup()
    showScreen(<UploadForDevice />, { at: again, path: screens.uploadForDevice.path })
    const csr = await screen.findByRole('textbox', { name: /^Certificate request/ })
    expect((csr as HTMLTextAreaElement).value).toContain('BEGIN CERTIFICATE REQUEST')
  })

  test('says what is missing from a broken link', async () => {
    as(pki.ada)
    showScreen(<CollectCertificate />, { at: '/admin/certificate/collect?id=x' })
    expect(await screen.findByText('This link is not complete')).toBeDefined()
  })
})
