import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { consoleModules } from 'virtual:rooms'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { BulkRun } from '#areas/bulk/console/BulkRun.tsx'
import { bulk } from '#areas/bulk/contract.ts'
import { heldAtHome } from '#areas/certificates/at-home.ts'
import { templates } from '#areas/templates/contract.ts'
import { queryClient } from '#core/console/query-client.ts'
import { roomsStore } from '#core/console/rooms.ts'
import { expectAccessible, showScreen, type Shown } from '#core/console/testing/render.tsx'
import type { TestPerson } from '#core/testing/house.ts'
import { leadFetchTo } from '#core/testing/little-server.ts'
import { renewal } from '../contract.ts'
import { day, openRenewalFixture, type RenewalFixture } from '../server/renewal.fixture.ts'
import { HeldAtHome } from './HeldAtHome.tsx'
import { renewTexts } from './renew-many.tsx'
import { RenewalList } from './RenewalList.tsx'
import { RenewalPart } from './RenewalPart.tsx'
import { RenewalStep } from './RenewalStep.tsx'
import { ViewRenewal } from './ViewRenewal.tsx'

// Bulk work asks the rooms what they offer.
roomsStore.setState({ consoleModules })

let pki: RenewalFixture
let restore = () => {}
const made: Record<string, string> = {}
let refusing: string

beforeAll(async () => {
  pki = await openRenewalFixture()
  made['manual'] = (await pki.device(await pki.template90('Device', 'MANUAL'), 'manual.example.org')).certificateId
  made['rekeyed'] = (await pki.device(await pki.template90('Device', 'MANUAL'), 'rekeyed.example.org')).certificateId
  made['new'] = (await pki.device(await pki.template90('Device', 'AUTOMATIC_NEW_KEY'), 'new.example.org')).certificateId
  refusing = await pki.template90('Device', 'AUTOMATIC_SAME_KEY')
  made['failed'] = (await pki.device(refusing, 'failed.example.org')).certificateId
  made['never'] = (await pki.device(await pki.template90('Device', 'NONE'), 'never.example.org')).certificateId
  pki.house.clock.advance(70 * day)
  made['fresh'] = (await pki.device(await pki.template90('Device', 'MANUAL'), 'fresh.example.org')).certificateId
  made['later'] = (await pki.device(await pki.template90('Device', 'AUTOMATIC_SAME_KEY'), 'later.example.org')).certificateId
  await pki.ada.call(templates.calls.edit, {
    ...(await pki.ada.call(templates.calls.get, { templateId: refusing })),
    templateId: refusing,
    enabled: false,
  })
  await pki.house.runJob(renewal.jobs.run)
})
afterAll(() => pki.close())
afterEach(() => restore())

const viewer = { permission: { View: ['certView'], Menu: ['certView'], activeMenu: [], api: ['certView'], roles: [], isManager: false } }

function open(name: string, who: TestPerson = pki.ada) {
  restore = leadFetchTo(pki.house.origin, { authorization: `Bearer ${who.token}` })
  return showScreen(<ViewRenewal />, {
    at: renewal.screens.view.path.replace(':certId', made[name] ?? ''),
    path: renewal.screens.view.path,
    viewer,
  })
}

/** A renewal leads to the certificate that it made. */
async function leadsToNew(name: string, { router }: Shown): Promise<void> {
  await waitFor(() => expect(router.state.location.pathname).toMatch(/^\/credentials\/certificates\/view\//))
  const { renewedBy } = await pki.check(made[name] ?? '')
  expect(router.state.location.pathname).toBe(`/credentials/certificates/view/${renewedBy?.certificateId}`)
}

describe('The renewal of a certificate', () => {
  test('by hand asks which key it is for, leads to the new certificate, and says by what it was renewed', async () => {
    const shown = open('manual')
    const { user } = shown
    expect(await screen.findByText(/^You were told on .* to renew it by hand\./)).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Renew now' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Renew manual.example.org' }))
    expect(dialog.getByRole('radio', { name: /^Keep the key/ })).toHaveProperty('checked', true)
    expect(dialog.queryByRole('radio', { name: /made here/ })).toBeNull()
    await user.click(dialog.getByRole('radio', { name: /^A new key of your own/ }))
    await user.click(dialog.getByRole('button', { name: 'Renew certificate' }))
    expect((await dialog.findAllByText(/Paste the certificate request/)).length).toBeGreaterThan(0)
    await expectAccessible()
    await user.click(dialog.getByRole('radio', { name: /^Keep the key/ }))
    await user.click(dialog.getByRole('button', { name: 'Renew certificate' }))
    await leadsToNew('manual', shown)
    restore()
    cleanup()
    open('manual')
    expect(await screen.findByText(/^It was renewed on \d{1,2} \p{L}+ \d{4} by the certificate /u)).toBeDefined()
    expect(within(screen.getByRole('table', { name: 'Attempts' })).getByText('Renewed')).toBeDefined()
    expect(screen.getByRole('link', { name: /^[0-9a-f]{20,}$/ })).toBeDefined()
    await expectAccessible()
  })

  test('with a new key takes the holder’s request, and says what is wrong with it', async () => {
    const shown = open('new')
    const { user } = shown
    await user.click(await screen.findByRole('textbox', { name: /Certificate request/ }))
    await user.paste('nonsense')
    await user.click(screen.getByRole('button', { name: 'Renew with this key' }))
    expect((await screen.findAllByText(/^This is not a certificate request that can be read/)).length).toBeGreaterThan(0)
    await expectAccessible()
    await user.clear(screen.getByRole('textbox', { name: /Certificate request/ }))
    await user.click(screen.getByRole('textbox', { name: /Certificate request/ }))
    await user.paste(pki.tools.csr({ subject: '/CN=new.example.org', extensions: ['subjectAltName=DNS:new.example.org'] }).csr)
    await user.click(screen.getByRole('button', { name: 'Renew with this key' }))
    await leadsToNew('new', shown)
  })

  test('that failed says why and when it is tried again', async () => {
    open('failed')
    expect(await screen.findByText(/failed: the template Device is disabled\. The next is on /)).toBeDefined()
    expect(within(screen.getByRole('table', { name: 'Attempts' })).getByText('The template Device is disabled')).toBeDefined()
    await expectAccessible()
  })

  test('stands on the certificate’s page in one sentence with the way to the rest', async () => {
    restore = leadFetchTo(pki.house.origin, { authorization: `Bearer ${pki.ada.token}` })
    showScreen(
      <RenewalPart
        certificate={{
          certificateId: made['never'] ?? '',
          caId: pki.caId,
          serialNumber: '',
          status: 'active',
          revocationReason: undefined,
        }}
      />,
      { at: '/credentials/certificates/view/x', path: '/credentials/certificates/view/:certId', viewer },
    )
    expect(await screen.findByText('It is not renewed: its template says so.')).toBeDefined()
    expect(screen.getByRole('link', { name: 'Attempts so far and details' }).getAttribute('href')).toBe(
      `/credentials/certificates/renewal/${made['never']}`,
    )
    await expectAccessible()
  })
})

test('By hand it takes a request of a new key just as well', async () => {
  const shown = open('rekeyed')
  const { user } = shown
  await user.click(await screen.findByRole('button', { name: 'Renew now' }))
  await user.click(await screen.findByRole('radio', { name: /^A new key of your own/ }))
  await user.click(screen.getByRole('textbox', { name: /Certificate request/ }))
  await user.paste(pki.tools.csr({ subject: '/CN=rekeyed.example.org', extensions: ['subjectAltName=DNS:rekeyed.example.org'] }).csr)
  await user.click(screen.getByRole('button', { name: 'Renew certificate' }))
  await leadsToNew('rekeyed', shown)
  const { renewedBy } = await pki.check(made['rekeyed'] ?? '')
  expect(await pki.publicKey(renewedBy?.certificateId ?? '')).not.toBe(await pki.publicKey(made['rekeyed'] ?? ''))
})

describe('The home page of a holder', () => {
  test('shows what is held and when it ends, what becomes of what ends soon, and nothing of others', async () => {
    restore = leadFetchTo(pki.house.origin, { authorization: `Bearer ${pki.ada.token}` })
    showScreen(<HeldAtHome />, { at: '/home', path: '/home', viewer })
    expect((await screen.findByRole('link', { name: 'failed.example.org' })).getAttribute('href')).toBe(
      `/credentials/certificates/view/${made['failed']}`,
    )
    expect(await screen.findByText(/failed: the template Device is disabled\. The next is on /)).toBeDefined()
    expect(screen.getByRole('link', { name: 'All my certificates' }).getAttribute('href')).toBe('/self/certificates')
    await expectAccessible()
    restore()
    cleanup()
    restore = leadFetchTo(pki.house.origin, { authorization: `Bearer ${pki.grace.token}` })
    showScreen(<HeldAtHome />, { at: '/home', path: '/home', viewer })
    await waitFor(() =>
      expect(queryClient.getQueryData(['certificates', 'own', { ...heldAtHome, status: [...heldAtHome.status] }])).toMatchObject({
        total: 0,
      }),
    )
    expect(screen.queryByRole('link')).toBeNull()
  })
})

test('Before its time it is renewed by who may ask for others, who is told how long it lives', async () => {
  const shown = open('fresh')
  const { user } = shown
  await user.click(await screen.findByRole('button', { name: 'Renew early' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Renew fresh.example.org' }))
  expect(dialog.getByText(/^It is early: this certificate lives for another \d+ days, and its time for renewal comes on/)).toBeDefined()
  await expectAccessible()
  await user.click(dialog.getByRole('button', { name: 'Renew early' }))
  await leadsToNew('fresh', shown)
})

test('The request of a renewal that others decide on is shown: one’s own among one’s own, and else where it is decided', async () => {
  const info = { ...(await pki.check(made['failed'] ?? '')), step: 'show', requestId: '018f0000-0000-7000-8000-000000000001' } as const
  const linkOf = async (requestOwn: boolean) => {
    showScreen(<RenewalStep info={{ ...info, requestOwn }} />, { at: '/home', path: '/home', viewer })
    const link = (await screen.findByRole('link', { name: 'Show the request' })).getAttribute('href')
    cleanup()
    return link
  }
  expect([await linkOf(true), await linkOf(false)]).toEqual([
    expect.stringContaining('request=018f0000'),
    expect.stringMatching(/approval.*018f0000/),
  ])
})

test('Many of which none can be renewed are said to fail before anything else is asked', () => {
  expect(renewTexts().consequence({ never: 6 }, 6)).toEqual(['6 are never renewed and fail: their templates say so. Ask for new ones.'])
  // What would do nothing is not offered.
  expect(renewTexts().inVain?.({ never: 6 })).toMatch(/^Nothing would be renewed/)
  expect(renewTexts().inVain?.({ byHand: 6 })).toBeUndefined()
  expect(renewTexts().consequence({ byHand: 6 }, 6)[0]).toMatch(/^6 are renewed by hand: you do that now/)
  expect([renewTexts().inVain?.({ over: 2 }), renewTexts().inVain?.({ sameKey: 1, byHand: 6 })]).toEqual([
    'Nothing would be renewed, so there is nothing to confirm.',
    undefined,
  ])
  expect([renewTexts().outcome('waiting', 1), renewTexts().outcome('waiting', 2)]).toEqual(['Waits for others', 'Wait for others'])
  expect(renewTexts().consequence({ sameKey: 1, byHand: 5 }, 6)[0]).toMatch(/^1 keeps its key/)
})

test('Many of which some are too early are told apart, and those are renewed where that is ticked', async () => {
  const ids = [made['failed'], made['later']]
  const { runId } = await pki.cy.call(bulk.calls.prepare, {
    action: 'renewal.renew',
    selection: { selectAll: false, inclusionList: ids.map((id) => id ?? ''), exclusionList: [] },
    query: {},
  })
  const alone = await pki.cy.call(bulk.calls.prepare, {
    action: 'renewal.renew',
    selection: { selectAll: false, inclusionList: [made['later'] ?? ''], exclusionList: [] },
    query: {},
  })
  restore = leadFetchTo(pki.house.origin, { authorization: `Bearer ${pki.cy.token}` })
  showScreen(<BulkRun />, { at: `/monitor/bulk/${runId}`, path: bulk.screens.run.path, viewer })
  expect(await screen.findByText('1 is due, 1 is too early.')).toBeDefined()
  expect(screen.getByRole('checkbox', { name: 'Also renew those that are too early' })).toHaveProperty('checked', false)
  await expectAccessible()
  cleanup()
  const { user } = showScreen(<BulkRun />, { at: `/monitor/bulk/${alone.runId}`, path: bulk.screens.run.path, viewer })
  expect(await screen.findByText('None is due, 1 is too early.')).toBeDefined()
  await user.type(screen.getByRole('textbox', { name: /Type 1 to go on/ }), '1')
  await user.click(screen.getByRole('button', { name: 'Renew 1 certificate' }))
  expect((await screen.findAllByText('None is due: tick this, or renew none')).length).toBeGreaterThan(0)
  await user.click(screen.getByRole('checkbox', { name: 'Also renew those that are too early' }))
  await user.click(screen.getByRole('button', { name: 'Renew 1 certificate' }))
  expect(await screen.findByText('Renewed, too')).toBeDefined()
  await pki.house.runJob(bulk.jobs.work)
  expect((await pki.check(made['later'] ?? '')).verdict.kind).toBe('renewed')
})

describe('The list of renewals', () => {
  test('shows what failed, with the reason', async () => {
    restore = leadFetchTo(pki.house.origin, { authorization: `Bearer ${pki.ada.token}` })
    showScreen(<RenewalList />, { at: `${renewal.screens.list.path}?state=refused`, path: renewal.screens.list.path, viewer })
    const table = await screen.findByRole('table', { name: 'Renewals' })
    await waitFor(() => expect(within(table).getByText('The template Device is disabled')).toBeDefined())
    expect(within(table).getByRole('link', { name: 'failed.example.org' }).getAttribute('href')).toBe(
      `/credentials/certificates/renewal/${made['failed']}`,
    )
    expect(within(table).queryByText('manual.example.org')).toBeNull()
    await expectAccessible()
  })

  test('is empty where nothing is due', async () => {
    const other = await (await pki.house.tenancy('Globex')).person({ permissions: ['certView'] })
    restore = leadFetchTo(pki.house.origin, { authorization: `Bearer ${other.token}` })
    showScreen(<RenewalList />, { at: renewal.screens.list.path, path: renewal.screens.list.path, viewer })
    expect(await screen.findByText('No renewals yet')).toBeDefined()
    await expectAccessible()
  })
})
