import { screen, waitFor } from '@testing-library/react'
import { afterAll, expect, test } from 'vitest'
import { bulk } from '#areas/bulk/contract.ts'
import { manyCertificates } from '#areas/bulk/server/many.fixture.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openSharedIssuing } from '#areas/certificates/server/issuing.fixture.ts'
import { preferencesStore } from '#core/console/preferences.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { leadFetchTo } from '#core/testing/little-server.ts'
import { revocation } from '../contract.ts'
import { durationText, queryInEarnest, queryOfView, reportRows } from './drill-scope.ts'
import { Drill } from './Drill.tsx'
import { Drills } from './Drills.tsx'
import { Siblings } from './Siblings.tsx'

const { screens, calls } = revocation
const address = { id: /^[0-9a-f-]{36}$/ }

const { house, tools, pki, close } = await openSharedIssuing()
const rita = await pki.tenancy.person({ permissions: 'all', username: 'rita' })
const restore = leadFetchTo(house.origin, { authorization: `Bearer ${rita.token}` })
afterAll(() => {
  restore()
  close()
})

const name = (dns: string, keyFile?: string) =>
  tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`], ...(keyFile === undefined ? {} : { keyFile }) })
const ask = async (dns: string, csr = name(dns).csr) =>
  (await pki.ada.call(certificates.calls.requestForDevice, { templateId: pki.template['Device'] ?? '', csr, values: { DNS: [dns] } }))
    .certificateId ?? ''

test('A drill over a saved view says whom it would cut off and how large the lists become, and leads to the confirmation of the real thing', async () => {
  await manyCertificates(house, pki, { count: 11, name: 'drilled' }, { revocation_approvers: 1 })
  preferencesStore.setState({
    views: { 'certificates.inventory': [{ name: 'Devices in use', path: '/search/certificate', query: '?status=active&sort=name' }] },
  })
  const { user, router } = showScreen(<Drills />, { at: screens.drills.path, routes: [{ path: screens.drill.path, element: <Drill /> }] })
  expect(await screen.findByRole('heading', { name: 'No drills yet' })).toBeDefined()
  await expectAccessible()
  await user.click(screen.getByRole('combobox', { name: /Saved view/ }))
  await user.click(await screen.findByRole('option', { name: 'Devices in use' }))
  await user.fill(screen.getByRole('textbox', { name: /^Name/ }), 'Autumn drill')
  await user.click(screen.getByRole('button', { name: 'Run drill' }))
  expect(await screen.findByRole('heading', { level: 1, name: 'Autumn drill' })).toBeDefined()
  const drillId = router.state.location.pathname.split('/').at(-1) ?? ''
  expect(drillId).toMatch(address.id)
  const { figures, query } = await rita.call(calls.drill, { drillId })
  expect([figures.matched, figures.approval, query.status]).toEqual([12, 11, ['active']])
  expect(screen.getByText(/11 certificates, 1 approver/)).toBeDefined()
  await expectAccessible()
  await user.click(screen.getByRole('button', { name: 'Revoke these for real' }))
  await waitFor(() => expect(router.state.location.pathname).toMatch(/^\/monitor\/bulk\//))
  expect((await rita.call(certificates.calls.search, { status: ['revoked'] })).total).toBe(0)
})

test('A report holds its scope, its figures, its templates and its authorities', async () => {
  const [held] = (await rita.call(calls.searchDrills, {})).rows
  if (held === undefined) throw new Error('No drill was held')
  const rows = reportRows(held)
  expect(rows).toContainEqual(['Drill', 'Autumn drill'])
  expect(rows).toContainEqual(['Need others to agree', '11'])
  expect(rows).toContainEqual(['Scope', 'status: active'])
  expect(rows).toContainEqual([
    'Authority',
    'Certificates',
    'Entries now',
    'Bytes now',
    'Entries after',
    'Bytes after',
    'Parts',
    'Bytes of a part',
  ])
  expect(rows.at(-1)?.slice(0, 2)).toEqual(['Acme Issuing', '12'])
})

test('The page of a certificate whose key is compromised lists the others of that key, to be revoked together', async () => {
  const { csr, keyFile } = name('one.example.org')
  const first = await ask('one.example.org', csr)
  await ask('two.example.org', name('two.example.org', keyFile).csr)
  await rita.call(calls.revoke, { certId: first, reason: 'keyCompromise' })
  const { user, router } = showScreen(
    <Siblings
      certificate={{ certificateId: first, caId: pki.caId, serialNumber: '', status: 'revoked', revocationReason: 'keyCompromise' }}
    />,
    { at: '/certificate' },
  )
  expect(await screen.findByText('This key is blocked')).toBeDefined()
  expect(screen.getByRole('link', { name: 'two.example.org' })).toBeDefined()
  await expectAccessible()
  await user.click(screen.getByRole('button', { name: 'Revoke 1 certificate of this key' }))
  await waitFor(() => expect(router.state.location.pathname).toMatch(/^\/monitor\/bulk\//))
})

test('What is revoked already is left out when a drill is done for real, and the drill says so', async () => {
  await rita.call(calls.revoke, { certId: await ask('half.one.example.org'), reason: 'superseded' })
  for (const dns of ['half.two.example.org', 'half.three.example.org']) await ask(dns)
  const { drillId } = await rita.call(calls.runDrill, { name: 'Again', text: 'half' })
  const { user, router } = showScreen(<Drill />, { at: screens.drill.path.replace(':drillId', drillId), path: screens.drill.path })
  expect(await screen.findByText('1 of them is revoked already: revoking these for real leaves out what is revoked by then.')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Revoke these for real' }))
  await waitFor(() => expect(router.state.location.pathname).toMatch(/^\/monitor\/bulk\//))
  const { total, facts } = await rita.call(bulk.calls.view, { runId: router.state.location.pathname.split('/').at(-1) ?? '' })
  expect([total, facts['already']]).toEqual([2, 0])
  expect(queryInEarnest({ text: 'half', status: ['revoked'] })).toBeUndefined()
})

test('What is on hold is taken along when a drill is done for real, and the drill says so', async () => {
  const paused = await ask('paused.one.example.org')
  await rita.call(calls.revoke, { certId: paused, reason: 'certificateHold' })
  await ask('paused.two.example.org')
  const { drillId } = await rita.call(calls.runDrill, { name: 'Paused', text: 'paused' })
  const { user, router } = showScreen(<Drill />, { at: screens.drill.path.replace(':drillId', drillId), path: screens.drill.path })
  expect(
    await screen.findByText('1 of them is on hold: revoking it for real ends the hold, and nobody can release it any more.'),
  ).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Revoke these for real' }))
  await waitFor(() => expect(router.state.location.pathname).toMatch(/^\/monitor\/bulk\//))
  const runId = router.state.location.pathname.split('/').at(-1) ?? ''
  const { total, facts } = await rita.call(bulk.calls.view, { runId })
  expect([total, facts['held']]).toEqual([2, 1])
  await rita.call(bulk.calls.start, { runId, count: total, parameters: { reason: 'keyCompromise' } })
  await house.runJob(bulk.jobs.work)
  expect(await rita.call(bulk.calls.view, { runId })).toMatchObject({ failed: 0, outcomes: { revoked: 2 } })
  await expect(rita.call(calls.release, { certId: paused })).rejects.toMatchObject({ code: 'notOnHold' })
})

test('A view that an older version saved, or that somebody mistyped, loses only what makes no sense', () => {
  expect(queryOfView('?text=mail&status=active&status=expired&expires=month&sort=name')).toEqual({
    text: 'mail',
    status: ['active', 'expired'],
    expires: 'month',
  })
  expect(queryOfView('?status=sideways&caId=x&text=mail')).toEqual({ text: 'mail' })
  // Without what it knows beside it the drill would be about every certificate.
  expect(queryOfView('?status=active&status=sideways')).toEqual({ text: '', status: ['active'] })
  expect([durationText(1), durationText(89), durationText(5_400)]).toEqual(['1 second', '89 seconds', '90 minutes'])
})
