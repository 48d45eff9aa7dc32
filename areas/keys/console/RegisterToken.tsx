// Registering a token: one of those that the modules see now, a name for it, and its PIN.

import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconUsb } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { PasswordField, SelectField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { DraftOf, OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { keys } from '../contract.ts'
import { keyAlgorithms } from '../rules.ts'

type Found = OutputOf<typeof keys.calls.found>
type Values = { place: string | undefined; name: string; pin: string }
type Place = { module: string; label: string; serial: string }

const placesIn = ({ modules }: Found) => modules.flatMap(({ module, tokens }) => tokens.map((token) => ({ module, ...token })))
const keyOf = ({ module, label, serial }: Place) => JSON.stringify([module, label, serial])

export function RegisterToken() {
  const found = useCall(keys.calls.found, {})
  return (
    <Page title={t('Register token')}>
      <Loaded query={found}>{(seen) => <Registering found={seen} again={() => void found.refetch()} />}</Loaded>
    </Page>
  )
}

function Registering({ found, again }: { found: Found; again: () => void }) {
  const navigate = useNavigate()
  const places = placesIn(found)
  const look = (
    <Button variant="default" onClick={again}>
      {t('Check again')}
    </Button>
  )
  if (found.modules.length === 0)
    return (
      <EmptyState
        icon={IconUsb}
        title={t('No PKCS#11 module is allowed here')}
        text={t(
          'Whoever runs the server names the modules in CHANCERY_PKCS11_MODULES, such as /usr/lib/softhsm/libsofthsm2.so, and starts it again.',
        )}
      />
    )
  const problems = found.modules
    .filter(({ problem }) => problem !== '')
    .map(({ module, problem }) => (
      <Alert key={module} color="yellow" variant="light" title={module}>
        {t(problem)}
      </Alert>
    ))
  if (places.length === 0)
    return (
      <Stack gap="md">
        {problems}
        <EmptyState
          icon={IconUsb}
          title={t('No token is there')}
          text={t('Plug the token in, or make one with the tool of its maker: only a token that was initialised is shown.')}
          action={look}
        />
      </Stack>
    )
  const only = places.length === 1 ? places[0] : undefined
  const initial: Values = { place: only && keyOf(only), name: only?.label ?? '', pin: '' }
  return (
    <Form
      call={keys.calls.register}
      initial={initial}
      toInput={({ place, name, pin }: Values): DraftOf<typeof keys.calls.register> => {
        const chosen = places.find((each) => keyOf(each) === place)
        return { name, pin, module: chosen?.module ?? '', label: chosen?.label ?? '', serial: chosen?.serial ?? '' }
      }}
      submit={t('Register token')}
      cancel={{ label: t('Cancel'), to: to(keys.screens.tokens) }}
      onDone={() => navigate(to(keys.screens.tokens))}
    >
      {(form) => {
        const chosen = places.find((each) => keyOf(each) === form.values.place)
        return (
          <Stack gap="md" maw={640}>
            {problems}
            <Section title={t('Token')}>
              <SelectField
                {...form.field('place')}
                label={t('Token')}
                required
                onChange={(picked) => {
                  const label = places.find((each) => keyOf(each) === picked)?.label ?? ''
                  form.setAll({
                    place: picked,
                    ...(form.values.name === '' || places.some((each) => each.label === form.values.name) ? { name: label } : {}),
                  })
                }}
                options={places.map((each) => ({ value: keyOf(each), label: `${each.label} · ${each.model} · ${each.serial}` }))}
              />
              {chosen !== undefined && (
                <Text size="sm" c="dimmed">
                  {chosen.algorithms.length === 0
                    ? t('It can make no key that an authority could sign with.')
                    : t('It can make: {kinds}', { kinds: chosen.algorithms.map((name) => keyAlgorithms[name].label).join(', ') })}
                </Text>
              )}
              <TextField {...form.field('name')} label={t('Name in Chancery')} required />
              <PasswordField
                {...form.field('pin')}
                label={t('PIN')}
                hint={t('It is tried once, and kept sealed under the key of this tenancy.')}
                autoComplete="off"
                required
              />
            </Section>
          </Stack>
        )
      }}
    </Form>
  )
}
