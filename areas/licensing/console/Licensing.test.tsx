import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { leadFetchTo } from '#core/testing/little-server.ts'
import { licensing } from '../contract.ts'
import { Licences } from './Licences.tsx'
import { RegisteredAuthorities } from './RegisteredAuthorities.tsx'
import { TemplateOrder } from './TemplateOrder.tsx'
import { TemplateRules } from './TemplateRules.tsx'
import { TenancyTemplates } from './TenancyTemplates.tsx'
import { TpmAttestation } from './TpmAttestation.tsx'

const { calls, screens } = licensing

let branch: TestTenancy
let owner: TestPerson
let licensee: TestPerson
let caId: string
let rootPem: string
let restore = () => {}

const house = await useHouse()
beforeAll(async () => {
  const head = await house.tenancy('Head office')
  branch = await house.tenancy('Branch')
  owner = await head.person({ permissions: 'all' })
  licensee = await branch.person({ permissions: 'all' })
  caId = (
    await owner.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: 'Group Root',
      subject: { CN: 'Group Root' },
      keyAlgorithm: 'P-256',
    })
  ).caId
  rootPem = (await owner.call(authorities.calls.view, { caId })).certificate?.pem ?? ''
  for (const templateName of ['Alpha', 'Beta', 'Gamma'])
    await owner.call(templates.calls.add, { templateName, caId, extensions: {}, rules: { keys: ['P-256', 'RSA-2048'] } })
})
afterEach(() => restore())

const as = (person: TestPerson) => {
  restore = leadFetchTo(house.origin, { authorization: `Bearer ${person.token}` })
}

describe('The licences of a tenancy', () => {
  beforeEach(() => as(owner))

  test('are given for the authority, then for its templates', async () => {
    const list = showScreen(<Licences />, { at: screens.licences.path })
    await list.user.click(await screen.findByRole('link', { name: 'Branch' }))
    await screen.findByRole('heading', { level: 1, name: 'Licences of Branch' })
    const authority = await screen.findByRole('switch', { name: 'May use this authority' })
    expect(await screen.findByRole('switch', { name: /^Alpha/ })).toHaveProperty('disabled', true)
    await expectAccessible()
    await list.user.click(authority)
    await waitFor(() => expect(screen.getByRole('switch', { name: 'May use this authority' })).toHaveProperty('checked', true))
    await waitFor(() => expect(screen.getByRole('switch', { name: /^Alpha/ })).toHaveProperty('disabled', false))
    await list.user.click(screen.getByRole('switch', { name: /^Alpha/ }))
    // It stands where it was put at once; what it asked for is there once it is not busy any more.
    await waitFor(() => expect(screen.getByRole('switch', { name: /^Alpha/, busy: false })).toHaveProperty('checked', true))
    expect((await licensee.call(templates.calls.offered, { entity: 'device' })).templates.map(({ templateName }) => templateName)).toEqual([
      'Alpha',
    ])
  })

  test('are given for a time, and both sides see when they end', async () => {
    const until = new Date(house.clock.now().getTime() + 10 * 86_400_000).toISOString().slice(0, 10)
    const { user } = showScreen(<Licences />, { at: `${screens.licences.path}?tenant=${branch.id}`, path: screens.licences.path })
    await user.click(await screen.findByRole('button', { name: 'Set dates of the licence for Group Root' }))
    const dialog = await screen.findByRole('dialog', { name: 'Dates of the licence for Group Root' })
    fireEvent.change(within(dialog).getByLabelText(/^Last day/), { target: { value: '2020-01-01' } })
    await user.click(within(dialog).getByRole('button', { name: 'Save days' }))
    expect((await within(dialog).findAllByText(/This day has passed/)).length).toBeGreaterThan(0)
    await expectAccessible()
    fireEvent.change(within(dialog).getByLabelText(/^Last day/), { target: { value: until } })
    await user.click(within(dialog).getByRole('button', { name: 'Save days' }))
    // Of the template, too: it ends with its authority's.
    await waitFor(() => expect(screen.getAllByText('Ends soon')).toHaveLength(2))
    restore()
    as(licensee)
    showScreen(<TenancyTemplates />, { at: screens.templates.path })
    expect(await screen.findByText('A licence ends')).toBeDefined()
    expect((await licensee.call(calls.templates, {})).rows).toMatchObject([{ licence: { until, state: 'endsSoon' } }])
    await owner.call(calls.licenseAuthority, { tenantId: branch.id, caId, enabled: true, until: '' })
  })

  test('of a template say what they wait for while that of its authority is off', async () => {
    const { user } = showScreen(<Licences />, { at: `${screens.licences.path}?tenant=${branch.id}`, path: screens.licences.path })
    await user.click(await screen.findByRole('switch', { name: 'May use this authority' }))
    expect(await screen.findByText('Applies again once the authority is licensed')).toBeDefined()
    expect(screen.queryByText('Licence withdrawn')).toBeNull()
    await expectAccessible()
    await user.click(screen.getByRole('switch', { name: 'May use this authority', busy: false }))
    await waitFor(() => expect(screen.queryByText('Applies again once the authority is licensed')).toBeNull())
  })

  test('are not for a tenancy that manages none to give', async () => {
    restore()
    as(licensee)
    showScreen(<Licences />, { at: screens.licences.path })
    expect(await screen.findByText('No tenancy to license to')).toBeDefined()
    expect(screen.getByRole('link', { name: 'Templates of this tenancy' }).getAttribute('href')).toBe(screens.templates.path)
    await expectAccessible()
  })

  test('are made for tenancies that a management tenancy has yet to make', async () => {
    restore()
    as(licensee)
    showScreen(<Licences />, { at: screens.licences.path, viewer: { management: true } })
    expect((await screen.findByRole('link', { name: 'New tenancy' })).getAttribute('href')).toBe('/tenancy/manage/create')
    await expectAccessible()
  })
})

describe('The templates of a tenancy', () => {
  beforeEach(async () => {
    await owner.call(calls.licenseAuthority, { tenantId: branch.id, caId, enabled: true })
    const [alpha] = (await owner.call(templates.calls.names, { caId })).templates
    await owner.call(calls.licenseTemplate, { tenantId: branch.id, templateId: alpha?.id ?? '', enabled: true })
    as(licensee)
  })

  test('are switched on and off where the owner stands beside each', async () => {
    const { user } = showScreen(<TenancyTemplates />, { at: screens.templates.path })
    const table = await screen.findByRole('table', { name: 'Templates' })
    expect(await within(table).findByText('Head office')).toBeDefined()
    await expectAccessible()
    await user.click(within(table).getByRole('button', { name: /Alpha/ }))
    await user.click(await screen.findByRole('menuitem', { name: 'Switch off here' }))
    expect(await within(table).findByText('Disabled')).toBeDefined()
    await user.click(within(table).getByRole('button', { name: /Alpha/ }))
    await user.click(await screen.findByRole('menuitem', { name: 'Switch on here' }))
    expect(await within(table).findByText('Active')).toBeDefined()
  })

  test('for people say why they are not opened to strangers', async () => {
    const { templateId } = await licensee.call(templates.calls.add, {
      templateName: 'People',
      class: 'USER',
      caId: (
        await licensee.call(authorities.calls.create, { kind: 'root', friendlyName: 'Own', subject: { CN: 'Own' }, keyAlgorithm: 'P-256' })
      ).caId,
      extensions: {},
      rules: { keys: ['P-256'] },
    })
    const { user } = showScreen(<TenancyTemplates />, { at: screens.templates.path })
    await user.click(await screen.findByRole('button', { name: 'Actions for People' }))
    const item = await screen.findByRole('menuitem', { name: /^Open to anonymous requests/ })
    expect([item.textContent, item.matches('[data-disabled], :disabled')]).toEqual([
      'Open to anonymous requestsPeople without an account ask for certificates of devices only',
      true,
    ])
    await expectAccessible()
    await licensee.call(templates.calls.remove, { templateId })
  })

  test('take stricter rules, and say which are wider than the template', async () => {
    const { user } = showScreen(<TemplateRules />, { at: screens.rules.path })
    await user.click(await screen.findByRole('link', { name: 'Alpha' }))
    await screen.findByRole('heading', { level: 1, name: 'Rules for the template Alpha' })
    expect(document.title).toBe('Rules for the template Alpha · Chancery')
    await user.click(screen.getByRole('checkbox', { name: 'EC P-256' }))
    await user.type(screen.getByRole('combobox', { name: /^Allowed domains/ }), 'bad_name.example.org{Enter}')
    await user.click(screen.getByRole('button', { name: 'Save rules' }))
    expect((await screen.findAllByText(/has an underscore/)).length).toBeGreaterThan(0)
    await expectAccessible()
    await user.click(screen.getByRole('combobox', { name: /^Allowed domains/ }))
    await user.keyboard('{Backspace}branch.example.org{Enter}')
    await user.click(screen.getByRole('button', { name: 'Save rules' }))
    expect(await screen.findByText('Stricter here')).toBeDefined()
    expect((await licensee.call(templates.calls.offered, { entity: 'device' })).templates[0]?.keys).toEqual(['P-256'])
    await expectAccessible()
  })
})

describe('The order of templates', () => {
  test('is changed by buttons, pinned by choice, and kept once saved', async () => {
    as(owner)
    const { user } = showScreen(<TemplateOrder />, { at: screens.order.path })
    const list = await screen.findByRole('list', { name: 'Templates in their order' })
    const names = () =>
      within(list)
        .getAllByRole('listitem')
        .map((item) => /Alpha|Beta|Gamma/.exec(item.textContent ?? '')?.[0])
    expect(names()).toEqual(['Alpha', 'Beta', 'Gamma'])
    await expectAccessible()
    const up = screen.getByRole('button', { name: 'Move Gamma up' })
    await user.click(up)
    expect(names()).toEqual(['Alpha', 'Gamma', 'Beta'])
    expect(screen.getByText('Gamma is now at place 2 of 3')).toBeDefined()
    await user.click(screen.getByRole('combobox', { name: 'Position of Beta' }))
    await user.click(await screen.findByRole('option', { name: 'Fixed at the top' }))
    await waitFor(() => expect(names()).toEqual(['Beta', 'Alpha', 'Gamma']))
    await user.click(screen.getByRole('button', { name: 'Save order' }))
    await waitFor(async () =>
      expect(
        (await owner.call(calls.ordered, {})).templates.map(({ displayName, priority, pinned }) => [displayName, priority, pinned]),
      ).toEqual([
        ['Beta', 1, 'static'],
        ['Alpha', 2, ''],
        ['Gamma', 3, ''],
      ]),
    )
  })

  test('says so where there is nothing to order', async () => {
    as(await (await house.tenancy('Empty')).person({ permissions: ['templateDisplayOrder'] }))
    showScreen(<TemplateOrder />, { at: screens.order.path })
    expect(await screen.findByText('No template to order')).toBeDefined()
  })
})

describe('The register of authorities', () => {
  test('takes an outside one by its certificate, and lets it go', async () => {
    const empty = await (await house.tenancy('Newcomer')).person({ permissions: ['tenancyConfig'] })
    as(empty)
    const { user } = showScreen(<RegisteredAuthorities />, { at: screens.registration.path })
    expect(await screen.findByText('No authority is known yet')).toBeDefined()
    await expectAccessible()
    await user.click(screen.getAllByRole('button', { name: 'Register an authority' })[0] as HTMLElement)
    const dialog = within(await screen.findByRole('dialog', { name: 'Register an authority' }))
    await user.fill(dialog.getByRole('textbox', { name: /^Name/ }), 'Group')
    await user.click(dialog.getByRole('textbox', { name: /^Certificate/ }))
    await user.paste(rootPem)
    await user.click(dialog.getByRole('button', { name: 'Register authority' }))
    const table = await screen.findByRole('table', { name: 'Authorities' })
    expect(await within(table).findByText('CN=Group Root')).toBeDefined()
    await expectAccessible()
    await user.click(within(table).getByRole('button', { name: /Group/ }))
    await user.click(await screen.findByRole('menuitem', { name: 'Remove from the register' }))
    await user.click(await screen.findByRole('button', { name: 'Remove authority' }))
    expect(await screen.findByText('No authority is known yet')).toBeDefined()
  })
})

describe('Attestation', () => {
  test('says what enforces it, takes a root, and is demanded of a template', async () => {
    as(licensee)
    const { user } = showScreen(<TpmAttestation />, { at: screens.attestation.path })
    expect(await screen.findByText('How a machine gets such a certificate')).toBeDefined()
    expect(await screen.findByText('None yet: no TPM is believed.')).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Accept a root' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Accept a root' }))
    await user.fill(dialog.getByRole('textbox', { name: /^Manufacturer/ }), 'Example TPMs')
    await user.click(dialog.getByRole('textbox', { name: /^Root certificate/ }))
    await user.paste(rootPem)
    await user.click(dialog.getByRole('button', { name: 'Accept root' }))
    expect(await screen.findByText('CN=Group Root')).toBeDefined()
    await user.click(screen.getByRole('switch', { name: /^Alpha takes only attested keys/ }))
    expect(await screen.findByRole('combobox', { name: 'Roots for Alpha' })).toBeDefined()
    await expectAccessible()
    expect((await licensee.call(calls.attestation, {})).templates).toMatchObject([{ required: true }])
  })
})
