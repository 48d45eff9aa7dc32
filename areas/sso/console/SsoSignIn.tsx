// On the sign-in page: the button of each provider that is known here, and a field for the address of everybody else.

import { Button, Divider, Stack } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { goTo } from '#core/console/navigate.ts'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { sso } from '../contract.ts'
import { rememberedProvider } from './remembered.ts'

export function SsoSignIn() {
  const [search] = useSearchParams()
  const [asking, setAsking] = useState(false)
  const [unknown, setUnknown] = useState(false)
  const { data } = useCall(sso.calls.offered, {})
  const [remembered] = useState(rememberedProvider)
  if (data === undefined) return null
  const providers = [
    ...data.providers,
    ...(remembered === undefined || data.providers.some(({ id }) => id === remembered.id) ? [] : [remembered]),
  ]
  const redirect = search.get('redirect') ?? undefined
  const go = (provider: string) => goTo(to(sso.screens.portal, { provider }, { redirect }))
  return (
    <Stack gap="sm">
      {providers.length > 0 && <Divider label={t('or')} />}
      {providers.map(({ id, name }) => (
        <Button key={id} variant="default" fullWidth onClick={() => go(id)}>
          {t('Sign in with {name}', { name })}
        </Button>
      ))}
      {asking ? (
        <Form
          call={sso.calls.homeRealm}
          initial={{ emailAddress: '' }}
          submit={t('Go on')}
          guard={false}
          quiet
          cancel={{ label: t('Cancel'), onClick: () => setAsking(false) }}
          onDone={({ provider }) => {
            if (provider === undefined) setUnknown(true)
            else go(provider.id)
          }}
        >
          {(form) => (
            <TextField
              {...form.field('emailAddress')}
              label={t('Your e-mail address')}
              error={
                unknown
                  ? t('No organisation signs in here with this address. Ask your administrator for the address of your sign-in')
                  : form.error('emailAddress')
              }
              autoComplete="email"
              autoFocus
              required
            />
          )}
        </Form>
      ) : (
        <Button
          variant="subtle"
          fullWidth
          leftSection={<IconBuilding size={18} stroke={1.8} aria-hidden />}
          onClick={() => {
            setUnknown(false)
            setAsking(true)
          }}
        >
          {t('Sign in with your organisation')}
        </Button>
      )}
    </Stack>
  )
}
