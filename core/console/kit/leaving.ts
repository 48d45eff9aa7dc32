// A field is checked when it is left. Where a pressed pointer is what left it, the check waits until that is let go: a message that appears in between would
// move the button away from under the pointer, and the click would miss it.

import { useEffect, useRef } from 'react'

let pressed = false
let release: ReturnType<typeof setTimeout> | undefined
let waiting: (() => void)[] = []

function press(): void {
  clearTimeout(release)
  pressed = true
}

/** The click follows at once, and goes first. */
function letGo(): void {
  clearTimeout(release)
  release = setTimeout(() => {
    pressed = false
    const due = waiting
    waiting = []
    for (const action of due) action()
  })
}

// Of a touch the pointer is let go before the mouse events that are made of it, and the field is left with those. A key says that nothing is pressed any more.
for (const name of ['pointerdown', 'mousedown']) window.addEventListener(name, press, { capture: true })
for (const name of ['pointerup', 'pointercancel', 'mouseup', 'dragend', 'keydown']) window.addEventListener(name, letGo, { capture: true })

export type Leaving = {
  leave(field: string): void
  /** What was left is not checked by itself any more: everything is checked now. */
  forget(): void
}

export function useLeaving(check: (field: string) => void): Leaving {
  const newest = useRef(check)
  useEffect(() => {
    newest.current = check
  })
  const left = useRef(new Set<string>())
  useEffect(() => {
    const fields = left.current
    return () => fields.clear()
  }, [])
  return {
    leave(field) {
      if (!pressed) return newest.current(field)
      left.current.add(field)
      waiting.push(() => left.current.delete(field) && newest.current(field))
    },
    forget: () => left.current.clear(),
  }
}
