// A screen in a test as it stands in the console: theme, cache, router, viewer. Requests go to a real server: a little one that answers
// from a table (`answering`), or a whole house (`leadFetchTo(house.origin, { authorization: ... })`).

import { render, type RenderResult } from '@testing-library/react'
import { userEvent, type UserEvent } from '@testing-library/user-event'
import axe from 'axe-core'
import type { ReactNode } from 'react'
import { createMemoryRouter, type RouteObject } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { expect } from 'vitest'
import { permissions } from '#core/contract/permission-labels.ts'
import { bootstrapStore, type Bootstrap, type Viewer } from '../bootstrap.ts'
import { ConsoleRoot } from '../ConsoleRoot.tsx'
import { navigationStore } from '../navigate.ts'
import { queryClient } from '../query-client.ts'
import { setLocale } from '../text.ts'
import { clearToasts } from '../toasts.ts'

const everything = Object.keys(permissions)

export const testViewer: Viewer = {
  id: '018f0000-0000-7000-8000-000000000001',
  username: 'grace',
  names: { givenName: 'Grace', familyName: 'Hopper' },
  emailAddress: 'grace@example.org',
  permission: { View: everything, Menu: everything, activeMenu: everything, api: everything, roles: ['Administrator'], isManager: true },
  tenantId: '018f0000-0000-7000-8000-0000000000aa',
  tenantName: 'Harbour Trust',
  homeTenantId: '018f0000-0000-7000-8000-0000000000aa',
  managed: [{ id: '018f0000-0000-7000-8000-0000000000aa', name: 'Harbour Trust', colour: '#1f6feb' }],
}

export const testBootstrap: Bootstrap = {
  signedIn: true,
  viewer: testViewer,
  tenancy: { name: 'Harbour Trust', bannerColour: '#1f6feb', supportEmail: 'help@harbour.example', salesEmail: 'sales@harbour.example' },
  version: '0.1.0',
  setupNeeded: false,
}

/** A person at the keyboard, and one who pastes. */
export type Person = UserEvent & {
  /** Puts a text into a field, in place of what is there, as pasting does: each key that is typed draws a whole form once more. */
  fill(field: Element, text: string): Promise<void>
}

export type Shown = RenderResult & { user: Person; router: ReturnType<typeof createMemoryRouter> }

export type ShowOptions = {
  /** The address that is open. */
  at?: string
  /** The screen's own path, with its parameters: `/support/ticket/:id/view`. */
  path?: string
  /** False: signed out. */
  viewer?: Partial<Viewer> | false
  bootstrap?: Partial<Bootstrap>
  /** More routes, to see where a link leads. */
  routes?: RouteObject[]
}

/** Shows one screen: `await showScreen(<TicketList />, { at: '/support/tickets' })`. Any other path shows its address as text. */
export function showScreen(screen: ReactNode, options: ShowOptions = {}): Shown {
  const { at = '/', path = new URL(at, 'http://localhost').pathname, routes = [] } = options
  return showRoutes([{ path, element: screen }, ...routes, { path: '*', element: <Elsewhere /> }], { ...options, at })
}

export function showRoutes(routes: RouteObject[], { at = '/', viewer, bootstrap }: ShowOptions): Shown {
  queryClient.clear()
  clearToasts()
  setLocale('en-GB')
  const { viewer: whole, ...signedOut } = testBootstrap
  bootstrapStore.setState({
    bootstrap:
      viewer === false
        ? { ...signedOut, signedIn: false, ...bootstrap }
        : { ...testBootstrap, viewer: { ...testViewer, ...whole, ...viewer }, ...bootstrap },
    load: async () => bootstrapStore.getState().bootstrap ?? testBootstrap,
  })
  const router = createMemoryRouter(routes, { initialEntries: [at] })
  navigationStore.setState({ go: (path, options) => void router.navigate(path, options) })
  const shown = render(
    <ConsoleRoot env="test">
      <RouterProvider router={router} />
    </ConsoleRoot>,
  )
  return { ...shown, router, user: person() }
}

function person(): Person {
  const user = userEvent.setup()
  const fill = async (field: Element, text: string) => {
    await user.clear(field)
    await user.paste(text)
  }
  return { ...user, fill }
}

function Elsewhere() {
  return <p>Another screen</p>
}

/** 0 axe findings. Contrast needs real pixels and is checked in the browser. */
export async function expectAccessible(element: Element = document.body): Promise<void> {
  const { violations } = await axe.run(element, {
    rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
    // What is in order is not listed, and what no rule here looks at is not loaded: half of the time.
    resultTypes: ['violations'],
    preload: false,
  })
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).join(' | ')}`)).toEqual([])
}
