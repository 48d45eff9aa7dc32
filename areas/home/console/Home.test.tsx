import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import auditRoom from '#areas/audit/console/index.ts'
import { audit } from '#areas/audit/contract.ts'
import authoritiesRoom from '#areas/authorities/console/index.ts'
import { authorities } from '#areas/authorities/contract.ts'
import certificatesRoom from '#areas/certificates/console/index.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { spanText, weeksAhead, weeksBack } from '#areas/certificates/weeks.ts'
import healthRoom from '#areas/health/console/index.ts'
import revocationRoom from '#areas/revocation/console/index.ts'
import { revocation } from '#areas/revocation/contract.ts'
import templatesRoom from '#areas/templates/console/index.ts'
import { templates } from '#areas/templates/contract.ts'
import tenancyRoom from '#areas/tenancy/console/index.ts'
import { tenancy } from '#areas/tenancy/contract.ts'
import usersRoom from '#areas/users/console/index.ts'
import { preferencesStore } from '#core/console/preferences.ts'
import { roomsStore } from '#core/console/rooms.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { answering, type Asked } from '#core/testing/little-server.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { home } from '../contract.ts'
import { About } from './About.tsx'
import { ApiReference } from './ApiReference.tsx'
import { Documentation } from './Documentation.tsx'
import { Home } from './Home.tsx'

const { house, as } = await houseForScreens()
const acme = await house.tenancy('Acme')
const grace = acme.administrator
roomsStore.setState({
  consoleModules: [auditRoom, tenancyRoom, usersRoom, authoritiesRoom, templatesRoom, certificatesRoom, revocationRoom, healthRoom],
})
beforeEach(() => as(grace))

describe('Home', () => {
  it('begins with the first steps, each measured and leading to where it is done', async () => {
    const shown = showScreen(<Home />, { at: '/home' })
    const steps = within(await screen.findByRole('region', { name: 'First steps' }))
    expect(steps.getByText('0 of 6 done. Each is measured, so there is nothing to tick.')).toBeDefined()
    expect(steps.getByRole('link', { name: /Name a support address/ }).getAttribute('href')).toBe('/config/tenancy')
    expect(steps.getByRole('link', { name: /Create an authority/ }).getAttribute('href')).toBe('/pki/manage/certificate-authorities/new')
    expect(screen.queryByRole('list', { name: 'Certificates by status' })).toBeNull()
    await expectAccessible()
    shown.unmount()

    await grace.call(tenancy.calls.change, { name: 'Acme', bannerColour: '#008060', supportEmail: 'help@acme.example' })
    showScreen(<Home />, { at: '/home' })
    expect(await screen.findByText(/^1 of 6 done/)).toBeDefined()
  })

  it('shows to a person without permissions neither steps nor pictures', async () => {
    const eve = await acme.person({ permissions: ['selfServicePortal'] })
    as(eve)
    showScreen(<Home />, {
      at: '/home',
      viewer: {
        permission: { View: ['selfServicePortal'], Menu: [], activeMenu: [], api: ['selfServicePortal'], roles: [], isManager: false },
      },
    })
    expect(screen.getByRole('heading', { level: 1, name: 'Home' })).toBeDefined()
    await waitFor(() => expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull())
    for (const name of ['Latest activity', 'Revocation lists', 'Ending soon']) expect(screen.queryByRole('region', { name })).toBeNull()
    await expectAccessible()
  })

  it('leads a holder to what is to be collected, and to what can be asked for', async () => {
    const requestId = '018f0000-0000-7000-8000-000000000001'
    const templateId = '018f0000-0000-7000-8000-000000000002'
    await answering({
      [`GET ${home.calls.firstRun.path}`]: { steps: [] },
      [`POST ${certificates.calls.requests.path}`]: {
        rows: [
          {
            requestId,
            status: 'incomplete',
            templateName: 'Remote access',
            caId: templateId,
            caName: 'People',
            class: 'USER',
            entity: 'user',
            subject: 'CN=Eve Adams',
            requesterId: requestId,
            requester: 'eve',
            createdAt: '2026-03-04T10:00:00.000Z',
            updatedAt: '2026-03-04T10:00:00.000Z',
            approvals: 1,
            needed: 1,
          },
        ],
        total: 1,
        more: false,
      },
      [`GET ${templates.calls.offered.path}`]: ({ query }: Asked) => ({
        body: {
          templates:
            query.get('entity') === 'user'
              ? [{ templateId, displayName: 'Remote access', issueApprovers: 1 }]
              : [{ templateId, displayName: 'Printer', issueApprovers: 0 }],
        },
      }),
    })
    showScreen(<Home />, {
      at: '/home',
      viewer: {
        permission: { View: ['selfServicePortal'], Menu: [], activeMenu: [], api: ['selfServicePortal'], roles: [], isManager: false },
      },
    })
    const waiting = within(await screen.findByRole('region', { name: 'Waiting for you' }))
    expect(
      waiting.getByRole('link', { name: /^Collect the key of Eve Adams \(Remote access\), asked for on 4 Mar 2026/ }).getAttribute('href'),
    ).toBe(`/credentials/certificates/user/add?request=${requestId}`)
    const ask = within(await screen.findByRole('region', { name: 'Ask for a certificate' }))
    expect(ask.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
      `/credentials/certificates/user/add?template=${templateId}`,
      `/credentials/certificates/device/add?template=${templateId}`,
    ])
    expect(ask.getByText('One other person must agree.')).toBeDefined()
    await expectAccessible()
  })

  it('leaves out and moves the cards that a person arranges, and has none that is empty', async () => {
    const shown = showScreen(<Home />, { at: '/home' })
    await screen.findByRole('region', { name: 'Latest activity' })
    for (const name of ['Waiting for my approval', 'My requests', 'Revocation lists'])
      expect(screen.queryByRole('region', { name })).toBeNull()
    await shown.user.click(screen.getByRole('button', { name: 'Arrange cards' }))
    const cards = within(await screen.findByRole('region', { name: 'Cards of this page' }))
    await shown.user.click(cards.getByRole('button', { name: 'Move Latest activity up' }))
    expect(preferencesStore.getState().home.order.slice(-2)).toEqual(['activity', 'lists'])
    await shown.user.click(cards.getByRole('checkbox', { name: 'Latest activity' }))
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Latest activity' })).toBeNull())
    await expectAccessible()
    await shown.user.click(cards.getByRole('button', { name: 'Reset' }))
    await screen.findByRole('region', { name: 'Latest activity' })
  })

  it('has bars whose number, words and link agree, and the same as a table', async () => {
    const now = new Date('2026-03-04T10:00:00Z')
    const shownSpan = (span: { from: Date; until: Date }) => ({
      from: span.from.toISOString(),
      until: span.until.toISOString(),
      span: spanText(span),
    })
    await answering({
      [`GET ${home.calls.firstRun.path}`]: { steps: [] },
      [`GET ${home.calls.waiting.path}`]: { counts: { revocation: 2, hold: 1, release: 0, authorities: 3 } },
      [`GET ${audit.calls.recent.path}`]: { rows: [] },
      [`GET ${revocation.calls.lists.path}`]: { lists: [] },
      [`POST ${certificates.calls.searchApprovals.path}`]: { rows: [], total: 0 },
      [`POST ${certificates.calls.requests.path}`]: { rows: [], total: 0 },
      [`POST ${authorities.calls.list.path}`]: { rows: [], total: 0 },
      [`GET ${certificates.calls.pictures.path}`]: {
        statuses: [{ status: 'active', count: 10_000, more: true }],
        ending: weeksAhead(now, 12).map((span, at) => ({ ...shownSpan(span), count: at === 1 ? 7 : 0, more: false })),
        history: weeksBack(now, 12).map((span) => ({
          ...shownSpan(span),
          issued: { count: 3, more: false },
          revoked: { count: 0, more: false },
        })),
      },
    })
    const shown = showScreen(<Home />, { at: '/home' })
    const tiles = within(await screen.findByRole('list', { name: 'Certificates by status' }))
    expect(tiles.getByRole('link', { name: '10,000+ Active' }).getAttribute('href')).toBe('/search/certificate?status=active')
    const ending = within(await screen.findByRole('region', { name: 'Ending soon' }))
    const bar = ending.getByRole('link', { name: 'Ending, week from 9 Mar 2026: 7' })
    expect(bar.getAttribute('href')).toBe(
      `/search/certificate?ends=${encodeURIComponent('2026-03-09T00:00:00.000Z/2026-03-16T00:00:00.000Z')}&sort=notAfter&direction=asc`,
    )
    expect(
      within(screen.getByRole('region', { name: 'Issued and revoked' })).getAllByRole('img', { name: /^Revoked, week from .*: 0$/ }),
    ).toHaveLength(12)
    await shown.user.click(ending.getByText('As a table'))
    expect(
      within(await ending.findByRole('table'))
        .getByRole('link', { name: '7' })
        .getAttribute('href'),
    ).toBe(bar.getAttribute('href'))
    const waiting = within(await screen.findByRole('region', { name: 'Waiting for a decision' }))
    expect(waiting.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['2 revocations wait for a decision', '/credentials/certificates/revocations/searchPending?states=pending&actions=revocation'],
      ['1 hold waits for a decision', '/credentials/certificates/revocations/searchPending?states=pending&actions=hold'],
    ])
    expect((await screen.findByRole('link', { name: '3 authorities need attention' })).getAttribute('href')).toBe(
      '/monitor/service/crypto?state=failing&state=late',
    )
    await expectAccessible()
  })
})

describe('About', () => {
  it('fetches the version, names the support address, and opens a document', async () => {
    const shown = showScreen(<About />, { at: '/about' })
    expect(document.querySelector('[data-version-state]')?.getAttribute('data-version-state')).toBe('FETCHING')
    expect(await screen.findByText(house.house.version)).toBeDefined()
    expect(document.querySelector('[data-version-state]')?.getAttribute('data-version-state')).toBe('FETCHED')
    expect(screen.getByRole('link', { name: 'help@harbour.example' }).getAttribute('href')).toBe('mailto:help@harbour.example')
    await shown.user.click(screen.getByText(/^Show the \d+ packages$/))
    await shown.user.type(await screen.findByRole('searchbox', { name: 'Search licences' }), 'react-router')
    expect(screen.getByRole('cell', { name: 'react-router' })).toBeDefined()
    await expectAccessible()
    await shown.user.click(screen.getByRole('link', { name: /security/i }))
    expect(await screen.findByRole('dialog', { name: /security/i })).toBeDefined()
  })

  it('names the default address where the tenancy has none', async () => {
    showScreen(<About />, { at: '/about', bootstrap: { tenancy: { name: 'Acme', supportEmail: '', salesEmail: '' } } })
    expect(await screen.findByText(house.house.version)).toBeDefined()
    expect(screen.getByRole('link', { name: 'support@chancery.example' }).getAttribute('href')).toBe('mailto:support@chancery.example')
    await expectAccessible()
  })

  it('says so when the version cannot be read', async () => {
    await answering({ [`GET ${home.calls.documentation.path}`]: { files: [] } })
    showScreen(<About />, { at: '/about' })
    await waitFor(() => expect(document.querySelector('[data-version-state]')?.getAttribute('data-version-state')).toBe('ERROR'))
    expect(screen.getAllByText('The version could not be read').length).toBeGreaterThan(0)
  })
})

describe('The documentation', () => {
  it('has a page of its own, which a browser that asks for the address gets, and opens a document there', async () => {
    const page = await fetch(new URL('/documentation', house.origin), { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const shown = showScreen(<Documentation />, { at: '/documentation' })
    await expectAccessible()
    await shown.user.click(await screen.findByRole('link', { name: 'The house' }))
    expect(await screen.findByRole('dialog', { name: 'The house' })).toBeDefined()
    expect(shown.router.state.location.pathname + shown.router.state.location.search).toBe('/documentation?document=ARCHITECTURE.md')
  })
})

describe('The API reference', () => {
  it('shows every call, finds some by words, and opens one', async () => {
    const shown = showScreen(<ApiReference />, { at: '/about/api' })
    await screen.findByRole('region', { name: 'sessions' })
    await shown.user.type(screen.getByRole('searchbox', { name: 'Search calls' }), 'post login')
    await waitFor(() => expect(screen.queryByRole('region', { name: 'certificates' })).toBeNull())
    expect(screen.getByText('/api2/Authentication-v1/login')).toBeDefined()
    await shown.user.click(screen.getByText('/api2/Authentication-v1/login'))
    expect(await screen.findByText('Answer 403')).toBeDefined()
    expect(screen.getByText(/Check Username and Password/)).toBeDefined()
    expect(screen.getByText(/^Checks a username and password; answers that the code is needed/)).toBeDefined()
    expect(screen.getByRole('region', { name: 'Example' }).textContent).toBe(
      `curl -X POST '${location.origin}/api2/Authentication-v1/login' \\\n  -H 'Content-Type: application/json' \\\n  -d '{"username":"text","password":"text"}'`,
    )
    expect(screen.getByRole('region', { name: 'Body' }).textContent).toContain('"username"')
    await expectAccessible()
  })
})
