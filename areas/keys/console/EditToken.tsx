// Another name for a token, or the PIN that it has now.

import { Stack } from '@mantine/core'
import { useNavigate, useParams } from 'react-router'
import { PasswordField, TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { keys } from '../contract.ts'
import { TokenTrouble } from './TokenTrouble.tsx'

type Values = { name: string; pin: string }

export function EditToken() {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const token = useCall(keys.calls.view, { tokenId: id })
  return (
    <Page title={t('Edit token')}>
      <Loaded query={token}>
        {({ name, state }) => (
          <Form
            call={keys.calls.change}
            initial={{ name, pin: '' }}
            toInput={(values: Values): DraftOf<typeof keys.calls.change> => ({
              tokenId: id,
              name: values.name,
              ...(values.pin === '' ? {} : { pin: values.pin }),
            })}
            submit={t('Save token')}
            cancel={{ label: t('Cancel'), to: to(keys.screens.token, { id }) }}
            onDone={() => navigate(to(keys.screens.token, { id }))}
          >
            {(form) => (
              <Stack gap="md" maw={640}>
                <TokenTrouble state={state} />
                <Section title={t('Token')}>
                  <TextField {...form.field('name')} label={t('Name in Chancery')} required />
                  <PasswordField
                    {...form.field('pin')}
                    label={t('New PIN')}
                    hint={t('Only where it was changed on the token. It is tried once, at once.')}
                    autoComplete="off"
                  />
                </Section>
              </Stack>
            )}
          </Form>
        )}
      </Loaded>
    </Page>
  )
}
