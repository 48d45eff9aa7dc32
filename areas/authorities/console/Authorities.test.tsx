import { screen, waitFor, within } from '@testing-library/react'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { expectAccessible, showScreen, type Shown } from '#core/console/testing/render.tsx'
import type { TestPerson } from '#core/testing/house.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { authorities } from '../contract.ts'
import { Authorities } from './Authorities.tsx'
import { AuthoritiesPanel } from './AuthoritiesPanel.tsx'

const base = '/pki/manage/certificate-authorities'
const { create, view, list } = authorities.calls

const { house, as } = await houseForScreens()
const opinion = openToolFolder()
afterAll(() => opinion.remove())

let ada: TestPerson
beforeEach(async () => {
  ada = await (await house.tenancy(`Tenancy ${Math.random()}`)).person({ permissions: ['manageCAs'] })
  as(ada)
})

const open = (rest = ''): Shown => showScreen(<Authorities />, { at: base + rest, path: authorities.screens.manage.path })
const makeRoot = async (CN = 'Acme Root') => (await ada.call(create, { kind: 'root', friendlyName: CN, subject: { CN, O: 'Acme' } })).caId
const makeBelow = async (issuerId: string, CN = 'Acme Issuing') =>
  (await ada.call(create, { kind: 'subordinate', issuerId, friendlyName: CN, subject: { CN } })).caId

describe('the list of authorities', () => {
  it('says what an authority is while there is none, and leads to the first', async () => {
    const { user } = open()
    expect(await screen.findByText('No authorities yet')).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('link', { name: 'Create root authority' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'New authority' })).toBeDefined()
  })

  it('shows each below its issuer, with status, key and counts', async () => {
    const rootId = await makeRoot('Z root')
    const issuing = await makeBelow(rootId, 'A issuing')
    open()
    const table = await screen.findByRole('table', { name: 'Authorities' })
    await within(table).findByRole('link', { name: 'Z root' })
    const [root, below] = within(table).getAllByRole('row').slice(1)
    if (root === undefined || below === undefined) throw new Error('Two rows are missing')
    expect(within(root).getByRole('link', { name: 'Z root' }).getAttribute('href')).toBe(`${base}/${rootId}`)
    expect(within(below).getByRole('link', { name: 'A issuing' }).getAttribute('href')).toBe(`${base}/${issuing}`)
    expect(within(root).getByText('Active')).toBeDefined()
    expect(within(root).getByText('EC P-256')).toBeDefined()
    // The one below; a root's own certificate does not count.
    expect(within(root).getByText('1')).toBeDefined()
    await expectAccessible()
  })

  it('says what went wrong where the server refuses', async () => {
    const bob = await (await house.tenancy(`Tenancy ${Math.random()}`)).person({ permissions: ['certView'] })
    as(bob)
    open()
    expect(await screen.findByText('You do not have permission to do this')).toBeDefined()
  })
})

describe('the making of an authority', () => {
  it('previews the certificate, makes it and shows it', async () => {
    const { user, router } = open('/new')
    await user.fill(await screen.findByRole('textbox', { name: /^Common name/ }), 'Acme Root 2026')
    await user.type(screen.getByRole('textbox', { name: /^Organisation$/ }), 'Acme')
    await user.click(screen.getByRole('combobox', { name: /Key type/ }))
    await user.click(await screen.findByRole('option', { name: 'EC P-384' }))
    const preview = within(screen.getByRole('region', { name: 'The certificate that will come out' }))
    expect(await preview.findByText('CN=Acme Root 2026,O=Acme')).toBeDefined()
    expect(await preview.findByText('EC P-384')).toBeDefined()
    expect(preview.getByText('ecdsa-with-SHA384')).toBeDefined()
    expect((await ada.call(list, {})).total).toBe(0)
    // What makes little sense is remarked upon, and not refused.
    const years = screen.getByRole('textbox', { name: /^Valid for/ })
    await user.clear(years)
    await user.type(years, '500')
    expect(await preview.findByText(/^A root that is valid for more than 30 years/)).toBeDefined()
    await user.clear(years)
    await user.type(years, '20')
    await waitFor(() => expect(preview.queryByText(/more than 30 years/)).toBeNull())
    await expectAccessible()

    await user.click(screen.getByRole('button', { name: 'Create authority' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Acme Root 2026' })).toBeDefined()
    const { rows } = await ada.call(list, {})
    expect(rows.map(({ friendlyName, keyAlgorithm }) => [friendlyName, keyAlgorithm])).toEqual([['Acme Root 2026', 'P-384']])
    expect(router.state.location.pathname).toBe(`${base}/${rows[0]?.id}`)
  })

  it('below another one begins with that one chosen', async () => {
    const rootId = await makeRoot()
    const { user } = open(`/new?kind=subordinate&issuer=${rootId}`)
    await waitFor(() => expect(screen.getByRole('combobox', { name: /^Signed by/ }).getAttribute('value')).toBe('Acme Root'))
    await user.fill(screen.getByRole('textbox', { name: /^Common name/ }), 'Acme Issuing')
    const preview = within(screen.getByRole('region', { name: 'The certificate that will come out' }))
    expect(await preview.findByText('CN=Acme Root,O=Acme')).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Create authority' }))
    await screen.findByRole('heading', { level: 1, name: 'Acme Issuing' })
    expect((await ada.call(list, { text: 'issuing' })).rows[0]?.issuerId).toBe(rootId)
  })

  it("leads to the fields that are wrong, the server's findings too", async () => {
    await makeRoot()
    const { user } = open('/new')
    await user.click(await screen.findByRole('button', { name: 'Create authority' }))
    expect(await screen.findByRole('alert')).toBeDefined()
    await user.fill(screen.getByRole('textbox', { name: /^Common name/ }), 'Acme Root')
    await user.click(screen.getByRole('button', { name: 'Add permitted name' }))
    await user.fill(screen.getByRole('textbox', { name: 'Value' }), 'bad name_!!')
    await user.click(screen.getByRole('button', { name: 'Create authority' }))
    expect((await screen.findAllByText(/Use a domain such as example.org/)).length).toBeGreaterThan(0)
    expect(screen.getAllByText(/Another authority has this name/).length).toBeGreaterThan(0)
    expect((await ada.call(list, {})).total).toBe(1)
  })
})

describe('an authority', () => {
  it('shows its certificate, its chain, its addresses, what was done with it, and its bytes', async () => {
    const caId = await makeBelow(await makeRoot())
    const found = await ada.call(view, { caId })
    const { user } = open(`/${caId}`)
    expect(await screen.findByText('CN=Acme Root,O=Acme')).toBeDefined()
    await expectAccessible()

    await user.click(screen.getByRole('tab', { name: 'Chain and files' }))
    const links = within(await screen.findByRole('list')).getAllByRole('listitem')
    expect(links.map((link) => link.textContent?.startsWith('CN=Acme Root') === true)).toEqual([true, false])
    expect(screen.getAllByRole('button', { name: /PEM|DER|PKCS#7/ })).toHaveLength(6)
    await expectAccessible()

    await user.click(screen.getByRole('tab', { name: 'CRL & OCSP' }))
    expect(await screen.findByText(found.addresses.ocsp)).toBeDefined()
    await user.click(screen.getByRole('tab', { name: 'Activity' }))
    expect(await screen.findByText('Created an authority')).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('tab', { name: 'Raw' }))
    expect(await screen.findByDisplayValue(/BEGIN CERTIFICATE/)).toHaveProperty('value', found.certificate?.pem)
    await expectAccessible()
  })

  it('is renamed', async () => {
    const caId = await makeRoot()
    const { user } = open(`/${caId}`)
    await user.click(await screen.findByRole('button', { name: 'Rename authority' }))
    const dialog = within(await screen.findByRole('dialog'))
    const field = dialog.getByRole('textbox', { name: /Name in Chancery/ })
    await user.fill(field, 'Our root')
    await user.click(dialog.getByRole('button', { name: 'Rename authority' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Our root' })).toBeDefined()
  })

  it('is switched on again with one press', async () => {
    const caId = await makeRoot()
    await ada.call(authorities.calls.setIssuing, { caId, issuing: false })
    const { user } = open(`/${caId}`)
    expect(await screen.findByText('Issuing off')).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Switch on issuing' }))
    await waitFor(() => expect(screen.queryByText('Issuing off')).toBeNull())
    expect((await ada.call(view, { caId })).issuing).toBe(true)
  })

  it('that an outside one signs gives its request and takes the certificate', async () => {
    opinion.run(
      'openssl',
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      'outer.key',
      '-out',
      'outer.pem',
      '-days',
      '3650',
      '-subj',
      '/CN=Outside Root',
      '-addext',
      'basicConstraints=critical,CA:TRUE',
    )
    opinion.write('ca.cnf', 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n')
    const { caId } = await ada.call(create, { kind: 'outside', friendlyName: 'Waiting for Ops', subject: { CN: 'Waiting' } })
    const { user } = open(`/${caId}`)
    const request = await screen.findByDisplayValue(/BEGIN CERTIFICATE REQUEST/)
    expect(screen.getByText('Waiting for its certificate')).toBeDefined()
    await expectAccessible()
    const address = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:request')
    const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function save(this: HTMLAnchorElement) {
      saves.push(this.download)
    })
    const saves: string[] = []
    await user.click(screen.getByRole('button', { name: 'Download request' }))
    await waitFor(() => expect(saves).toEqual(['Waiting-for-Ops.csr']))
    for (const spy of [address, saved]) spy.mockRestore()
    const text = request instanceof HTMLTextAreaElement ? request.value : ''
    const signed = opinion.run(
      'openssl',
      'x509',
      '-req',
      '-in',
      opinion.write('request.pem', text),
      '-CA',
      'outer.pem',
      '-CAkey',
      'outer.key',
      '-CAcreateserial',
      '-days',
      '1000',
      '-extfile',
      'ca.cnf',
    )

    const field = screen.getByRole('textbox', { name: /Certificate and those above it/ })
    await user.click(field)
    await user.paste(signed)
    await user.click(screen.getByRole('button', { name: 'Import certificate' }))
    expect((await screen.findAllByText(/Add the certificate of CN=Outside Root/)).length).toBeGreaterThan(0)
    await user.click(field)
    await user.paste(`\n${opinion.run('openssl', 'x509', '-in', 'outer.pem')}`)
    await user.click(screen.getByRole('button', { name: 'Import certificate' }))
    expect(await screen.findByRole('tab', { name: 'Chain and files' })).toBeDefined()
    expect((await ada.call(view, { caId })).status).toBe('ActiveCert')
  })

  it('that does not exist says so', async () => {
    open('/01890000-0000-7000-8000-000000000000')
    expect(await screen.findByText('This does not exist, or not for you')).toBeDefined()
    expect(screen.getByRole('heading', { level: 1 })).toBeDefined()
  })
})

describe('the panel on the home screen', () => {
  it('shows first the authorities that wait for something', async () => {
    await makeRoot('A root')
    await ada.call(create, { kind: 'outside', friendlyName: 'B waiting', subject: { CN: 'B waiting' } })
    showScreen(<AuthoritiesPanel />)
    await screen.findByText('A root')
    expect(screen.getAllByRole('link').map((link) => link.textContent)).toEqual(['B waiting', 'A root'])
    await expectAccessible()
  })
})
