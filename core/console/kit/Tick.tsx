// A checkbox without words beside it, for the rows of a list. It looks as the kit's own does, which would cost a row more than all its cells.

import { useLayoutEffect, useRef, type ComponentProps } from 'react'
import classes from './Tick.module.css'

export function Tick({
  label,
  some = false,
  ...rest
}: Pick<ComponentProps<'input'>, 'checked' | 'onClick' | 'onChange'> & { label: string; some?: boolean }) {
  const box = useRef<HTMLInputElement>(null)
  // No attribute says so.
  useLayoutEffect(() => {
    if (box.current !== null) box.current.indeterminate = some
  }, [some])
  return <input ref={box} type="checkbox" className={classes['tick']} aria-label={label} {...rest} />
}
