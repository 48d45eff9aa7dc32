// Where somebody is about to go: a link of the navigation on which the pointer rests, or that the keyboard has reached, and any link that is pressed. What it
// leads to is fetched meanwhile. Not of other links that the pointer is over: over those of a chart or a list it only passes to read.

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
    // Pressed by a pointer, some tenth of a second before the click; by the keyboard, in its capture phase before the router goes there.
    let pressed: Element | null = null
    const press = (event: MouseEvent): void => {
      const link =
        event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href^="/"]:not([target], [download])') : null
      const again = event.type === 'click' && link === pressed
      pressed = event.type === 'click' ? null : link
      if (link === null || again || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
      reached(new URL(link.href))
    }
    document.addEventListener('pointerdown', press, { capture: true })
    document.addEventListener('click', press, { capture: true })
    document.addEventListener('pointerover', reach)
    document.addEventListener('focusin', reach)
    return () => {
      clearTimeout(resting)
      document.removeEventListener('pointerdown', press, { capture: true })
      document.removeEventListener('click', press, { capture: true })
      document.removeEventListener('pointerover', reach)
      document.removeEventListener('focusin', reach)
    }
  }, [reached])
}
