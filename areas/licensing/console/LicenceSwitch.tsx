// Switches a licence on or off. It stands at once where it was put, and keeps still until the server's answer shows in the list again: a
// switch that lags behind the finger is pressed twice.

import { Switch, type SwitchProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { LicenceView } from './LicenceStatus.tsx'

/** `read`: when the licences were read last. */
type Props = Pick<SwitchProps, 'label' | 'description' | 'disabled'> & {
  licence: LicenceView
  read: number
  onSwitch: (enabled: boolean) => Promise<unknown>
}

export function LicenceSwitch({ licence, read, onSwitch, ...rest }: Props) {
  const [asked, setAsked] = useState<boolean>()
  useEffect(() => setAsked(undefined), [read])
  const put = (enabled: boolean): void => {
    if (asked !== undefined) return
    setAsked(enabled)
    onSwitch(enabled).catch(() => setAsked(undefined))
  }
  return (
    <Switch
      {...rest}
      checked={asked ?? licence.enabled}
      aria-busy={asked !== undefined}
      onChange={({ currentTarget }) => put(currentTarget.checked)}
    />
  )
}
