// What is asked before an operation, its steps while it goes on, and why it stopped. Begun again with the same values it goes on.

import { Button, Group, Stack } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { CallFault } from '#core/console/call-fault.ts'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { changed } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import type { ReaderState } from './reader-state.ts'
import { StepList } from './StepList.tsx'
import { WaitsForApproval } from './WaitsForApproval.tsx'

export type OperationFormProps = {
  reader: ReaderState
  /** Verb and object: "Issue card". */
  label: string
  danger?: boolean
  /** The toast when it is done. */
  done: string
  /** Keeps the button waiting while what the fields start from is still being read, so that nobody begins with less than was set. */
  loading?: boolean
  /** False where something is missing, which the fields say. */
  check?: () => boolean
  /** Answers what is to be said instead of `done`, where it did not all happen; `calledOff` where the person did not agree. */
  run: () => Promise<{ failed: string; text: string } | 'calledOff' | undefined>
  onDone: () => void
  children?: ReactNode
}

export function OperationForm({
  reader,
  label,
  danger = false,
  done,
  loading = false,
  check = () => true,
  run,
  onDone,
  children,
}: OperationFormProps) {
  const [fault, setFault] = useState<CallFault>()
  const [wasTried, setTried] = useState(false)
  const start = async (): Promise<void> => {
    if (!check()) return
    setFault(undefined)
    setTried(true)
    try {
      const partly = await run()
      if (partly === 'calledOff') return
      if (partly === undefined) toast({ kind: 'success', title: done })
      else toast({ kind: 'error', title: partly.failed, text: partly.text })
      onDone()
    } catch (error) {
      if (!(error instanceof CallFault)) throw error
      setFault(error)
    } finally {
      changed('smartcards', 'certificates')
    }
  }
  const isWaiting = fault?.code === 'waitsForApproval'
  return (
    <Stack gap="md" role="group" aria-label={label}>
      {!reader.showProgress && !isWaiting && children}
      {wasTried && reader.operation !== undefined && (
        <>
          <strong>{reader.operation}</strong>
          <StepList steps={reader.events} />
        </>
      )}
      {isWaiting ? <WaitsForApproval title={t('Waits for approval')} /> : <FaultAlert fault={fault} />}
      {!reader.showProgress && isWaiting && (
        <Group>
          <Button variant="default" onClick={onDone}>
            {t('Close')}
          </Button>
        </Group>
      )}
      {!reader.showProgress && !isWaiting && (
        <Group>
          <Button {...(danger ? { color: 'red' } : {})} loading={loading} onClick={() => void start()}>
            {wasTried ? t('Go on') : label}
          </Button>
          <Button variant="default" onClick={onDone}>
            {t('Cancel')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
