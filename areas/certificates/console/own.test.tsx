import { screen, waitFor, within } from '@testing-library/react'
import { afterAll, expect, test } from 'vitest'
import { roomsStore } from '#core/console/rooms.ts'
import { expectAccessible, showScreen, testViewer } from '#core/console/testing/render.tsx'
import { toastStore } from '#core/console/toasts.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { answering, leadFetchTo } from '#core/testing/little-server.ts'
import { certificateLinkSlot } from '../certificate-actions.ts'
import { certificates } from '../contract.ts'
import { openIssuingHouse } from '../server/issuing.fixture.ts'
import { MyCertificates } from './MyCertificates.tsx'

const { calls, screens } = certificates
const { house, tools, pki, close } = await openIssuingHouse()
const holder = await pki.tenancy.person({ permissions: ['certSigningRequest', 'selfServicePortal'] })
const restore = leadFetchTo(house.origin, { authorization: `Bearer ${holder.token}` })
afterAll(async () => {
  restore()
  await close()
})

const seesNothing = { permission: { ...testViewer.permission, View: ['selfServicePortal' as const] } }
const open = () => showScreen(<MyCertificates />, { at: screens.own.path, path: screens.own.path, viewer: seesNothing })

test('Who has no certificate is led to where one is asked for', async () => {
  const shown = open()
  expect(await screen.findByText('You have no certificate yet')).toBeDefined()
  expect(screen.getByRole('link', { name: 'Request a certificate' }).getAttribute('href')).toBe('/credentials/certificates/user/add')
  await expectAccessible()
  shown.unmount()
})

test('Each certificate says what it is good for still, leads to its page, and has in its menu what can be done about it', async () => {
  roomsStore.setState({
    consoleModules: [
      {
        area: 'frames',
        screens: {},
        offers: [
          offer(certificateLinkSlot, {
            key: 'test',
            label: () => 'Frame it',
            to: ({ certificateId, status }) => (status === 'expiring' ? `/frame/${certificateId}` : undefined),
          }),
        ],
      },
    ],
  })
  const { csr } = tools.csr({ subject: '/CN=mine.example.org', extensions: ['subjectAltName=DNS:mine.example.org'] })
  const { certificateId, requestId } = await holder.call(calls.requestForDevice, {
    templateId: pki.template['Device'] ?? '',
    csr,
    values: { DNS: ['mine.example.org'] },
  })
  const { notAfter = '' } = (await holder.call(calls.own, {})).rows[0] ?? {}
  house.clock.advance(Date.parse(notAfter) - house.clock.now().getTime() - 5 * 86_400_000)
  const { user, router } = open()
  const table = within(await screen.findByRole('table', { name: 'My certificates' }))
  const link = await table.findByRole('link', { name: 'mine.example.org' })
  expect(link.getAttribute('href')).toBe(`/credentials/certificates/device/add?request=${requestId}`)
  expect(table.getByText('Expiring')).toBeDefined()
  await user.click(table.getByRole('button', { name: 'Actions for mine.example.org' }))
  expect(await screen.findByRole('menuitem', { name: 'Download certificate' })).toBeDefined()
  await expectAccessible()
  await user.click(screen.getByRole('menuitem', { name: 'Frame it' }))
  await waitFor(() => expect(router.state.location.pathname).toBe(`/frame/${certificateId}`))
})

test('A download that fails is said once: with its reason, or as the whole console says it', async () => {
  const row = (await holder.call(calls.own, {})).rows[0]
  const server = await answering({ [`${calls.own.method} ${calls.own.path}`]: { rows: [row], total: 1 } })
  const { user } = open()
  const download = async (status: number, code: string) => {
    server.answers[`${calls.download.method} ${to(calls.download, { certId: row?.certificateId ?? '' })}`] = () => ({
      status,
      body: { code, message: 'x' },
    })
    await user.click(await screen.findByRole('button', { name: 'Actions for mine.example.org' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Download certificate' }))
  }
  await download(429, 'too_many_requests')
  await screen.findByText('Too Many Requests')
  await download(404, 'missing')
  await screen.findByText('The certificate could not be downloaded')
  expect(toastStore.getState().log.map(({ title, text }) => [title, text])).toEqual([
    ['The certificate could not be downloaded', 'This does not exist, or not for you'],
    ['Too Many Requests', expect.any(String)],
  ])
})
