// Links to our own screens: real anchors, so that Ctrl-click and copying the address work.

import { Anchor, Button, type AnchorProps, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

export function TextLink({
  to,
  children,
  ...rest
}: AnchorProps & { to: string; target?: '_blank'; rel?: string; onClick?: () => void; children: ReactNode }) {
  return (
    <Anchor component={Link} to={to} {...rest}>
      {children}
    </Anchor>
  )
}

/** A link that looks like a button: for going somewhere, where a Button does something. */
export function LinkButton({ to, children, ...rest }: ButtonProps & { to: string; children: ReactNode }) {
  return (
    <Button component={Link} to={to} {...rest}>
      {children}
    </Button>
  )
}
