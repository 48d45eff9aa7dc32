import { cleanup, screen, within } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { openTestHouse, type TestHouse, type TestPerson } from '#core/testing/house.ts'
import { leadFetchTo } from '#core/testing/little-server.ts'
import { health } from '../contract.ts'
import { HealthOfAuthorities } from './HealthOfAuthorities.tsx'
import { HealthPart } from './HealthPart.tsx'

let house: TestHouse
let ada: TestPerson
let restore = () => {}

beforeAll(async () => {
  // Nobody listens at the public address: whoever tries it fails.
  house = await openTestHouse({ settings: { CHANCERY_PKI_URL: 'http://127.0.0.1:9' } })
  ada = await (await house.tenancy('Acme')).person({ permissions: 'all' })
})
afterAll(() => house.close())
afterEach(() => {
  cleanup()
  restore()
})

function open(page: ReactNode, at = health.screens.overview.path) {
  restore = leadFetchTo(house.origin, { authorization: `Bearer ${ada.token}` })
  return showScreen(page, {
    at,
    path: at,
    viewer: {
      permission: {
        View: ['manageCAs', 'monitor', 'certView', 'search'],
        Menu: [],
        activeMenu: [],
        api: ['manageCAs', 'monitor'],
        roles: [],
        isManager: false,
      },
    },
  })
}

describe('the list of authorities', () => {
  it('says what it is for while there is none', async () => {
    open(<HealthOfAuthorities />)
    expect(await screen.findByText('No authorities yet')).toBeDefined()
    await expectAccessible()
  })

  it('shows what is wrong with each, in words', async () => {
    const { caId } = await ada.call(authorities.calls.create, { kind: 'root', friendlyName: 'Acme Root', subject: { CN: 'Acme Root' } })
    await ada.call(health.calls.checkNow, { caId })
    await ada.call(health.calls.checkNow, { caId })
    open(<HealthOfAuthorities />)
    const row = (await screen.findByRole('link', { name: 'Acme Root' })).closest('tr')
    if (row === null) throw new Error('The authority has no row')
    expect(within(row).getByText('Failing')).toBeDefined()
    expect(within(row).getByText(/^The OCSP responder cannot be reached at its public address: the connection/)).toBeDefined()
    await expectAccessible()
  })
})

describe('the page of an authority', () => {
  it('warns where its certificates name another address than the server is set to, and so does the list', async () => {
    const { caId } = await ada.call(authorities.calls.create, { kind: 'root', friendlyName: 'Moved root', subject: { CN: 'Moved root' } })
    const { settings } = house.house
    const before = settings.pkiUrl
    settings.pkiUrl = 'http://pki.new.example'
    const warning =
      /^Its certificates name http:\/\/127\.0\.0\.1:9, and this server is set to http:\/\/pki\.new\.example \(CHANCERY_PKI_URL\)/
    const page = open(<HealthPart caId={caId} />)
    expect(await screen.findByText(warning)).toBeDefined()
    await expectAccessible()
    page.unmount()
    open(<HealthOfAuthorities />)
    const row = (await screen.findByRole('link', { name: 'Moved root' })).closest('tr')
    expect(row === null ? '' : within(row).getByText(warning).textContent).toMatch(warning)
    settings.pkiUrl = before
  })

  it('shows each check, looks again when asked, and says when templates no longer fit', async () => {
    const { caId } = await ada.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: 'Short root',
      subject: { CN: 'Short root' },
      validityPeriod: 2,
    })
    for (const [templateName, validityPeriod] of [
      ['One year', 1],
      ['Three years', 3],
    ] as const)
      await ada.call(templates.calls.add, {
        templateName,
        caId,
        class: 'DEVICE',
        extensions: { validityPeriod, validityPeriodUnits: 'YEARS' },
        rules: { keys: ['P-256'] },
      })
    const { user } = open(<HealthPart caId={caId} />)
    expect(await screen.findByText(/Not checked yet/)).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Check now' }))
    expect(await screen.findByText('OCSP answers')).toBeDefined()
    const table = within(screen.getByRole('table', { name: 'Templates that its end cuts short' }))
    expect(table.getByText('Already cut short').closest('tr')?.textContent).toContain('Three years')
    expect(table.getByText('One year').closest('tr')?.textContent).toMatch(/20\d\d/)
    await expectAccessible()
  })
})
