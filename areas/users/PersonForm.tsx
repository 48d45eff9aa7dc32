// A person's data, edited by an administrator or by the person. Changing a protected field asks for the editor's own password first,
// so that an unlocked screen is not enough to take an account over. What certificates say of a person is shown only, where it is one's own.

import { Button, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import type { FieldBinding } from '#core/console/kit/field-binding.ts'
import { MultiSelectField, PasswordField, TextField, type Option } from '#core/console/kit/fields.tsx'
import { Form, type FormKit } from '#core/console/kit/Form.tsx'
import { Facts } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { DraftOf, OutputOf } from '#core/contract/contract.ts'
import { CapsLockHint } from './CapsLockHint.tsx'
import { users } from './contract.ts'
import { protectedFields } from './rules.ts'

type User = OutputOf<typeof users.calls.read>
type Draft = DraftOf<typeof users.calls.change>

export type PersonFormProps = {
  user: User
  /** Given, roles can be chosen: what the editor may give, and what the person has. */
  roles?: { options: readonly Option[]; onSearch: (text: string) => void }
  onDone: (saved: OutputOf<typeof users.calls.change>) => void | Promise<void>
  cancel: { label: string; to: string } | { label: string; onClick: () => void }
}

const draftOf = (user: User): Draft => ({
  id: user.id,
  username: user.username,
  givenName: user.givenName,
  familyName: user.familyName,
  emailAddress: user.emailAddress,
  telephoneNumber: user.telephoneNumber,
  title: user.title,
  locality: user.locality,
  organisation: user.organisation,
  securityIdentifier: user.securityIdentifier,
  roleIds: user.roles.map((role) => role.id),
})

export function PersonForm({ user, roles, onDone, cancel }: PersonFormProps) {
  const box = useRef<HTMLDivElement>(null)
  const kit = useRef<FormKit<Draft>>(undefined)
  const [asking, setAsking] = useState(false)
  const before = draftOf(user)

  /** Stops a submit that would change a protected field until the password is there. What does not fit the shape goes on to be shown. */
  const intercept = (event: { preventDefault(): void; stopPropagation(): void }): void => {
    const values = kit.current?.values
    if (values === undefined || !users.calls.change.input.safeParse(values).success) return
    if (protectedFields.every((field) => values[field] === before[field]) || (values.ownPassword ?? '') !== '') return
    event.preventDefault()
    event.stopPropagation()
    setAsking(true)
  }

  const confirm = (password: string): void => {
    kit.current?.set('ownPassword', password)
    setAsking(false)
    requestAnimationFrame(() => box.current?.querySelector('form')?.requestSubmit())
  }

  return (
    <>
      <div
        ref={box}
        onSubmitCapture={intercept}
        onKeyDownCapture={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) intercept(event)
        }}
      >
        <Form
          call={users.calls.change}
          initial={before}
          submit={t('Save changes')}
          cancel={cancel}
          onDone={onDone}
          invalidates={['sessions', 'roles']}
        >
          {(form) => {
            kit.current = form
            const refused = form.error('ownPassword')
            return (
              <>
                {user.mayIdentify ? <PersonFields form={form} /> : <OwnFields user={user} form={form} />}
                {roles !== undefined && (
                  <MultiSelectField
                    {...form.field('roleIds')}
                    label={t('Roles')}
                    {...roles}
                    hint={t('What this person may see and do. You can give only what you hold yourself.')}
                  />
                )}
                {refused !== undefined && (
                  <Group gap="xs" data-field="ownPassword">
                    <Text size="sm" c="var(--mantine-color-error)">
                      {refused}
                    </Text>
                    <Button variant="default" size="xs" onClick={() => setAsking(true)}>
                      {t('Enter the password again')}
                    </Button>
                  </Group>
                )}
              </>
            )
          }}
        </Form>
      </div>
      <Modal opened={asking} onClose={() => setAsking(false)} title={t('Confirm that it is you')}>
        <ReEnter onConfirm={confirm} onCancel={() => setAsking(false)} />
      </Modal>
    </>
  )
}

type FurtherField = 'telephoneNumber' | 'title' | 'organisation' | 'locality' | 'securityIdentifier'

/** What nobody signs in with. */
export function FurtherFields({ field }: { field: (name: FurtherField) => FieldBinding<string | undefined> }) {
  return (
    <>
      <TextField {...field('telephoneNumber')} label={t('Telephone number')} type="tel" />
      <TextField {...field('title')} label={t('Job title')} />
      <TextField {...field('organisation')} label={t('Organisation')} />
      <TextField {...field('locality')} label={t('Town')} />
      <TextField
        {...field('securityIdentifier')}
        label={t('Windows security identifier')}
        hint={t('S-1-5-21-...: for smartcard logon with strong mapping')}
      />
    </>
  )
}

function PersonFields({ form }: { form: FormKit<Draft> }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextField {...form.field('givenName')} label={t('Given name')} autoComplete="given-name" required />
      <TextField {...form.field('familyName')} label={t('Family name')} autoComplete="family-name" required />
      <TextField {...form.field('username')} label={t('Username')} hint={t('Changing it asks for your own password')} required />
      <TextField
        {...form.field('emailAddress')}
        label={t('E-mail address')}
        type="email"
        hint={t('Changing it asks for your own password')}
        required
      />
      <FurtherFields field={form.field} />
    </SimpleGrid>
  )
}

/** What oneself may change, and above it what somebody else does. */
function OwnFields({ user, form }: { user: User; form: FormKit<Draft> }) {
  return (
    <>
      <Stack gap="xs">
        <Facts
          items={[
            { label: t('Name'), value: `${user.givenName} ${user.familyName}` },
            { label: t('Username'), value: user.username },
            { label: t('E-mail address'), value: user.emailAddress },
            { label: t('Job title'), value: user.title },
            { label: t('Organisation'), value: user.organisation },
            { label: t('Town'), value: user.locality },
            user.securityIdentifier !== '' && { label: t('Windows security identifier'), value: user.securityIdentifier },
          ]}
        />
        <Text size="sm" c="dimmed">
          {t('Certificates can show these, so nobody changes their own. Ask an administrator, or somebody else with “Edit users”.')}
        </Text>
      </Stack>
      <TextField {...form.field('telephoneNumber')} label={t('Telephone number')} type="tel" />
    </>
  )
}

function ReEnter({ onConfirm, onCancel }: { onConfirm: (password: string) => void; onCancel: () => void }) {
  const [password, setPassword] = useState('')
  const [error, setError] = useState<string>()
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (password === '') return setError(t('Enter your own password'))
        onConfirm(password)
      }}
    >
      <Stack gap="md">
        <Text>{t('The username and the e-mail address decide who can sign in. Re-enter your existing password to change them.')}</Text>
        <CapsLockHint>
          <PasswordField
            name="password"
            label={t('Your existing password')}
            value={password}
            error={error}
            autoComplete="current-password"
            autoFocus
            required
            onBlur={() => {}}
            onChange={(value) => {
              setPassword(value ?? '')
              setError(undefined)
            }}
          />
        </CapsLockHint>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {t('Go back to the form')}
          </Button>
          <Button type="submit">{t('Confirm and save')}</Button>
        </Group>
      </Stack>
    </form>
  )
}
