// The document's title and the focused h1 of a page that does not use the Page frame.

import { useEffect, type RefObject } from 'react'
import { focusState } from './page-focus.ts'

export function usePageTitle(title: string, heading?: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    document.title = `${title} · Chancery`
  }, [title])
  useEffect(() => {
    if (heading?.current !== null && focusState.take()) heading?.current.focus({ preventScroll: true })
  }, [heading])
}
