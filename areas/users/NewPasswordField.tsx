// A password that is chosen: with how good it is while it is typed, and the name beside it that a password manager keeps it under.

import { Group, Progress, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { FieldBinding } from '#core/console/kit/field-binding.ts'
import { PasswordField } from '#core/console/kit/fields.tsx'
import { t } from '#core/console/text.ts'
import { CapsLockHint } from './CapsLockHint.tsx'
import { passwordStrength, shortestPassword } from './password-strength.ts'

export type NewPasswordFieldProps = FieldBinding<string | undefined> & {
  label: string
  /** Where the form has no username field of its own. */
  username?: string
  /** The person's names: a password may not consist of them. */
  own?: readonly string[]
  autoFocus?: boolean
}

const tones = ['var(--chancery-quiet)', 'var(--chancery-bad)', 'var(--chancery-good)', 'var(--chancery-good)'] as const

export function NewPasswordField({ username, own = [], ...field }: NewPasswordFieldProps) {
  const typed = (field.value ?? '') !== ''
  const [isCommon, setIsCommon] = useState<(password: string) => boolean>()
  useEffect(() => {
    // Where the list cannot be fetched nothing is called good; the server knows it anyway.
    if (typed)
      import('./common-passwords.ts').then(
        (list) => setIsCommon(() => list.isCommonPassword),
        () => undefined,
      )
  }, [typed])
  const strength = passwordStrength(field.value ?? '', own, isCommon)
  return (
    <CapsLockHint>
      {username !== undefined && <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />}
      <PasswordField
        {...field}
        required
        autoComplete="new-password"
        hint={t('At least {least} characters. Four words that do not belong together are easy to remember.', { least: shortestPassword })}
      />
      {typed && (
        <Group gap="xs" wrap="nowrap">
          <Progress value={(strength.level + 1) * 25} color={tones[strength.level]} size="sm" flex={1} aria-hidden />
          <Text size="sm" c={tones[strength.level]} miw={130} role="status">
            {t(strength.says, { missing: strength.missing })}
          </Text>
        </Group>
      )}
    </CapsLockHint>
  )
}
