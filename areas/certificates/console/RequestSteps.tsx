// Where a request stands: asked, approved, made, collected; who did each since when, and who comes next.

import { Text } from '@mantine/core'
import { IconCircleCheckFilled, IconCircleDashed, IconCircleDotFilled, IconCircleXFilled } from '@tabler/icons-react'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { certificates } from '../contract.ts'
import classes from './RequestSteps.module.css'

type Step = OutputOf<typeof certificates.calls.statusByRequest>['steps'][number]

const icons = {
  done: { Icon: IconCircleCheckFilled, colour: 'var(--chancery-good)', says: () => t('Done') },
  now: { Icon: IconCircleDotFilled, colour: 'var(--mantine-primary-color-filled)', says: () => t('Now') },
  later: { Icon: IconCircleDashed, colour: 'var(--chancery-quiet)', says: () => t('Not yet') },
  stopped: { Icon: IconCircleXFilled, colour: 'var(--mantine-color-error)', says: () => t('Ended here') },
} as const

const titles: Record<Step['step'], (step: Step) => string> = {
  asked: () => t('Asked'),
  approved: ({ count = 0, needed = 0 }) => t('Approved {count} of {needed}', { count, needed }),
  made: () => t('Made'),
  collected: () => t('Collected'),
}

export const approversText = (names: string, others: number): string =>
  others > 0
    ? t('{names} or {others, plural, one {# other} other {# others}} can approve', { names, others })
    : t('{names} can approve', { names })

/** Who did it, or who can do it now. */
function whoText({ step, state, who, others }: Step, own: boolean): string {
  const names = who.join(', ')
  if (step === 'approved' && state === 'now')
    return who.length === 0
      ? t('Nobody else may approve here. An administrator can give somebody the right to.')
      : approversText(names, others)
  if (step === 'made' && state === 'later') return t('After the last approval')
  if (step === 'made' && state === 'now' && own) return t('When it is collected')
  if (step === 'made' && state === 'now') return t('It is being issued')
  if (step === 'collected' && state === 'now') return t('By {names}, under a password', { names })
  if (step === 'collected' && state === 'later') return t('Then by {names}', { names })
  return names
}

export function RequestSteps({ steps }: { steps: readonly Step[] }) {
  // A key that is made here is made as it is collected.
  const own = steps.some(({ step }) => step === 'collected')
  return (
    <Section title={t('Progress')}>
      <ol className={classes['steps']}>
        {steps.map((one) => {
          const { Icon, colour, says } = icons[one.state]
          return (
            <li
              key={one.step}
              className={classes['step']}
              {...(one.state === 'now' || one.state === 'stopped' ? { 'aria-current': 'step' as const } : {})}
            >
              <Icon size={18} color={colour} aria-label={says()} role="img" />
              <span>
                <Text component="span" display="block" fw={one.state === 'later' ? 400 : 600}>
                  {titles[one.step](one)}
                </Text>
                <Text component="span" display="block" size="sm" c="dimmed">
                  {whoText(one, own)}
                </Text>
                {one.at !== undefined && (
                  <Text component="span" display="block" size="sm" c="dimmed">
                    {one.state === 'now' ? t('Since') : ''} <DateTime at={one.at} />
                  </Text>
                )}
              </span>
            </li>
          )
        })}
      </ol>
    </Section>
  )
}
