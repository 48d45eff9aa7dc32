// Asks for the password again, or for what a room above offers, before a change that takes protection from an account.

import { Modal, Stack, Text } from '@mantine/core'
import { Suspense } from 'react'
import { CapsLockHint } from '#areas/users/CapsLockHint.tsx'
import { PasswordField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { useOffers } from '#core/console/rooms.ts'
import { t } from '#core/console/text.ts'
import { sessions } from '../contract.ts'
import { proofWays } from '../ways.ts'

export function ProofDialog({ onDone }: { onDone: (proved: boolean) => void }) {
  const ways = useOffers(proofWays)
  return (
    <Modal opened onClose={() => onDone(false)} title={t('Confirm that it is you')}>
      <Stack gap="md">
        <Text size="sm">
          {t('Confirm that it is you, and what you began goes on. For most changes you are not asked again for five minutes.')}
        </Text>
        <Form
          call={sessions.calls.confirmPassword}
          initial={{ password: '' }}
          submit={t('Confirm')}
          guard={false}
          quiet
          cancel={{ label: t('Change nothing'), onClick: () => onDone(false) }}
          onDone={() => onDone(true)}
        >
          {(form) => (
            <CapsLockHint>
              <PasswordField
                {...form.field('password')}
                label={t('Your existing password')}
                autoComplete="current-password"
                autoFocus
                required
              />
            </CapsLockHint>
          )}
        </Form>
        {ways.map(({ key, load: Way }) => (
          <Suspense key={key}>
            <Way onProved={() => onDone(true)} />
          </Suspense>
        ))}
      </Stack>
    </Modal>
  )
}
