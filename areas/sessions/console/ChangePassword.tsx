import { CapsLockHint } from '#areas/users/CapsLockHint.tsx'
import { NewPasswordField } from '#areas/users/NewPasswordField.tsx'
import { useViewer } from '#core/console/bootstrap.ts'
import { PasswordField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { goTo } from '#core/console/navigate.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { sessions } from '../contract.ts'

export function ChangePassword() {
  const viewer = useViewer()
  const account = to(sessions.screens.account)
  return (
    <Page
      title={t('Change password')}
      intro={t(
        'You stay signed in here. Every other session of yours ends, and so do all your API tokens: make new ones for your programs.',
      )}
      narrow
    >
      <Form
        call={sessions.calls.changePassword}
        initial={{ oldPassword: '', newPassword: '' }}
        submit={t('Change password')}
        cancel={{ label: t('Keep password'), to: account }}
        onDone={() => goTo(account)}
      >
        {(form) => (
          <>
            <CapsLockHint>
              <PasswordField
                {...form.field('oldPassword')}
                label={t('Your existing password')}
                autoComplete="current-password"
                autoFocus
                required
              />
            </CapsLockHint>
            <NewPasswordField
              {...form.field('newPassword')}
              label={t('New password')}
              username={viewer.username}
              own={[viewer.username, viewer.names.givenName, viewer.names.familyName]}
            />
          </>
        )}
      </Form>
    </Page>
  )
}
