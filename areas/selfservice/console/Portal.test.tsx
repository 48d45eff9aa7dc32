import { screen, within } from '@testing-library/react'
import { screens } from 'virtual:contracts/console'
import { consoleModules } from 'virtual:rooms'
import { expect, it } from 'vitest'
import { cardrequests } from '#areas/cardrequests/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { passkeys } from '#areas/passkeys/contract.ts'
import { questions } from '#areas/questions/contract.ts'
import { roomsStore } from '#core/console/rooms.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { answering } from '#core/testing/little-server.ts'
import { Portal } from './Portal.tsx'
import { RequestSmartcard } from './RequestSmartcard.tsx'

roomsStore.setState({ consoleModules, screens })

const served = ['changePassword', 'selfServicePortal', 'ticketAdd', 'ticketView']
const permission = { View: served, Menu: served, activeMenu: served, api: served, roles: ['User'], isManager: false }
const none = { rows: [], total: 0, more: false }

const answers = (version: number, keys: object[]) =>
  answering({
    [`POST ${certificates.calls.requests.path}`]: none,
    [`POST ${certificates.calls.own.path}`]: none,
    [`POST ${passkeys.calls.list.path}`]: { displayName: 'Ada', username: 'ada', registeredCredentials: keys },
    [`GET ${questions.calls.read.path}`]: { clientSalt: '', questions: [], version },
  })

it('says what waits for the person, and what they can do in their own words', async () => {
  await answers(-1, [])
  showScreen(<Portal />, { at: '/self/portal', viewer: { permission }, bootstrap: {} })
  const waiting = within(await screen.findByRole('region', { name: 'Waiting for you' }))
  expect((await waiting.findByRole('link', { name: /Set your secret questions/ })).getAttribute('href')).toBe('/self/resetquestions')
  expect((await waiting.findByRole('link', { name: /Add a passkey/ })).getAttribute('href')).toBe('/credentials/fido/passkeys/me')
  expect(screen.getByRole('link', { name: /I want to change my password/ }).getAttribute('href')).toBe('/self/changePassword')
  await expectAccessible()
})

it('offers nothing that the person may not open', async () => {
  await answers(2, [])
  const few = ['selfServicePortal']
  showScreen(<Portal />, {
    at: '/self/portal',
    viewer: { permission: { ...permission, View: few, Menu: few, activeMenu: few, api: few } },
  })
  expect(await screen.findByRole('link', { name: /I need a certificate/ })).toBeDefined()
  expect(screen.queryByRole('link', { name: /I want to change my password/ })).toBeNull()
  expect(screen.queryByRole('link', { name: /Something does not work/ })).toBeNull()
})

it('offers the cards that the person can ask for, and says which are asked for already', async () => {
  const [first, second] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']
  await answering({
    [`GET ${cardrequests.calls.ownTemplates.path}`]: {
      cardTemplates: [
        { cardTemplateId: first, name: 'Staff card' },
        { cardTemplateId: second, name: 'Depot card', obstacle: 'requested' },
      ],
    },
    [`GET ${cardrequests.calls.own.path}`]: {
      requests: [
        {
          id: second,
          cardTemplateName: 'Depot card',
          step: 'requested',
          deliverTo: '',
          madeAt: '2026-11-23T10:00:00.000Z',
          hasPhoto: false,
        },
      ],
    },
  })
  showScreen(<RequestSmartcard />, { at: '/self/requestSmartcard/me', path: '/self/requestSmartcard/:id', viewer: { permission } })
  expect(await screen.findByRole('button', { name: 'Request smartcard' })).toBeDefined()
  expect(await screen.findByText('Requested: the card desk sees it')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Take a photo' })).toBeDefined()
  await expectAccessible()
})

it('says whom to ask where no card can be requested', async () => {
  await answering({
    [`GET ${cardrequests.calls.ownTemplates.path}`]: { cardTemplates: [] },
    [`GET ${cardrequests.calls.own.path}`]: { requests: [] },
  })
  showScreen(<RequestSmartcard />, { at: '/self/requestSmartcard/me', path: '/self/requestSmartcard/:id', viewer: { permission } })
  expect(await screen.findByText('Smartcards cannot be requested here yet')).toBeDefined()
  expect(screen.getByText(/help@harbour.example/)).toBeDefined()
  await expectAccessible()
})
