// What few people need, folded: the browser's own, which a search in the page opens, works by keyboard, and keeps its fields while it is closed.

import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './Fold.module.css'

type FoldProps = {
  label: string
  /** What stands in it, in a few words: "None", "2 policies". */
  says?: string
  children: ReactNode
}

/** Fields that few people need, within a section. */
export function Fold({ label, says, children }: FoldProps) {
  return (
    <Folded
      head={
        <Text size="sm" fw={500}>
          {label}
        </Text>
      }
      says={says}
    >
      {children}
    </Folded>
  )
}

export function Folded({ head, says, children }: { head: ReactNode; says: string | undefined; children: ReactNode }) {
  return (
    <details className={classes['fold']}>
      <summary>
        {head}
        {says !== undefined && (
          <Text size="sm" c="dimmed" component="span">
            {says}
          </Text>
        )}
      </summary>
      <Stack gap="sm" mt="sm">
        {children}
      </Stack>
    </details>
  )
}
