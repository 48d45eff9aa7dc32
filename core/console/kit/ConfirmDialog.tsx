// Before something that cannot be undone: the object and the consequence by name, the action as verb and object, and a way out that names
// the safe outcome. For the gravest, the name is typed.

import { Button, Group, Loader, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { asCallFault, type CallFault } from '../call-fault.ts'
import { t } from '../text.ts'
import { FaultAlert } from './states.tsx'

export type Question = {
  /** "Revoke certificate mail.example.org?" */
  title: string
  /** What happens, and that it cannot be undone. */
  consequence: ReactNode
  /** Verb and object: "Revoke certificate". */
  action: string
  /** The safe outcome: "Keep certificate". */
  keep: string
  danger?: boolean
  /** Must be typed before the action is done: bulk work, authorities, tenancies, HSM keys. */
  typeToConfirm?: string
}

export type ConfirmDialogProps = Question & {
  opened: boolean
  onClose: () => void
  /** The action. The dialog shows that it runs, and its fault; it closes when done. */
  onConfirm: () => void | Promise<unknown>
  children?: ReactNode
}

export function ConfirmDialog({ opened, onClose, title, ...rest }: ConfirmDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <ConfirmBody {...rest} onClose={onClose} />
    </Modal>
  )
}

function ConfirmBody({
  consequence,
  action,
  keep,
  danger = true,
  typeToConfirm,
  onClose,
  onConfirm,
  children,
}: Omit<ConfirmDialogProps, 'opened' | 'title'>) {
  const [typed, setTyped] = useState('')
  const [mismatch, setMismatch] = useState(false)
  const [pending, setPending] = useState(false)
  const [fault, setFault] = useState<CallFault>()

  const act = async (): Promise<void> => {
    if (pending) return
    if (typeToConfirm !== undefined && typed.trim() !== typeToConfirm) return setMismatch(true)
    setPending(true)
    setFault(undefined)
    try {
      await onConfirm()
      onClose()
    } catch (error) {
      setFault(asCallFault(error))
    } finally {
      setPending(false)
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void act()
      }}
    >
      <Stack gap="md">
        <Text component="div">{consequence}</Text>
        {children}
        {typeToConfirm !== undefined && (
          <TextInput
            label={t('Type {name} to go on', { name: typeToConfirm })}
            value={typed}
            error={mismatch ? t('This is not {name}', { name: typeToConfirm }) : undefined}
            autoComplete="off"
            data-autofocus
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setMismatch(false)
            }}
          />
        )}
        <FaultAlert fault={fault} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} {...(typeToConfirm === undefined ? { 'data-autofocus': true } : {})}>
            {keep}
          </Button>
          <Button
            type="submit"
            {...(danger ? { color: 'red' } : {})}
            aria-busy={pending}
            {...(pending ? { leftSection: <Loader size={14} color="currentColor" /> } : {})}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
