// Asks for the code: six digits of the app, or a recovery code.

import { Anchor, Text } from '@mantine/core'
import { useState } from 'react'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { sessions } from './contract.ts'

type CodeFormProps = {
  submit: string
  onDone: (viewers: OutputOf<typeof sessions.calls.TOTPAuth>) => void | Promise<void>
  /** While the app is being set up a recovery code proves nothing. */
  first?: boolean
  cancel?: { label: string; onClick: () => void }
}

export function CodeForm({ submit, onDone, first = false, cancel }: CodeFormProps) {
  const [recovery, setRecovery] = useState(false)
  return (
    <Form
      call={sessions.calls.TOTPAuth}
      initial={{ passcode: '' }}
      submit={submit}
      guard={false}
      onDone={onDone}
      {...(cancel === undefined ? {} : { cancel })}
    >
      {(form) => (
        <>
          {recovery ? (
            <TextField
              key="recovery"
              {...form.field('passcode')}
              label={t('Recovery code')}
              hint={t('Twelve letters and digits. It works once.')}
              autoFocus
              required
            />
          ) : (
            <TextField
              key="code"
              {...form.field('passcode')}
              label={t('Code')}
              hint={t('Six digits from your authenticator app')}
              autoComplete="one-time-code"
              inputMode="numeric"
              autoFocus={!first}
              required
            />
          )}
          {!first && (
            <Text size="sm">
              <Anchor
                component="button"
                type="button"
                inherit
                onClick={() => {
                  form.set('passcode', '')
                  setRecovery(!recovery)
                }}
              >
                {recovery ? t('Use the authenticator app instead') : t('Use a recovery code instead')}
              </Anchor>
            </Text>
          )}
        </>
      )}
    </Form>
  )
}
