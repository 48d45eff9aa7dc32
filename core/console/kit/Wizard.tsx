// Steps in a row, one shown at a time. Each step is a form of its own or plain content; going back loses nothing that the caller keeps.

import { Button, Group, Stack, Stepper, Title } from '@mantine/core'
import { Fragment, useEffect, useRef, type ReactNode } from 'react'
import { t } from '../text.ts'
import classes from './Wizard.module.css'

export type WizardStep = {
  key: string
  label: string
  /** `next` goes on; a Form in the step calls it when it is done. */
  content: (go: { next: () => void; back: () => void }) => ReactNode
  /** The wizard draws Back and Next itself; false where the step's own form has its button. */
  buttons?: boolean
}

export type WizardProps = {
  steps: readonly WizardStep[]
  /** The open step, kept by the caller. */
  at: number
  /** The last step that can be opened by its mark; the steps before the open one unless told. */
  reached?: number
  onStep: (at: number) => void
  /** After the last step. */
  onDone: () => void
  /** The last button: "Create authority". */
  finish?: string
}

export function Wizard({ steps, at, reached = at, onStep, onDone, finish }: WizardProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shownFirst = useRef(at)
  useEffect(() => {
    if (shownFirst.current !== at) heading.current?.focus()
    shownFirst.current = at
  }, [at])
  const step = steps[at]
  if (step === undefined) return null
  const next = () => (at === steps.length - 1 ? onDone() : onStep(at + 1))
  const back = () => onStep(Math.max(0, at - 1))
  return (
    <Stack gap="lg">
      <Stepper
        active={at}
        onStepClick={(to) => to !== at && to <= reached && onStep(to)}
        size="xs"
        iconSize={26}
        aria-label={t('Steps')}
        classNames={{ stepBody: classes['body'] ?? '' }}
      >
        {steps.map(({ key, label }, index) => (
          <Stepper.Step
            key={key}
            label={label}
            allowStepSelect={index !== at && index <= reached}
            {...(index === at ? { 'aria-current': 'step' as const } : {})}
          />
        ))}
      </Stepper>
      <Title order={2} ref={heading} tabIndex={-1}>
        {t('Step {number} of {count}: {label}', { number: at + 1, count: steps.length, label: step.label })}
      </Title>
      <Fragment key={step.key}>{step.content({ next, back })}</Fragment>
      {step.buttons !== false && (
        <Group gap="xs">
          {at > 0 && (
            <Button variant="default" onClick={back}>
              {t('Back')}
            </Button>
          )}
          <Button onClick={next}>{at === steps.length - 1 ? (finish ?? t('Finish')) : t('Next')}</Button>
        </Group>
      )}
    </Stack>
  )
}
