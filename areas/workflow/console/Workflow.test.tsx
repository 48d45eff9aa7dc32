import { screen, waitFor, within } from '@testing-library/react'
import { afterAll, beforeEach, expect, test } from 'vitest'
import certificatesModule from '#areas/certificates/console/index.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuing, openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import ticketsModule from '#areas/tickets/console/index.ts'
import { tickets } from '#areas/tickets/contract.ts'
import { roomsStore } from '#core/console/rooms.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { toastStore } from '#core/console/toasts.ts'
import { houseForScreens } from '#core/testing/screens.ts'
import { MyWork } from './MyWork.tsx'
import { RequestPlace } from './RequestPlace.tsx'
import { Transactions } from './Transactions.tsx'

const { house, as } = await houseForScreens()
const tools = openSsl()
afterAll(() => tools.close())
const pki = await openIssuing(house, tools, 'Acme')
const templateId = await pki.addTemplate('Device', { issueApprovers: 1 })
const bob = await pki.tenancy.person({
  permissions: ['workflow', 'certApprovals', 'certView', 'ticketView', 'ticketEdit'],
  username: 'bob.work',
})
roomsStore.setState({ consoleModules: [certificatesModule, ticketsModule] })
const toasts = () => toastStore.getState().log.map(({ title }) => title)
beforeEach(() => as(bob))

async function ask(name: string): Promise<string> {
  const { csr } = tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] })
  return (await pki.ada.call(certificates.calls.requestForDevice, { templateId, csr, values: { DNS: [name] } })).requestId
}

test('An approval and a denial with its reason are done in the list, and stand among the transactions then', async () => {
  const [yes, no] = [await ask('yes.example.org'), await ask('no.example.org')]
  const { ticketId } = await (
    await pki.tenancy.person({ permissions: ['ticketAdd'] })
  ).call(tickets.calls.add, { title: 'Came last', category: 'Bug', description: 'Since Friday' })
  const shown = showScreen(<MyWork />, { at: '/workflow' })
  const section = within(await screen.findByRole('region', { name: 'Waiting for me' }))
  // One list, whatever the kind: what came last stands last.
  await waitFor(() =>
    expect(section.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      expect.stringMatching(/yes\.example\.org.*Request for a certificate/),
      expect.stringMatching(/no\.example\.org.*Request for a certificate/),
      expect.stringMatching(/Came last.*Ticket to answer/),
    ]),
  )
  await expectAccessible()
  await shown.user.click(section.getByRole('button', { name: /^Approve: .*yes\.example\.org/ }))
  const asked = within(await screen.findByRole('dialog', { name: /^Approve: .*yes\.example\.org/ }))
  expect(asked.getByText(/the certificate is issued at once/)).toBeDefined()
  await expectAccessible()
  await shown.user.click(asked.getByRole('button', { name: 'Approve' }))
  await waitFor(() => expect(section.queryByText(/yes\.example\.org/)).toBeNull())
  await shown.user.click(section.getByRole('button', { name: /^Deny: .*no\.example\.org/ }))
  expect(toasts()).toContainEqual(expect.stringMatching(/^Approved: .*yes\.example\.org/))
  await shown.user.fill(await screen.findByRole('textbox', { name: /^Why/ }), 'It has one already')
  await expectAccessible()
  await shown.user.click(screen.getByRole('button', { name: 'Send' }))
  await waitFor(() => expect(section.queryByText(/no\.example\.org/)).toBeNull())
  expect(toasts()).toContainEqual(expect.stringMatching(/^Denied: .*no\.example\.org/))
  await shown.user.click(section.getByRole('button', { name: `Close ticket: ${ticketId}: Came last` }))
  await shown.user.click(await screen.findByRole('button', { name: 'Close ticket' }))
  await screen.findByText('Nothing waits for you')
  const denied = await bob.call(certificates.calls.approval, { requestId: no })
  expect(denied).toMatchObject({ votes: [{ verdict: 'deny', comment: 'It has one already' }] })
  shown.unmount()

  const history = showScreen(<Transactions />, { at: '/transactionHistory' })
  await screen.findByText('2 transactions')
  expect(screen.getAllByRole('listitem').filter((item) => within(item).queryByText('Denied') !== null).length).toBe(1)
  expect((await screen.findAllByText(/Requested a certificate/)).length).toBe(2)
  await expectAccessible()
  await history.user.click(screen.getByText('Begun by me'))
  await screen.findByText('No transactions yet')
  expect(history.router.state.location.search).toBe('?own=true')
  history.unmount()

  const place = showScreen(<RequestPlace />, {
    at: `/transactionHistory/csrCheckRedirector/${pki.caId}/${yes}`,
    path: '/transactionHistory/csrCheckRedirector/:ca/:id',
  })
  await waitFor(() => expect(place.router.state.location.pathname).toMatch(/^\/credentials\/certificates\/view\//))
})
