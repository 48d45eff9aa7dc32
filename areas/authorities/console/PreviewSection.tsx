// A certificate that is not signed yet, beside the form that it comes from: what is shown is the server's own plan.

import { Alert, Text } from '@mantine/core'
import type { ComponentProps, ReactNode } from 'react'
import { Section } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { t } from '#core/console/text.ts'
import classes from './authorities.module.css'

type PreviewSectionProps = {
  title: string
  intro?: string
  /** The validity was cut to the issuer's end. */
  shortened?: boolean
  fault: ComponentProps<typeof FaultAlert>['fault']
  /** The sheet; undefined while the form does not make sense. */
  children: ReactNode
}

export function PreviewSection({ title, intro, shortened = false, fault, children }: PreviewSectionProps) {
  return (
    <div className={classes['sheet']}>
      <Section title={title} {...(intro === undefined ? {} : { intro })}>
        {shortened && (
          <Alert color="yellow" variant="light">
            {t('The validity ends with that of the issuer.')}
          </Alert>
        )}
        {children ?? <Text c="dimmed">{t('It appears here as soon as the form makes sense.')}</Text>}
        <FaultAlert fault={fault} />
      </Section>
    </div>
  )
}
