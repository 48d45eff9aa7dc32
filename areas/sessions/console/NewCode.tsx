// A new authenticator app: the password first, then the QR, then a code of the new app. Until that code the old app stays valid.

import { Button, Modal } from '@mantine/core'
import { useState } from 'react'
import { CapsLockHint } from '#areas/users/CapsLockHint.tsx'
import { PasswordField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { changed } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toast } from '#core/console/toasts.ts'
import { CodeEnrolment, type CodeOffer } from '../CodeEnrolment.tsx'
import { sessions } from '../contract.ts'

export function NewCode() {
  const [opened, setOpened] = useState(false)
  const [offer, setOffer] = useState<CodeOffer>()
  const close = (): void => {
    setOpened(false)
    setOffer(undefined)
  }
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        {t('Set up a new sign-in code')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('Set up a new sign-in code')}>
        {offer === undefined ? (
          <Form
            call={sessions.calls.mfaEnrol}
            initial={{ password: '' }}
            submit={t('Continue')}
            guard={false}
            cancel={{ label: t('Keep the code I have'), onClick: close }}
            onDone={({ qr, otpauth, secret, recovery_codes }) => setOffer({ qr, otpauth, secret, recoveryCodes: recovery_codes })}
          >
            {(form) => (
              <CapsLockHint>
                <PasswordField
                  {...form.field('password')}
                  label={t('Your existing password')}
                  hint={t('The old app and the old recovery codes work until you enter a code of the new one.')}
                  autoComplete="current-password"
                  autoFocus
                  required
                />
              </CapsLockHint>
            )}
          </Form>
        ) : (
          <CodeEnrolment
            offer={offer}
            submit={t('Use this code from now on')}
            cancel={{ label: t('Keep the code I have'), onClick: close }}
            onDone={() => {
              toast({ kind: 'success', title: t('Your new sign-in code is active') })
              changed(sessions.area)
              close()
            }}
          />
        )}
      </Modal>
    </>
  )
}
