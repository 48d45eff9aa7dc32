// A button and the panel under it. The button is drawn with its page; the panel, and the library that places it, are loaded
// when somebody reaches for the button.

import { lazy, useId, useState, type ComponentType, type MouseEvent } from 'react'
import { chunkFailed } from '../chunks.ts'

export type PanelState = {
  id: string
  open: boolean
  button: HTMLElement | null
  change: (open: boolean) => void
  close: () => void
}

export type PanelProps = { panel: PanelState }

/** A panel's file, which exports one component by its name. */
export function lazyPanel<Props>(load: () => Promise<Record<string, ComponentType<Props>>>) {
  return lazy(async () => {
    const [component] = Object.values(await load().catch(chunkFailed))
    if (component === undefined) throw new TypeError('A panel file exports one component')
    return { default: component }
  })
}

/** `button` goes onto the button; the panel is drawn from the first time on that it is `wanted`. */
export function usePanel(load: () => Promise<unknown>, onChange?: (open: boolean) => void) {
  const id = useId()
  // Known from the first press on: told when it is drawn, every button of a list would be drawn twice before it shows.
  const [button, setButton] = useState<HTMLElement | null>(null)
  const [open, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)
  const change = (next: boolean): void => {
    setWanted(true)
    setOpen(next)
    onChange?.(next)
  }
  const fetchEarly = (): void => void load().catch(() => undefined)
  return {
    wanted,
    panel: { id, open, button, change, close: () => change(false) } satisfies PanelState,
    target: {
      id: `${id}-target`,
      'aria-haspopup': 'dialog',
      'aria-expanded': open,
      ...(open ? { 'aria-controls': `${id}-dropdown` } : {}),
      onPointerEnter: fetchEarly,
      onFocus: fetchEarly,
      onClick: (event: MouseEvent<HTMLElement>) => {
        setButton(event.currentTarget)
        change(!open)
      },
    } as const,
  }
}
