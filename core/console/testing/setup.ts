// What jsdom lacks and the console stands on: layout, media queries, observers, scrolling. A file that runs in Node alone needs none of it.

import { cleanup, configure } from '@testing-library/react'
import { URL, URLSearchParams } from 'node:url'
import { afterEach } from 'vitest'

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

if (typeof window !== 'undefined') {
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
  Element.prototype.scrollIntoView = (): void => Promise.resolve() as unknown as void
  Object.defineProperty(document, 'fonts', {
    value: { addEventListener() {}, removeEventListener() {}, ready: Promise.resolve() },
    configurable: true,
  })
}

// The screens are asked of a whole house, on a machine that does other things as well.
configure({ asyncUtilTimeout: 20_000 })

afterEach(cleanup)
