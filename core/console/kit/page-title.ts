// The document's title and the focused h1 of a page, also of one that does not use the Page frame.

import { useEffect, type RefObject } from 'react'
import { catchFocus, focusState } from './page-focus.ts'

export function usePageTitle(title: string, heading?: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    document.title = `${title} · Chancery`
  }, [title])
  useEffect(() => {
    if (heading?.current !== null && focusState.take()) heading?.current.focus({ preventScroll: true })
    return heading && catchFocus(() => heading.current)
  }, [heading])
}
