import { Tooltip } from '@mantine/core'

export function HintBubble({ at, label, position, shown }: { at: HTMLElement; label: string; position: 'top' | 'right'; shown: boolean }) {
  return <Tooltip target={at} label={label} position={position} opened={shown} />
}
