import { Group, Text } from '@mantine/core'
import { t } from '#core/console/text.ts'
import { linkKinds, type Link } from '../rules.ts'
import { lineStyles } from './line-styles.ts'
import classes from './visualiser.module.css'

/** What the lines mean, of those that are drawn. */
export function MapLegend({ links }: { links: readonly Link[] }) {
  const drawn = linkKinds.filter((one) => links.some(({ kind }) => kind === one))
  if (drawn.length === 0 || (drawn.length === 1 && drawn[0] === 'signed')) return null
  return (
    <Group gap="md" component="ul" className={classes['legend'] ?? ''} aria-label={t('What the lines mean')}>
      {drawn.map((kind) => (
        <Group key={kind} component="li" gap={6} wrap="nowrap">
          <svg width="36" height="10" aria-hidden className={classes['line']} data-kind={kind}>
            <path d="M0 5 H36" strokeDasharray={lineStyles[kind].dashes} />
          </svg>
          <Text size="sm">{t(lineStyles[kind].label)}</Text>
        </Group>
      ))}
    </Group>
  )
}
