// Where somebody is about to go: a link of the navigation on which the pointer rests, or that the keyboard has reached. What it leads to is fetched
// meanwhile. Not of other links: over those of a chart or a list the pointer only passes to read.

import { useEffect } from 'react'

const restMilliseconds = 80

export function useReach(reached: (address: URL) => void): void {
  useEffect(() => {
    let resting: ReturnType<typeof setTimeout> | undefined
    let on: Element | null = null
    const reach = ({ target }: Event): void => {
      const link = target instanceof Element ? target.closest<HTMLAnchorElement>('nav a[href^="/"]') : null
      if (link === on) return
      on = link
      clearTimeout(resting)
      if (link !== null) resting = setTimeout(() => reached(new URL(link.href)), restMilliseconds)
    }
    document.addEventListener('pointerover', reach)
    document.addEventListener('focusin', reach)
    return () => {
      clearTimeout(resting)
      document.removeEventListener('pointerover', reach)
      document.removeEventListener('focusin', reach)
    }
  }, [reached])
}
