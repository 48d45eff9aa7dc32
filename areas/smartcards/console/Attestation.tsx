// Whose cards are believed when they say that a key was made on them.

import { List, Stack } from '@mantine/core'
import { SwitchField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PemInput } from '#core/console/kit/PemInput.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { smartcards } from '../contract.ts'

type Values = { roots: string | undefined; acceptsVirtual: boolean }

export function Attestation() {
  const query = useCall(smartcards.calls.attestation, {})
  return (
    <Page title={t('Attestation of cards')} narrow>
      <Loaded query={query}>
        {({ shipped, roots, acceptsVirtual }) => (
          <Stack gap="md">
            <Section
              title={t('Always believed')}
              intro={t(
                'A card says by a certificate of its maker that a key was made on it. Those of these makers are checked without more.',
              )}
            >
              <List>
                {shipped.map((name) => (
                  <List.Item key={name}>{name}</List.Item>
                ))}
              </List>
            </Section>
            <Section title={t('Believed besides')} intro={t('A key of any other card is still proved by its signature, and shown so.')}>
              <Form
                key={`${roots}${acceptsVirtual}`}
                call={smartcards.calls.changeAttestation}
                initial={{ roots: roots === '' ? undefined : roots, acceptsVirtual }}
                toInput={(values: Values) => ({ roots: values.roots ?? '', acceptsVirtual: values.acceptsVirtual })}
                submit={t('Save roots')}
                guard={false}
                onDone={() => {}}
              >
                {(form) => (
                  <>
                    <PemInput {...form.field('roots')} label={t('Roots of other makers')} kind="CERTIFICATE" rows={6} />
                    <SwitchField
                      {...form.field('acceptsVirtual')}
                      label={t('Cards of software')}
                      hint={t('For trying only: what they attest, anybody can.')}
                    />
                  </>
                )}
              </Form>
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}
