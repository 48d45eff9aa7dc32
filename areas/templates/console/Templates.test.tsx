import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { expectAccessible, showScreen, type Shown } from '#core/console/testing/render.tsx'
import { useSharedHouse, type TestPerson } from '#core/testing/house.ts'
import { leadFetchTo } from '#core/testing/little-server.ts'
import { templates } from '../contract.ts'
import { templatePresets } from '../presets.ts'
import { SystemTemplates } from './SystemTemplates.tsx'
import { Templates } from './Templates.tsx'

const base = '/pki/manage/certificate-templates'
const { calls } = templates

let ada: TestPerson
let caId = ''
let count = 0
let restore = () => {}

const house = await useSharedHouse()
beforeEach(async () => {
  ada = await (await house.tenancy(`Tenancy ${(count += 1)}`)).person({ permissions: ['manageCAs'] })
  restore = leadFetchTo(house.origin, { authorization: `Bearer ${ada.token}` })
})
afterEach(() => restore())

const open = (rest = ''): Shown => showScreen(<Templates />, { at: base + rest, path: templates.screens.manage.path })
const makeAuthority = async () => {
  caId = (
    await ada.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: 'Acme Root',
      subject: { CN: 'Acme Root' },
      keyAlgorithm: 'P-256',
    })
  ).caId
}
const addPreset = async (name: string) => {
  const preset = templatePresets.find(({ templateName }) => templateName === name)
  if (preset === undefined) throw new Error(name)
  const { says: _says, ...draft } = preset
  return (await ada.call(calls.add, { ...draft, caId })).templateId
}

describe('the list of templates', () => {
  test('says what a template is while there is none, and leads to the first', async () => {
    await makeAuthority()
    const { user } = open()
    expect(await screen.findByText('No templates yet')).toBeDefined()
    await expectAccessible()
    await user.click(screen.getAllByRole('link', { name: 'New template' })[0] as HTMLElement)
    expect(await screen.findByRole('heading', { level: 1, name: 'New template' })).toBeDefined()
    expect(document.title).toBe('New template · Chancery')
  })

  test('shows each with its authority, class, life and approval', async () => {
    await makeAuthority()
    const id = await addPreset('TLSServer')
    open()
    const table = await screen.findByRole('table', { name: 'Templates' })
    const link = await within(table).findByRole('link', { name: 'TLS server' })
    expect(link.getAttribute('href')).toBe(`${base}/${id}`)
    for (const text of ['Acme Root', 'Device', '1 year', 'One other approves', 'Active'])
      expect(within(table).getByText(text)).toBeDefined()
    await expectAccessible()
  })
})

describe('a new template', () => {
  test('needs an authority first', async () => {
    open('/new')
    expect(await screen.findByText('No authority yet')).toBeDefined()
  })

  test('begins as a usual one, shows what would come out, and is created', async () => {
    await makeAuthority()
    const { user, router } = open('/new')
    await user.click(await screen.findByRole('button', { name: /TLS server/ }))
    const preview = within(screen.getByRole('region', { name: 'The certificate that would come out' }))
    expect(await preview.findByText('CN=host.example.org')).toBeDefined()
    expect(await preview.findByText('TLS server auth')).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Create template' }))
    await waitFor(() => expect(router.state.location.pathname).not.toBe(`${base}/new`))
    const { rows } = await ada.call(calls.list, {})
    expect(rows.map(({ templateName, issueApprovers }) => [templateName, issueApprovers])).toEqual([['TLSServer', 1]])
    expect(await screen.findByRole('heading', { level: 1, name: 'Template TLS server' })).toBeDefined()
    expect(document.title).toBe('Template TLS server · Chancery')
    expect(screen.getByText(/^Of Acme Root/)).toBeDefined()
    await expectAccessible()
  })

  test('adds a subject field as CN and CommonName and a name as DNS and DNS, and removes them', async () => {
    await makeAuthority()
    const { user } = open('/new')
    const subject = within(await screen.findByRole('group', { name: 'Subject' }))
    await user.click(subject.getByRole('button', { name: 'Add subject field' }))
    expect(subject.getAllByRole('combobox', { name: 'Value' }).map((input) => (input as HTMLInputElement).value)).toEqual([
      'CommonName',
      'CommonName',
    ])
    expect(subject.getAllByRole('combobox', { name: 'Field' }).map((input) => (input as HTMLInputElement).value)).toEqual([
      'Common name',
      'Common name',
    ])
    await user.click(subject.getByRole('button', { name: 'Remove Subject 2' }))
    expect(subject.getAllByRole('combobox', { name: 'Value' })).toHaveLength(1)
    const sans = within(screen.getByRole('group', { name: 'Alternative names' }))
    await user.click(sans.getByRole('button', { name: 'Add alternative name' }))
    expect(sans.getAllByRole('combobox', { name: 'Value' }).map((input) => (input as HTMLInputElement).value)).toEqual(['DNS', 'DNS'])
    expect(sans.getAllByText('Source: DNS name')).toHaveLength(2)
  })

  test('keeps the unit when the extensions are cleared', async () => {
    await makeAuthority()
    const { user } = open('/new')
    const unit = (await screen.findByRole('combobox', { name: 'Unit' })) as HTMLInputElement
    expect(unit.value).toBe('Years')
    await user.click(unit)
    await user.click(await screen.findByRole('option', { name: 'Days' }))
    await user.click(screen.getByRole('switch', { name: /Ignore details of the CSR/ }))
    await user.click(screen.getByRole('button', { name: 'Clear the extensions' }))
    expect(unit.value).toBe('Days')
    expect((screen.getByRole('switch', { name: /Ignore details of the CSR/ }) as HTMLInputElement).checked).toBe(true)
  })

  test('without a name is not sent, and the summary leads to the field', async () => {
    await makeAuthority()
    const { user } = open('/new')
    await user.click(await screen.findByRole('button', { name: 'Create template' }))
    await user.click(await screen.findByRole('button', { name: /Template name/ }))
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: /^Template name/ }))
    expect((await ada.call(calls.list, {})).total).toBe(0)
  })
})

describe('the editor', () => {
  test('shows the fault of the server at its field', async () => {
    await makeAuthority()
    const id = await addPreset('TLSServer')
    const { user } = open(`/${id}`)
    const value = (await screen.findAllByRole('combobox', { name: 'Value' }))[0] as HTMLInputElement
    await user.fill(value, 'Acme')
    const name = screen.getByRole('combobox', { name: 'Allowed domains' })
    await user.type(name, 'not_a_domain{Enter}')
    await user.click(screen.getByRole('button', { name: 'Save template' }))
    expect((await screen.findAllByText(/^Allowed domains: .*underscore/)).length).toBeGreaterThan(0)
  })

  test('saves no number that was emptied or mistyped as another one', async () => {
    await makeAuthority()
    const id = await addPreset('TLSServer')
    const before = await ada.call(calls.get, { templateId: id })
    const { user } = open(`/${id}`)
    await user.clear(await screen.findByRole('textbox', { name: /^Valid for/ }))
    const most = screen.getByRole('textbox', { name: /^Most alternative names/ })
    await user.clear(most)
    await user.type(most, '1.5')
    await user.click(screen.getByRole('button', { name: 'Save template' }))
    expect(await screen.findByRole('button', { name: 'Valid for: Enter a value' })).toBeDefined()
    expect(screen.getByRole('button', { name: 'Most alternative names: Enter a whole number' })).toBeDefined()
    expect(await ada.call(calls.get, { templateId: id })).toEqual(before)
    await expectAccessible()
  })

  test('takes away what was emptied, and keeps what no field of the page shows', async () => {
    await makeAuthority()
    const id = await addPreset('TLSServer')
    await ada.call(calls.setExtensions, { templateId: id, keyArchival: true, recoveryApprovers: 3, renewalDays: 12, ocspNoCheck: false })
    const { user } = open(`/${id}`)
    await user.clear(await screen.findByRole('textbox', { name: /^Approvers of a recovery/ }))
    await user.click(screen.getByRole('button', { name: 'Save template' }))
    await waitFor(async () =>
      expect(await ada.call(calls.extensions, { templateId: id })).toMatchObject({ version: 3, keyArchival: true, renewalDays: 12 }),
    )
    expect((await ada.call(calls.extensions, { templateId: id })).recoveryApprovers).toBeUndefined()
  })

  test('leads to what is said where somebody else saved meanwhile', async () => {
    await makeAuthority()
    const id = await addPreset('TLSServer')
    const { user } = open(`/${id}`)
    await screen.findByRole('button', { name: 'Save template' })
    await ada.call(calls.setExtensions, { templateId: id, validityPeriod: 30, validityPeriodUnits: 'DAYS' })
    await user.click(screen.getByRole('button', { name: 'Save template' }))
    await waitFor(() => expect(document.activeElement?.textContent).toContain('The template was not saved'))
  })

  test('that nobody touched is left without a question', async () => {
    await makeAuthority()
    for (const { templateName } of templatePresets.slice(0, 2)) {
      const { user, unmount } = open(`/${await addPreset(templateName)}`)
      // Going through the fields by keyboard changes none of them.
      await user.click(await screen.findByRole('textbox', { name: /^Valid for/ }))
      for (let fields = 0; fields < 6; fields += 1) await user.tab()
      await user.click(screen.getByRole('link', { name: 'Back to the list' }))
      await waitFor(() =>
        expect([templateName, screen.queryByText('Leave without saving?')?.textContent ?? screen.queryByRole('table')?.tagName]).toEqual([
          templateName,
          'TABLE',
        ]),
      )
      unmount()
    }
    const { user } = open('/new')
    await user.click(await screen.findByRole('link', { name: 'Cancel' }))
    expect((await screen.findByRole('table')).tagName).toBe('TABLE')
  })

  test('of a template that does not exist says so', async () => {
    open('/018f0000-0000-7000-8000-000000000009')
    expect(await screen.findByText('This does not exist, or not for you')).toBeDefined()
  })
})

test('a system template is added to the chosen authority', async () => {
  await makeAuthority()
  restore()
  const cert = await (await house.tenancy(`Tenancy ${(count += 1)}`)).person({ permissions: ['certificateConfig', 'manageCAs'] })
  restore = leadFetchTo(house.origin, { authorization: `Bearer ${cert.token}` })
  const { caId: own } = await cert.call(authorities.calls.create, {
    kind: 'root',
    friendlyName: 'System Root',
    subject: { CN: 'System Root' },
    keyAlgorithm: 'P-256',
  })
  const { user } = showScreen(<SystemTemplates />, { at: templates.screens.system.path })
  await user.click(await screen.findByRole('button', { name: 'Add RADIUS to the authority' }))
  expect(await screen.findByText('Already there')).toBeDefined()
  expect((await cert.call(calls.names, { caId: own })).templates.map(({ displayName }) => displayName)).toEqual(['RADIUS'])
  await expectAccessible()
})
