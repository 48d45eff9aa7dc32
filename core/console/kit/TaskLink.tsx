// A row that is pressed with a thumb: what it is about in the person's words, why, and where it leads.

import { Text } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { TaskIcon } from './task-icon.ts'
import classes from './TaskLink.module.css'

type TaskLinkProps = {
  icon: TaskIcon
  says: string
  why?: string | undefined
  /** Draws the icon in the colour of a warning. */
  urgent?: boolean
  to: string
}

export function TaskLink({ icon: Picture, says, why, urgent = false, to }: TaskLinkProps) {
  return (
    <li className={classes['row']}>
      <Link to={to} className={classes['link'] ?? ''}>
        <span className={classes['icon']} data-urgent={urgent || undefined}>
          <Picture size={22} stroke={1.6} aria-hidden />
        </span>
        <span className={classes['words']}>
          <Text component="span" display="block" fw={500}>
            {says}
          </Text>
          {why !== undefined && (
            <Text component="span" display="block" size="sm" c="dimmed">
              {why}
            </Text>
          )}
        </span>
        <IconChevronRight size={18} stroke={1.6} aria-hidden />
      </Link>
    </li>
  )
}
