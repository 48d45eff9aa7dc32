// What makes a new tenancy useful, step by step. A step is done when it is measured; when all are, the list is gone.

import { Progress, Text } from '@mantine/core'
import { IconCircleCheckFilled, IconCircleDashed } from '@tabler/icons-react'
import { Link } from 'react-router'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { tenancy } from '#areas/tenancy/contract.ts'
import { users } from '#areas/users/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import type { Needs } from '#core/contract/permissions.ts'
import { home } from '../contract.ts'
import type { FirstStep } from '../rules.ts'
import classes from './home.module.css'

const steps: Record<FirstStep, { needs: Needs; says: string; why: string; path: string }> = {
  support: {
    needs: tenancy.screens.config.needs,
    says: 'Name a support address',
    why: 'Shown wherever somebody may need help',
    path: to(tenancy.screens.config),
  },
  person: {
    needs: users.screens.add.needs,
    says: 'Add a second person',
    why: 'Nobody approves their own requests',
    path: to(users.screens.add),
  },
  authority: {
    needs: authorities.screens.manage.needs,
    says: 'Make an authority',
    why: 'It signs the certificates',
    path: to(authorities.screens.manage),
  },
  template: {
    needs: templates.screens.manage.needs,
    says: 'Offer a template',
    why: 'It says what a certificate is for',
    path: to(templates.screens.manage),
  },
  certificate: {
    needs: 'certSigningRequestUser',
    says: 'Issue the first certificate',
    why: 'Paste a request, or let the server make the key',
    path: to(certificates.screens.add, { entity: 'device' }),
  },
  approval: {
    needs: certificates.screens.approvals.needs,
    says: 'Decide a request',
    why: 'For templates that ask for approval',
    path: to(certificates.screens.approvals),
  },
}

export function FirstRun() {
  const may = useMay()
  const { data } = useCall(home.calls.firstRun, {})
  const mine = (data?.steps ?? []).filter(({ step }) => may(steps[step].needs, 'View'))
  const done = mine.filter((one) => one.done).length
  // Approvals are a tenancy's choice: the list does not stay for their sake.
  if (mine.every((one) => one.done || one.step === 'approval')) return null
  const next = mine.find((one) => !one.done)?.step
  return (
    <Section
      title={t('First steps')}
      intro={t('{done} of {count} done. Each is measured, so there is nothing to tick.', { done, count: mine.length })}
      actions={<Progress value={(100 * done) / mine.length} w={140} size="md" aria-label={t('First steps done')} />}
    >
      <ol className={classes['steps']}>
        {mine.map(({ step, done: isDone }) => (
          <li key={step}>
            <Link
              to={steps[step].path}
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
                  {t(steps[step].says)}
                </Text>
                <Text component="span" display="block" size="sm" c="dimmed">
                  {t(steps[step].why)}
                </Text>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </Section>
  )
}
