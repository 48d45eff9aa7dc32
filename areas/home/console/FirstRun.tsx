// What makes a new tenancy useful, step by step. A step is done when it is measured; when all are, the list is gone.

import { Text } from '@mantine/core'
import { IconCircleCheckFilled, IconCircleDashed } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { home } from '../contract.ts'
import classes from './home.module.css'
import { stepWords } from './words.ts'

export function FirstRun() {
  const may = useMay()
  const { data } = useCall(home.calls.firstRun, {})
  const { data: steps = [] } = useQuery(stepWords())
  const measured = new Set(data?.steps.flatMap((one) => (one.done ? [one.step] : [])))
  const mine =
    data === undefined
      ? []
      : steps
          .filter(({ needs }) => may(needs, 'View'))
          .map((one) => ({
            ...one,
            done: measured.has(one.step),
            path: data.steps.find(({ step }) => step === one.step)?.path ?? one.path,
          }))
  const done = mine.filter((one) => one.done).length
  // Approvals are a tenancy's choice: the list does not stay for their sake.
  if (mine.every((one) => one.done || one.step === 'approval')) return null
  const next = mine.find((one) => !one.done)?.step
  return (
    <Section
      title={t('First steps')}
      intro={t('{done} of {count} done. Each is measured, so there is nothing to tick.', { done, count: mine.length })}
      actions={<progress value={done} max={mine.length} className={classes['progress']} aria-label={t('First steps done')} />}
    >
      <ol className={classes['steps']}>
        {mine.map(({ step, path, says, why, done: isDone }) => (
          <li key={step}>
            <Link
              to={path}
              className={classes['step'] ?? ''}
              {...(step === next ? { 'data-next': true, 'aria-current': 'step' as const } : {})}
            >
              {isDone ? (
                <IconCircleCheckFilled size={20} color="var(--chancery-good)" aria-label={t('Done')} />
              ) : (
                <IconCircleDashed size={20} color="var(--chancery-quiet)" aria-label={t('Not done yet')} />
              )}
              <span>
                <Text component="span" display="block" fw={500} {...(isDone ? { td: 'line-through', c: 'dimmed' } : {})}>
                  {t(says)}
                </Text>
                <Text component="span" display="block" size="sm" c="dimmed">
                  {t(why)}
                </Text>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </Section>
  )
}
