// The panel of a button that stands elsewhere: opens once it is drawn, so that the kit remembers which button to give the focus back to.

import { Popover, type PopoverDropdownProps, type PopoverProps } from '@mantine/core'
import { useEffect, useLayoutEffect, useState, type Ref } from 'react'
import type { PanelState } from './panel-button.ts'

type Props = { panel: PanelState; label: string; position: 'bottom-start' | 'bottom-end'; width?: PopoverProps['width'] } & Pick<
  PopoverDropdownProps,
  'p' | 'w' | 'miw' | 'children'
>

export function Panel({ panel, label, position, width, children, ...look }: Props) {
  const drawn = useDrawn()
  return (
    <Popover
      id={panel.id}
      opened={panel.open && drawn}
      onChange={panel.change}
      position={position}
      trapFocus
      returnFocus
      {...(width === undefined ? {} : { width })}
    >
      <Popover.Target>
        <Place of={panel.button} />
      </Popover.Target>
      <Popover.Dropdown aria-label={label} {...look}>
        {children}
      </Popover.Dropdown>
    </Popover>
  )
}

/** False in the first drawing. */
export function useDrawn(): boolean {
  const [drawn, setDrawn] = useState(false)
  useEffect(() => setDrawn(true), [])
  return drawn
}

/** Hands the button to the kit as the place to stand at, and draws nothing. */
export function Place({ of: button, ref }: { of: HTMLElement | null; ref?: Ref<HTMLElement> }) {
  useLayoutEffect(() => {
    if (typeof ref !== 'function') return
    const cleanup = ref(button)
    return typeof cleanup === 'function' ? cleanup : () => void ref(null)
  }, [button, ref])
  return null
}
