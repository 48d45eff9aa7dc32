// What is wrong with a form: each fault leads to its field, and goes with its fault.

import { Alert, Anchor } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import type { CallFault } from '../call-fault.ts'
import { t } from '../text.ts'
import { AskForHelp } from './AskForHelp.tsx'
import type { Problem } from './form-nodes.ts'
import { FaultAlert } from './states.tsx'
import { withTypedDays } from './typed-date.ts'

/** `refused`: the server said it, and not the form alone. */
type ProblemSummaryProps = { problems: readonly Problem[]; attempt: number; refused: boolean; onPick: (field: string) => void }

export function ProblemSummary({ problems, attempt, refused, onPick }: ProblemSummaryProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.focus()
  }, [attempt])
  if (problems.length === 0) return null
  return (
    <Alert
      ref={box}
      tabIndex={-1}
      color="red"
      variant="light"
      role="alert"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={t('{count, plural, one {One field needs attention} other {# fields need attention}}', {
        count: new Set(problems.map(({ field }) => field)).size,
      })}
    >
      <ul style={{ margin: 0, paddingInlineStart: 18 }}>
        {problems.map(({ field, label, says }) => (
          <li key={field + says}>
            <Anchor component="button" type="button" c="inherit" ta="start" onClick={() => onPick(field)}>
              {problemText({ label, says })}
            </Anchor>
          </li>
        ))}
      </ul>
      {refused && <AskForHelp />}
    </Alert>
  )
}

export const problemText = ({ label, says }: Pick<Problem, 'label' | 'says'>): string =>
  withTypedDays(label === '' ? says : `${label}: ${says}`)

/** What failed can be said far above the button: it takes the focus, and comes into view with it. */
export function Failed({ fault }: { fault: CallFault | undefined }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.focus()
  }, [fault])
  if (fault === undefined) return null
  return (
    <div ref={box} tabIndex={-1}>
      <FaultAlert fault={fault} action={fault.isExpected ? undefined : <AskForHelp />} />
    </div>
  )
}
