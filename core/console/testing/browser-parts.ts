// What jsdom lacks and the console stands on: layout, media queries, observers, scrolling. Put in place once a worker.

import { configure, getConfig } from '@testing-library/react'
import { URL, URLSearchParams } from 'node:url'
import * as React from 'react'

class Observer {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
  takeRecords(): [] {
    return []
  }
}

const width = 1440
const matches = (query: string): boolean => {
  const most = /max-width:\s*([\d.]+)px/.exec(query)?.[1]
  const least = /min-width:\s*([\d.]+)(px|em)/.exec(query)
  if (most !== undefined) return width <= Number(most)
  if (least !== null) return width >= Number(least[1]) * (least[2] === 'em' ? 16 : 1)
  return query.includes('prefers-reduced-motion')
}

Object.assign(window, {
  ResizeObserver: Observer,
  IntersectionObserver: Observer,
  matchMedia: (media: string) => ({
    media,
    matches: matches(media),
    onchange: null,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
    dispatchEvent: () => true,
  }),
  scrollTo() {},
})
// A whole house may run in the same process: its bytes and addresses are Node's, which jsdom's own classes do not know.
globalThis.Uint8Array = Object.getPrototypeOf(Buffer)
Object.assign(globalThis, { URL, URLSearchParams })
// As Chromium does: it answers with a promise for the end of the scrolling, though TypeScript's own types do not say so.
Object.assign(Element.prototype, { scrollIntoView: () => Promise.resolve() })
Object.defineProperty(document, 'fonts', {
  value: { addEventListener() {}, removeEventListener() {}, ready: Promise.resolve() },
  configurable: true,
})

// The screens are asked of a whole house, on a machine that does other things as well. What is waited for is looked for at every change of the
// page: the page is printed when it did not come, and not each time before.
const { getElementError } = getConfig()
configure({
  // Guards against hanging alone.
  asyncUtilTimeout: 60_000,
  getElementError: (message, container) =>
    Object(getConfig())._disableExpensiveErrorDiagnostics === true
      ? Object.assign(new Error(message ?? ''), { name: 'TestingLibraryElementError' })
      : getElementError(message, container),
})

// React takes a stack of each element that is made, ten thousand a second, to name components in its warnings: a tenth of the time of these
// tests. It takes none once it has enough.
const internals: object | undefined = Object(React).__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE
if (internals !== undefined) Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', { get: () => Infinity, set() {} })
